"""For whom a page is looked at: whoever asked for it, within a wiki.

A page that several people watch counts for the one who watches the fewest pages, so
that nobody waits behind the long list of somebody else. The name of a person is not
kept with the page, but a hash of it.

What can be leased, and whose turn it is; within a transaction of the caller's.

What a worker died over goes first: there are no more of these than workers. Else the
turn is a share's, see `bot.records.fair_schedule`; while somebody waits for an answer, that of a
share with such a page. Within a share the urgent pages go first, and of those the one
that is due longest.

No statement reads more than the first entries of an index.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    func,
    insert,
    or_,
    select,
    tuple_,
)

from bot.records.fair_schedule import Share
from bot.records.jobs import JobReason, JobState
from bot.store import compatibility
from bot.store.schema import NOBODY, PARTY_CHARS, jobs, shares, watched_pages, watches

_AT_ONCE = 100
EVERYBODY = ""  # the party of the row that is of a wiki itself

ALL_WIKIS = ""
_SUSPECT_AFTER = 2  # attempts that ended with their worker
_SUSPECT_WAITS = timedelta(minutes=10)  # at most
_URGENCIES = tuple(reason.urgency for reason in JobReason)


class Due:
    """What can be leased: since when, by urgency, and whether a lease has run out."""

    def __init__(self, row: Row[Any], now: datetime) -> None:
        since: Sequence[datetime | None] = row[:-1]
        leased_until: datetime | None = row[-1]
        self.by_urgency = {
            urgency: at
            for urgency, at in zip(_URGENCIES, since, strict=True)
            if at is not None and at <= now
        }
        self.has_run_out = leased_until is not None and leased_until <= now

    @property
    def is_any(self) -> bool:
        """Whether there is anything."""
        return self.has_run_out or bool(self.by_urgency)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn to be given out at a moment, to no page of the wikis in `without`."""

    connection: Connection
    now: datetime
    without: Collection[str] = ()

    def page(self, root: Share) -> Row[Any] | None:
        """Return the page whose turn it is, its row locked; `None` if none is due.

        `root` is the share of all wikis.
        """
        due = what_is_due(self.connection, self.now)
        row = self._run_out() if due.has_run_out else None
        if row is None and due.by_urgency:
            row = self._next(root, due)
        return row

    def _run_out(self) -> Row[Any] | None:
        """Return what a worker died over.

        What two died over is worked on while no other such page is, for workers share
        a process: the page that ends it would have those beside it given up, too.
        """
        leased = jobs.c.state == JobState.LEASED.name
        chosen = select(jobs).where(leased, jobs.c.leased_until <= self.now)
        if self.without:
            chosen = chosen.where(jobs.c.wiki.not_in(self.without))
        suspect = jobs.c.attempts > _SUSPECT_AFTER
        in_work = select(jobs.c.id).where(leased, jobs.c.leased_until > self.now)
        if self.connection.scalar(in_work.where(suspect).limit(1)) is not None:
            long_ago = self.now - _SUSPECT_WAITS
            is_due = jobs.c.leased_until <= long_ago
            chosen = chosen.where(or_(jobs.c.attempts < _SUSPECT_AFTER, is_due))
        return self._locked(chosen.order_by(jobs.c.urgency, jobs.c.due_at))

    def _next(self, root: Share, due: Due) -> Row[Any] | None:
        asked = JobReason.ASKED.urgency
        if root.is_patient:
            self._know_who_waits_longest(due, _URGENCIES)
        elif asked in due.by_urgency:
            row = self._of_shares((asked,), due)
            if row is not None:
                return row  # else others hold them, or only newer programs know them
        return self._of_shares(_URGENCIES, due)

    def _of_shares(self, urgencies: tuple[int, ...], due: Due) -> Row[Any] | None:
        passed: list[tuple[str, str]] = []
        while True:
            leaf = self._whose(urgencies, passed)
            if leaf is None:
                if not self._know_who_waits_longest(due, urgencies) or passed:
                    return None
                continue
            row = self._first_of(leaf)
            if row is not None:
                return row
            passed.append((leaf.wiki, leaf.party))  # others change its pages just now

    def _whose(
        self, urgencies: tuple[int, ...], passed: Iterable[tuple[str, str]]
    ) -> Row[Any] | None:
        """Return the share whose turn it is, of those with a page that is due.

        Both questions go through shares in their order and end at the first that has
        one.
        """
        wiki, party = shares.alias(), shares.alias()
        waits = self._is_due(party, urgencies)
        if left_out := list(passed):
            waits &= tuple_(party.c.wiki, party.c.party).not_in(left_out)
        some = select(party.c.wiki).where(party.c.wiki == wiki.c.wiki, waits).limit(1)
        whose = self.connection.scalar(
            select(wiki.c.wiki)
            .where(wiki.c.party == EVERYBODY)
            .where(wiki.c.wiki.not_in([ALL_WIKIS, *self.without]))
            .where(some.correlate(wiki).scalar_subquery().is_not(None))
            .order_by(wiki.c.ends, wiki.c.wiki)
            .limit(1)
        )
        if whose is None:
            return None
        first = select(party).where(party.c.wiki == whose, waits)
        return self.connection.execute(
            first.order_by(party.c.ends, party.c.party).limit(1)
        ).one_or_none()

    def _is_due(
        self, party: FromClause, urgencies: tuple[int, ...]
    ) -> ColumnElement[bool]:
        """Return the condition that a share has a page that is due.

        Not written as EXISTS, for MariaDB makes a list of all pages of that.
        """
        due = (
            select(jobs.c.urgency)
            .where(_of(party.c.wiki, party.c.party), jobs.c.due_at <= self.now)
            .where(
                jobs.c.urgency.in_(urgencies),
                compatibility.known(jobs.c.reason, JobReason),
            )
            .limit(1)
        )
        is_known = due.correlate(party).scalar_subquery().is_not(None)
        return (party.c.party != EVERYBODY) & is_known

    def _first_of(self, leaf: Row[Any]) -> Row[Any] | None:
        """Return the page of a share that is due first; `None` if others hold them."""
        due = _of(leaf.wiki, leaf.party) & (jobs.c.due_at <= self.now)
        chosen = select(jobs).where(due & jobs.c.urgency.in_(_URGENCIES))
        if not Share(leaf.ends, leaf.clock, leaf.served).is_patient:
            return self._locked(chosen.order_by(jobs.c.urgency, jobs.c.due_at))
        oldest = [
            select(func.min(jobs.c.due_at))
            .where(due & (jobs.c.urgency == urgency))
            .scalar_subquery()
            for urgency in _URGENCIES
        ]
        found = self.connection.execute(select(*oldest)).one()
        waiting = [pair for pair in zip(found, _URGENCIES, strict=True) if pair[0]]
        for _, urgency in sorted(waiting):
            of_one = select(jobs).where(due & (jobs.c.urgency == urgency))
            row = self._locked(of_one.order_by(jobs.c.due_at))
            if row is not None:
                return row
        return None

    def _know_who_waits_longest(self, due: Due, urgencies: tuple[int, ...]) -> bool:
        """Let whoever waits longest have a share; `False` if they had.

        A program of before, that knows of no shares, may have put their page.
        """
        waiting = due.by_urgency.keys() & set(urgencies)
        urgency = min(waiting, key=lambda one: (due.by_urgency[one], one))
        waits = (jobs.c.state == JobState.WAITING.name) & (jobs.c.urgency == urgency)
        oldest = select(jobs.c.wiki, jobs.c.party).where(waits).order_by(jobs.c.due_at)
        row = self.connection.execute(oldest.limit(1)).one_or_none()
        if row is None:
            return False
        mine = or_(shares.c.party == row.party, shares.c.party == EVERYBODY)
        known = select(func.count()).where(shares.c.wiki == row.wiki, mine)
        if self.connection.execute(known).scalar_one() == 2:  # noqa: PLR2004 - the party and its wiki
            return False
        let_share(self.connection, row.wiki, [row.party], self.now)
        return True

    def _locked(self, chosen: Select[Any]) -> Row[Any] | None:
        understood = chosen.where(compatibility.known(jobs.c.reason, JobReason))
        first = understood.limit(1).with_for_update(skip_locked=True)
        return self.connection.execute(first).one_or_none()


