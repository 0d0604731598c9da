"""A clock that can be moved under a running program, which knows nothing of it.

How is `tests.rig.clock`'s business.
"""

import mmap
import os
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.rig.clock import library

_FORM = struct.Struct("=qq")  # nanoseconds added to the time of day, and to the other
_SECOND = 1_000_000_000


@dataclass(slots=True)
class Clock:
    """The clock of one program. `moved_s` is how far it is from ours."""

    folder: Path
    moved_s: float = 0.0
    steady_s: float = 0.0

    def environment(self) -> dict[str, str]:
        """Return what the program has to be started with; make it first."""
        made = library(self.folder)
        if not self._file.exists():
            self._file.write_bytes(bytes(_FORM.size))
        return {"LD_PRELOAD": str(made), "CLOCK_FILE": str(self._file)}

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
