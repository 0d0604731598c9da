"""Work that waits in the database, and the right to do a piece of it for a while. Pure.

A task is named by its kind, its wiki and its subject, and waits at most once. Whoever
leases it counts an attempt before the work begins, so that what kills its worker counts,
too. `token` is the fencing number: it grows with each lease, and what comes with an older
one is refused.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


class TaskKind(Enum):
    """What is to be done; the value says what the subject is."""

    CHECK = "the page to be checked"
    FETCH = "the source to be read; its host stands for a wiki"
    UPDATE = "the page whose newer facts are searched for"
    SUPPLIED = "a text that a person supplied for a source"
    DRAFT = "the page of a person's own that is to be drafted"
    PLAN_OPT_INS = "a page with an opt-in template, or all of them"
    PLAN_REPORT = "the page of the opt-in that a report belongs to"
    PLAN_TALK = "the article whose talk page it is"
    PLAN_DRAFT = "the page of a person's own that a draft goes to"


class TaskState(Enum):
    """Where a task stands."""

    WAITING = "waiting"
    LEASED = "in work"
    PARKED = "parked"  # until it is asked for anew
    IDLE = "done"


@dataclass(frozen=True, slots=True)
class Lease(Generic[T_co]):
    """The right to work on `task` until `until`; `attempt` counts from 1.

    `kind`, `wiki` and `subject` name its row in the database.
    """

    task: T_co
    kind: TaskKind
    wiki: str
    subject: str
    token: int
    attempt: int
    until: datetime


class LeaseLost(Exception):  # noqa: N818 - not an error: another worker has the task
    """The lease ran out and somebody else has the task: drop what was found."""


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long a task waits after a failure: each time `factor` as long, with chance.

    Chance keeps tasks that failed together from all coming back together.
    """

    first_s: float = 15.0
    most_s: float = 3600.0
    factor: float = 2.0
    spread: float = 0.3

    def wait_s(self, attempt: int, asked_s: float, draw: float) -> float:
        """Return the wait after `attempt` (from 1), at least the `asked_s` seconds.

        `draw` is a random number from 0 to 1.
        """
        longer = self.factor ** min(attempt - 1, 30)
        waits_s = min(self.most_s, self.first_s * longer)
        return max(asked_s, waits_s) * (1 + self.spread * draw)


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a task that failed: it waits `in_s`, or is parked for `None`.

    With `counts`, an attempt is used up.
    """

    why: str
    in_s: float | None
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Work:
    """What is done for tasks of one kind, and what becomes of those that fail.

    `do` ends the task itself, together with what came of it. One that is hopeless by
    itself is parked, or waits for `hopeless_s`; a fault of the program counts as a
    failure that may pass, or with `fault_s` waits so long. `away` is the back-off where
    a wiki does not answer, if it is another. `failed` may say otherwise of a failure.
    `enrol` lets tasks wait that nobody asks for one by one, whenever one is looked for.
    """

    do: Callable[[Lease[Any]], Awaitable[None]]
    back_off: BackOff = BackOff()
    away: BackOff | None = None
    hopeless_s: float | None = None
    fault_s: float | None = None
    failed: Callable[[Lease[Any], Exception], Fate | None] = lambda _held, _error: None
    enrol: Callable[[datetime], None] | None = None
