"""By what words texts call the subject: its names, and what the lead says it is. Pure."""

import re

from handlers.citations.cues.words import content_stems, stem, words
from handlers.model import ClaimKind, Subject

_ALIKE = tuple(
    frozenset(map(stem, group.split()))
    for group in (
        "club team side",
        "company firm business maker manufacturer retailer brand group",
        "city town municipality",
        "university college school institution",
        "hospital clinic",
        "arena stadium venue ground",
        "ship vessel boat minesweeper frigate destroyer ferry",
        "airline carrier",
        "storm hurricane typhoon cyclone",
    )
)
_DEFINED = re.compile(
    r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+([^,.;(]{3,80})", re.IGNORECASE
)
_DEFINITION_ENDS = re.compile(
    r"\b(?:of|in|on|at|for|from|that|which|who|by|held|based|located|under|off|about"
    r"|near|with|to)\b"
)


def terms_of(subject: Subject) -> frozenset[str]:
    """Return stems by which texts call the subject: its names, and what it is."""
    named = content_stems(word for name in subject.names for word in words(name))
    kinds = _kinds(subject)
    alike = (group for group in _ALIKE if group & kinds)
    return named.union(kinds, *alike)


def _kinds(subject: Subject) -> frozenset[str]:
    """Return what the lead's first sentence says that the subject is."""
    running = (
        one.text
        for one in subject.statements[:20]
        if one.kind is ClaimKind.SENTENCE and not one.section
    )
    found = _DEFINED.search(next(running, ""))
    if found is None:
        return frozenset()
    return content_stems(words(_DEFINITION_ENDS.split(found[1])[0]))
