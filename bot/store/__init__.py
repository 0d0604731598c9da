"""Remembers what was checked: pages, results of their claims, suggestions.

SQLite for one machine, MariaDB where several processes share. Values of the
core go in and come out; no row, connection or SQL leaves this package.
"""

from bot.store.communities import Communities
from bot.store.jobs import Feeds, JobQueue, QueueRules
from bot.store.outbox import Outbox
from bot.store.plans import PlanRules, Plans
from bot.store.store import Store, open_store
from bot.store.sweeping import SweepCounts, SweepRules
from bot.store.told import Told
from bot.store.turns import Turns
from bot.store.values import (
    Carried,
    CheckCounts,
    CheckedPage,
    KeptCheck,
    KeptClaim,
    KeptReading,
    KeptSuggestion,
)
from bot.store.watches import Watches

__all__ = [
    "Carried",
    "CheckCounts",
    "CheckedPage",
    "Communities",
    "Feeds",
    "JobQueue",
    "KeptCheck",
    "KeptClaim",
    "KeptReading",
    "KeptSuggestion",
    "Outbox",
    "PlanRules",
    "Plans",
    "QueueRules",
    "Store",
    "SweepCounts",
    "SweepRules",
    "Told",
    "Turns",
    "Watches",
    "open_store",
]
