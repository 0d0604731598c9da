"""Events a second through intake, beside pywikibot's EventStreams and plain sseclient.

Each client is a process of its own and reads the same bytes from a server in another;
its CPU time counts, not the server's. Ours frames, sieves, decodes and drops what
comes twice; what is wanted goes to a sink that only counts.
"""

import asyncio
import json
import multiprocessing
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import Any

from tests.benchmarks.stream_server import EVENTS, WIKI, framed, serve, wanted_by_hand

_KIB = 1024
_ROUNDS = 3
_MANY = 1_000_000
_PACED = 10_000  # events, at a thousand a second
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Figures:
    """What one client took for how many events."""

    events: int
    wanted: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    grown_mib: float = 0.0  # from a tenth of the way on


def _resident_mib() -> float:
    with open("/proc/self/statm") as told:  # noqa: PTH123 - not a file on a disk
        return int(told.read().split()[1]) * resource.getpagesize() / _KIB**2


def ours(port: int, path: str, count: int) -> tuple[int, int, float]:
    """Read with intake; return events, wanted ones, and how much memory grew."""
    from bot.adapters.event_stream.connection import EventStreams, StreamSettings  # noqa: PLC0415 - in its own process
    from bot.changes import Batch, ChangeKind, Position  # noqa: PLC0415
    from bot.intake.feed import IntakeLimits, Surroundings  # noqa: PLC0415
    from bot.intake.stream import Intake  # noqa: PLC0415
    from bot.intake.wanted import Wanted  # noqa: PLC0415

    found = 0

    class Sink:
        async def position(self) -> Position | None:
            return None

        async def commit(self, batch: Batch) -> None:
            nonlocal found
            found += len(batch.changes)

    async def read() -> tuple[int, float]:
        settings = StreamSettings(
            f"http://127.0.0.1:{port}/", (path,), "Sidenote/bench (mail@example.org)"
        )
        around = Surroundings(lambda: datetime.now(UTC), asyncio.sleep, random.random)
        wanted = Wanted(
            frozenset({WIKI}), frozenset({0}), frozenset({ChangeKind.EDIT}), bots=False
        )
        early = 0.0
        async with EventStreams(settings) as feed:
            intake = Intake(
                feed, Sink(), wanted, limits=IntakeLimits(), surroundings=around
            )
            task = asyncio.create_task(intake.run())
            while intake.health.events < count and not task.done():
                await asyncio.sleep(0.01)
                if not early and intake.health.events > count / 10:
                    early = _resident_mib()
            late = _resident_mib()
            events = intake.health.events
            await asyncio.sleep(1.0)  # what is pending is kept
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        return events, late - early

    events, grown = asyncio.run(read())
    return events, found, grown


def pywikibot(port: int, path: str, count: int) -> tuple[int, int, float]:
    """Read with pywikibot's EventStreams and its filter."""
    os.environ["PYWIKIBOT_NO_USER_CONFIG"] = "2"
    import pywikibot as library  # noqa: PLC0415 - in its own process
    from pywikibot.comms.eventstreams import EventStreams  # noqa: PLC0415

    library.config.user_agent_format = "bench"  # its own asks the network
    stream = EventStreams(
        site=library.Site("en", "wikipedia"),
        url=f"http://127.0.0.1:{port}/{path}",
    )
    events = found = 0

    def counted(_: dict[str, Any]) -> bool:
        nonlocal events
        events += 1
        return True

    stream.register_filter(counted)
    stream.register_filter(wanted_by_hand)
    for _ in stream:
        found += 1
        if events >= count:
            break
    return events, found, 0.0


def sseclient(port: int, path: str, count: int) -> tuple[int, int, float]:
    """Read with sseclient alone."""
    from sseclient import SSEClient  # noqa: PLC0415 - in its own process

    events = found = 0
    for event in SSEClient(f"http://127.0.0.1:{port}/{path}"):
        if not event.data:
            continue
        events += 1
        found += wanted_by_hand(json.loads(event.data))
        if events >= count:
            break
    return events, found, 0.0


_CLIENTS: dict[str, Callable[[int, str, int], tuple[int, int, float]]] = {
    "ours": ours,
    "pywikibot EventStreams": pywikibot,
    "sseclient": sseclient,
}


