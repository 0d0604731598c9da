"""What an event is about, for figures by category: told by its first sentence. Pure."""

import re

_KINDS = (
    ("elections and politics", "election|referendum|nomination|party|movement|bill|act|law|cabinet|government|issue|campaign|parliament|congress|council"),
    ("sport", "season|championship|tournament|grand prix|match|league|cup|games|race|wrestling|pay-per-view|postseason|draft|bout|football|basketball|olympics"),
    ("film, music and books", "film|series|season of|episode|album|song|single|tour|novel|book|musical|show|game|march|painting|altarpiece|film's"),
    ("conflict and crime", "war|battle|siege|attack|shooting|murder|killing|invasion|bombing|sanctions|protests?|strike|riot|massacre|offensive|arrest|crime|kidnapping|slavery"),
    ("disasters", "earthquake|flood|hurricane|cyclone|typhoon|storm|tornado|crash|fire|explosion|accident|outbreak|pandemic|epidemic|collapse|eruption"),
)  # fmt: skip
_PATTERNS = tuple(
    (name, re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE)) for name, words in _KINDS
)
_OTHER = "other subjects"
_COPULA = re.compile(r"\b(?:is|was|are|were)\b")


def kind_of(title: str, opening: str) -> str:
    """Return the kind whose word comes first: in what the subject “is”, else its title."""
    found = _COPULA.search(opening)
    told = opening[found.end() :] if found else ""
    for text in (told[:200], title):
        places = [(m.start(), name) for name, p in _PATTERNS if (m := p.search(text))]
        if places:
            return min(places)[1]
    return _OTHER
