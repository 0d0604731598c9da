"""What was read and is not kept yet. Pure."""

from datetime import datetime, timedelta

from bot.daemon.intake.feed import IntakeLimits, passed_s
from bot.records.changes import Batch, Change, DeadLetter, Hole, Position


class Pending:
    """Gathers what goes into the next batch.

    Args:
        now: when the last batch was kept, or the program began.
    """

    def __init__(self, limits: IntakeLimits, now: datetime) -> None:
        self._limits = limits
        self._kept_at = now
        self._since: datetime | None = None  # of the oldest that has to be kept
        self._changes: list[Change] = []
        self._letters: list[DeadLetter] = []
        self._holes: list[Hole] = []
        self._has_moved = False

    def add(
        self,
        now: datetime,
        *,
        changes: list[Change],
        letters: list[DeadLetter],
        has_moved: bool,
    ) -> None:
        """Take what was read just now; `has_moved` if the position has."""
        self._changes += changes
        self._letters += letters
        self._has_moved = self._has_moved or has_moved
        if changes or letters:
            self._since = self._since or now

    def add_hole(self, now: datetime, hole: Hole) -> None:
        """Take a time whose changes are missing; one that goes on makes no second."""
        self._holes = _joined(self._holes, hole, self._limits.overlap_s)
        self._since = self._since or now

    def due_in_s(self, now: datetime) -> float | None:
        """Return when to keep it, 0 for at once, `None` where there is nothing."""
        if len(self._changes) + len(self._letters) >= self._limits.batch_changes:
            return 0.0
        dues = []
        if self._since is not None:
            dues.append(self._limits.commit_s - passed_s(self._since, now))
        if self._has_moved:
            dues.append(self._limits.position_s - passed_s(self._kept_at, now))
        return max(min(dues), 0.0) if dues else None

    def take(self, now: datetime, position: Position | None) -> Batch | None:
        """Return all of it with the position it leads to, if there is anything."""
        if self._since is None and not self._has_moved:
            return None
        batch = Batch(
            now,
            position,
            tuple(self._changes),
            tuple(self._letters),
            tuple(self._holes),
        )
        self._changes, self._letters, self._holes = [], [], []
        self._since, self._has_moved, self._kept_at = None, False, now
        return batch


def _joined(holes: list[Hole], hole: Hole, overlap_s: float) -> list[Hole]:
    """Return holes with one more, which is made one with the last if it is near.

    Each is filled a little beyond its ends, so that near ones would be filled twice.
    """
    last = holes[-1] if holes else None
    if last is None or last.until is None or hole.until is None:
        return [*holes, hole]
    near = timedelta(seconds=overlap_s)
    if hole.since > last.until + near or last.since > hole.until + near:
        return [*holes, hole]
    joined = Hole(min(last.since, hole.since), max(last.until, hole.until))
    return [*holes[:-1], joined]
