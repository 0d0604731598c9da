"""Pace and quota hold over restarts and processes, and a wait is never forever."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.search.services.client import RefusedError
from bot.search.services.service import Allowance, Meter
from handlers.ports import PermanentError, TemporaryError
from tests.bot.search.services.tools import Clock


def meter(
    folder: Path, clock: Clock, *, pause_s: float = 0.0, per_day: int | None = None
) -> Meter:
    allowance = Allowance("Brave", pause_s, per_day)
    return Meter(folder, "brave", allowance, now=clock.now, sleep=clock.sleep)


async def test_a_day_s_quota_survives_a_restart_and_ends_at_midnight(
    tmp_path: Path,
) -> None:
    clock = Clock()
    for _ in range(3):
        await meter(tmp_path, clock, per_day=3).wait()

    again = meter(tmp_path, clock, per_day=3)
    with pytest.raises(TemporaryError, match="SIDENOTE_SEARCH_QUOTAS") as caught:
        await again.wait()

    assert caught.value.retry_in_s == 12 * 3600
    quota = again.quota()
    assert (quota.used, quota.limit) == (3, 3)
    assert quota.free_at == datetime(2026, 3, 21, tzinfo=UTC)
    assert str(quota).startswith("Brave: 3 of 3 requests today; left alone until 2026")
    await clock.sleep(12 * 3600)
    assert again.quota().used == 0
    await again.wait()


async def test_many_at_once_are_all_counted_and_stand_in_line(tmp_path: Path) -> None:
    clock = Clock()
    meters = [meter(tmp_path, clock, pause_s=1.0, per_day=10) for _ in range(10)]
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    for one in meters:
        one._sleep = sleep
    await asyncio.gather(*(one.wait() for one in meters))

    assert meters[0].quota().used == 10
    assert sorted(round(wait) for wait in waits) == list(range(1, 10))


async def test_a_line_that_is_too_long_is_left(tmp_path: Path) -> None:
    clock = Clock()
    slow = meter(tmp_path, clock, pause_s=40.0)
    await slow.wait()

    with pytest.raises(TemporaryError, match="too many requests"):
        await meter(tmp_path, clock, pause_s=40.0).wait()
    assert slow.quota().used == 1, "what is not sent is not counted"


async def test_peace_that_one_process_was_asked_for_is_kept_by_all(
    tmp_path: Path,
) -> None:
    clock = Clock()
    await meter(tmp_path, clock).hold(600, "Brave is out of order")

    other = meter(tmp_path, clock)
    with pytest.raises(TemporaryError, match="out of order") as caught:
        await other.wait()
    assert caught.value.retry_in_s == pytest.approx(600)
    assert other.quota().free_at == clock.at + timedelta(seconds=600)
    await clock.sleep(600)
    await other.wait()


async def test_a_refusal_is_of_this_process_alone(tmp_path: Path) -> None:
    clock = Clock()
    refused = meter(tmp_path, clock)
    refused.refuse(RefusedError("check SIDENOTE_BRAVE_KEY"))

    with pytest.raises(RefusedError):
        await refused.wait()
    assert refused.quota().note == "check SIDENOTE_BRAVE_KEY"
    await meter(tmp_path, clock).wait()


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut off"),
        pytest.param('{"asked": -5}', id="less than nothing"),
        pytest.param('{"held_until": "soon"}', id="no time"),
        pytest.param("x" * 20_000, id="large"),
    ],
)
async def test_a_broken_count_starts_from_zero(tmp_path: Path, written: str) -> None:
    (tmp_path / "brave.json").write_text(written, "utf-8")
    one = meter(tmp_path, Clock(), per_day=1)

    await one.wait()

    assert one.quota().used == 1


async def test_a_count_that_cannot_be_read_is_not_reset(tmp_path: Path) -> None:
    (tmp_path / "brave.json").mkdir()  # there, and not to be read

    with pytest.raises(PermanentError, match="count of searches"):
        await meter(tmp_path, Clock(), per_day=1).wait()


async def test_a_clock_that_was_wrong_keeps_nobody_away_for_longer_than_a_day(
    tmp_path: Path,
) -> None:
    (tmp_path / "brave.json").write_text('{"held_until": 9e12, "why": "x"}', "utf-8")
    clock = Clock()

    with pytest.raises(TemporaryError) as caught:
        await meter(tmp_path, clock).wait()
    assert caught.value.retry_in_s == pytest.approx(86_400)


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", "utf-8")

    with pytest.raises(PermanentError, match="count of searches"):
        await meter(tmp_path / "taken", Clock()).wait()
