"""The store as the rest of the program sees it: a few verbs on values.

Each verb is one transaction, and one that writes can be made again without
harm; where MariaDB loses one by chance (a deadlock, a cut connection, also while
it commits), that is what happens.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import URL, Connection

from bot.records.fetches import ReadingRules
from bot.records.jobs import PageJob
from bot.records.posts import PostRules
from bot.records.tasks import Lease, TaskKind
from bot.records.watches import PLANS
from bot.store.accounts import Answers, Readers
from bot.store.backup import back_up, look_through, restore
from bot.store.checks import close_page, first_looks, last_check, save_check
from bot.store.clock import set_back
from bot.store.connection import CONNECTIONS, open_engine, parse_url, shown
from bot.store.decisions import Decisions, Judgements
from bot.store.discoveries import Discoveries, KeptCriteria, update_policy
from bot.store.drafts import Drafts, draft_policy
from bot.store.feeds import Feeds
from bot.store.fetches import Hosts, Readings, fetch_policy
from bot.store.jobs import JobQueue, LookStates, check_policy, finish_job
from bot.store.notified import Told
from bot.store.outbox import Outbox
from bot.store.panel import Panel
from bot.store.plans import Plans, ask_for_plans, plan_policy
from bot.store.processes import Processes, Turns
from bot.store.spending import Spending
from bot.store.status import Sight, sight
from bot.store.suggestions import suggestions_of
from bot.store.sweep import SweepCounts, SweepRules, sweep
from bot.store.tasks import Policy, Tasks
from bot.store.transactions import Transactions
from bot.store.values import Carried, CheckedPage, KeptCheck, KeptSuggestion
from bot.store.watches import Communities, Watches, wishes_of
from handlers.findings import Suggestion


@contextmanager
def open_store(
    url: str,
    *,
    lock_timeout_s: float = 30.0,
    connections: int = CONNECTIONS,
    post_rules: PostRules | None = None,
    policies: Mapping[TaskKind, Policy] | None = None,
    reading_rules: ReadingRules | None = None,
) -> Iterator["Store"]:
    """Open the store at an SQLAlchemy address, its tables brought up to date.

    Args:
        url: `sqlite:////folder/file` (made if missing) or
            `mysql+pymysql://user:password@host/database` (made by its owner).
        lock_timeout_s: how long to wait for another process's transaction.
        connections: how many to have to a MariaDB at most; what needs another waits.
        post_rules: of the outbox, where they are not the usual ones.
        policies: of tasks, where they are not the usual ones.
        reading_rules: of sources that are read for others, likewise.

    Raises:
        PermanentError: somebody has to do something first: the message says what.
        TemporaryError: the database is busy or away.
    """
    parsed = parse_url(url)
    _migrate(parsed, lock_timeout_s)
    engine = open_engine(parsed, lock_timeout_s=lock_timeout_s, connections=connections)
    try:
        transactions = Transactions(engine, shown(parsed))
        yield Store(transactions, post_rules, policies, reading_rules)
    finally:
        engine.dispose()


def _migrate(url: URL, lock_timeout_s: float) -> None:
    """Bring the tables up to date, by a connection that may take its time."""
    engine = open_engine(
        url, lock_timeout_s=lock_timeout_s, connections=1, answer_s=None
    )
    try:
        Transactions(engine, shown(url)).migrate()
    finally:
        engine.dispose()


class Store:
    """What is remembered; see `open_store`. Threads may share it.

    Every verb raises PermanentError or TemporaryError for what a database can do.
    """

    def __init__(
        self,
        transactions: Transactions,
        post_rules: PostRules | None = None,
        policies: Mapping[TaskKind, Policy] | None = None,
        reading_rules: ReadingRules | None = None,
    ) -> None:
        self._database = transactions
        self.jobs = JobQueue(transactions)
        self.feeds = Feeds(transactions)
        self.outbox = Outbox(transactions, post_rules or PostRules())
        self.watches = Watches(transactions)
        self.plans = Plans(transactions)
        self.readings = Readings(transactions, reading_rules or ReadingRules())
        usual = dict.fromkeys(PLANS, plan_policy())
        usual[TaskKind.CHECK] = check_policy()
        usual[TaskKind.DRAFT] = draft_policy()
        usual[TaskKind.UPDATE] = update_policy()
        usual[TaskKind.FETCH] = fetch_policy(self.readings.rules)
        self.tasks = Tasks(transactions, usual | dict(policies or {}))
        self.told = Told(transactions)
        self.communities = Communities(transactions)
        self.turns = Turns(transactions)
        self.readers = Readers(transactions)
        self.looks = LookStates(transactions)
        self.processes = Processes(transactions)
        self.panel = Panel(transactions)
        self.decisions = Decisions(transactions)
        self.judgements = Judgements(transactions)
        self.answers = Answers(transactions)
        self.discoveries = Discoveries(transactions)
        self.criteria = KeptCriteria(transactions)
        self.drafts = Drafts(transactions)
        self.hosts = Hosts(transactions)
        self.spending = Spending(transactions)

    def migrate(self) -> None:
        """Bring the tables up to date; harmless if they are."""
        self._database.migrate()

    def save_check(
        self,
        checked: CheckedPage,
        suggestions: Sequence[Suggestion],
        *,
        kept: Sequence[Carried] = (),
        beside: Mapping[str, Sequence[Suggestion]] | None = None,
        ends: Lease[PageJob] | None = None,
    ) -> bool:
        """Save a run over a page with all suggestions it found, or nothing of it.

        A suggestion of an earlier run that is not found again is closed, unless
        its claim still stands there and could not be checked this time. A run
        over an older revision than one already saved changes no suggestion.

        Args:
            checked: the run.
            suggestions: all that it found.
            kept: the other claims of the page, whose result of an earlier run holds:
                it is saved with this run, too, and what it suggested stays open.
            beside: by kind, all that is to be told of the page beside its citations:
                what else of these kinds was told is closed.
            ends: the lease of the page, which ends in the same transaction.

        Raises:
            LeaseLost: somebody else has the page; nothing is saved.

        Returns:
            `False` if this run was saved before (also by a first try whose answer
            was lost); then nothing changes.
        """

        def save(made: Connection) -> bool:
            if ends is not None:
                finish_job(made, ends, checked.checked_at)
            return save_check(made, checked, suggestions, kept, beside or {})

        return self._database.write(save)

    def finish_check(self, held: Lease[PageJob], now: datetime) -> None:
        """End the work on a page without a result to save.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: finish_job(made, held, now))

    def close_page(
        self,
        wiki: str,
        title: str,
        now: datetime,
        *,
        ends: Lease[PageJob] | None = None,
    ) -> int:
        """Close all suggestions of a page that is no more, or is a redirect.

        What was shown of them is planned anew, so that no note is left. Should the
        page come back, nothing that came of its claims counts any longer.

        Args:
            wiki: its wiki.
            title: its title.
            now: when this was found.
            ends: the lease of the page, which ends in the same transaction.

        Raises:
            LeaseLost: somebody else has the page; nothing is changed.

        Returns:
            How many were open.
        """

        def close(made: Connection) -> int:
            if ends is not None:
                finish_job(made, ends, now)
            closed = close_page(made, wiki, title, now)
            if closed:
                ask_for_plans(made, wishes_of(made, wiki, title, now), now)
            return closed

        return self._database.write(close)

    def sight(self, now: datetime, *, decision_days: float = 180.0) -> Sight:
        """Return how the program is doing, read in one transaction.

        Decisions of readers are counted that are `decision_days` old at most.
        """
        since = now - timedelta(days=decision_days)
        return self._database.read(lambda made: sight(made, now, since))

    def back_up(
        self, write: Callable[[str], object], now: datetime
    ) -> Mapping[str, int]:
        """Write a copy of everything, line by line, while it is in use.

        Returns:
            How many rows of each table it has.
        """
        return back_up(self._database, write, now)

    def restore(self, lines: Callable[[], Iterator[str]]) -> Mapping[str, int]:
        """Put a copy into this store, which has to be empty.

        Args:
            lines: begins to read the copy; it is read twice, so that nothing is written
                of one that is damaged.

        Raises:
            PermanentError: the store is not empty, or the copy is of no use.
        """
        look_through(lines())
        return restore(self._database, lines())

    def set_back(self, now: datetime) -> int:
        """Let what was written by a clock that was ahead count as written now."""
        return set_back(self._database, now)

    def sweep(self, now: datetime, rules: SweepRules) -> SweepCounts:
        """Forget what is old. It is many small transactions, and can end at any."""
        return sweep(self._database, now, rules)

    def suggestions_of(
        self,
        wiki: str,
        title: str,
        *,
        with_closed: bool = False,
        all_or_none: bool = True,
    ) -> tuple[KeptSuggestion, ...]:
        """Return a page's open suggestions, the one known longest first.

        Raises:
            TemporaryError: one is such as only a newer version of the program knows:
                who takes notes away that are not found any more must not take that
                for gone. Without `all_or_none` it is left out.
        """
        return self._database.read(
            lambda made: suggestions_of(
                made, wiki, title, with_closed=with_closed, all_or_none=all_or_none
            )
        )

    def first_looks(self) -> Iterator[tuple[str, str, datetime]]:
        """Yield wiki, title and time of the oldest run that is kept, of each page."""
        last = 0
        while found := self._database.read(partial(first_looks, after=last)):
            yield from (look for _, look in found)
            last = found[-1][0]

    def last_check(self, wiki: str, title: str) -> KeptCheck | None:
        """Return the last run over the newest revision of a page that was checked."""
        return self._database.read(lambda made: last_check(made, wiki, title))
