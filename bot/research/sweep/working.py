"""Runs a sweep: hands portions to workers, and tells what came of them."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from bot.research.sweep.counts import Counts, Shard
from bot.research.sweep.portions import Portion
from handlers.ports import PermanentError, TemporaryError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_RETRY_S = 60.0


class Workers(Protocol):
    """Makes shards of portions, some at a time."""

    def results(
        self, tasks: Iterator[Portion]
    ) -> Iterator[tuple[Portion, Shard | Exception]]:
        """Yield each portion with its shard, or with why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class OneAfterAnother:
    """Fulfils `Workers` in this process, without Dask."""

    make: Callable[[Portion], Shard]

    def results(
        self, tasks: Iterator[Portion]
    ) -> Iterator[tuple[Portion, Shard | Exception]]:
        """Make one shard after another."""
        for portion in tasks:
            try:
                yield portion, self.make(portion)
            except (OSError, PermanentError) as error:
                yield portion, error


@dataclass(slots=True)
class Run:
    """What this run of a sweep did; earlier ones may have done more."""

    counts: Counts = field(default_factory=Counts)
    shards: int = 0
    undone: list[str] = field(default_factory=list)  # why portions have no shard


def work_through(
    portions: Iterator[Portion], workers: Workers, tell: Callable[[Run], None]
) -> Run:
    """Make the shards of all portions; one that cannot be made stops no other.

    Raises:
        PermanentError: something that would hold for every portion.
        TemporaryError: the disk is full, or the workers are gone.
    """
    run = Run()
    for portion, result in workers.results(portions):
        if isinstance(result, Shard):
            run.shards += 1
            run.counts.add(result.counts)
        else:
            run.undone.append(_why(portion, result))
        tell(run)
    return run


def _why(portion: Portion, error: Exception) -> str:
    if isinstance(error, PermanentError | TemporaryError):
        raise error
    if isinstance(error, OSError) and error.errno in _FULL:
        raise _full() from error
    return f"part {portion.number} of {portion.place}: {type(error).__name__}: {error}"


@contextmanager
def files_explained() -> Iterator[None]:
    """Turn what disks and files do to the sweep itself into failures with a remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _full() from error
        what = error.filename or "a file of the sweep"
        raise PermanentError(
            f"{what} cannot be read or written ({error.strerror or error}); mend that,"
            " then run the same command again: it goes on where it stood"
        ) from error


def _full() -> TemporaryError:
    return TemporaryError(
        "the disk is full; free some space, then run the same command again: it goes"
        " on where it stood",
        retry_in_s=_RETRY_S,
    )
