"""Stores what was checked: pages, the results of their claims, suggestions.

SQLite for one machine, MariaDB where several processes share. The interface has only
values of the core; no row, connection or SQL leaves this package.

Start with `schema`, then `store`: it has a repository for each subject, in a file of its
own. `database` runs their transactions, `mapping` turns their rows into values.
"""

from bot.store.checks import CheckCounts, LastPageCheck, RankedSuggestion, StoredCheck
from bot.store.discoveries import StoredDiscovery
from bot.store.drafts import draft_policy
from bot.store.feeds import Feeds
from bot.store.jobs import JobQueue, check_policy
from bot.store.outbox import Outbox
from bot.store.posts import Plans, plan_policy
from bot.store.store import Store, open_store
from bot.store.suggestions import (
    Carried,
    StoredClaim,
    StoredFetch,
    StoredSuggestion,
)
from bot.store.sweep import SweepRules
from bot.store.tasks import Tasks

__all__ = [
    "Carried",
    "CheckCounts",
    "Feeds",
    "JobQueue",
    "LastPageCheck",
    "Outbox",
    "Plans",
    "RankedSuggestion",
    "Store",
    "StoredCheck",
    "StoredClaim",
    "StoredDiscovery",
    "StoredFetch",
    "StoredSuggestion",
    "SweepRules",
    "Tasks",
    "check_policy",
    "draft_policy",
    "open_store",
    "plan_policy",
]
