"""A sweep with all its tools, as the settings say: workers process the portions."""

import asyncio
import errno
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from bot import __version__
from bot.app.wiring.checks import open_verifier
from bot.app.wiring.sources import open_cache
from bot.research.sweep.child import PageChild
from bot.research.sweep.dump_pages import BrokenPage, DumpPage
from bot.research.sweep.portions import Cutter, Input
from bot.research.sweep.rows import Counts, Portion, Shard, SweepOrder, Wanted
from bot.research.sweep.shards import Sweeper, SweepFolder, fingerprint, write_note
from bot.research.sweep.summary import (
    SweepSummary,
    render_html,
    render_json,
    sum_up,
)
from bot.settings import Settings
from bot.wiki.address import parse_page_address
from handlers.model import PageId
from handlers.ports import PermanentError, TemporaryError

# What a child needs to know; this must not include keys and passwords.
_SETTINGS = (
    "verifier",
    "operating_points",
    "contact",
    "data_dir",
    "archive_service",
    "source_timeout_s",
    "host_delay_s",
    "cache_max_age_h",
    "cache_max_bytes",
    "internal_addresses",
    "denied_networks",
)


@dataclass(frozen=True, slots=True)
class SweepAsk:
    """What a sweep was asked to do. Without `workers` it runs in this process."""

    given: Input
    output: Path
    wanted: Wanted = field(default_factory=Wanted)
    sources: Path | None = None
    uses_cache: bool = False
    workers: int = 0
    scheduler: str | None = None
    page_s: float = 60.0
    top: int = 100


@dataclass(slots=True)
class Run:
    """What this run of a sweep did; earlier ones may have done more."""

    counts: Counts = field(default_factory=Counts)
    shards: int = 0
    undone: list[str] = field(default_factory=list)  # why some portions have no shard


class SweepProgress(Protocol):
    """Receives the progress of a sweep."""

    def begin(self, parts: int | None, before: int) -> None:
        """Start with `parts` left, if that is known; `before` were done earlier."""
        ...

    def done(self, run: Run) -> None:
        """Count one more part as done."""
        ...


def run_sweep(
    settings: Settings, ask: SweepAsk, progress: SweepProgress
) -> SweepSummary:
    """Sweep what is not done yet, and sum up all of it."""
    if ask.uses_cache:
        open_cache(settings)
    folder = SweepFolder(ask.output.resolve())
    engine = open_verifier(settings).engine
    named = f"{engine.name} {engine.version}"
    begun_with = _begun_with(settings, ask, named)
    with files_explained(), folder.opened(begun_with):
        cutter = Cutter(ask.given, folder, TitledPages(settings, ask.given.wiki))
        with _forgotten_if_wrong(folder):
            cutter.plan()
        total, before = cutter.total(), len(folder.done())
        progress.begin(None if total is None else total - before, before)
        with (
            # A remote worker may still be busy, and would write here later.
            nullcontext() if ask.scheduler else _forgotten_if_wrong(folder),
            _workers(settings, ask, folder.path) as workers,
        ):
            run = work_through(cutter.portions(), workers, progress.done)
        summary = sum_up(
            folder,
            inputs=(
                *(place.name for place in ask.given.places),
                *((f"{len(ask.given.titles):,} titles",) if ask.given.titles else ()),
            ),
            engine=named,
            made_at=datetime.now(UTC),
            parts_of=total,
            undone=tuple(run.undone),
            damaged=cutter.damaged,
            top=ask.top,
        )
        write_note(folder.path / "summary.json", render_json(summary))
        write_note(folder.path / "summary.html", render_html(summary))
        return summary


@contextmanager
def _forgotten_if_wrong(folder: SweepFolder) -> Iterator[None]:
    """Clear a folder without any shard, so that another input or wiki can be used."""
    try:
        yield
    except PermanentError:
        folder.forget()
        raise


def open_sweeper(order: SweepOrder) -> Sweeper:
    """Return what makes shards, in any process; the caller closes it."""
    if order.version != __version__:
        raise PermanentError(
            f"a worker has version {__version__} of this program, but the sweep was"
            f" started with version {order.version}; install the same version on all"
            " machines"
        )
    return Sweeper(SweepFolder(order.folder), order.wanted, PageChild(order))


