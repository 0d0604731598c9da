"""Tells a sentence from a menu, a headline, a caption or a line that was cut. Pure."""

# ruff: noqa: RUF001  (the quotation marks and signs of web pages are meant)

import re

_FEWEST_WORDS, _MOST_WORDS, _MOST_CHARS = 5, 70, 600
_STARTS = re.compile(r"[A-Z0-9“\"‘'«„(\[$€£¥À-ÞА-Я]|[^\W\d_a-z]")
_PART = re.compile(
    r"(?:Which|Who|Whose|Whom|Whereas|Because|Than|Of which)\b|\([^)]*\) [a-z]"
)
_ENDS = re.compile(r"(?<![.…])[.!?。][\"'”’»)\]]*$|[.!?][\"'”’»)\]]+$")
_MENU = re.compile(
    r"[|©›▼►→◄«»•·#{}<>�\\^~]|https?:|www\.|\S@\S|\.(?:com|org|net|html?)\b/|\.{3}\s*[A-Z]"
    r"|\b(?:cookies?|javascript|log ?in|sign ?in|sign ?up|newsletter|privacy policy"
    r"|terms of (?:use|service)|all rights reserved|copyright|skip to|(?:also )?read (?:more|also|next)|also read"
    r"|licen[cs]ed under|last (?:modified|updated)|(?:media|press) (?:enquir|inquir|contact)\w*|not supported|click here|advertisement\w*|subscribe|share this|follow us|toggle|menu)\b",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"^(?:in the (?:picture|photo|image|video|map|graphic)s?|(?:figure|fig\.|table|exhibit) ?\d+\w?) ?[:.—–-]"
    r"|^(?:aerial|satellite|street|close-up) (?:shot|view|photo(?:graph)?|image)s? of\b"
    r"|^(?:photo|image|picture|pictured|credit|file|video|watch|listen|caption|source"
    r"|illustration|getty|watch|left|right|above|below|clockwise)\b ?(?:by|credit|photo)?"
    r" ?(?::|—|–|-|\bby\b)|\((?:AP|Reuters|AFP|Getty|Photo)[^)]{0,40}\)"
    r"|\bin (?:this|an?) (?:undated |file |still |handout |combination )?(?:image|photo(?:graph)?|picture|frame|video still)\b"
    r"|\b(?:court(?:room)?(?: artist)? sketch|screen ?(?:shot|grab)|poses? for a (?:photo|picture)"
    r"|Getty Images|Photo(?:graph)? by|Image credit|Photo credit|File photo)\b",
    re.IGNORECASE,
)
# What is not a statement of its own: a label, a footnote, a pointer to a table.
_LABEL = re.compile(
    r"^(?:(?:Ans(?:wer)?|Que(?:stion)?|Tip|Hint|Example|Ex|(?:Step|Chapter|Part|Section) \d+)\s?\d{0,3}\s?[.:)–-]\s"
    r"|[QA]\d{0,3}\s?:\s|(?:[1-3] )?[A-Z]\w+ \d{1,3}:\d{1,3}\b)"
    r"|\b(?:(?:in|from|see|by) the (?:following|accompanying) (?:table|chart|graph|figure|map|list|diagram)s?"
    r"|(?:table|figure|chart|list|listed|shown|given|described|see|links?) (?:below|above)|as follows|following statement|the following (?:tables?|lists?|charts?|figures?))\b"
    r"|\((?:inches|mm|cm|feet|km|miles|percent|%|USD|in (?:thousands|millions))\) (?:for|of|by|during)\b",
    re.IGNORECASE,
)
# "parti cipate", "infl uence": a PDF broke its ligatures off.
_BROKEN = re.compile(r"\b[a-z]+(?:ti|fi|fl|ffi|ft|tt) [a-z]{2,}")
_MOST_BROKEN = 1
# A scene as the caption of a photograph tells it.
_PEOPLE = (
    r"(?:group|crowd|pair|couple|line|man|woman|men|women|people|child|children|boys?|girls?|famil(?:y|ies)|residents?|neighbou?rs?|workers?|soldiers?|troops|officers?"
    r"|fans?|students?|protest[eo]rs?|demonstrators?|rescuers?|firefighters?|volunteers?|partners?|villagers?|refugees?|civilians?|supporters?|visitors?|mourners?"
    r"|survivors?|victims?|mothers?|fathers?|patients?|staff|nurses?|dockers|farmers?|fishermen|pupils|teachers?|tourists|commuters|passengers)"
)
_ACT = (
    r"walk|stand|sit|pos|wait|gather|stack|carr(?:y|i)|queue|wav|hug|embrac|smil|cheer|pray|kneel|clap|mourn|weep|rest|look on"
    r"|watch|chat|distribut|salvag|sift|inspect|unload|load|prepar|repair|clean|clear|collect|hold|listen|sing|dance|march|celebrat|react|arriv|rid|take part"
)
_SCENE = re.compile(
    rf"^(?:[\w'’-]+ ){{0,4}}(?i:{_PEOPLE})(?: (?!that|who|which|have|had|were|was)[\w'’-]+){{0,7}}? (?:tr(?:y|ies) to |comes? together to |help to )?(?:{_ACT})(?:e?s|e|ing)?\b(?!['’])"
    r"|^[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?,?(?: [^,.]{2,50},)? (?:tries to|poses|looks on|reacts (?:as|after|during)|gestures|waves|smiles|celebrates (?:after|with|during)|speaks (?:at|during|to reporters)|stacks|registers for|sits (?:in|on|at)|walks)\b"
)
_SCENE_PAST = re.compile(
    r"\b(?:was|were|had|did|said|told|has|have|will|[a-z]+(?<!cros)(?<!displac)ed (?:the|an?|his|her|its|their|to|by \d|in (?:19|20)\d\d))\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_JOINT = re.compile(
    r"\b[A-Za-z]*(?:[a-z]{3}(?:[A-Z][a-z]{2,}|[A-Z]{2,}\b)|[a-z]{4}(?:[A-Z][a-z]|\d{2,}))\w*"
)
_GLUED = re.compile(
    r"\d[A-Z][a-z]+ |[a-z]{2}[A-Z][a-z]?\.|[a-z)][”\"][A-Z]|[,;][A-Za-z]{3}|\w\(\w{3,}\)|[a-z]:[A-Z]|[.,][“„]\w"
)
_CUT = re.compile(
    r"\b(?:Drs?|Mrs?|Ms|Mx|Prof|St|Gov|Sen|Rep|Gen|Lt|Rev|vs?|No|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec"
    r"|(?<!\.)[A-Z])\.$"
)
_RUN = re.compile(r"(?:\b[A-Z][\w’'.-]{0,60}+[ /&]++){6}[A-Z]")
_SHOUTED = re.compile(r"(?:\b[A-Z]{3,}\b[ ,:]*){4,}")
_TITLE_SHARE = 0.7
_LOW = "„"
_OPENING, _CLOSING = frozenset("([“"), frozenset(")]”")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|may"
    r"|might|must|shall|should|became|began|broke|brought|built|burst|bought|came|chose|cost|cut"
    r"|drew|drove|fell|fled|fought|found|flew|gave|got|grew|held|hit|kept|knew|laid|led|left"
    r"|let|lost|made|met|paid|put|ran|read|rose|said|saw|sat|sent|set|shot|shut|sold"
    r"|spent|split|spoke|spread|stood|struck|sung|sang|swept|swore|took|taught|thought"
    r"|threw|told|tore|went|withdrew|woke|won|wore|wrote|[a-z]{2,}ed|[a-z]{3,}(?:[^s]s|ses|es))\b"
)

