"""A thread that is left behind neither keeps the process nor spoils its end."""

import subprocess
import sys

import pytest

_PROGRAM = """
import atexit, sys, time
from bot.daemon.threads import PassingThreads, end_with

atexit.register(print, "ended by Python")
PassingThreads().submit(time.sleep, {sleep_s})
time.sleep(0.2)
print("said before")
end_with(7)
sys.exit(7)
"""


@pytest.mark.parametrize(
    ("sleep_s", "lines"),
    [(60, ["said before"]), (0, ["said before", "ended by Python"])],
    ids=["a thread still runs", "none does"],
)
def test_the_end_is_at_once_only_where_a_thread_still_runs(
    sleep_s: int, lines: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(sleep_s=sleep_s)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 7
    assert (done.stdout.splitlines(), done.stderr) == (lines, "")
