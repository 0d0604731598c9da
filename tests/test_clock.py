"""A moved clock is one clock: for us, for the servers beside us and for our children."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, sync_playwright

from bot.demo.loopback.service import CLOCK, run_once, server_folder
from tests.program import Program, program
from tests.rig import clock
from tests.rig.browser import open_chromium
from tests.rig.service import absent

__all__ = ["program"]

_ROOT = Path(__file__).parents[1]
_AHEAD = timedelta(days=400)
_SLEEP = "import time; time.sleep(0.05); print(int(time.time()))"
# Other threads ask for the time all the while, as those of a server do.
_FORKS = """
import os, threading, time
held = threading.Lock()
held.acquire()
def ask():
    while True:
        held.acquire(timeout=0.00001)
for _ in range(4):
    threading.Thread(target=ask, daemon=True).start()
for _ in range(500):
    if not os.fork():
        time.time()
        os._exit(0)
    os.wait()
"""


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set what `./dev test --at` sets, also in tests that it runs."""
    if reason := clock.absence():
        absent(reason)
    folder = server_folder("clock")  # servers run as another user
    by_s = clock.ahead_s() + round(_AHEAD.total_seconds())
    for name, value in clock.ahead(clock.library(folder), by_s).items():
        monkeypatch.setenv(name, value)
    yield
    shutil.rmtree(folder)


def _days_ahead(seconds: str | float) -> int:
    """Return how far ahead of this process another one is."""
    a_moment_ago = datetime.now(UTC) - timedelta(minutes=1)
    return (datetime.fromtimestamp(int(seconds), UTC) - a_moment_ago).days


@pytest.mark.usefixtures("moved")
def test_a_server_has_our_clock() -> None:
    folder = server_folder("served")
    try:
        assert _days_ahead(run_once(["date", "+%s"], folder)) == _AHEAD.days
    finally:
        folder.rmdir()


@pytest.mark.usefixtures("moved")
def test_the_browser_has_our_clock() -> None:
    with sync_playwright() as playwright:
        seen_ms = _time_in_browser(playwright)
    assert _days_ahead(seen_ms / 1000) == _AHEAD.days


def _time_in_browser(playwright: Playwright) -> float:
    with open_chromium(playwright) as chromium:
        return float(chromium.new_page().evaluate("Date.now()"))


@pytest.mark.usefixtures("moved")
def test_python_sleeps_under_a_moved_clock() -> None:
    began_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _SLEEP], capture_output=True, text=True, check=True
    )
    assert _days_ahead(done.stdout) == _AHEAD.days
    assert time.monotonic() - began_s >= 0.05


@pytest.mark.usefixtures("moved")
def test_a_process_forks_while_its_threads_ask_for_the_time() -> None:
    subprocess.run([sys.executable, "-c", _FORKS], check=True, timeout=60)


@pytest.mark.usefixtures("moved")
async def test_the_program_has_our_clock(program: Program) -> None:
    assert program._environment().keys() >= set(CLOCK) - {"TZ"}


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
