"""Remembers what was checked: pages, results of their claims, suggestions.

SQLite for one machine, MariaDB where several processes share. Values of the
core go in and come out; no row, connection or SQL leaves this package.
"""

from bot.store.jobs import Feeds, JobQueue, QueueRules
from bot.store.outbox import Outbox
from bot.store.store import Store, open_store
from bot.store.values import (
    CheckCounts,
    CheckedPage,
    KeptCheck,
    KeptClaim,
    KeptReading,
    KeptSuggestion,
)

__all__ = [
    "CheckCounts",
    "CheckedPage",
    "Feeds",
    "JobQueue",
    "KeptCheck",
    "KeptClaim",
    "KeptReading",
    "KeptSuggestion",
    "Outbox",
    "QueueRules",
    "Store",
    "open_store",
]
