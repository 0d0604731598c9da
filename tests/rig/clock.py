"""Moves the clock of programs that know nothing of it.

A small library of ours (`clock.c`, compiled when it is needed) stands between them and
the system's clocks: for all that `./dev test --at` runs, and for one program whose clock
moves while it runs (`tests.soak.clock`).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")
_AHEAD = "CLOCK_AHEAD_S"


def absence() -> str:
    """Say why no clock can be moved here; nothing if one can."""
    return "" if shutil.which("cc") else "no C compiler is here (`apt-get install gcc`)"


def library(folder: Path) -> Path:
    """Return the library in `folder`, for LD_PRELOAD; make it first."""
    made = folder / "clock.so"
    if not made.exists():
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", made, _SOURCE, "-ldl"], check=True
        )
    return made


def ahead_s() -> int:
    """Return how far this process, and all that it starts, is ahead of the machine."""
    return int(os.environ.get(_AHEAD, "0"))


def ahead(library: Path, by_s: int) -> dict[str, str]:
    """Return the environment of a program whose clock is that far ahead."""
    return {"LD_PRELOAD": str(library), _AHEAD: str(by_s)}


if __name__ == "__main__":
    sys.stdout.write(f"{library(Path(sys.argv[1]))}\n")
