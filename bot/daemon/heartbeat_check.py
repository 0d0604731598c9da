"""Says whether a process on this machine is alive, for whatever restarts hung ones.

Each process writes a file in a folder on its machine, for each part that it runs. The
database is not asked: while it is unavailable a restart fixes nothing, and the check
must cost next to nothing, since it runs every few seconds. That is also why nothing
slow is imported here. A file holds the machine's time since boot, which no correction
of its clock changes.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

FOLDER = "alive"
DATA_DIR = "SIDENOTE_DATA_DIR"
_SILENT_S = 120.0  # a busy process on a small machine may be late
_DEAD = 1


def write(folder: Path, part: str, next_in_s: float) -> None:
    """Write that a part is running.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{part}-{os.getpid()}"
    text = f"{time.monotonic()} {next_in_s} {os.getpid()}\n"
    unfinished.write_text(text, "ascii")
    unfinished.replace(folder / part)


def remove(folder: Path, part: str) -> None:
    """Remove the file of a part that ends; leave that of another process."""
    file = folder / part
    with suppress(OSError, ValueError):
        if file.read_text("ascii").split()[2:] == [str(os.getpid())]:
            file.unlink()


def problem(folder: Path, part: str) -> str:
    """Return why a part is not running; empty if it is."""
    try:
        written = (folder / part).read_text("ascii").split()
        written_at_s, next_in_s = map(float, written[:2])
    except FileNotFoundError:
        return f"no process here runs {part}: {folder / part} is not there"
    except (OSError, ValueError) as error:
        return f"{folder / part} cannot be read ({error})"
    silent_s = time.monotonic() - written_at_s
    if silent_s < 0:
        return f"{part} has given no heartbeat since this machine started"
    if silent_s > next_in_s + _SILENT_S:
        return f"{part} has given no heartbeat for {silent_s:.0f} s"
    return ""


def answer(arguments: list[str]) -> int | None:
    """Answer `alive PART` at once; `None` if that needs the whole program.

    It does if a settings file may name another folder, or if help is asked for.
    """
    place = os.environ.get(DATA_DIR)
    if len(arguments) != 2 or arguments[0] != "alive":  # noqa: PLR2004 - the command and its part
        return None
    if not place or "SIDENOTE_SETTINGS" in os.environ or not arguments[1].isalpha():
        return None
    found = problem(Path(place).expanduser() / FOLDER, arguments[1])
    if found:
        sys.stderr.write(f"sidenote: {found}\n")
    return _DEAD if found else 0
