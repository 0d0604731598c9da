"""Forgets whose turn it was at hosts, and who had which share, once that is long ago.

A share that is forgotten begins again where the others stand, as one that had nothing
waiting does; see `bot.sharing`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, exists

from bot.jobs import JobState
from bot.store.queue_tables import jobs
from bot.store.sharing_tables import hosts, shares
from bot.store.transactions import Transactions

_LONG_AGO = timedelta(days=1)
_OPEN = (JobState.WAITING.name, JobState.LEASED.name)


@dataclass(frozen=True, slots=True)
class SharingCounts:
    """How many rows were removed."""

    hosts: int
    shares: int


def sweep_sharing(database: Transactions, now: datetime) -> SharingCounts:
    """Remove hosts that were not asked for a day, and shares with nothing in them."""
    before = now - _LONG_AGO
    waits = exists().where(
        (jobs.c.wiki == shares.c.wiki)
        & (jobs.c.party == shares.c.party)
        & jobs.c.state.in_(_OPEN)
    )
    is_idle = (shares.c.party != "") & (shares.c.changed_at < before) & ~waits

    old_hosts = delete(hosts).where(hosts.c.changed_at < before)
    idle_shares = delete(shares).where(is_idle)
    return SharingCounts(
        hosts=database.write(lambda made: made.execute(old_hosts).rowcount),
        shares=database.write(lambda made: made.execute(idle_shares).rowcount),
    )
