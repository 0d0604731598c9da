"""Tells sentences that a scraper made of two things, and those of a page's frame.

`handlers.updates.extracting.form` tells menus and captions sentence by sentence. A draft
quotes many more sentences than an update, so that what slips through there is met here:
headlines run together, teasers, biographies of reporters, words without the blank
between them. English words are listed; the rest is of any language. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterable, Set

_FRAME = re.compile(
    r"\b(?:(?:this|our) (?:article|story|page|piece|report|site|website|series|podcast|newsletter|blog|post|video|map|list|guide|book|paper|study|chapter|essay|thesis|section|form|content|material)"
    r"|(?:reports?|writes|is) (?:a|an|the) [\w ]{0,30}(?:reporter|correspondent|journalist|editor|columnist|contributor|staff writer|freelance\w*)"
    r"|(?:is|was) (?:a|an|the) (?:[\w-]+ ){0,4}(?:reporter|correspondent|columnist|staff writer|editor-in-chief|contributing writer|news editor)\b"
    r"|(?:[Kk]nown as|[Ff]ollow) @\w+|[Ff]ollow (?:him|her|them|me|us)|[Rr]ead (?:more|the full|our)|[Pp]hoto(?:graph)?s? by|[Ll]isten to|[Ww]atch (?:the|our|more|now)|[Aa]ll rights"
    r"|@\w+|free trial|our (?:team|readers|app|experts|records)|[Cc]omments? (?:section|below|are)|[Tt]erms (?:and|of)|[Pp]rivacy|editorial (?:team|standards|guidelines)|fact[- ]checked"
    r"|first published|originally (?:published|appeared)|[Cc]orrection:|[Uu]pdated with|page ?views?|accessed \d|[Dd]isclaimer|personal data|user(?:name)? |password|passwords|[Kk]indly\b|Getty|Shutterstock|Alamy|Unsplash"
    r"|wire service|may not be (?:reproduced|published|copied)|[Rr]eload|browser|[Rr]efresh|paperback|hardcover|ISBN|your (?:account|device|email)|[Ff]or [Ss]ubscribers|[Mm]ore [Ff]rom (?:the )?[A-Z]|[Rr]elated:|[Ss]ee also"
    r"|reach(?:ed)? (?:him|her|out) (?:at|to \w+ for)|has reached out to|did not (?:immediately )?(?:respond|return)|could not be reached|declined to comment|contributed to this|reporting from|reported from"
    r"|ad(?:vertis\w+)?[- ]free|[Cc]losed [Cc]aptioning|(?:is|are) part of what (?:is|are) known as|App Store|Google Play|IMDb(?:Pro)?|Rate (?:it|this)|helpful votes?|upvotes?|(?:was|were) this (?:helpful|page)|site (?:may|uses)|(?:articles?|posts?) (?:about|tagged|by)|table of contents|download(?:ed|s|able)?)\b"
)
# "A native of St. Paul, he studied at …": who wrote the page.
_BIOGRAPHY = re.compile(
    r"\b(?:native, [A-Z]\w+ (?:studied|graduated)|(?:Pulitzer|Emmy)[- ]?(?:Prizes?|winning|winner)[^.]{0,40}(?:staff|team|reporter)|joined (?:the )?(?:Times|Post|Guardian|BBC|CNN|AP|Reuters|newspaper|paper) |lives in [A-Z]\w+ with (?:his|her)"
    r"|(?:has|have) (?:also )?(?:written|reported|contributed) (?:for|to) (?:the |The )?[A-Z]|covers? (?:[\w-]+ ){1,4}for (?:the |The )?[A-Z]|graduate of (?:the )?[A-Z][\w ]{2,40}(?:University|School)|breaking news staff|studied (?:communications|journalism))"
)
_LABEL = re.compile(r"^(?:[A-Z][\w'’-]*)(?: [\w'’-]+){0,4}: [A-Z“\"]")
_SHOWS = re.compile(
    r"^(?:An? )?(?:[Pp]hotos?|[Pp]hotographs?|[Ii]mages?|[Pp]ictures?|[Ii]llustrations?|[Ss]creenshots?|[Pp]ortraits?|[Vv]iews?|[Mm]aps?|[Ss]tills?|[Ff]ootage) (?:of|from|showing|shows)\b|\b[a-z]{3,}\.(?:com|org|net)\b"
)
_SHOUTS = re.compile(r"^(?:[A-Z]{4,}[,.]? ){2,}|^[A-Z]{2,} [A-Z]{2,} [A-Z]{2,} ")
_STITCHED = re.compile(
    r"[\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060\ufeff\ue000-\uf8ff]|\.\.[A-Z]| [.] [A-Z]|[a-z]{3}[A-Z](?= )|[a-z]{2}\)[A-Za-z]|[a-z]”[A-Za-z]|\d[a-z]{4,}|\d[A-Z][a-z]{2}|[a-z]{3}(?<!vid)\d{2,}|[a-z]{5}(?<!covid)\d|[ap]m\.\d|[.,;][A-Z][a-z]{3}"
    r"|\((?:Associated Press|AP|Reuters|AFP|Getty)|\b(?:World & Nation|Travel & Experiences|Opinion [A-Z]|Entertainment [A-Z]|Politics [A-Z]|Business [A-Z])"
    r"|\b(?:The|In|An|On|At|It|This|For)[A-Z][a-z]{2}|(?<![A-Z])[A-Z]{2,}s?(?:and|in|of|to|for)\b|[a-z]{22,}|â|Ã|�|&amp;|&nbsp;|\[\d+\]|\bpp?\. ?\d|\bet al\b|\b[A-Z]\w+ \d{1,2}, \d{4} \d{1,2}:\d\d|\d [ap]m [A-Z]{3}\b"
)
# A scene with its day, as the caption of a photograph has it: no verb that tells.
_DAY_AT_END = re.compile(
    r"\b(?:in|at|on|of) [^.]{3,60}(?:\b(?:19|20)\d\d|\b[A-Z][a-z]+day|\b[A-Z][a-z]+\.? \d{1,2})\.$"
)
_TELLS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|did|does|do|can|could|may|might|must|should|said|says|became|began|came|fell|found|gave|got|held|left|lost|made|met|"
    r"paid|put|rose|saw|sold|stood|struck|took|went|won|beat|ran|led|built|died"
    # a participle before "with", "at" … tells nothing
    r"|(?<!the )(?<!an )(?<!a )[a-z]{2,}ed(?! (?:with|at|by|for|and|from|as|of|to)\b))\b"
)
_ASIDE = re.compile(r"\([^()]*\)")
_SIGNS = re.compile(
    r"\((?:[^()]* )?(?:inches|contours?|met(?:er|re)s|colou?r[\w -]*|(?:dark|light)? ?(?:blue|red|green|solid|dashed) (?:line|dots?|lines)|left|right|top|bottom|centre|center)\b[^()]*\)"
)
_CHART = re.compile(
    r"(?:Observed|Daily|Monthly|Status|Number|Total|Percentage|Detail|Aerial|Close-up|Maximum|Minimum|Mean|Average) "
)
# What a chart's colours mean: no verb saves it.
_LEGEND = re.compile(
    r"\b(?:squares|circles|dots|lines|triangles|bars|arrows|curves|contours|colou?rs|shad(?:ed (?:areas?|regions?)|ing)) (?:denotes?|indicates?|represents?|corresponds?)\b"
    r"|\b(?i:red|blue|green|yellow|black|grey|gray|orange|purple|white|pink|dashed|dotted|solid|shaded) (?:squares?|circles?|dots?|lines?|triangles?|bars?|arrows?|curves?|contours|stars?|crosses|areas?|boxes) (?:denotes?|indicates?|represents?|marks?|shows?|corresponds?)\b"
    r"|\((?:[\w-]+ ){0,3}(?:lines?|dots|curves?|bars|squares|circles|triangles|shading|contours|crosses|diamonds|axis)\)"
    r"|^(?:An?|The|This|These) (?:[\w-]+ ){0,3}(?:maps?|charts?|graphs?|plots?|hydrographs?|diagrams?|histograms?|figures?|time series) (?:(?:of|for|from) [^,.]{2,60} )?(?:plotted|plots|shows?|showing|depict\w*|display\w*|illustrat\w+|produced|created|generated|with|comparing)\b"
    r"|\b(?:colou?r|shaded|plotted) (?:scale|bar|coded|in (?:red|blue|green))\b|\b(?:x|y)-axis\b"
)
_HEADLINE = re.compile(
    r"\b(?:kills?|dies|leaves|hits?|faces?|seeks?|declares?|warns?|vows?|slams?|urges?|sparks?|found (?:guilty|dead)|set to|to be)\b"
)
# A headline has none of these.
_JOINS_WORDS = re.compile(
    r"\b(?:a|an|the|was|were|had|has|have|is|are|who|which|that|they|he|she|it)\b",
    re.IGNORECASE,
)
_LONGEST_HEADLINE, _FEWEST_CAPITALS, _MOST_SMALL = 13, 4, 0.15
_LONG_WORD = 4  # letters, from which a headline's words have capitals
_WORD = re.compile(r"[^\W\d_]+")
_JOINED = re.compile(
    r"(?P<head>[a-z]{4,})(?:were|was|the|and|its|that|from|this|which|their|with|have|has|been)$"
)
_JOINS = re.compile(
    r"(?:the|and|that|this|which|from|were|its|their|have|said)(?P<tail>[a-z]{5,})$"
)
_SHORTEST_JOINED = 7
_LONG, _SHORTEST_PART = 17, 6  # letters of what may be two words, and of each
_FREQUENT = 2


def is_torn(text: str, common: Set[str]) -> bool:
    """Tell whether a sentence is of a page's frame, or of two things.

    Args:
        text: with single blanks.
        common: words, in lower case, that the documents have more than once.
    """
    patterns = (_FRAME, _BIOGRAPHY, _SHOUTS, _STITCHED, _LABEL, _SHOWS, _LEGEND)
    if any(one.search(text) for one in patterns):
        return True
    if _is_caption(text) or _is_headline(text):
        return True
    return any(is_joined(one, common) for one in _WORD.findall(text))


def _is_caption(text: str) -> bool:
    """Tell what a picture or chart shows: no verb that tells, but its day or units."""
    plain = _ASIDE.sub("", text)
    looks_so = _DAY_AT_END.search(text) or _CHART.match(text) or _SIGNS.search(text)
    return bool(looks_so) and not _TELLS.search(plain)


def _is_headline(text: str) -> bool:
    """Tell "Governor Declares Emergency After Flood." and "Flood kills 12 in Exford."."""
    words = _WORD.findall(text)
    if not text[:1].isupper():
        return False
    long = [one for one in words[1:] if len(one) >= _LONG_WORD]
    small = sum(one.islower() for one in long)
    if len(long) >= _FEWEST_CAPITALS and small <= _MOST_SMALL * len(long):
        return not _TELLS.search(_ASIDE.sub("", text))
    return (
        len(text.split()) <= _LONGEST_HEADLINE
        and _HEADLINE.search(text) is not None
        and _JOINS_WORDS.search(text) is None
    )


def is_joined(word: str, common: Set[str]) -> bool:
    """Tell "victimswere": two words of the documents without the blank between them."""
    if len(word) < _SHORTEST_JOINED or not word.islower() or word in common:
        return False
    found = _JOINED.match(word)
    if found and found["head"] in common:
        return True
    joins = _JOINS.match(word)
    if joins is not None and joins["tail"] in common:
        return True
    return len(word) >= _LONG and any(
        word[:at] in common and word[at:] in common
        for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    )


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words, in lower case, that `texts` have more than once."""
    counts = Counter(word for text in texts for word in _WORD.findall(text.lower()))
    return frozenset(one for one, times in counts.items() if times >= _FREQUENT)
