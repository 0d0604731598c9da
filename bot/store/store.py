"""The store as the rest of the program sees it: a repository for each subject.

Each method is one transaction. One that writes can be repeated without harm, and is
repeated if MariaDB loses it by chance (a deadlock, or a connection cut, even during the
commit).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy import URL, Connection

from bot.records.fetches import FetchRules
from bot.records.posts import PostRules
from bot.records.status import Status
from bot.records.tasks import TaskKind
from bot.records.watches import PLANS
from bot.store.accounts import Answers, Readers
from bot.store.accuracy import AccuracyDays, PanelEdits, ProblemReports
from bot.store.backup import back_up, restore, verify
from bot.store.checks import Checks, Panel
from bot.store.clock import set_back
from bot.store.database import (
    CONNECTIONS,
    Transactions,
    open_engine,
    parse_url,
    reads,
    shown,
)
from bot.store.decisions import Decisions, Judgements
from bot.store.discoveries import Discoveries, StoredCriteriaRow, update_policy
from bot.store.drafts import Drafts, draft_policy
from bot.store.feeds import Feeds
from bot.store.fetches import (
    Fetches,
    Hosts,
    SuppliedTexts,
    fetch_policy,
    supplied_policy,
)
from bot.store.health import Health, Processes, ScheduleLocks
from bot.store.jobs import CheckStates, JobQueue, check_policy
from bot.store.links import Links
from bot.store.noted_edits import NotedEditRows
from bot.store.outbox import Outbox
from bot.store.pages import PageRefusals
from bot.store.patrol import Patrols, patrol_policy
from bot.store.posts import Plans, plan_policy
from bot.store.shown_notes import ShownNotes
from bot.store.spending import Spending
from bot.store.status import read_status
from bot.store.sweep import SweepRules, sweep
from bot.store.tasks import Policy, Tasks
from bot.store.upgrade import migrate
from bot.store.watches import Communities, Watches


@contextmanager
def open_store(
    url: str,
    *,
    lock_timeout_s: float = 30.0,
    connections: int = CONNECTIONS,
    post_rules: PostRules | None = None,
    policies: Mapping[TaskKind, Policy] | None = None,
    fetch_rules: FetchRules | None = None,
) -> Iterator["Store"]:
    """Open the store at an SQLAlchemy address, and bring its tables up to date.

    Args:
        url: `sqlite:////folder/file` (made if missing) or
            `mysql+pymysql://user:password@host/database` (made by its owner).
        lock_timeout_s: how long to wait for another process's transaction.
        connections: how many connections to MariaDB at most; further work waits.
        post_rules: of the outbox, to replace the usual ones.
        policies: of tasks, to replace the usual ones.
        fetch_rules: for sources read for others, to replace the usual ones.

    Raises:
        PermanentError: someone has to do something first: the message says what.
        TemporaryError: the database is busy or unavailable.
    """
    parsed = parse_url(url)
    _migrate(parsed, lock_timeout_s)
    engine = open_engine(parsed, lock_timeout_s=lock_timeout_s, connections=connections)
    try:
        transactions = Transactions(engine, shown(parsed), opened_before=True)
        yield Store(transactions, post_rules, policies, fetch_rules)
    finally:
        engine.dispose()


def _migrate(url: URL, lock_timeout_s: float) -> None:
    """Bring the tables up to date, over a connection without a short time limit."""
    engine = open_engine(
        url, lock_timeout_s=lock_timeout_s, connections=1, answer_s=None
    )
    try:
        migrate(Transactions(engine, shown(url)))
    finally:
        engine.dispose()


class Store(Checks):
    """Everything that is stored; see `open_store`. Threads may share it.

    It handles runs over pages itself; each other subject has its repository. Every
    method raises PermanentError or TemporaryError if the database fails.
    """

    def __init__(
        self,
        transactions: Transactions,
        post_rules: PostRules | None = None,
        policies: Mapping[TaskKind, Policy] | None = None,
        fetch_rules: FetchRules | None = None,
    ) -> None:
        super().__init__(transactions)
        self.jobs = JobQueue(transactions)
        self.feeds = Feeds(transactions)
        self.outbox = Outbox(transactions, post_rules or PostRules())
        self.watches = Watches(transactions)
        self.plans = Plans(transactions)
        self.fetches = Fetches(transactions, fetch_rules or FetchRules())
        usual = dict.fromkeys(PLANS, plan_policy())
        usual[TaskKind.CHECK] = check_policy()
        usual[TaskKind.PATROL] = patrol_policy()
        usual[TaskKind.DRAFT] = draft_policy()
        usual[TaskKind.SUPPLIED] = supplied_policy()
        usual[TaskKind.UPDATE] = update_policy()
        usual[TaskKind.FETCH] = fetch_policy(self.fetches.rules)
        self.tasks = Tasks(transactions, usual | dict(policies or {}))
        self.shown_notes = ShownNotes(transactions)
        self.communities = Communities(transactions)
        self.schedule_locks = ScheduleLocks(transactions)
        self.readers = Readers(transactions)
        self.check_states = CheckStates(transactions)
        self.processes = Processes(transactions)
        self.panel = Panel(transactions)
        self.decisions = Decisions(transactions)
        self.judgements = Judgements(transactions)
        self.answers = Answers(transactions)
        self.discoveries = Discoveries(transactions)
        self.criteria = StoredCriteriaRow(transactions)
        self.drafts = Drafts(transactions)
        self.hosts = Hosts(transactions)
        self.links = Links(transactions)
        self.accuracy = AccuracyDays(transactions)
        self.panel_edits = PanelEdits(transactions)
        self.problem_reports = ProblemReports(transactions)
        self.supplied = SuppliedTexts(transactions)
        self.spending = Spending(transactions)
        self.health = Health(transactions)
        self.refusals = PageRefusals(transactions)
        self.patrols = Patrols(transactions)
        self.noted_edits = NotedEditRows(transactions)

    @reads
    def status(
        self, connection: Connection, now: datetime, *, decision_days: float = 180.0
    ) -> Status:
        """Return how the program is doing, read in one transaction.

        It counts readers' decisions that are at most `decision_days` old.
        """
        return read_status(connection, now, now - timedelta(days=decision_days))

    def back_up(
        self, write: Callable[[str], object], now: datetime
    ) -> Mapping[str, int]:
        """Write a copy of everything, line by line, while the store is in use.

        Returns:
            How many rows of each table it has.
        """
        return back_up(self._database, write, now)

    def restore(self, lines: Callable[[], Iterator[str]]) -> Mapping[str, int]:
        """Restore a copy into this store, which has to be empty.

        Args:
            lines: opens the copy for reading; it is read twice, so that nothing is
                written from one that is damaged.

        Raises:
            PermanentError: the store is not empty, or the copy cannot be used.
        """
        verify(lines())
        return restore(self._database, lines())

    def set_back(self, now: datetime) -> int:
        """Set times written by a clock that was ahead back to now."""
        return set_back(self._database, now)

    def sweep(self, now: datetime, rules: SweepRules) -> Counter[str]:
        """Forget what is old; return how many rows of each kind.

        It uses many small transactions, and can be stopped after any of them.
        """
        return sweep(self._database, now, rules)