# Forms that are verbs by their ending only, and a sentence needs another one.
_NO_VERBS = re.compile(
    r"\b(?:located|situated|based|dated|entitled|equipped|aimed|related|associated|dedicated|unlimited|so-called) "
    r"|\b(?:of|for|on|in|at|by|with|from|the|an?|its|their|his|her|these|those|some|many|several|all|other|\d+) [a-z]+s\b"
)


def fault(text: str, known: frozenset[str], *, is_english: bool) -> str | None:
    """Return why `text` is no sentence to quote, `None` where it is one.

    Args:
        text: with single blanks.
        known: words that the article has; a name of it may look like two glued words.
        is_english: whether English words can be looked for in it.
    """
    found = _WORD.findall(text[:_MOST_CHARS])
    if not _is_as_long_as_a_sentence(text, found):
        return "too short or too long for a sentence"
    checks = (
        (not (_STARTS.match(text) and _ENDS.search(text)), "no whole sentence"),
        (_PART.match(text), "no whole sentence"),
        (_MENU.search(text) or _CAPTION.search(text), "part of a menu or a caption"),
        (_has_joints(text, known) or _GLUED.search(text), "words run together"),
        (_CUT.search(text), "no whole sentence"),
        (_LABEL.search(text), "a label, or a pointer to something else"),
        (len(_BROKEN.findall(text)) > _MOST_BROKEN, "its words are broken"),
        (is_english and _is_scene(text), "part of a menu or a caption"),
        (_RUN.search(text) or _SHOUTED.search(text), "a headline or a menu"),
        (_is_headline(found), "a headline or a menu"),
        (_is_unbalanced(text), "a quotation or a bracket is cut"),
        (is_english and not _FINITE.search(_NO_VERBS.sub(" ", text)), "no verb"),
    )
    return next((why for fails, why in checks if fails), None)


def joints(text: str) -> list[str]:
    """Return the words of `text`, in lower case, that look like two glued together."""
    return [one.lower() for one in _JOINT.findall(text)]


def _is_as_long_as_a_sentence(text: str, found: list[str]) -> bool:
    return len(text) <= _MOST_CHARS and _FEWEST_WORDS <= len(found) <= _MOST_WORDS


def _has_joints(text: str, known: frozenset[str]) -> bool:
    return any(one not in known for one in joints(text[:_MOST_CHARS]))


def _is_scene(text: str) -> bool:
    """Tell the scene of a photograph: somebody does something visible, just now."""
    found = _SCENE.match(text)
    return bool(found) and not _SCENE_PAST.search(text, 0, found.end() if found else 0)


def _is_headline(found: list[str]) -> bool:
    lettered = [one for one in found if one[0].isalpha()]
    capitals = sum(one[0].isupper() for one in lettered)
    return len(lettered) > _FEWEST_WORDS and capitals >= _TITLE_SHARE * len(lettered)


def _is_unbalanced(text: str) -> bool:
    if _LOW in text:  # „so“
        return text.count(_LOW) != text.count("“") + text.count("”")
    opened = 0
    for sign in text:
        if sign in _OPENING:
            opened += 1
        elif sign in _CLOSING:
            opened -= 1
        if opened < 0:
            return True
    return opened != 0 or text.count('"') % 2 == 1
