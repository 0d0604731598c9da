"""Work that waits in the database, and the right to do a piece of it for a while. Pure.

A task is named by its kind, its wiki and its subject, and waits at most once. Whoever
leases it counts an attempt before the work begins, so that what kills its worker counts,
too. `token` is the fencing number: it grows with each lease, and what comes with an older
one is refused.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from random import random
from typing import Any, Generic, TypeVar

import structlog

from handlers.ports import TemporaryError

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


# How the work is shared between wikis, and between those who asked within one. Pure.
#
# Start-time fair queueing (Goyal, Vin and Cheng, 1996), once among wikis and once among
# the parties of a wiki. A share has a clock of its own that goes on by one for each page,
# or by less where it has more weight; whoever's clock is behind is served next. One that
# had nothing waiting gains nothing by it: it begins again at the clock of those who are
# served. So whatever others put, a share with pages that are due waits for at most one
# page of each other share of its wiki, and that wiki for as many of each other wiki as
# its weight is less than theirs.
#
# Of four turns one is patient, else those who ask for urgent things all day would keep
# the others out: the fourth of all turns goes to whoever's turn it is even where somebody
# else waits for an answer, and the fourth of each share to its page that waits longest.

PATIENT_EVERY = 4


@dataclass(frozen=True, slots=True)
class Share:
    """How much somebody had.

    `ends` is when the last turn ended, on the clock of all shares of the same level;
    `clock` is that of those below, as of their last turn. `served` counts turns.
    """

    ends: float = 0.0
    clock: float = 0.0
    served: int = 0

    @property
    def is_patient(self) -> bool:
        """Whether its next turn goes to who waits longest, not to what is urgent."""
        return self.served % PATIENT_EVERY == PATIENT_EVERY - 1


def after_a_turn(above: Share, mine: Share, weight: float = 1.0) -> tuple[Share, Share]:
    """Return two shares once a turn went to `mine`, which is one of those in `above`.

    `weight` is how much of the work it is due, others having 1.
    """
    began = max(mine.ends, above.clock)
    served = replace(mine, ends=began + 1.0 / weight, served=mine.served + 1)
    return replace(above, clock=began), served


# Work in rounds until somebody says stop, also while the store is away.
#
# The loop of every role that looks for something to do: the worker, the planner and the
# publisher. Many processes do so beside each other, and after a failure of what they
# share all of them come back: so no rest is as long as another, and whoever finds nothing
# to do looks less and less often.

_SPREAD = 0.3  # of a rest, by which it is longer
_LONGER = 1.5  # times, each time that nothing is found
_LONGEST = 3.0  # times the first rest
_START_S = 1.0  # within which processes that start together begin

Draw = Callable[[], float]


async def rounds(
    stop: asyncio.Event, once: Callable[[], Awaitable[float]], draw: Draw = random
) -> None:
    """Do `once` until `stop` is set, and rest after it for the seconds it returns.

    A rest is up to a third longer, by chance: `draw` gives numbers from 0 to 1. What is
    in hand when it is set is finished first.

    Raises:
        PermanentError: somebody has to act.
    """
    while not stop.is_set():
        try:
            rest_s = await once()
        except TemporaryError as error:
            structlog.get_logger().warning("store is away", why=str(error))
            rest_s = error.retry_in_s
        await _rest(stop, rest_s * (1 + _SPREAD * draw()))


class Looking:
    """Work that is looked for, as `once` of `rounds`.

    Args:
        work: does the next thing, and tells whether there was any.
        idle_s: the first rest where there is none; the following are longer.
    """

    def __init__(
        self, work: Callable[[], Awaitable[bool]], idle_s: float, draw: Draw = random
    ) -> None:
        self._work = work
        self._idle_s = idle_s
        self._draw = draw
        self._rest_s: float | None = None

    async def __call__(self) -> float:
        """Do the next thing, if there is any; return how long to rest."""
        if self._rest_s is None:  # of many that start at once, each begins alone
            self._rest_s = self._idle_s
            return min(self._idle_s, _START_S) * self._draw()
        if await self._work():
            self._rest_s = self._idle_s
            return 0.0
        rest_s = self._rest_s
        self._rest_s = min(rest_s * _LONGER, _LONGEST * self._idle_s)
        return rest_s


async def _rest(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
