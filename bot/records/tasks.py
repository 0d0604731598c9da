"""Work that waits in the database, and the right to do a piece of it for a while. Pure.

A task is named by its kind, its wiki and its subject, and waits at most once. Leasing
it counts an attempt before the work begins, so that a task that kills its worker is
counted too. `token` is the fencing number: it grows with each lease, and results with
an older one are refused.
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
    PATROL = "the page whose edits are looked at, whoever watches it"
    FETCH = "the source to be read; its host stands for a wiki"
    UPDATE = "the page whose newer facts are searched for"
    SUPPLIED = "a text that a person supplied for a source"
    DRAFT = "the page of a person's own that is to be drafted"
    PLAN_OPT_INS = "a page with an opt-in template, or all of them"
    PLAN_REPORT = "the page of the opt-in that a report belongs to"
    PLAN_TALK = "the article whose talk page it is"
    PLAN_DRAFT = "the page of a person's own that a draft goes to"


class TaskState(Enum):
    """The state of a task."""

    WAITING = "waiting"
    LEASED = "in work"
    PARKED = "parked"  # until it is asked for again
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
    """The lease expired and somebody else has the task: discard what was found."""


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long a task waits after a failure: longer each time, with jitter.

    Each wait is `factor` times the last. The jitter keeps tasks that failed together
    from all coming back together.
    """

    first_s: float = 15.0
    most_s: float = 3600.0
    factor: float = 2.0
    spread: float = 0.3

    def wait_s(self, attempt: int, least_s: float, draw: float) -> float:
        """Return the wait after `attempt` (from 1), at least `least_s` seconds.

        `draw` is a random number from 0 to 1.
        """
        longer = self.factor ** min(attempt - 1, 30)
        waits_s = min(self.most_s, self.first_s * longer)
        return max(least_s, waits_s) * (1 + self.spread * draw)


@dataclass(frozen=True, slots=True)
class FailureOutcome:
    """What becomes of a task that failed: it waits `in_s`, or is parked for `None`.

    If `counts`, this uses up an attempt.
    """

    why: str
    in_s: float | None
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Work:
    """What is done for tasks of one kind, and what becomes of those that fail.

    `do` ends the task itself, in one step with storing its result. A hopeless task is
    parked, or waits for `hopeless_s`. A fault of the program counts as a temporary
    failure, or makes the task wait for `fault_s`. `away` is the back-off for a wiki
    that does not answer, if it differs. `failed` may decide otherwise about a failure.
    `enrol` adds tasks that nobody asks for one by one; it is called whenever a task is
    looked for.
    """

    do: Callable[[Lease[Any]], Awaitable[None]]
    back_off: BackOff = BackOff()
    away: BackOff | None = None
    hopeless_s: float | None = None
    fault_s: float | None = None
    failed: Callable[[Lease[Any], Exception], FailureOutcome | None] = (
        lambda _held, _error: None
    )
    enrol: Callable[[datetime], None] | None = None


# Otherwise those who keep asking for urgent pages would keep the others out. Every fourth
# turn of all goes to whoever is next even if somebody else waits for an answer, and every
# fourth turn of a share goes to its page that has waited longest.
PATIENT_EVERY = 4


@dataclass(frozen=True, slots=True)
class Share:
    """How much work a share has had.

    `ends` is when its last turn ended, on the clock of all shares of the same level;
    `clock` is that of the shares below it, as of their last turn. `served` counts
    turns.

    Start-time fair queueing (Goyal, Vin and Cheng, 1996), once among wikis and once
    among the parties of a wiki, those who asked. Each share has its own clock, which
    advances by one for each page, or by less if the share has more weight; the share
    whose clock is furthest behind is served next. A share that had nothing waiting
    gains nothing by that: it starts again at the clock of those being served. So
    however much others add, a share with due pages waits for at most one page of each
    other share of its wiki, and a wiki of weight w waits for w'/w pages of each other
    wiki, whose weight is w'.
    """

    ends: float = 0.0
    clock: float = 0.0
    served: int = 0

    @property
    def is_patient(self) -> bool:
        """Whether its next turn goes by waiting time, not by urgency."""
        return self.served % PATIENT_EVERY == PATIENT_EVERY - 1


def after_serving(
    above: Share, mine: Share, weight: float = 1.0
) -> tuple[Share, Share]:
    """Return both shares after a turn of `mine`, which is one of those in `above`.

    `weight` is how much of the work it is due, where others have 1.
    """
    began = max(mine.ends, above.clock)
    served = replace(mine, ends=began + 1.0 / weight, served=mine.served + 1)
    return replace(above, clock=began), served


_SPREAD = 0.3  # the largest random part added to a rest, as a share of it
_LONGER = 1.5  # growth of the rest each time nothing is found
_LONGEST = 3.0  # limit of that growth, as a multiple of the first rest
_START_S = 1.0  # processes that start together begin spread over this time

Draw = Callable[[], float]


async def rounds(
    stop: asyncio.Event, once: Callable[[], Awaitable[float]], draw: Draw = random
) -> None:
    """Do `once` until `stop` is set, resting after each for the seconds it returns.

    A rest is up to a third longer, at random: `draw` gives numbers from 0 to 1. Work in
    hand when `stop` is set is finished first.

    This is the loop of every role that looks for work: the worker, the planner and the
    publisher. Many processes run it side by side, and when something that they share
    has failed, all of them come back. So rests differ at random, and a process that
    finds nothing to do looks less and less often.

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


class Poller:
    """Looks for work; used as `once` of `rounds`.

    Args:
        work: does the next thing, and returns whether there was any.
        idle_s: the first rest if there is none; the following ones are longer.
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
        if self._rest_s is None:  # spreads processes that start together
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
