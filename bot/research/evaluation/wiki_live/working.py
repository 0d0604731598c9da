"""Works articles off, on one core or more; what is done stays done.

Each process takes a share of the articles of all systems, streams through the systems'
files and leaves what came of each article in a folder, so that a run that was killed
goes on where it was, and memory holds one article at a time.
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TypeAlias

from bot.research.evaluation.report import Progress
from bot.research.evaluation.wiki_live.examining import Examiner
from bot.research.evaluation.wiki_live.reading import Place, articles_of
from bot.research.evaluation.wiki_live.results import load, save
from bot.research.evaluation.wiki_live.values import Generated, Reference
from handlers.ports import PermanentError

_LOOK_S = 1.0
_PROCEDURE = "2"  # another one makes results that cannot be compared

# Loads what a process needs; it is sent to the process, so it must be picklable.
Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Examiner]]


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of what came of articles."""

    opener: Opener
    place: Place
    done: Path


@dataclass(frozen=True, slots=True)
class Task:
    """One article of one system. `key` tells from what its result is made.

    `article` is the fingerprint of what is read: a file may hold a title twice.
    """

    system: str
    reference: Reference
    article: str
    key: str
    size: int  # statements and facts

    @property
    def title(self) -> str:
        """Return the article's title as the files have it."""
        return self.reference.title


def task_of(system: str, reference: Reference, article: Generated, engine: str) -> Task:
    """Return the task to judge an article with the engine of that name."""
    parts = (_PROCEDURE, engine, article.sha256, reference.title, *reference.facts)
    key = sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
    size = len(article.statements) + len(reference.facts)
    return Task(system, reference, article.sha256, key, size)


def work_off(
    tasks: Sequence[Task], work: Work, progress: Progress, *, processes: int
) -> int:
    """See to it that every task has its result in the folder; return how many had.

    An article of which a model left something unanswered is judged again.

    Args:
        tasks: those whose results are wanted.
        work: how.
        progress: counts articles.
        processes: how many work at once; 1 works in this one.
    """
    work.done.mkdir(parents=True, exist_ok=True)
    progress.started(len(tasks))
    left = [one for one in tasks if not _is_answered(one, work)]
    for _ in range(len(tasks) - len(left)):
        progress.advance()
    if processes == 1 or len(left) < 2:  # noqa: PLR2004 - a single one
        _share(left, work, progress.advance)
    else:
        _by_many(left, work, progress, processes)
    return len(tasks) - len(left)


def _is_done(task: Task, work: Work) -> bool:
    return load(work.done, task.system, task.title, task.key) is not None


def _is_answered(task: Task, work: Work) -> bool:
    """Tell whether the engine itself judged all of an article, and none stood in."""
    kept = load(work.done, task.system, task.title, task.key)
    return kept is not None and not kept.unanswered


def _by_many(
    tasks: Sequence[Task], work: Work, progress: Progress, processes: int
) -> None:
    # Large articles first and dealt out in turn, so that all end at about one time.
    dealt = sorted(tasks, key=lambda one: -one.size)
    missing = list(tasks)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: set[Future[None]] = {
            pool.submit(_share, dealt[at::processes], work) for at in range(processes)
        }
        while waiting:
            over, waiting = wait(waiting, _LOOK_S, FIRST_EXCEPTION)
            now = [one for one in missing if not _is_done(one, work)]
            for _ in range(len(missing) - len(now)):
                progress.advance()
            missing = now
            for one in over:
                _raise_what_it_raised(one)  # the others end their share first


def _raise_what_it_raised(share: Future[None]) -> None:
    try:
        share.result()
    except BrokenProcessPool as error:
        raise PermanentError(
            "a process of this run was killed, perhaps for want of memory; what was"
            " judged is kept with --resume: go on with fewer --workers"
        ) from error


def _share(
    tasks: Sequence[Task], work: Work, advance: Callable[[], None] | None = None
) -> None:
    """Work some articles off, one after the other."""
    if tasks:
        asyncio.run(_each(tasks, work, advance))
    _leave_if_alone()


def _leave_if_alone() -> None:
    """End this process where the one that started it was killed.

    Another run goes on from here, and nobody would ever give this one work again.
    """
    parent = parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)


async def _each(
    tasks: Sequence[Task], work: Work, advance: Callable[[], None] | None
) -> None:
    by_system: dict[str, dict[str, Task]] = {}
    for one in tasks:
        by_system.setdefault(one.system, {})[one.title] = one
    async with work.opener() as examiner:
        for system, wanted in by_system.items():
            await _of_system(system, wanted, work, examiner, advance)


async def _of_system(
    system: str,
    wanted: Mapping[str, Task],
    work: Work,
    examiner: Examiner,
    advance: Callable[[], None] | None,
) -> None:
    for article in articles_of(work.place, system, wanted):
        _leave_if_alone()
        task = wanted[article.title]
        if article.sha256 != task.article:
            continue
        result = await examiner.result(system, task.reference, article, task.key)
        kept = load(work.done, system, task.title, task.key)
        if kept is None or result.unanswered < kept.unanswered:
            save(work.done, result)
        if advance is not None:
            advance()
