"""What a wiki's refusal means for an edit, and the two ways to get no answer at all.

The error codes are sorted by `refusals.toml`. A refusal that is temporary, or concerns
the account, must not discard a post; an unknown one must not be mistaken for either.
"""

import tomllib
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from bot.records.posts import Refusal
from handlers.ports import TemporaryError


class NotSent(TemporaryError):  # noqa: N818 - it tells what happened
    """The request did not reach the wiki, or was rejected before it was read."""


class NoAnswer(TemporaryError):  # noqa: N818 - it tells what happened
    """The request was sent and its answer is lost or makes no sense."""


class Scope(Enum):
    """What a refusal concerns, and for how long; the value is its table's name."""

    ACCOUNT = "account"  # someone must act
    WIKI = "wiki"  # temporary
    POST = "post"  # temporary
    AGAIN = "again"  # reading the page again is enough
    PAGE = "page"  # permanent
    DOUBT = "doubt"  # the edit may have been made


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code means; `reason` says why the post is never made, if that is so."""

    scope: Scope
    words: str
    reason: Refusal | None = None


def meaning_of(code: str, info: str = "") -> Meaning | None:
    """Return what an error means for an edit; `None` if the code is not known."""
    said = f"{code}: {info.lower()}"
    for pattern, meaning in _table().items():
        if fnmatchcase(said if ": " in pattern else code, pattern):
            return meaning
    return None


@cache
def _table() -> MappingProxyType[str, Meaning]:
    """Return the meanings by pattern, whole codes and long patterns first."""
    text = files("bot.wiki").joinpath("refusals.toml").read_text("utf-8")
    found = {
        pattern: _meaning(Scope(scope), words)
        for scope, rows in tomllib.loads(text).items()
        for pattern, words in rows.items()
    }
    order = sorted(found, key=lambda each: ("*" in each, -len(each)))
    return MappingProxyType({each: found[each] for each in order})


def _meaning(scope: Scope, words: str) -> Meaning:
    if scope is Scope.PAGE:
        return Meaning(scope, Refusal[words].value, Refusal[words])
    return Meaning(scope, words)
