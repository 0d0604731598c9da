"""Works events off, on one core or more; what is done stays done.

All drafts of an event are made in a row, for they share what was encoded and judged.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from bot.research.evaluation.drafting.results import Outcome, Shelf
from bot.research.evaluation.drafting.running import Engine, OnEvent
from bot.research.evaluation.drafting.setups import Setup
from bot.research.evaluation.events import Event
from bot.research.evaluation.report import Progress

_LOOK_S = 1.0

# Loads what a process needs; it is sent to the process, so it must be picklable.
Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Engine]]


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of what came of events."""

    opener: Opener
    done: Path
    setups: tuple[Setup, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of the setups."""
        return tuple(one.key for one in self.setups)


def work_off(
    events: Sequence[Event], work: Work, progress: Progress, *, processes: int
) -> None:
    """See to it that every event has its results in the folder.

    Args:
        events: those whose results are wanted.
        work: how.
        progress: counts events.
        processes: how many work at once; 1 works in this one.
    """
    shelf = Shelf(work.done)
    progress.started(len(events))
    left = [one for one in events if not shelf.is_done(work.keys, one.id)]
    for _ in range(len(events) - len(left)):
        progress.advance()
    if not left:
        return
    if processes == 1:
        asyncio.run(_each(left, work, progress.advance))
        return
    _by_many(left, work, progress, processes)


def _by_many(
    events: Sequence[Event], work: Work, progress: Progress, processes: int
) -> None:
    shelf = Shelf(work.done)
    # The most to read first and dealt out in turn, so that all end at about one time.
    dealt = sorted(events, key=lambda one: -sum(len(page.text) for page in one.all))
    last = work.keys[-1]
    shown = shelf.count(last)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        shares = [
            pool.submit(_share, dealt[at::processes], work) for at in range(processes)
        ]
        waiting: set[Future[None]] = set(shares)
        while waiting:
            over, waiting = wait(waiting, _LOOK_S, FIRST_EXCEPTION)
            now = shelf.count(last)
            for _ in range(now - shown):
                progress.advance()
            shown = now
            for one in over:
                one.result()  # the others end their share first, which is kept


def _share(events: Sequence[Event], work: Work) -> None:
    """Work some events off, one after the other."""
    if events:
        asyncio.run(_each(events, work, None))


async def _each(
    events: Sequence[Event], work: Work, advance: Callable[[], None] | None
) -> None:
    shelf = Shelf(work.done)
    async with work.opener() as engine:
        for event in events:
            on_event = OnEvent(event, engine)
            if shelf.reference(event.id) is None:
                shelf.put_reference(event.id, await on_event.reference())
            for setup in work.setups:
                if shelf.outcome(setup.key, event.id) is None:
                    made = await _made(on_event, setup, shelf)
                    shelf.put_outcome(setup.key, event.id, made)
            if advance is not None:
                advance()


async def _made(on_event: OnEvent, setup: Setup, shelf: Shelf) -> Outcome:
    """Return what a setup gives; a baseline may have the length of another's draft."""
    if not setup.like:
        return await on_event.outcome(setup)
    model = shelf.outcome(setup.like, on_event.id)
    if model is None or model.scored is None:
        return Outcome(0.0, 0, failed="there is no draft that it could be as long as")
    return await on_event.outcome(replace(setup, words=model.scored.words))
