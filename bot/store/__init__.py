"""Remembers what was checked: pages, results of their claims, suggestions.

SQLite for one machine, MariaDB where several processes share. Values of the
core go in and come out; no row, connection or SQL leaves this package.
"""

from bot.store.answers import Answers
from bot.store.communities import Communities
from bot.store.decisions import Decisions
from bot.store.exclusive_tasks import Turns
from bot.store.jobs import Feeds, JobQueue, QueueRules
from bot.store.judgements import Judgements
from bot.store.looking import LookStates
from bot.store.notified import Told
from bot.store.outbox import Outbox
from bot.store.panel import Panel
from bot.store.plans import PlanRules, Plans
from bot.store.sessions import Readers
from bot.store.store import Store, open_store
from bot.store.sweeping import SweepCounts, SweepRules
from bot.store.values import (
    Carried,
    CheckCounts,
    CheckedPage,
    KeptCheck,
    KeptClaim,
    KeptDiscovery,
    KeptReading,
    KeptSuggestion,
    PageLook,
    RankedSuggestion,
)
from bot.store.watches import Watches

__all__ = [
    "Answers",
    "Carried",
    "CheckCounts",
    "CheckedPage",
    "Communities",
    "Decisions",
    "Feeds",
    "JobQueue",
    "Judgements",
    "KeptCheck",
    "KeptClaim",
    "KeptDiscovery",
    "KeptReading",
    "KeptSuggestion",
    "LookStates",
    "Outbox",
    "PageLook",
    "Panel",
    "PlanRules",
    "Plans",
    "QueueRules",
    "RankedSuggestion",
    "Readers",
    "Store",
    "SweepCounts",
    "SweepRules",
    "Told",
    "Turns",
    "Watches",
    "open_store",
]
