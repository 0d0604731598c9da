"""Stores what was found and what is to be done: pages, suggestions, tasks and posts.

SQLite for one machine, MariaDB where several processes share. Values of `bot.records` and
`handlers.model` go in and come out; no row, connection or SQL leaves this package.

Start with `schema`, then `store`, which has a repository for each subject.

The database:

- `schema`: all tables
- `migrations`, `upgrade`: numbered changes of the tables, and applying them
- `database`: opens it, runs transactions, explains failures
- `clock`: the time, which is the database's
- `mapping`, `sanitise`: rows to values and back; text that any database accepts
- `backup`, `sweep`: copies all tables; forgets what is no longer needed

From a change on a wiki to a post:

- `feeds`: how far the change feed was read
- `watches`: what people asked to have watched
- `tasks`: one row for each piece of work, leased by one worker; the kinds are in `jobs`
  (pages to check), `drafts`, `discoveries` (newer facts), `fetches` (sources) and `posts`
  (plans)
- `patrol`: edits of whole wikis that wait, and the notes about them
- `pages`: pages, revisions, and what their own text refuses
- `fetches`, `links`: turns at hosts, and texts read for others; the history of addresses
- `spending`: what language models may cost in a day
- `checks`: runs over pages, and what the panel shows of them
- `suggestions`, `suggestion_columns`: the suggestions of a run; their columns
- `posts`, `outbox`: the posts that plans ask for; what is to be written to wikis
- `shown_notes`: the notes that people were shown

People and the operator:

- `accounts`: sign-ins, sessions, and answers kept for repeated requests
- `decisions`: what readers decide about suggestions
- `accuracy`: how often a wiki's notes are right
- `noted_edits`: what became of the edits that were noted
- `health`, `status`: which processes run, what is wrong, and how all is doing
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
