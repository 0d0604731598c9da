"""In which language a page is shown, and its words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gadget.bundling.messages import NOTES, PREFIX, SOURCE, read_messages

_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})
_DIRECTIONS = frozenset({"ltr", "rtl"})
_WANTED = re.compile(
    r"\s*([A-Za-z]{1,8})[A-Za-z0-9-]*\s*(?:;\s*q=([01](?:\.\d{0,3})?))?"
)
_MOST_WANTED = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """How a page is shown: its language, the direction of its lines, its words."""

    language: str
    direction: str
    words: Mapping[str, str]

    def say(self, key: str, *values: object) -> str:
        """Return a message, in English where it is not translated."""
        text = self.words.get(PREFIX + key) or _texts()[SOURCE].get(PREFIX + key, key)
        for number, value in enumerate(values, 1):
            text = text.replace(f"${number}", str(value))
        return text


def languages() -> list[str]:
    """Return the languages that there are messages in."""
    return sorted(set(_texts()) - {NOTES})


def shown(asked: Mapping[str, str], accepted: str) -> Shown:
    """Return how a page is shown to somebody.

    Args:
        asked: of the address: `lang` and `dir`, for trying them.
        accepted: the browser's `Accept-Language`.
    """
    language = asked.get("lang", "")
    if language not in languages():
        language = _best(accepted)
    direction = asked.get("dir", "")
    if direction not in _DIRECTIONS:
        direction = "rtl" if language in _RIGHT_TO_LEFT else "ltr"
    return Shown(language, direction, _texts()[language])


def _best(accepted: str) -> str:
    known = set(languages())
    best, weight = SOURCE, 0.0
    for part in accepted.split(",")[:_MOST_WANTED]:
        found = _WANTED.match(part)
        if found and (language := found[1].lower()) in known:
            wanted = float(found[2] or 1)
            if wanted > weight:
                best, weight = language, wanted
    return best


@cache
def _texts() -> dict[str, dict[str, str]]:
    return read_messages()