class Workers(Protocol):
    """Makes shards of portions, some at a time."""

    def results(
        self, tasks: Iterator[Portion]
    ) -> Iterator[tuple[Portion, Shard | Exception]]:
        """Yield each portion with its shard, or with the error that prevented it."""
        ...


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
    from bot.research.sweep.dask_workers import dask_workers  # noqa: PLC0415 - an extra

    name = "sidenote-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    with dask_workers(
        name,
        partial(open_sweeper, order),
        workers=ask.workers,
        scheduler=ask.scheduler,
    ) as workers:
        yield workers


def _begun_with(settings: Settings, ask: SweepAsk, engine: str) -> dict[str, object]:
    """Return what the figures depend on, which must not change between two runs."""
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


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_RETRY_S = 60.0


@dataclass(frozen=True, slots=True)
class OneAfterAnother:
    """Implements `Workers` in this process, without Dask."""

    make: Callable[[Portion], Shard]

    def results(
        self, tasks: Iterator[Portion]
    ) -> Iterator[tuple[Portion, Shard | Exception]]:
        for portion in tasks:
            try:
                yield portion, self.make(portion)
            except (OSError, PermanentError) as error:
                yield portion, error


def work_through(
    portions: Iterator[Portion], workers: Workers, report: Callable[[Run], None]
) -> Run:
    """Make the shards of all portions; a failed one does not stop the others."""
    run = Run()
    for portion, result in workers.results(portions):
        if isinstance(result, Shard):
            run.shards += 1
            run.counts.add(result.counts)
        else:
            run.undone.append(_why(portion, result))
        report(run)
    return run


def _why(portion: Portion, error: Exception) -> str:
    if isinstance(error, PermanentError | TemporaryError):
        raise error
    if isinstance(error, OSError) and error.errno in _FULL:
        raise _full() from error
    return f"part {portion.number} of {portion.place}: {type(error).__name__}: {error}"


@contextmanager
def files_explained() -> Iterator[None]:
    """Turn errors of disks and files into errors that say what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _full() from error
        what = error.filename or "a file of the sweep"
        raise PermanentError(
            f"{what} cannot be read or written ({error.strerror or error}); fix that,"
            " then run the same command again: it continues where it stopped"
        ) from error


def _full() -> TemporaryError:
    return TemporaryError(
        "the disk is full; free some space, then run the same command again: it"
        " continues where it stopped",
        retry_in_s=_RETRY_S,
    )


@dataclass(frozen=True, slots=True)
class TitledPages:
    """Reads pages from the wiki; one that cannot be read is reported, not fatal."""

    settings: Settings
    wiki: str | None

    def __call__(self, titles: Sequence[str]) -> Iterator[DumpPage | BrokenPage]:
        """Yield each page, in order; redirects are followed, as `sidenote rank` does."""
        yield from asyncio.run(self._read(titles))

    async def _read(self, titles: Sequence[str]) -> list[DumpPage | BrokenPage]:
        from bot.app.wiring.wiki import open_wiki_lists  # noqa: PLC0415 - slow to import

        wiki = self.wiki or self.settings.wiki
        plain = [title for title in titles if parse_page_address(title) is None]
        texts = await open_wiki_lists(self.settings, wiki).texts_of(plain)
        found: list[DumpPage | BrokenPage] = []
        for title in titles:
            text = texts.get(title)
            if text is not None and not text.is_redirect:
                host = wiki.rpartition("://")[2].partition("/")[0]
                page = PageId(
                    host, text.title, text.page_id, text.revision_id, text.revised_at
                )
                found.append(_requested_page(page, text.text, text.content_model))
            else:
                found.append(await self._alone(title, wiki))
        return found

    async def _alone(self, title: str, wiki: str) -> DumpPage | BrokenPage:
        """Read a page that is redirected, missing, or given by its pasted address."""
        from bot.app.wiring.wiki import open_wiki  # noqa: PLC0415 - slow to import

        pasted = parse_page_address(title)
        try:
            if pasted is None:
                page = await open_wiki(self.settings, wiki).page(title)
            else:
                reader = open_wiki(self.settings, pasted.wiki)
                page = await reader.page(pasted.title, pasted.revision_id)
        except PermanentError as error:
            return BrokenPage(title, str(error), was_requested=True)
        return _requested_page(page.id, page.wikitext)


def _requested_page(
    page: PageId, text: str | None, model: str = "wikitext"
) -> DumpPage:
    return DumpPage(
        title=page.title,
        namespace=0,  # in whatever namespace: it was asked for by name
        page_id=page.page_id,
        revision_id=page.revision_id,
        revised_at=page.revised_at,
        model=model,
        text=text,
        is_redirect=False,
        wiki=page.wiki,
    )
