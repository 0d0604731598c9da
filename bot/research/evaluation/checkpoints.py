"""Saves what a long run has done, and divides the remaining work among processes.

Each process takes a share of the work and saves the result of each piece in a folder,
so that a run that was killed continues where it stopped, and only one piece at a time
is in memory.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.research.evaluation.report import Progress
from bot.sources.files import replacing, unwritten
from handlers.ports import PermanentError

T = TypeVar("T")
Work = TypeVar("Work")
# Does some pieces of work, and reports each one when it is done.
Each: TypeAlias = Callable[
    [Sequence[T], Work, Callable[[], None]], Coroutine[Any, Any, None]
]

_POLL_S = 1.0


@dataclass(frozen=True, slots=True)
class Results(Generic[T]):
    """What a run has found out, in a folder: a file for each result, by its names."""

    folder: Path
    form: TypeAdapter[T]

    def get(self, *names: str) -> T | None:
        """Return what was saved; `None` if that is nothing, or half a result.

        Raises:
            PermanentError: it is of another form. To work it out anew would cost hours
                or money without a word, and replace what another version saved.
        """
        place = self._place(names)
        try:
            return self.form.validate_json(place.read_bytes())
        except OSError:
            return None
        except ValidationError as error:
            if error.errors()[0]["type"] == "json_invalid":
                return None
            raise PermanentError(
                f"{place} is a result of another version of the program; use another"
                " folder with --resume, or delete the file"
            ) from error

    def needed(self, *names: str) -> T:
        """Return what a finished run must have saved."""
        found = self.get(*names)
        if found is None:
            raise PermanentError(
                f"the result of {', '.join(names)} is no longer in {self.folder}; run"
                " again"
            )
        return found

    def put(self, value: T, *names: str) -> None:
        """Save a value whole or not at all, even if killed; two runs may do so at once."""
        text = self.form.dump_json(value).decode()
        write(self._place(names), text, f"what was done, in {self.folder},")

    def _place(self, names: Sequence[str]) -> Path:
        return self.folder / f"{short_name(*names)}.json"


def short_name(*parts: str) -> str:
    """Return a file name; the same parts give the same name in every run."""
    return sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def write(place: Path, text: str, what: str = "") -> None:
    """Write a file whole or not at all; `what` names it in the error if that fails."""
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
    has_result: Callable[[T], bool] | None = None,
) -> int:
    """Do every piece that is not done yet; return how many were done before.

    Args:
        pieces: all the work.
        each: does some of the pieces; like `work` it is sent to the processes, so both
            must be picklable.
        work: what a process needs to know.
        progress: counts pieces.
        is_done: returns whether a piece needs no more work.
        size: how much work a piece is, to share them out evenly.
        processes: how many run at once; with 1, this process does the work.
        has_result: returns whether a piece has a result, if that takes less than being
            done.

    Raises:
        PermanentError: a process was killed.
    """
    progress.started(len(pieces))
    left = [one for one in pieces if not is_done(one)]
    for _ in range(len(pieces) - len(left)):
        progress.advance()
    if processes > 1 and len(left) > 1:
        # Large pieces first and dealt out in turn, so that all finish at about the same
        # time.
        dealt = sorted(left, key=size, reverse=True)
        shares = [dealt[at::processes] for at in range(processes)]
        _by_many(
            [one for one in shares if one], each, work, progress, has_result or is_done
        )
    elif left:
        asyncio.run(each(left, work, progress.advance))
    return len(pieces) - len(left)


def _by_many(
    shares: Sequence[Sequence[T]],
    each: Each[T, Work],
    work: Work,
    progress: Progress,
    has_result: Callable[[T], bool],
) -> None:
    missing = [one for share in shares for one in share]
    with ProcessPoolExecutor(len(shares), mp_context=get_context("spawn")) as pool:
        waiting: set[Future[None]] = {
            pool.submit(_of_share, one, each, work) for one in shares
        }
        while waiting:
            over, waiting = wait(waiting, _POLL_S, FIRST_EXCEPTION)
            now = [one for one in missing if not has_result(one)]
            for _ in range(len(missing) - len(now)):
                progress.advance()
            missing = now
            for one in over:
                try:
                    one.result()  # raises; the others finish their share first
                except BrokenProcessPool as error:
                    raise PermanentError(
                        "a process of this run was killed, perhaps because memory ran"
                        " out; finished results are kept with --resume: continue with"
                        " fewer processes"
                    ) from error


def _of_share(share: Sequence[T], each: Each[T, Work], work: Work) -> None:
    asyncio.run(each(share, work, _leave_if_alone))


def _leave_if_alone() -> None:
    """End this process if the one that started it was killed.

    A new run continues from the saved results and would never use this process.
    """
    parent = parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)