def _client(pipe: Connection, name: str, port: int, path: str, count: int) -> None:
    try:
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        events, wanted, grown = _CLIENTS[name](port, path, count)
        pipe.send(
            Figures(
                events,
                wanted,
                time.perf_counter() - began_s,
                time.process_time() - began_cpu_s,
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB,
                grown,
            )
        )
    except ImportError as error:
        pipe.send(str(error))


def _measure(name: str, port: int, path: str, count: int) -> Figures | str:
    here, there = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_client, args=(there, name, port, path, count))
    process.start()
    there.close()
    try:
        told = here.recv()
    except EOFError:
        told = "it ended without a result"
    process.join()
    return told if isinstance(told, Figures) else str(told).partition("\n")[0]


@contextmanager
def _served() -> Iterator[int]:
    here, there = _SPAWN.Pipe()
    server = _SPAWN.Process(target=serve, args=(there,), daemon=True)
    server.start()
    try:
        yield int(here.recv())
    finally:
        server.terminate()
        server.join()


def _stages() -> None:
    """Print what framing, sieving and decoding take of bytes in memory."""
    from bot.adapters.event_stream.framing import Framer  # noqa: PLC0415
    from bot.changes import ChangeKind  # noqa: PLC0415
    from bot.intake.reading import Reading  # noqa: PLC0415
    from bot.intake.wanted import Wanted  # noqa: PLC0415

    text = b"".join(framed(number) for number in range(EVENTS))
    pieces = [text[at : at + 65_536] for at in range(0, len(text), 65_536)]
    wanted = Wanted(
        frozenset({WIKI}), frozenset({0}), frozenset({ChangeKind.EDIT}), bots=False
    )
    for name, take in (
        ("framing", Framer(2**22).feed),
        ("framing, sieve and decoding of what is wanted", Reading(wanted).take),
        ("the same with every event decoded", Reading(Wanted()).take),
    ):
        began = time.process_time()
        for piece in pieces:
            take(piece)
        took_s = time.process_time() - began
        sys.stdout.write(
            f"  {name:48}{EVENTS / took_s / 1000:7.0f} k/s of CPU,"
            f" {took_s / EVENTS * 1e6:5.2f} us each\n"
        )


def _compare(port: int, path: str, count: int, rounds: int) -> None:
    """Print each client's medians and its ratio to pywikibot, or to sseclient."""
    results: dict[str, list[Figures]] = {name: [] for name in _CLIENTS}
    for _ in range(rounds):
        for name, kept in results.items():
            told = _measure(name, port, path, count)
            if isinstance(told, str):
                sys.stdout.write(f"  {name}: not measured ({told})\n")
            else:
                kept.append(told)
    medians = {
        name: sorted(kept, key=lambda one: one.cpu_s)[len(kept) // 2]
        for name, kept in results.items()
        if kept
    }
    peer = next(name for name in reversed(medians) if name != "ours")
    if "pywikibot EventStreams" in medians:
        peer = "pywikibot EventStreams"
    for name, one in medians.items():
        each_us = one.cpu_s / one.events * 1e6
        ratio = (medians[peer].cpu_s / medians[peer].events) / (one.cpu_s / one.events)
        sys.stdout.write(
            f"  {name:24}{one.events / one.wall_s / 1000:8.1f} k events/s,"
            f" {each_us:7.2f} us CPU each, {ratio:6.2f} times as cheap as {peer},"
            f" {one.wanted} of {one.events} wanted, peak {one.peak_mib:.0f} MiB\n"
        )


def main() -> None:
    """Print rates, CPU time of an event, and memory over a million events."""
    mean = sum(len(framed(number)) for number in range(0, EVENTS, 97)) // (EVENTS // 97)
    sys.stdout.write(f"{EVENTS:,} made-up events of {mean} bytes; from memory:\n")
    _stages()
    with _served() as port:
        sys.stdout.write("over HTTP, as fast as it goes (import times included):\n")
        _compare(port, "fast", EVENTS, _ROUNDS)
        sys.stdout.write(f"a thousand a second, {_PACED:,} events:\n")
        _compare(port, "paced", _PACED, 1)
        told = _measure("ours", port, "fast", _MANY)
        if isinstance(told, Figures):
            sys.stdout.write(
                f"{told.events:,} events: {told.wall_s:.0f} s, peak"
                f" {told.peak_mib:.0f} MiB, {told.grown_mib:+.1f} MiB since a tenth\n"
            )
