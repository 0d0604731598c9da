"""Events a second through intake, beside pywikibot's EventStreams and plain sseclient.

Each client is a process of its own and reads the same bytes from a server in another;
its CPU time counts, not the server's. Ours frames, sieves, decodes, drops what comes
twice, and commits pages and position to a SQLite file; the others only filter. The
clients take turns, so that what else the machine does meets all of them.
"""

import multiprocessing
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bot.daemon.intake.event_stream import Framer
from bot.daemon.intake.harvest import ChangeSelection, ConnectionReader
from tests.benchmarks.stream_clients import (
    CLIENTS,
    OURS,
    PROGRAM,
    PYWIKIBOT,
    WANTED,
    Figures,
    client,
)
from tests.benchmarks.stream_server import EVENTS, mixed, serve

_FAST = 2 * EVENTS
_ROUNDS = 3
_PACED = 4_000
_PACED_PER_S = 1_000
_SLOW = 1_000
_SLOW_PER_S = 50  # about what all wikis give
_MANY = 1_000_000
_DAY = 400_000  # about what English Wikipedia gives in a day
_SPAWN = multiprocessing.get_context("spawn")


def measure(name: str, address: str, path: str, count: int) -> Figures | str:
    """Return what a client took in a process of its own, or why there are no figures."""
    here, there = _SPAWN.Pipe()
    process = _SPAWN.Process(target=client, args=(there, name, address, path, count))
    process.start()
    there.close()
    try:
        figures = here.recv()
    except EOFError:
        figures = "it ended without a result"
    process.join()
    return figures if isinstance(figures, Figures) else str(figures).partition("\n")[0]


@contextmanager
def served() -> Iterator[str]:
    """Serve events from another process; give the address."""
    here, there = _SPAWN.Pipe()
    server = _SPAWN.Process(target=serve, args=(there,), daemon=True)
    server.start()
    try:
        yield f"http://127.0.0.1:{int(here.recv())}/"
    finally:
        server.terminate()
        server.join()


def _stages() -> None:
    """Print what framing, sieving and decoding take of bytes in memory."""
    count = EVENTS // 2
    text = b"".join(mixed(number) for number in range(count)).replace(b"@@@@", b"6900")
    pieces = [text[at : at + 65_536] for at in range(0, len(text), 65_536)]
    for name, take in (
        ("framing", Framer(2**22).feed),
        (
            "framing, sieve and decoding of what is wanted",
            ConnectionReader(WANTED).take,
        ),
        ("the same with every event decoded", ConnectionReader(ChangeSelection()).take),
    ):
        began = time.process_time()
        for piece in pieces:
            take(piece)
        took_s = time.process_time() - began
        sys.stdout.write(
            f"  {name:48}{count / took_s / 1000:7.0f} k/s of CPU,"
            f" {took_s / count * 1e6:5.2f} us each\n"
        )


def _compare(address: str, path: str, count: int, rounds: int) -> None:
    """Print what each client took, and the ratios of pywikibot's medians to its."""
    results: dict[str, list[Figures]] = {name: [] for name in CLIENTS}
    for _ in range(rounds):
        for name, kept in results.items():
            figures = measure(name, address, path, count)
            if isinstance(figures, str):
                sys.stdout.write(f"  {name}: not measured ({figures})\n")
            else:
                kept.append(figures)
    peer = results[PYWIKIBOT]
    sys.stdout.write(
        f"  {'median (best)':26}{'k events/s':>16}{'CPU us/event':>18}"
        f"{'x pywikibot':>14}{'x its CPU':>11}{'peak':>9}  what came of it\n"
    )
    for name, kept in results.items():
        if kept:
            sys.stdout.write(f"  {name:26}{_row(kept, peer)}\n")


def _row(kept: list[Figures], peer: list[Figures]) -> str:
    rates = [one.per_s / 1000 for one in kept]
    costs = [one.cpu_us for one in kept]
    faster = cheaper = "-"
    if peer:
        rate = statistics.median(one.per_s / 1000 for one in peer)
        cost = statistics.median(one.cpu_us for one in peer)
        faster = f"{statistics.median(rates) / rate:.2f}"
        cheaper = f"{statistics.median(costs) / cost:.2f}"
    one = kept[0]
    came = f"{one.wanted:,} wanted"
    if one.commits:
        came += f", {one.jobs:,} pages wait, {one.commits} commits"
    return (
        f"{statistics.median(rates):8.1f} ({max(rates):5.1f})"
        f"{statistics.median(costs):10.2f} ({min(costs):5.2f})"
        f"{faster:>14}{cheaper:>11}{max(each.peak_mib for each in kept):5.0f} MiB"
        f"  {came}"
    )


def main() -> None:
    """Print rates, and the CPU time of an event on a live stream."""
    mean = sum(len(mixed(number)) for number in range(0, EVENTS, 97)) // (EVENTS // 97)
    sys.stdout.write(f"made-up events of {mean} bytes; {EVENTS // 2:,} from memory:\n")
    _stages()
    with served() as address:
        sys.stdout.write(
            f"{_FAST:,} over HTTP as fast as it goes, commits with it,"
            f" {_ROUNDS} rounds:\n"
        )
        _compare(address, f"fast-{_FAST}", _FAST, _ROUNDS)
        sys.stdout.write(f"{_PACED:,} live, {_PACED_PER_S:,} a second:\n")
        _compare(address, f"paced-{_PACED}-{_PACED_PER_S}", _PACED, 1)


def long() -> None:
    """Print memory over a million events, the time for a day's, and a slow stream."""
    with served() as address:
        for name, kind, count in (
            (OURS, "many", _MANY),
            (PYWIKIBOT, "many", _MANY // 4),
            (PROGRAM, "many", _MANY),
            (PROGRAM, "day", _DAY),
        ):
            figures = measure(name, address, f"{kind}-{count}", count)
            what = "of the wanted wiki, a day's" if kind == "day" else "of all wikis"
            sys.stdout.write(f"{name}, {count:,} events {what}: {_line(figures)}\n")
        sys.stdout.write(f"{_SLOW:,} live, {_SLOW_PER_S:,} a second:\n")
        _compare(address, f"paced-{_SLOW}-{_SLOW_PER_S}", _SLOW, 1)


def _line(figures: Figures | str) -> str:
    if isinstance(figures, str):
        return f"not measured ({figures})"
    return (
        f"{figures.wall_s:.1f} s, {figures.per_s / 1000:.0f} k/s, {figures.cpu_us:.2f} us of CPU each, {figures.wanted:,} wanted,"
        f" {figures.jobs:,} pages wait, {figures.commits:,} commits,"
        f" peak {figures.peak_mib:.0f} MiB, {figures.grown_mib[0]:+.1f} MiB since a tenth and"
        f" {figures.grown_mib[1]:+.1f} since half"
    )
