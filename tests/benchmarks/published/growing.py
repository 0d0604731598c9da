"""How cost grows: with the length of a page, its citations, and what is watched."""

import asyncio
import gc
import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import mwparserfromhell

from bot.daemon.check import Checker
from bot.daemon.intake.harvest import ConnectionReader
from bot.daemon.intake.queue import ActiveWatches, Router, RouteRules, jobs_of
from bot.models.neural import shipped_networks
from bot.records.changes import Change
from bot.records.watches import ActiveWatch, Surface, WatcherKind
from bot.store import Store, open_store
from handlers.page import parse
from handlers.ports import Tools, Verifier
from tests.benchmarks.published import contents
from tests.benchmarks.published.machine import apart, cpu_s, kept_mib
from tests.benchmarks.published.quiet import unlogged
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Curve, Growth, Section
from tests.benchmarks.published.verifiers import lexical, neural
from tests.benchmarks.stream_clients import ALL_OF_A_WIKI
from tests.benchmarks.stream_server import framed
from tests.fakes import Unheard

_LEAST_S = 0.02  # short work is repeated until it takes as long as a clock can tell
_EVENTS = 2_000
_PAGES_OF_A_WATCH = 1_000
_TITLE = "Clock number {}"


def measured(sizes: Sizes) -> list[Section]:
    """Return the three growths."""
    with unlogged():
        return [_by_length(sizes), _by_citations(sizes), *_by_watched(sizes)]


def _rounds(sizes: Sizes, work: Callable[[], object]) -> tuple[float, ...]:
    gc.collect()  # what others left is not for this to clean up
    return tuple(_repeated_s(work) * 1000 for _ in range(sizes.rounds))


def _repeated_s(work: Callable[[], object]) -> float:
    took_s, times = 0.0, 0
    while took_s < _LEAST_S:
        took_s += cpu_s(work)
        times += 1
    return took_s / times


# --- the length of a page -----------------------------------------------------


def _by_length(sizes: Sizes) -> Section:
    found = contents.real(sizes.real_articles)
    texts = found or [one.read_text("utf-8") for one in contents.shipped(4)]
    ours, library = [], []
    for kib in sizes.page_kib:
        text = contents.of_size(kib * 1024, texts)
        at = round(len(text.encode()) / 1024, 1)
        _read(text)
        ours.append((at, _rounds(sizes, partial(_read, text))))
        if kib <= sizes.peer_page_kib:
            mwparserfromhell.parse(text)
            peer = _rounds(sizes, partial(mwparserfromhell.parse, text))
            library.append((at, peer))
    which = contents.told_of_real(found) if found else "the articles that ship"
    return Growth(
        "growth-length",
        "Reading a page, by its length",
        "length of the page, KiB",
        "CPU milliseconds a page",
        f"One page for each size, of whole sections of {which}; nothing was left out.",
        "CPU time of reading it once; short pages are read again and again for"
        f" {1000 * _LEAST_S:.0f} ms, and the mean counts.",
        (
            Curve("ours, to claims and sources", tuple(ours)),
            Curve("mwparserfromhell, tree only", tuple(library), is_peer=True),
        ),
    )


def _read(text: str) -> object:
    return parse(text, contents.page_id("Page"))


# --- the citations of a page --------------------------------------------------


def _by_citations(sizes: Sizes) -> Section:
    most = max(sizes.citations)
    curves = [Curve("verifier lexical", _checks(sizes, lexical(), most))]
    if sizes.has_network:
        verifier = neural(shipped_networks(threads=1))
        found = _checks(sizes, verifier, sizes.network_citations)
        curves.append(Curve("verifier minilm", found))
    return Growth(
        "growth-citations",
        "Checking a page, by its citations",
        "citations on the page, each of a source of its own",
        "CPU milliseconds a page",
        "A made-up page for each size; the sources are texts of some 450 words that lie"
        " ready. All citations have one, so that all claims are compared.",
        "CPU time of one check, from wikitext to report, by a verifier that has read"
        " nothing before.",
        tuple(curves),
    )


