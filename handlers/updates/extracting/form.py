"""Tells a sentence from a menu, a headline, a caption or a line that was cut. Pure."""

# ruff: noqa: RUF001  (the quotation marks and signs of web pages are meant)

import re

_FEWEST_WORDS, _MOST_WORDS, _MOST_CHARS = 5, 70, 600
_STARTS = re.compile(r"[A-Z0-9“\"‘'«„(\[$€£¥À-ÞА-Я]|[^\W\d_a-z]")
_PART = re.compile(r"(?:Which|Who|Whose|Whom|Whereas|Because|Than|Of which)\b")
_ENDS = re.compile(r"(?<![.…])[.!?。][\"'”’»)\]]*$|[.!?][\"'”’»)\]]+$")
_MENU = re.compile(
    r"[|©›▼►→◄«»•·#{}<>�\\^~]|https?:|www\.|\S@\S|\.(?:com|org|net|html?)\b/|\.{3}\s*[A-Z]"
    r"|\b(?:cookies?|javascript|log ?in|sign ?in|sign ?up|newsletter|privacy policy"
    r"|terms of (?:use|service)|all rights reserved|copyright|skip to|(?:also )?read (?:more|also|next)|also read"
    r"|licen[cs]ed under|last (?:modified|updated)|(?:media|press) (?:enquir|inquir|contact)\w*|not supported|click here|advertisement|subscribe|share this|follow us|toggle|menu)\b",
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
_RUN = re.compile(r"(?:\b[A-Z][\w’'.-]*[ /&]+){6,}[A-Z]\w*")
_SHOUTED = re.compile(r"(?:\b[A-Z]{3,}\b[ ,:]*){4,}")
_TITLE_SHARE = 0.7
_OPENING, _CLOSING = frozenset("([“"), frozenset(")]”")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|may"
    r"|might|must|shall|should|became|began|brought|built|bought|came|chose|cost|cut"
    r"|drew|drove|fell|fought|found|flew|gave|got|grew|held|hit|kept|knew|laid|led|left"
    r"|let|lost|made|met|paid|put|ran|read|rose|said|saw|sat|sent|set|shot|shut|sold"
    r"|spent|split|spoke|spread|stood|struck|sung|sang|swept|swore|took|taught|thought"
    r"|threw|told|went|withdrew|won|wore|wrote|[a-z]{2,}ed|[a-z]{3,}(?:[^s]s|ses|es))\b"
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
        (_RUN.search(text) or _SHOUTED.search(text), "a headline or a menu"),
        (_is_headline(found), "a headline or a menu"),
        (_is_unbalanced(text), "a quotation or a bracket is cut"),
        (is_english and not _FINITE.search(text), "no verb"),
    )
    return next((why for fails, why in checks if fails), None)


def joints(text: str) -> list[str]:
    """Return the words of `text`, in lower case, that look like two glued together."""
    return [one.lower() for one in _JOINT.findall(text)]


def _is_as_long_as_a_sentence(text: str, found: list[str]) -> bool:
    return len(text) <= _MOST_CHARS and _FEWEST_WORDS <= len(found) <= _MOST_WORDS


def _has_joints(text: str, known: frozenset[str]) -> bool:
    return any(one not in known for one in joints(text[:_MOST_CHARS]))


def _is_headline(found: list[str]) -> bool:
    lettered = [one for one in found if one[0].isalpha()]
    capitals = sum(one[0].isupper() for one in lettered)
    return len(lettered) > _FEWEST_WORDS and capitals >= _TITLE_SHARE * len(lettered)


def _is_unbalanced(text: str) -> bool:
    opened = 0
    for sign in text:
        if sign in _OPENING:
            opened += 1
        elif sign in _CLOSING:
            opened -= 1
        if opened < 0:
            return True
    return opened != 0 or text.count('"') % 2 == 1
