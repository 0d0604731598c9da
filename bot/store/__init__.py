"""Remembers what was checked: pages, results of their claims, suggestions.

SQLite for one machine, MariaDB where several processes share. Values of the
core go in and come out; no row, connection or SQL leaves this package.
"""

from bot.store.accounts import Answers, Readers
from bot.store.checks import CheckCounts, KeptCheck, PageLook, Panel, RankedSuggestion
from bot.store.decisions import Decisions, Judgements
from bot.store.discoveries import KeptDiscovery
from bot.store.drafts import draft_policy
from bot.store.feeds import Feeds
from bot.store.jobs import CheckStates, JobQueue, check_policy
from bot.store.outbox import Outbox
from bot.store.posts import Plans, plan_policy
from bot.store.processes import ScheduleLocks
from bot.store.shown_notes import ShownNotes
from bot.store.store import Store, open_store
from bot.store.suggestions import (
    Carried,
    CheckedPage,
    KeptClaim,
    KeptReading,
    KeptSuggestion,
)
from bot.store.sweep import SweepRules
from bot.store.tasks import Policy, Tasks
from bot.store.watches import Communities, Watches

__all__ = [
    "Answers",
    "Carried",
    "CheckCounts",
    "CheckStates",
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
    "Outbox",
    "PageLook",
    "Panel",
    "Plans",
    "Policy",
    "RankedSuggestion",
    "Readers",
    "ScheduleLocks",
    "ShownNotes",
    "Store",
    "SweepRules",
    "Tasks",
    "Watches",
    "check_policy",
    "draft_policy",
    "open_store",
    "plan_policy",
]
