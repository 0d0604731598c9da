"""A clock that can be moved under a running program, which knows nothing of it.

A small library of ours (`clock.c`, compiled when it is needed) stands between the
program and the system's clocks.
"""

import mmap
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")
_FORM = struct.Struct("=qq")  # nanoseconds added to the time of day, and to the other
_SECOND = 1_000_000_000


def absence() -> str:
    """Say why no clock can be moved here; nothing if one can."""
    return "" if shutil.which("cc") else "no C compiler is here (`apt-get install gcc`)"


@dataclass(slots=True)
class Clock:
    """The clock of one program. `moved_s` is how far it is from ours."""

    folder: Path
    moved_s: float = 0.0
    steady_s: float = 0.0

    def environment(self) -> dict[str, str]:
        """Return what the program has to be started with; make it first."""
        library = self.folder / "clock.so"
        if not library.exists():
            subprocess.run(
                ["cc", "-O2", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl"],
                check=True,
            )
            self._file.write_bytes(bytes(_FORM.size))
        return {"LD_PRELOAD": str(library), "SOAK_CLOCK": str(self._file)}

    @property
    def _file(self) -> Path:
        return self.folder / "clock"

    def move(self, by_s: float, *, all_clocks: bool = False) -> None:
        """Move it; the program sees that at once.

        Args:
            by_s: how far, back if it is negative.
            all_clocks: also the one that only goes forward, as if time had passed. When
                somebody sets the time of day, that one stays.
        """
        self.moved_s += by_s
        self.steady_s += by_s if all_clocks else 0.0
        offsets = [round(by * _SECOND) for by in (self.moved_s, self.steady_s)]
        opened = os.open(self._file, os.O_RDWR)
        try:
            with mmap.mmap(opened, _FORM.size) as shared:
                shared[:] = _FORM.pack(*offsets)
        finally:
            os.close(opened)

    def now(self) -> datetime:
        """Return the time that the program sees."""
        return datetime.now(UTC) + timedelta(seconds=self.moved_s)
