"""The disk below the data of the running program is full, again and again.

The whole part plays in a process of its own, whose small disk in memory nobody else
sees and which goes with it.
"""

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.soak.outcome import Outcome, Tell
from tests.soak.play import playing

_ROOT = Path(__file__).parents[2]
_SIZE_BYTES = 48 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
_AGAIN_S = 0.1
_EDIT_S = 5.0
_MOST_S = 1_800.0


@dataclass(frozen=True, slots=True)
class DiskWishes:
    """How often the disk is full, and for how long."""

    seed: int
    times: int = 3
    full_s: float = 20.0


def absence() -> str:
    """Say why no disk can be made full here; nothing if one can."""
    if os.getuid() or shutil.which("unshare") is None:
        return "only root with unshare (of util-linux) can mount a small disk"
    with tempfile.TemporaryDirectory() as folder:
        mount = _mount(Path(folder))
        done = subprocess.run(
            ["unshare", "--mount", *mount], check=False, capture_output=True
        )
    return "no file system may be mounted here" if done.returncode else ""


def run(folder: Path, wishes: DiskWishes, tell: Tell) -> Outcome:
    """Do it in a process of its own, and say what came of it."""
    given = folder / "wishes"
    given.write_bytes(pickle.dumps(wishes))
    file = folder / "outcome"
    process = subprocess.Popen(
        ["unshare", "--mount", sys.executable, "-m", __spec__.name, str(folder)],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        tell(line.rstrip())
    process.wait(_MOST_S)
    if process.returncode:
        return Outcome("full disks", wrong=["it broke; see what it said"])
    outcome = pickle.loads(file.read_bytes())  # noqa: S301 - written by us
    assert isinstance(outcome, Outcome)
    return outcome


def _mount(folder: Path) -> list[str]:
    size = f"size={_SIZE_BYTES},mode=0700"
    return ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)]


# --- in the process of its own ----------------------------------------------------------


def _played(folder: Path, wishes: DiskWishes) -> Outcome:
    small = folder / "small"
    small.mkdir(exist_ok=True)
    subprocess.run(_mount(small), check=True)
    outcome = Outcome(f"{wishes.times} full disks")
    try:
        with playing(
            folder, outcome, wishes.seed, _tell, settings={"data_dir": str(small)}
        ) as play:
            outcome.add("full for", f"{wishes.full_s:g} s each")
            play.edits(_EDIT_S)
            play.deliver("nothing, to begin with")
            for number in range(1, wishes.times + 1):
                with _full(small):
                    play.edits(wishes.full_s)
                play.deliver(f"full disk, {number}")
    finally:
        subprocess.run(["umount", "--lazy", str(small)], check=True)
    return outcome


@contextmanager
def _full(disk: Path) -> Iterator[None]:
    """Fill what is left, and again each time that something gives way."""
    filler, end = disk / "filler", threading.Event()
    _fill(filler)

    def go_on() -> None:
        while not end.wait(_AGAIN_S):
            _fill(filler)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
        filler.unlink()


def _fill(filler: Path) -> None:
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while file.write(bytes(_PIECE_BYTES)):
            pass


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _folder = Path(sys.argv[1])
    _wishes = pickle.loads((_folder / "wishes").read_bytes())  # noqa: S301 - ours
    (_folder / "outcome").write_bytes(pickle.dumps(_played(_folder, _wishes)))
