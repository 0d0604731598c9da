"""Finds sentences that say what the topic is: "The Oder flood was a flood in …". Pure.

They open a lead, and what they say after the verb describes the topic in short.
"""

import re

from handlers.drafts.screening import named, title_of
from handlers.model import Topic

_DEFINES = re.compile(
    r"^(?P<name>[^.;:]{3,110}?),? (?:\([^()]{1,80}\),? )?(?:is|was|were|are) (?P<what>(?:an?|the|one of the|part of) [^.;]{8,220})"
)
_MOSTLY = 0.6  # of the title's words, in the subject of such a sentence
_VAGUE = re.compile(
    r"^(?:an?|the) (?:result|way|time|place|day|thing|reason|lot|moment|sign|great|good|very|really|key|big|major|huge|perfect|real)\b"
)
_VERB = re.compile(r"\b(?:said|says|told|believes?|that|who|which|because|when|if)\b")


def defines(topic: Topic, text: str) -> bool:
    """Tell whether a sentence says what the topic is."""
    return definition(topic, text) is not None


def definition(topic: Topic, text: str) -> str | None:
    """Return what a sentence says that the topic is: "a flood in Poland …"."""
    found = _DEFINES.match(text)
    if found is None or _VERB.search(found["name"]) or _VAGUE.match(found["what"]):
        return None
    name = title_of(topic).casefold()
    is_named = (
        name in found["name"].casefold() or named(topic, found["name"]) >= _MOSTLY
    )
    return found["what"] if is_named else None
