"""Watches a program while it runs: what it takes, and how far behind the feed it is."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.clock import Clock
from tests.soak.program import Program
from tests.soak.sampling import Sample, processes_of, rows_of, size_mb

_POLL_S = 0.1
_ROWS_EVERY = 10  # samples
_PARTS = 10  # in which the events between two positions are sent
_AFTER_A_MOVE_S = 5.0
_MOST_STEP_MS = 120_000.0


@dataclass
class Watch:
    """Takes samples of `program` every `every_s`, in a thread of its own.

    `lags_s` are times from the making of an event to the commit of the position after
    it, as seen from outside; events between two positions count as evenly spread.
    """

    program: Program
    database: Path
    clock: Clock
    sent: Callable[[], int]
    every_s: float = 1.0
    samples: list[Sample] = field(default_factory=list)
    lags_s: list[float] = field(default_factory=list)
    _end: threading.Event = field(default_factory=threading.Event)
    _failure: BaseException | None = None

    def __post_init__(self) -> None:
        self._began_s = time.monotonic()
        self._last_ms = 0.0
        self._moved_s, self._calm_from_s = 0.0, 0.0

    def take(self, *, with_rows: bool = False) -> Sample:
        """Take one sample now."""
        rows = rows_of(self.database) if with_rows else {}
        sample = Sample(
            time.monotonic() - self._began_s,
            self.sent(),
            processes_of(self.program.pid),
            size_mb(self.database),
            rows,
        )
        if sample.processes:
            self.samples.append(sample)
        return sample

    def run(self) -> None:
        """Watch until told to end."""
        try:
            self._watch()
        except BaseException as error:  # noqa: BLE001 - told by the one who waits
            self._failure = error

    def _watch(self) -> None:
        due_s, count = time.monotonic(), 0
        address = f"file:{self.database}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=30)) as opened:
            while not self._end.wait(_POLL_S):
                self._look_at_lag(opened)
                if time.monotonic() >= due_s:
                    self.take(with_rows=count % _ROWS_EVERY == 0)
                    due_s, count = time.monotonic() + self.every_s, count + 1

    def _look_at_lag(self, opened: sqlite3.Connection) -> None:
        if self.clock.moved_s != self._moved_s:
            self._moved_s = self.clock.moved_s
            self._calm_from_s = time.monotonic() + _AFTER_A_MOVE_S
            self._last_ms = 0.0
        rows = opened.execute("SELECT position FROM positions").fetchall()
        times = [
            float(topic["timestamp"]) - 1
            for (text,) in rows
            for topic in json.loads(text)
            if topic.get("timestamp")
        ]
        newest_ms = max(times, default=0.0)
        is_calm = time.monotonic() >= self._calm_from_s
        # A longer step is one over a time that the clock was moved by.
        is_step = 0 < newest_ms - self._last_ms < _MOST_STEP_MS and self._last_ms
        if is_step and is_calm:
            now_ms = self.clock.now().timestamp() * 1000
            step = (newest_ms - self._last_ms) / _PARTS
            self.lags_s += [
                (now_ms - newest_ms + step * each) / 1000 for each in range(_PARTS)
            ]
        self._last_ms = newest_ms

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch for as long as the block lasts."""
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()
        if self._failure is not None:
            raise self._failure
