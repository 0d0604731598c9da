"""A moved clock is one clock: for us, for the servers beside us and for our children."""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from glob import glob
from pathlib import Path

import pytest

from bot.demo.loopback.service import CLOCK, absence, run_once, server_folder
from tests.program import Program, program
from tests.rig.service import absent

__all__ = ["program"]

_ROOT = Path(__file__).parents[1]
_AHEAD = timedelta(days=400)
_SLEEP = "import time; time.sleep(0.05); print(int(time.time()))"


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set what `./dev test --at` sets, also in tests that it runs."""
    found = glob("/usr/lib/*/faketime/libfaketimeMT.so.1")  # noqa: PTH207 - from the root
    if not found:
        absent(str(absence("faketime")))
    monkeypatch.setenv("LD_PRELOAD", found[0])
    so_far_s = int(os.environ.get("FAKETIME", "0s").removesuffix("s"))
    monkeypatch.setenv("FAKETIME", f"{so_far_s + _AHEAD.total_seconds():+.0f}s")
    monkeypatch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
    monkeypatch.setenv("NO_FAKE_STAT", "1")
    monkeypatch.setenv("PYTHONPATH", str(_ROOT / "tests/rig/clock"))


def _days_ahead(seconds: str) -> int:
    """Return how far ahead of this process another one is."""
    a_moment_ago = datetime.now(UTC) - timedelta(minutes=1)
    return (datetime.fromtimestamp(int(seconds), UTC) - a_moment_ago).days


@pytest.mark.usefixtures("moved")
def test_a_server_has_our_clock() -> None:
    folder = server_folder("clock")
    try:
        assert _days_ahead(run_once(["date", "+%s"], folder)) == _AHEAD.days
    finally:
        folder.rmdir()


@pytest.mark.usefixtures("moved")
def test_python_sleeps_under_a_moved_clock() -> None:
    began_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _SLEEP], capture_output=True, text=True, check=True
    )
    assert _days_ahead(done.stdout) == _AHEAD.days
    assert time.monotonic() - began_s >= 0.05


@pytest.mark.usefixtures("moved")
async def test_the_program_has_our_clock(program: Program) -> None:
    environment = program._environment()
    assert environment.keys() >= set(CLOCK) - {"TZ"}
    assert str(_ROOT / "tests/rig/clock") in environment["PYTHONPATH"].split(":")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--at", "the day after"], "“the day after” is not a date"),
        (["--zone", "Mars/Tharsis"], "no time zone “Mars/Tharsis”"),
        (["--at"], "--at needs a value"),
    ],
)
def test_a_clock_that_cannot_be_set_is_refused_at_once(
    given: list[str], said: str
) -> None:
    done = subprocess.run(
        ["sh", _ROOT / "dev", "test", *given],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert said in done.stderr
