"""Start-up and memory of each role, beside the bare interpreter.

Each is started as on a server, with a wiki and a feed that are out of reach, and read
from outside once it says that it is at work. What a worker holds beyond that comes
with its first claim; see the memory of the stages.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section

_ROOT = Path(__file__).parents[3]
_AWAY = {
    "SIDENOTE_WIKI": "http://127.0.0.1:1",
    "SIDENOTE_STREAM": "http://127.0.0.1:1/v2/stream/",
    "SIDENOTE_BOT_ACCOUNT": "ExampleBot",
    "SIDENOTE_BOT_SECRET": "a-secret-of-enough-bytes",
    "SIDENOTE_SERVE_PORT": "0",
}
_SETTLED_S = 1.0  # roles begin right after they were announced
_MIB = 2**20


@dataclass(frozen=True)
class _Took:
    ready_s: float
    cpu_s: float
    mib: float


def measured(sizes: Sizes) -> list[Section]:
    """Return how long each takes to start, and what it holds then."""
    if not sizes.roles:
        return []
    took: dict[str, list[_Took]] = {name: [] for name in ("bare python", *sizes.roles)}
    for _ in range(sizes.rounds):
        for name, rounds in took.items():
            rounds.append(_started(name))
    counted = (
        "n = 1 process a round, on an empty SQLite database in a folder of its own."
    )
    formula = (
        "From the start of the process until it says that it is at work; CPU time, in"
        f" ticks of {1000 / os.sysconf('SC_CLK_TCK'):.0f} ms, and resident memory"
        f" {_SETTLED_S:.0f} s later."
    )
    return [
        Comparison(
            key,
            title,
            unit,
            counted,
            formula,
            tuple(
                Bar(
                    name if name == "bare python" else f"sidenote {name}",
                    tuple(getattr(one, field) for one in rounds),
                    is_peer=name == "bare python",
                )
                for name, rounds in took.items()
            ),
        )
        for key, title, unit, field in (
            ("roles-ready", "Start-up of each role", "seconds until it is at work", "ready_s"),
            ("roles-cpu", "CPU time of the start-up", "seconds of CPU", "cpu_s"),
            ("roles-memory", "Memory of each role at rest", "MiB", "mib"),
        )
    ]  # fmt: skip


def _started(name: str) -> _Took:
    arguments = ["-m", "bot", name]
    if name == "bare python":
        arguments = ["-c", "print('ready', flush=True); input()"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, **_AWAY, "PYTHONPATH": str(_ROOT)}
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *arguments],
            env={**env, "SIDENOTE_DATA_DIR": folder},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            if not process.stdout.readline():
                raise RuntimeError(f"sidenote {name} did not start")
            ready_s = time.perf_counter() - began
            time.sleep(_SETTLED_S)
            seen = psutil.Process(process.pid)
            times = seen.cpu_times()
            took = _Took(
                ready_s, times.user + times.system, seen.memory_info().rss / _MIB
            )
            process.send_signal(signal.SIGTERM)
            process.communicate()
    return took
