"""What a person waits for: starting, checking the shipped articles, and its memory.

The peer is the bare interpreter, so that the figures carry to other machines.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_ROUNDS = 5
_KIB = 1024


def _wall_s(*arguments: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        env = {
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "SIDENOTE_DATA_DIR": f"{folder}/data",
        }
        times = []
        for _ in range(_ROUNDS):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, *arguments],
                cwd=folder,
                env=env,
                check=True,
                capture_output=True,
            )
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Print median wall times of whole processes and the largest one's memory."""
    bare_s = _wall_s("-c", "pass")
    sys.stdout.write(f"{'the bare interpreter':32}{bare_s:6.2f} s\n")
    for name, arguments in (
        ("sidenote --help", ("-m", "bot", "--help")),
        ("sidenote run --once, second start", ("-m", "bot", "run", "--once")),
    ):
        took_s = _wall_s(*arguments)
        sys.stdout.write(
            f"{name:32}{took_s:6.2f} s, {took_s / bare_s:5.1f} times as long\n"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KIB
    sys.stdout.write(f"peak memory of the largest process: {peak:.0f} MiB\n")
