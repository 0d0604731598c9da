"""A small seeded piece of the long runs, and what they measure with."""

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handlers.ports import PermanentError
from tests.rig import clock
from tests.rig.service import absent
from tests.soak import events, report
from tests.soak.clock import Clock
from tests.soak.links import Fault, Link
from tests.soak.outcome import Curve, Outcome
from tests.soak.sampling import quantile, slope

_HOUR_S = 3_600.0
_LINE = b"a line of a few words\n"
_LOOKS = """
import sys, threading, time
lock = threading.Lock()
lock.acquire()
for _ in sys.stdin:
    begin = time.monotonic()
    lock.acquire(timeout=0.01)
    time.sleep(0.01)
    print(time.time(), begin, time.monotonic() - begin, flush=True)
"""


def test_a_clock_moves_under_a_program_and_its_waits_stay_what_they_are(
    tmp_path: Path,
) -> None:
    if reason := clock.absence():
        absent(reason)
    moved = Clock(tmp_path)
    environment = moved.environment()
    seen: list[tuple[float, ...]] = []
    with subprocess.Popen(
        [sys.executable, "-Ic", _LOOKS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for by_s, all_clocks in ((0.0, False), (_HOUR_S, False), (_HOUR_S, True)):
            moved.move(by_s, all_clocks=all_clocks)
            program.stdin.write("look\n")
            program.stdin.flush()
            seen.append(tuple(map(float, program.stdout.readline().split())))
        program.stdin.close()

    (day, steady, _), (day_1, steady_1, _), (day_2, steady_2, _) = seen
    assert [round(each) // 60 for each in (day_1 - day, day_2 - day)] == [60, 120]
    assert [round(each) // 60 for each in (steady_1 - steady, steady_2 - steady)] == [
        0,
        60,
    ]
    assert all(waited_s < 5 for _, _, waited_s in seen)
    assert abs(moved.now() - datetime.now(UTC) - timedelta(hours=2)).seconds < 2


def test_a_slope_is_that_of_the_best_line() -> None:
    assert slope([(0, 5), (1, 7), (2, 9)]) == pytest.approx(2)
    assert slope([(0, 1), (1, -1), (2, 1), (3, -1)]) == pytest.approx(-0.4)
    assert slope([(1, 1)]) == slope([(1, 1), (1, 3)]) == 0
    assert quantile([4, 1, 3, 2], 0.5) == 3
    assert quantile([], 0.99) == 0


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
    writer.close()


async def _echoed(port: int, within_s: float = 10.0) -> bytes:
    """Say a line to an echo by a new connection; return what comes back of it."""
    try:
        async with asyncio.timeout(within_s):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(_LINE)
                return await reader.readline()
            finally:
                writer.transport.abort()
    except TimeoutError:
        return b"nothing"
    except OSError:
        return b""


async def test_each_fault_is_felt_and_ends() -> None:
    echo = await asyncio.start_server(_echo, "127.0.0.1", 0)
    link = Link("echo", f"127.0.0.1:{echo.sockets[0].getsockname()[1]}", seed=1)
    await link.open()
    felt = {}
    silent = {Fault.LATENCY, Fault.SILENCE, Fault.HALF_OPEN}
    for fault in Fault:
        await link.suffer(fault)
        felt[fault] = await _echoed(link.port, within_s=0.2 if fault in silent else 10)
        await link.suffer(None)
        assert await _echoed(link.port) == _LINE, fault
    await link.close()
    echo.close()

    assert felt[Fault.SLICES] == felt[Fault.BANDWIDTH] == felt[Fault.LIMIT] == _LINE
    assert felt[Fault.OUTAGE] == b""
    assert {felt[fault] for fault in silent} == {b"nothing"}


async def test_a_connection_that_was_half_open_never_speaks_again() -> None:
    echo = await asyncio.start_server(_echo, "127.0.0.1", 0)
    link = Link("echo", f"127.0.0.1:{echo.sockets[0].getsockname()[1]}", seed=1)
    await link.open()
    reader, writer = await asyncio.open_connection("127.0.0.1", link.port)
    writer.write(_LINE)
    assert await reader.readline() == _LINE

    await link.suffer(Fault.HALF_OPEN)
    await link.suffer(None)

    writer.write(_LINE)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await reader.readline()
    writer.close()
    await link.close()
    echo.close()


def test_a_report_keeps_the_parts_that_were_not_run_again(tmp_path: Path) -> None:
    curve = Curve("memory", "MB", [(0, 1), (10, 3)])
    first = Outcome("10 events", [("seed", "1")], curves=[curve])
    report.write("events", "./dev soak events", first, tmp_path)
    report.write("clock", "./dev soak clock", Outcome("6 jumps"), tmp_path)
    report.write("clock", "./dev soak clock", Outcome("8", wrong=["a|b"]), tmp_path)

    text = (tmp_path / "soak.md").read_text("utf-8")
    assert "## 10 events" in text
    assert "6 jumps" not in text
    assert "- WRONG: a&#124;b" in text
    assert "![memory](soak-events-mb.svg)" in text
    drawn = (tmp_path / "soak-events-mb.svg").read_text("utf-8")
    assert "<polyline" in drawn
    assert "3 MB" in drawn


def test_some_events_and_seven_weeks_pass_through_the_whole_program(
    tmp_path: Path,
) -> None:
    if reason := clock.absence():
        absent(reason)
    # All of it can be over before the first check of a page is: with five moves, that
    # page would be parked.
    wishes = events.EventWishes(2_000, seed=1, moves=3, pause_s=0.3, per_s=600)
    try:
        outcome = events.run(tmp_path, wishes, lambda _: None)
    except PermanentError as error:  # no MediaWiki
        absent(str(error))

    figures = dict(outcome.lines)
    assert outcome.wrong == []
    assert int(figures["posts on the wiki"]) >= 2  # the answers to two people, at least
    assert json.loads(figures["posts doubled"]) == 0
