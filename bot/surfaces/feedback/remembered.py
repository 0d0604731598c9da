"""Remembers what readers' decisions come to, for a minute.

Every card and every note asks for it, and counting takes as long as there are many
decisions.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

from bot.records.accounts import Tally
from bot.surfaces.feedback.feedback import Steering, SteeringRules, steering

_KEPT_FOR = timedelta(minutes=1)


class Remembered:
    """Gives the steering that is in force, by decisions a minute old at most.

    Threads may share it: where several ask at once, one counts and the others wait.
    """

    def __init__(
        self,
        tallies: Callable[[datetime], tuple[Tally, ...]],
        rules: SteeringRules,
        now: Callable[[], datetime],
    ) -> None:
        """Count with `tallies`, which gives the decisions since a time."""
        self._tallies, self._rules, self._now = tallies, rules, now
        self._lock = Lock()
        self._known: tuple[datetime, Steering] | None = None

    def __call__(self) -> Steering:
        """Return what is in force.

        Raises:
            PermanentError, TemporaryError: as the store does.
        """
        with self._lock:
            now = self._now()
            if self._known is None or now - self._known[0] >= _KEPT_FOR:
                since = now - timedelta(days=self._rules.days)
                self._known = now, steering(self._tallies(since), self._rules)
            return self._known[1]
