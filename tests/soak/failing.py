"""The disk below the data of the running program fails, again and again, with EIO.

A small library of ours (`failing.c`, compiled when it is needed) stands between the
program and its files. So do bad places, cables and volumes over a network look.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tests.soak.outcome import Outcome, Tell
from tests.soak.play import playing

_SOURCE = Path(__file__).with_name("failing.c")
_EDIT_S = 5.0


class Failing(Enum):
    """What fails, as the library is told it."""

    NOTHING = 0
    ALL = 1
    WRITES = 2
    SOME = 7  # one of so many calls


def absence() -> str:
    """Say why no disk can fail here; nothing if one can."""
    return "" if shutil.which("cc") else "no C compiler is here (`apt-get install gcc`)"


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk that holds `data`. What makes it fail lies in `folder`, beside it."""

    folder: Path
    data: Path

    def environment(self) -> dict[str, str]:
        """Return what the program has to be started with; make it first."""
        library = self.folder / "failing.so"
        if not library.exists():
            subprocess.run(
                ["cc", "-O2", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl"],
                check=True,
            )
            self._say(Failing.NOTHING)
        return {
            "LD_PRELOAD": str(library),
            "SOAK_DISK": str(self.data),
            "SOAK_DISK_FAILS": str(self._file),
        }

    @property
    def _file(self) -> Path:
        return self.folder / "failing"

    def _say(self, what: Failing) -> None:
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(bytes((what.value,)))  # into the place that is mapped

    @contextmanager
    def failing(self, what: Failing) -> Iterator[None]:
        """Fail for as long as the block lasts."""
        self._say(what)
        try:
            yield
        finally:
            self._say(Failing.NOTHING)


@dataclass(frozen=True, slots=True)
class FailWishes:
    """How often the disk fails in each way, and for how long."""

    seed: int
    times: int = 1
    fails_s: float = 20.0


def run(folder: Path, wishes: FailWishes, tell: Tell) -> Outcome:
    """Do it, and say what came of it."""
    data = folder / "data"
    data.mkdir()
    disk = Disk(folder, data)
    ways = [way for way in Failing if way is not Failing.NOTHING] * wishes.times
    outcome = Outcome(f"{len(ways)} times a failing disk")
    with playing(
        folder,
        outcome,
        wishes.seed,
        tell,
        settings={"data_dir": str(data)},
        environment=disk.environment(),
    ) as play:
        outcome.add("fails for", f"{wishes.fails_s:g} s each")
        play.edits(_EDIT_S)
        play.deliver("nothing, to begin with")
        for number, way in enumerate(ways, start=1):
            with disk.failing(way):
                play.edits(wishes.fails_s)
            play.deliver(f"failing disk, {number}: {way.name.lower()}")
    return outcome
