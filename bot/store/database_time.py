"""The time that machines agree on, which is the database's.

Processes on several machines take turns with one another for some seconds. A moment of
one machine's clock means nothing to another whose clock is half a minute off: it would
take work away that is still done.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from bot.store.hosts import Clock, database_now

_ASKED_EVERY_S = 60.0
_SAME = timedelta(seconds=0.5)  # the question itself takes a while


class Agreed:
    """Turns moments of this machine's clock into such of the database's.

    How far they are apart is asked once a minute, and anew where ours was set.

    Args:
        theirs: the database's time.
        ours: this machine's.
    """

    def __init__(
        self,
        theirs: Clock = database_now,
        ours: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._theirs = theirs
        self._ours = ours
        self._asked_s = float("-inf")
        self._began = datetime.min.replace(tzinfo=UTC)
        self._apart = timedelta()

    def at(self, connection: Connection, moment: datetime) -> datetime:
        """Return what the clock of the database shows when ours shows `moment`."""
        now_s = time.monotonic()
        began = self._ours() - timedelta(seconds=now_s)
        was_set = abs(began - self._began) > _SAME
        if was_set or now_s - self._asked_s > _ASKED_EVERY_S:
            apart = self._theirs(connection) - self._ours()
            self._apart = apart if abs(apart) > _SAME else timedelta()
            self._asked_s, self._began = now_s, began
        return moment + self._apart