def parties_of(
    connection: Connection, wiki: str, titles: Iterable[str]
) -> Mapping[str, str]:
    """Return the party of each page that anybody watches."""
    wanted = sorted(titles)
    found: dict[str, tuple[int, str]] = {}
    last = (
        select(func.max(watched_pages.c.position))
        .where(watched_pages.c.watch == watches.c.id)
        .correlate(watches)
        .scalar_subquery()
    )
    for at in range(0, len(wanted), _AT_ONCE):
        rows = connection.execute(
            select(watched_pages.c.title, watches.c.kind, watches.c.watcher, last)
            .join(watches, watches.c.id == watched_pages.c.watch)
            .where(watched_pages.c.wiki == wiki)
            .where(watched_pages.c.title.in_(wanted[at : at + _AT_ONCE]))
        )
        for title, kind, watcher, size in rows:
            named = (int(size), party_of(kind, watcher))
            found[title] = min(named, found.get(title, named))
    return {title: party for title, (_, party) in found.items()}


def party_of(kind: str, watcher: str) -> str:
    """Return the party that a person, page or project is."""
    return sha256(f"{kind}:{watcher}".encode()).hexdigest()[: PARTY_CHARS // 2]


def let_share(
    connection: Connection, wiki: str, parties: Collection[str], now: datetime
) -> None:
    """Let parties have shares of the work for a wiki, and the wiki one of all work."""
    wanted = sorted({EVERYBODY, NOBODY, *parties})
    for at in range(0, len(wanted), _AT_ONCE):
        some = wanted[at : at + _AT_ONCE]
        known = set(
            connection.scalars(
                select(shares.c.party).where(
                    shares.c.wiki == wiki, shares.c.party.in_(some)
                )
            )
        )
        fresh = [fresh_share(wiki, party, now) for party in some if party not in known]
        if fresh:
            # Another process may add the same at this moment.
            made = insert(shares).prefix_with("IGNORE", dialect="mysql")
            made = made.prefix_with("IGNORE", dialect="mariadb")
            connection.execute(made.prefix_with("OR IGNORE", dialect="sqlite"), fresh)


def fresh_share(wiki: str, party: str, now: datetime) -> dict[str, object]:
    """Return the row of a share that had nothing yet."""
    named = {"wiki": wiki, "party": party, "changed_at": now}
    return {**named, "ends": 0.0, "clock": 0.0, "served": 0}


def what_is_due(connection: Connection, now: datetime) -> Due:
    """Return what can be leased: one statement."""
    waiting = jobs.c.state == JobState.WAITING.name
    first = [
        select(func.min(jobs.c.due_at)).where(waiting & (jobs.c.urgency == urgency))
        for urgency in _URGENCIES
    ]
    leased = jobs.c.state == JobState.LEASED.name
    ends = select(func.min(jobs.c.leased_until)).where(leased)
    asked = [one.scalar_subquery() for one in (*first, ends)]
    return Due(connection.execute(select(*asked)).one(), now)


def _of(wiki: Any, party: Any) -> ColumnElement[bool]:
    return and_(
        jobs.c.wiki == wiki,
        jobs.c.party == party,
        jobs.c.state == JobState.WAITING.name,
    )
