"""Keeps what a long run has done, and shares what is left among processes.

Each process takes a share of the work and leaves what came of each piece in a folder, so
that a run that was killed continues where it was, and memory holds one piece at a time.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.research.evaluation.report import Progress
from bot.sources.files import replacing, unwritten
from handlers.ports import PermanentError

T = TypeVar("T")
Work = TypeVar("Work")
# Works some pieces off, and tells of each that it is done.
Each: TypeAlias = Callable[
    [Sequence[T], Work, Callable[[], None]], Coroutine[Any, Any, None]
]

_LOOK_S = 1.0


def kept(place: Path, form: TypeAdapter[T]) -> T | None:
    """Return what was kept; `None` where there is nothing that can be read."""
    try:
        return form.validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def keep(place: Path, form: TypeAdapter[T], value: T) -> None:
    """Keep a value; a kill leaves no half of it, and two runs may do so at once."""
    write(place, form.dump_json(value).decode(), f"what was done, in {place.parent},")


def write(place: Path, text: str, what: str = "") -> None:
    """Write a file whole; `what` names it where it cannot be written."""
    try:
        with replacing(place, text):
            pass
    except OSError as error:
        raise unwritten(what or str(place), error) from error


def work_off(
    pieces: Sequence[T],
    each: Each[T, Work],
    work: Work,
    progress: Progress,
    *,
    is_done: Callable[[T], bool],
    size: Callable[[T], int],
    processes: int,
    is_kept: Callable[[T], bool] | None = None,
) -> int:
    """See to it that every piece is done; return how many had been before.

    Args:
        pieces: of the work.
        each: does some of them; like `work` it is sent to the processes, so both must
            be picklable.
        work: what a process needs to know.
        progress: counts pieces.
        is_done: tells whether a piece needs no work.
        size: what a piece takes, to deal them out.
        processes: how many work at once; 1 works in this one.
        is_kept: tells whether there is a result, if that is less than to be done.

    Raises:
        PermanentError: a process was killed.
    """
    progress.started(len(pieces))
    left = [one for one in pieces if not is_done(one)]
    for _ in range(len(pieces) - len(left)):
        progress.advance()
    if processes > 1 and len(left) > 1:
        # Large pieces first and dealt out in turn, so that all end at about one time.
        dealt = sorted(left, key=size, reverse=True)
        shares = [dealt[at::processes] for at in range(processes)]
        _by_many(
            [one for one in shares if one], each, work, progress, is_kept or is_done
        )
    elif left:
        asyncio.run(each(left, work, progress.advance))
    return len(pieces) - len(left)


def _by_many(
    shares: Sequence[Sequence[T]],
    each: Each[T, Work],
    work: Work,
    progress: Progress,
    is_kept: Callable[[T], bool],
) -> None:
    missing = [one for share in shares for one in share]
    with ProcessPoolExecutor(len(shares), mp_context=get_context("spawn")) as pool:
        waiting: set[Future[None]] = {
            pool.submit(_of_share, one, each, work) for one in shares
        }
        while waiting:
            over, waiting = wait(waiting, _LOOK_S, FIRST_EXCEPTION)
            now = [one for one in missing if not is_kept(one)]
            for _ in range(len(missing) - len(now)):
                progress.advance()
            missing = now
            for one in over:
                _raise_what_it_raised(one)  # the others end their share first


def _of_share(share: Sequence[T], each: Each[T, Work], work: Work) -> None:
    asyncio.run(each(share, work, _leave_if_alone))


def _raise_what_it_raised(share: Future[None]) -> None:
    try:
        share.result()
    except BrokenProcessPool as error:
        raise PermanentError(
            "a process of this run was killed, perhaps for want of memory; what was"
            " done is kept with --resume: go on with fewer processes"
        ) from error


def _leave_if_alone() -> None:
    """End this process where the one that started it was killed.

    Another run continues from here, and nobody would ever give this one work again.
    """
    parent = parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)
