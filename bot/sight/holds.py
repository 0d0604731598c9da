"""Reads the notes of posts that wait: who or what holds them back. Pure.

The notes are sentences of our own (`bot.writing`) and of the store; a test puts the
real ones through here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Hold(Enum):
    """What holds a post back; the value says what can be done."""

    STOPPED = (
        "To let the task write, put the one word “run”, and nothing else, on its stop"
        " page."
    )
    MESSAGES = "Log in as the bot, read its talk page, answer what is asked there."
    BLOCKED = "Read why on the wiki, and settle it with the people there."
    ACCOUNT = (
        "Check the account's rights, its bot flag and its password or OAuth grant."
    )
    READ_ONLY = "Nothing to do: it goes on when the wiki takes edits again."
    LAGGED = "Nothing to do: it goes on when the wiki's databases have caught up."
    LIMIT = (
        "Nothing to do until midnight UTC. To allow more, raise the setting of that"
        " limit."
    )
    OTHER = "The next try comes by itself; if this stays, look into the log."

    @property
    def remedy(self) -> str:
        """Return what can be done."""
        return self.value


_SIGNS: Mapping[str, Hold] = {
    "stop page of the task": Hold.STOPPED,
    "left a message for the bot": Hold.MESSAGES,
    "is blocked": Hold.BLOCKED,
    "may not edit": Hold.ACCOUNT,
    "the account is no bot": Hold.ACCOUNT,
    "refuses the login": Hold.ACCOUNT,
    "does not know the account": Hold.ACCOUNT,
    "OAuth": Hold.ACCOUNT,
    "is read-only": Hold.READ_ONLY,
    "answered readonly": Hold.READ_ONLY,
    "databases are behind": Hold.LAGGED,
    "answered maxlag": Hold.LAGGED,
    "the limit for one": Hold.LIMIT,
}


@dataclass(frozen=True, slots=True)
class Held:
    """Posts that wait for one reason."""

    hold: Hold
    note: str
    posts: int


def holds_of(notes: tuple[tuple[str, int], ...]) -> tuple[Held, ...]:
    """Return what holds posts back, what people have to settle before all else."""
    found = [Held(_hold(note), note, count) for note, count in notes]
    order = list(Hold)
    return tuple(sorted(found, key=lambda one: (order.index(one.hold), -one.posts)))


def _hold(note: str) -> Hold:
    return next((hold for sign, hold in _SIGNS.items() if sign in note), Hold.OTHER)
