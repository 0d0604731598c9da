"""A sweep with all its tools, as the settings order them."""

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from bot import __version__
from bot.app.wiring.checks import open_verifier
from bot.app.wiring.sources import open_cache
from bot.report.sweeps import SweepSummary, render_html, render_json
from bot.research.sweep.child import ChildStart, PageChild
from bot.research.sweep.cutting import Cutter, Given, Input
from bot.research.sweep.folder import SweepFolder, fingerprint
from bot.research.sweep.portions import SweepOrder, Wanted
from bot.research.sweep.shards import Sweeper, write_note
from bot.research.sweep.summing import Told, sum_up
from bot.research.sweep.working import (
    OneAfterAnother,
    Run,
    Workers,
    files_explained,
    work_through,
)
from bot.settings import Settings
from bot.sources.extraction.extractor import frame
from bot.wiki.dump import BrokenPage, DumpPage
from handlers.ports import PermanentError

_CHILD = "bot.research.sweep.child_process"
# What a child needs to know; keys and passwords are not among it.
_SETTINGS = (
    "verifier",
    "operating_points",
    "contact",
    "data_dir",
    "archive_service",
    "source_timeout_s",
    "source_max_bytes",
    "source_redirects",
    "host_delay_s",
    "hosts_at_once",
    "cache_max_age_h",
    "cache_max_bytes",
    "extraction_timeout_s",
    "extraction_max_bytes",
    "internal_addresses",
    "denied_networks",
)


@dataclass(frozen=True, slots=True)
class SweepAsk:
    """What a sweep was asked for. Without `workers` it runs in this process."""

    given: Input
    output: Path
    wanted: Wanted = field(default_factory=Wanted)
    sources: Path | None = None
    uses_cache: bool = False
    workers: int = 0
    scheduler: str | None = None
    page_s: float = 60.0
    top: int = 100


class Telling(Protocol):
    """Is told how a sweep goes."""

    def begin(self, parts: int | None, before: int) -> None:
        """So many parts are left, if that is known; others were done before."""
        ...

    def done(self, run: Run) -> None:
        """One more part is done."""
        ...


def run_sweep(settings: Settings, ask: SweepAsk, telling: Telling) -> SweepSummary:
    """Sweep what is not done yet, and sum all of it up.

    Raises:
        PermanentError: the input cannot be read, or the folder is of another sweep.
        TemporaryError: the disk is full, or scheduler or wiki are out of reach; the
            same call goes on where it stood.
    """
    if ask.uses_cache:
        open_cache(settings)
    folder = SweepFolder(ask.output.resolve())
    engine = open_verifier(settings).engine
    named = f"{engine.name} {engine.version}"
    begun_with = _begun_with(settings, ask, named)
    with files_explained(), folder.opened(begun_with):
        cutter = Cutter(ask.given, folder, _titles(settings, ask.given.wiki))
        with _forgotten_if_wrong(folder):
            cutter.plan()
        total, before = cutter.total(), len(folder.done())
        telling.begin(None if total is None else total - before, before)
        with (
            # Elsewhere one may still be at work, and would write here later.
            nullcontext() if ask.scheduler else _forgotten_if_wrong(folder),
            _workers(settings, ask, folder.path) as workers,
        ):
            run = work_through(cutter.portions(), workers, telling.done)
        told = Told(
            inputs=_names(ask.given),
            engine=named,
            made_at=datetime.now(UTC),
            parts_of=total,
            undone=tuple(run.undone),
            damaged=cutter.damaged,
            top=ask.top,
        )
        summary = sum_up(folder, told)
        write_note(folder.path / "summary.json", render_json(summary))
        write_note(folder.path / "summary.html", render_html(summary))
        return summary


@contextmanager
def _forgotten_if_wrong(folder: SweepFolder) -> Iterator[None]:
    """Free a folder without any shard, so that another input or wiki may be named."""
    try:
        yield
    except PermanentError:
        folder.forget()
        raise


def open_sweeper(order: SweepOrder) -> Sweeper:
    """Give what makes shards, in whichever process; it wants to be closed.

    Raises:
        PermanentError: this process has another version of the program, whose shards
            must not be added to those of the one that orders them.
    """
    if order.version != __version__:
        raise PermanentError(
            f"a worker has version {__version__} of this program, and the sweep is of"
            f" version {order.version}; install the same on all machines"
        )
    told = frame(pickle.dumps(order))
    child = PageChild(ChildStart(_CHILD, told, order.page_s))
    return Sweeper(order.folder, order.wanted, child)


def _titles(settings: Settings, wiki: str | None) -> Given:
    def read(titles: Sequence[str]) -> Iterator[DumpPage | BrokenPage]:
        from bot.app.wiring.titled import TitledPages  # noqa: PLC0415 - slow to import

        yield from TitledPages(settings, wiki)(titles)

    return read


@contextmanager
def _workers(settings: Settings, ask: SweepAsk, folder: Path) -> Iterator[Workers]:
    order = SweepOrder(
        folder,
        ask.wanted,
        {name: getattr(settings, name) for name in _SETTINGS},
        ask.sources.resolve() if ask.sources else None,
        ask.uses_cache,
        ask.page_s,
        __version__,
    )
    order = replace(
        order,
        settings={**order.settings, "data_dir": Path(settings.data_dir).resolve()},
    )
    if not ask.workers and not ask.scheduler:
        with closing(open_sweeper(order)) as sweeper:
            yield OneAfterAnother(sweeper)
        return
    from bot.research.dask_workers import dask_workers  # noqa: PLC0415 - an extra

    name = "sidenote-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    with dask_workers(
        name,
        partial(open_sweeper, order),
        workers=ask.workers,
        scheduler=ask.scheduler,
    ) as workers:
        yield workers


def _begun_with(settings: Settings, ask: SweepAsk, engine: str) -> dict[str, object]:
    """Return what the figures rest on, and must not change between two runs."""
    titles = "\n".join(ask.given.titles).encode("utf-8", "replace")
    try:
        return {
            "version": __version__,
            "inputs": [fingerprint(place) for place in ask.given.places],
            "indexes": [
                fingerprint(index) if index else None
                for index in map(ask.given.index_of, ask.given.places)
            ],
            "titles": hashlib.sha256(titles).hexdigest() if titles else None,
            "wiki": ask.given.wiki,
            "namespaces": sorted(ask.wanted.namespaces),
            "redirects": ask.wanted.redirects,
            "engine": engine,
            "operating_points": {
                wiki: {kind.value: point for kind, point in points.items()}
                for wiki, points in settings.operating_points.items()
            },
            "sources": fingerprint(ask.sources) if ask.sources else None,
            "cache": ask.uses_cache,
            "page_seconds": ask.page_s,
        }
    except OSError as error:
        raise PermanentError(
            f"{error.filename} cannot be read ({error.strerror}); check its path"
        ) from error


def _names(given: Input) -> tuple[str, ...]:
    titles = (f"{len(given.titles):,} titles",) if given.titles else ()
    return (*(place.name for place in given.places), *titles)