def _checks(
    sizes: Sizes, verifier: Callable[[], Verifier], most: int
) -> tuple[tuple[float, tuple[float, ...]], ...]:
    _check(verifier, contents.with_citations(1))
    found = []
    for count in sizes.citations:
        if count <= most:
            text = contents.with_citations(count)
            rounds = [
                cpu_s(partial(_check, verifier, text)) for _ in range(sizes.rounds)
            ]
            found.append((float(count), tuple(1000 * one for one in rounds)))
    return tuple(found)


def _check(verifier: Callable[[], Verifier], text: str) -> None:
    asyncio.run(_checked(verifier(), text))


async def _checked(verifier: Verifier, text: str) -> None:
    tools = Tools(contents.MadeUp(), verifier)
    checker = Checker(tools, Unheard(), now=lambda: datetime.now(UTC))
    await checker.check(text, contents.page_id("Harbours"))


# --- what is watched ----------------------------------------------------------


def _by_watched(sizes: Sizes) -> list[Section]:
    if not sizes.watched:
        return []
    took = [
        (
            float(count),
            apart(_watched, sizes.rounds, count)
            if sizes.rounds > 1
            else _watched(sizes.rounds, count),
        )
        for count in sizes.watched
    ]
    counted = (
        f"Watches of at most {_PAGES_OF_A_WATCH:,} pages each in SQLite; {_EVENTS:,} made-up"
        f" events of the wiki, each of another page; all of these pages are watched from"
        f" {_EVENTS:,} on."
    )
    parts = (
        ("event", "An event, by how much is watched", "CPU microseconds an event", "event decoded, its page looked up, routed", "CPU time of all events divided by their number."),
        ("reading", "Reading the watches, by how many pages they name", "CPU milliseconds, once after each change of a watch", "all watches read again", "CPU time of one reading."),
        ("memory", "Memory of the watches", "MiB", "watches held by intake", "Sum of what Python allocated for them and still holds (tracemalloc), once."),
    )  # fmt: skip
    return [
        Growth(
            f"growth-watched-{key}",
            title,
            "pages watched",
            unit,
            counted,
            formula,
            (Curve(name, tuple((at, found[key]) for at, found in took)),),
        )
        for key, title, unit, name, formula in parts
    ]


def _watched(rounds: int, count: int) -> dict[str, tuple[float, ...]]:
    with (
        unlogged(),
        tempfile.TemporaryDirectory() as folder,
        open_store(f"sqlite:///{folder}{os.sep}sidenote.sqlite") as store,
    ):
        _keep(store, count)
        text = b"".join(framed(number, contents.WIKI) for number in range(_EVENTS))
        text = text.replace(b"@@@@", b"6900")
        found: dict[str, list[float]] = {"event": [], "reading": [], "memory": []}
        for _ in range(rounds):
            watches = ActiveWatches(store)
            found["reading"].append(1000 * cpu_s(watches.refresh))
            took_s = _repeated_s(partial(_events, text, watches))
            found["event"].append(1e6 * took_s / _EVENTS)
        # Last, for it is slow; all that is loaded once is loaded by now.
        found["memory"].append(kept_mib(partial(_read_watches, store)))
    return {key: tuple(values) for key, values in found.items()}


def _read_watches(store: Store) -> ActiveWatches:
    watches = ActiveWatches(store)
    watches.refresh()
    return watches


def _keep(store: Store, count: int) -> None:
    for first in range(0, count, _PAGES_OF_A_WATCH):
        last = min(first + _PAGES_OF_A_WATCH, count)
        place = f"User:Reader {first}/Sidenote"
        watch = ActiveWatch(
            *(contents.WIKI, place, WatcherKind.USER, f"Reader {first}"),
            tuple(_TITLE.format(number) for number in range(first, last)),
            surfaces=(Surface.REPORT, Surface.TALK),
            report=f"{place} report",
        )
        store.watches.keep(watch, [], datetime.now(UTC))


def _events(text: bytes, watches: ActiveWatches) -> None:
    router = Router(RouteRules(frozenset({contents.WIKI}), "Bot", "User:Bot/Rules"))
    changes: list[Change] = ConnectionReader(ALL_OF_A_WIKI).take(text).changes
    now = datetime.now(UTC)
    for change in changes:
        list(jobs_of(change, watches, now, 60.0))
    router.intended_posts(changes, watches.now, now)
