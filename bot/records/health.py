"""What is wrong with the program as a whole: the kinds, and since when each is so. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class AilmentKind(Enum):
    """What an operator has to hear of at once; the value is its name in metrics."""

    FEED = "feed"  # nobody reads the change feed, or it is far behind
    STOPPED = "stopped"  # somebody stopped a task on its stop page
    BLOCKED = "blocked"  # the account is blocked
    ACCOUNT = "account"  # it may not edit, or cannot log in
    BUDGET = "budget"  # the language model's day is spent
    QUEUE = "queue"  # pages that are due are not checked
    POSTS = "posts"  # posts that are due are not made
    OPT_INS = "opt-ins"  # somebody opted in, and nobody has read it


OF_THE_WIKI = frozenset({AilmentKind.STOPPED, AilmentKind.BLOCKED})
"""What is asked of the wiki; the others show in the database."""


@dataclass(frozen=True, slots=True)
class Ailment:
    """Something that is wrong; `subject` tells several of a kind apart (a wiki)."""

    kind: AilmentKind
    what: str
    remedy: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class KeptAilment:
    """An ailment, since when it is so, and when it was over, if it is."""

    ailment: Ailment
    since: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HealthChange:
    """What an operator has not been told yet."""

    begun: tuple[KeptAilment, ...] = ()
    ended: tuple[KeptAilment, ...] = ()
