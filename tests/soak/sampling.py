"""What a program takes of the machine, read from outside, and how that grows."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

_COUNTED = 'SELECT count(*) FROM "{}"'
_KB = 1024
_MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Process:
    """One process at one moment; `rss_mb` counts pages that processes share in each."""

    pid: int
    name: str
    rss_mb: float
    files: int
    threads: int


@dataclass(frozen=True, slots=True)
class Sample:
    """All processes of the program at one moment.

    `events` is how many had been sent to it by then, `at_s` the seconds since the begin.
    """

    at_s: float
    events: int
    processes: tuple[Process, ...]
    database_mb: float = 0.0
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def rss_mb(self) -> float:
        """The memory of all processes together."""
        return sum(each.rss_mb for each in self.processes)

    @property
    def main_rss_mb(self) -> float:
        """The memory of the first one alone."""
        return self.processes[0].rss_mb if self.processes else 0.0

    @property
    def files(self) -> int:
        return sum(each.files for each in self.processes)

    @property
    def threads(self) -> int:
        return sum(each.threads for each in self.processes)


def processes_of(pid: int) -> tuple[Process, ...]:
    """Return a process and all that it has started, as they are now."""
    return tuple(_read(pid))


def _read(pid: int) -> Iterator[Process]:
    with suppress(OSError, KeyError, ValueError):
        place = Path(f"/proc/{pid}")
        status = _fields(place / "status")
        yield Process(
            pid,
            status["Name"],
            int(status.get("VmRSS", "0 kB").split()[0]) / _KB,
            sum(1 for _ in (place / "fd").iterdir()),
            int(status["Threads"]),
        )
        for task in (place / "task").iterdir():
            children = (task / "children").read_text().split()
            for child in children:
                yield from _read(int(child))


def _fields(file: Path) -> dict[str, str]:
    lines = (line.partition(":") for line in file.read_text().splitlines())
    return {name: value.strip() for name, _, value in lines}


def size_mb(database: Path) -> float:
    """Return the size of a SQLite database with the log beside it."""
    return sum(
        place.stat().st_size / _MB
        for place in (database, Path(f"{database}-wal"))
        if place.exists()
    )


def rows_of(database: Path) -> dict[str, int]:
    """Count the rows of each table that has any."""
    address = f"file:{database}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=30)) as opened:
        names = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = [name for (name,) in names.fetchall()]
        counted = {
            name: int(opened.execute(_COUNTED.format(name)).fetchone()[0])
            for name in tables
        }
    return {name: count for name, count in counted.items() if count}


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return how much the second value grows with the first, by least squares."""
    if len(points) < 2:
        return 0.0
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    together = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return together / spread if spread else 0.0


def second_half(samples: Sequence[Sample], events: int) -> list[Sample]:
    """Return the samples after half of the events."""
    return [each for each in samples if each.events >= events / 2]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of all are below."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
