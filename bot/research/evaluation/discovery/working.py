"""Works events off, on one core or more; what is done stays done.

Each process takes a share of the events and leaves what came of each in a folder, so
that a run that was killed goes on where it was, and memory holds one event at a time.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from bot.research.evaluation.discovery.casts import Cast, Engine
from bot.research.evaluation.discovery.hiding import Exam
from bot.research.evaluation.discovery.results import Configuration, kept, load, save
from bot.research.evaluation.discovery.running import Examiner
from bot.research.evaluation.report import Progress
from handlers.ports import LanguageModel

_LOOK_S = 1.0

# Loads what a process needs; it is sent to the process, so it must be picklable.
Opener: TypeAlias = Callable[[], Engine]
Models: TypeAlias = Callable[[], AbstractAsyncContextManager[LanguageModel | None]]


def no_model() -> AbstractAsyncContextManager[None]:
    """Give no language model."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of what came of events.

    `models` gives the language model that plays, for as long as a process works;
    `players` names who plays, for the report.
    """

    opener: Opener
    cast: Cast
    pool: Path
    done: Path
    models: Models = no_model
    configurations: tuple[Configuration, ...] = tuple(Configuration)
    players: str = "embedded"


def work_off(
    exams: Sequence[Exam], work: Work, progress: Progress, *, processes: int
) -> None:
    """See to it that every exam has its result in the folder.

    Args:
        exams: those whose results are wanted.
        work: how.
        progress: counts events.
        processes: how many work at once; 1 works in this one.
    """
    work.done.mkdir(parents=True, exist_ok=True)
    progress.started(len(exams))
    left = [one for one in exams if load(work.done, one.event.id) is None]
    for _ in range(len(exams) - len(left)):
        progress.advance()
    if processes == 1:
        _share(left, work, progress.advance)
        return
    _by_many(left, work, progress, processes)


def _by_many(
    exams: Sequence[Exam], work: Work, progress: Progress, processes: int
) -> None:
    # Long articles first and dealt out in turn, so that all end at about one time.
    dealt = sorted(exams, key=lambda one: -len(one.wikitext))
    shown = kept(work.done)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        shares = [
            pool.submit(_share, dealt[at::processes], work) for at in range(processes)
        ]
        waiting: set[Future[None]] = set(shares)
        while waiting:
            over, waiting = wait(waiting, _LOOK_S, FIRST_EXCEPTION)
            now = kept(work.done)
            for _ in range(now - shown):
                progress.advance()
            shown = now
            for one in over:
                one.result()  # the others end their share first, which is kept


def _share(
    exams: Sequence[Exam], work: Work, advance: Callable[[], None] | None = None
) -> None:
    """Work some events off, one after the other."""
    if exams:
        asyncio.run(_each(exams, work, advance))


async def _each(
    exams: Sequence[Exam], work: Work, advance: Callable[[], None] | None
) -> None:
    async with work.models() as model:
        examiner = Examiner(
            work.opener(), work.cast, work.pool, model, work.configurations
        )
        for exam in exams:
            save(work.done, await examiner.result(exam))
            if advance is not None:
                advance()
