"""What a sentence loses for how it is said, in a draft that may quote it.

An update is a few facts in an encyclopaedia's voice; a draft quotes many sentences, and
what somebody said or planned is told where its speaker or its figures are. Pure.
"""

import re

from handlers.drafts.unmarked import commonness
from handlers.model import Ignored
from handlers.updates.extracting import voice
from handlers.updates.extracting.languages import language_of_text

_TOLD_COST, _COLOUR_COST = 0.12, 0.06
_FEWEST_TELLING = 2  # names and figures of a sentence that says what somebody thinks
_PROSE, _UNLIKE_COST = 0.4, 1.2  # common words of prose; for each share less
_NAMES_UNSEEN = 5  # a name written small is no less a name
# Who speaks is named: "said Jane Roe", "police said", "Roe, the mayor, added".
_SPEAKER = re.compile(
    r"(?:\b(?:said|says|told|added|wrote|stated|according to|tweeted|announced)\b[^.“\"]{0,30}\b(?:[A-Z][\w.'’-]{1,60}+ [A-Z][\w'’-]+|[Pp]olice|[Oo]fficials?|spokes\w+|[Mm]inist\w+|[Pp]rosecutors?|[Aa]uthorities|[Gg]overnment))"
    r"|(?:\b[A-Z][\w.'’-]{1,60}+ [A-Z][\w'’-]+\b[^.“\"]{0,80}\b(?:said|says|told|added|wrote|stated|tweeted|announced|called|described)\b)"
    r"|(?:\b(?:[Pp]olice|[Oo]fficials?|[Ss]pokes\w+|[Mm]inist\w+|[Pp]rosecutors?|[Aa]uthorities|[Gg]overnment|statement|report)\b[^.“\"]{0,40}\b(?:said|says|told|added|wrote|stated|announced|called|described)\b)"
)
_NEVER = frozenset({Ignored.ADVERTISING, Ignored.NOT_A_FACT, Ignored.TRIVIAL})
_OWN_WORDS = (
    "the writer speaks of himself",
    "a speaker's words, or a label",
    "a clause of a contract",
    "somebody's private life",
    "a condition",
    "a general remark",
    "praise",
)

_UNDATED_COST = 0.1
_OF_THE_DAY = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|month|year)|last (?:night|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def cost_of(text: str, telling: int, *, unmarked: bool) -> float | None:
    """Return what an English sentence loses; `None` for one to leave out.

    Args:
        text: with single blanks.
        telling: how many names and figures it has.
        unmarked: whether it is of a text without capitals: its names show by nothing,
            and neither do its quotation marks.
    """
    if unmarked:
        telling = max(telling, _NAMES_UNSEEN)
    else:
        told = language_of_text(text)
        if told and told != "en":
            return None
    heard = voice.heard(text, telling=telling, is_stale=False)
    if heard.fault is None:
        return heard.cost + (_unlike_prose(text) if unmarked else 0.0)
    why, detail = heard.fault
    if why in _NEVER or detail.startswith(_OWN_WORDS):
        return None
    if detail == "somebody's words":
        return _TOLD_COST if _SPEAKER.search(text) else None
    return _COLOUR_COST + _TOLD_COST if telling >= _FEWEST_TELLING else None


def _unlike_prose(text: str) -> float:
    """Return what a stretch loses that may be headlines in a row."""
    return _UNLIKE_COST * max(0.0, _PROSE - commonness(text.split()))


def undated_cost(text: str) -> float:
    """Return what a sentence of a page without a day loses: nobody knows which Monday."""
    is_open = _OF_THE_DAY.search(text) and not _DAY.search(text)
    return _UNDATED_COST if is_open else 0.0
