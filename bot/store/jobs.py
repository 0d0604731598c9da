"""The queue of pages to check, and the checks that people asked for.

The methods of `JobQueue` and `LookStates` are one transaction each; the functions below
them run within a transaction of the caller's. Times come from the caller's clock; where
several machines work on one queue, their clocks must agree to within a fraction of a
lease.

One row for each page; its state moves as the table shows. Every step of a worker names
the fencing number of its lease, so that one that was thought dead changes nothing when
it wakes up. What asks for no more than was asked for before changes nothing.

    put           IDLE, PARKED → WAITING;  LEASED: waits again afterwards
    lease         WAITING, LEASED and run out → LEASED
    finish        LEASED → IDLE, or WAITING if something came meanwhile
    retry         LEASED → WAITING, later;  after too many attempts → PARKED
    park          LEASED → PARKED
    put_off       LEASED → WAITING, later, as if it had never been leased
    give_back     LEASED → WAITING, as if it had never been leased

Which page is leased, `bot.store.schedule` says. One process at a time chooses, for it
holds the row of all shares; an empty queue is one statement, a lease some ten, however
many pages wait.

A check that a person asked for begins when a worker takes its page up, and ends
together with the work on the page, in the same transaction: whoever follows it never
waits for one that is over.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from bot.records.accounts import LookState
from bot.records.fair_schedule import Share, after_a_turn
from bot.records.jobs import (
    JobReason,
    JobState,
    Lease,
    LeaseLost,
    PageJob,
    ParkedJob,
    QueueState,
)
from bot.store import sanitise
from bot.store.schedule import (
    ALL_WIKIS,
    EVERYBODY,
    Turn,
    fresh_share,
    let_share,
    parties_of,
    what_is_due,
)
from bot.store.schema import NAME_CHARS, NOBODY, jobs, looks, shares
from bot.store.transactions import Transactions

_DIED = "its worker died, or took longer than its lease, {attempts} times"

_AT_ONCE = 100  # pages in one statement

_WORDS_CHARS = 1000
_NOTHING_YET: dict[str, Any] = {
    "begun_at": None,
    "ended_at": None,
    "reading": None,
    "sources": 0,
    "sources_read": 0,
    "claims": 0,
    "claims_checked": 0,
    "revision": None,
    "problem": None,
}


@dataclass(frozen=True, slots=True)
class QueueRules:
    """How long a worker may take for a page, and how often it is tried.

    `weights` are of wikis by their host names, above 0: one of weight 2 gets twice as
    much of the work as one that is not named, where both have pages that are due.
    """

    lease_s: float = 120.0
    attempts: int = 5
    weights: Mapping[str, float] = field(default_factory=dict)


class JobQueue:
    """What waits to be looked at. Processes may share it."""

    def __init__(self, transactions: Transactions, rules: QueueRules) -> None:
        self._database = transactions
        self.rules = rules

    def put(self, jobs: Sequence[PageJob]) -> int:
        """Let pages wait; return for how many of them that was news."""
        return self._database.write(lambda made: put_jobs(made, jobs))

    def lease(
        self, worker: str, now: datetime, *, without: Collection[str] = ()
    ) -> Lease | None:
        """Lease the page whose turn it is; `None` if none is due.

        Where none is, that is one question, which locks nothing. The pages of wikis in
        `without` go on waiting.
        """
        if not self._database.read(lambda made: is_due(made, now)):
            return None
        rules = self.rules
        return self._database.write(
            lambda made: lease(
                made,
                worker,
                now,
                for_s=rules.lease_s,
                attempts=rules.attempts,
                weights=rules.weights,
                without=without,
            )
        )

    def renew(self, held: Lease, now: datetime) -> Lease:
        """Prolong a lease.

        Raises:
            LeaseLost: somebody else has the page.
        """
        return self._database.write(
            lambda made: renew(made, held, now, for_s=self.rules.lease_s)
        )

    def finish(self, held: Lease, now: datetime) -> None:
        """End the work on a page without a result to save.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: finish_job(made, held, now))

    def retry(self, held: Lease, now: datetime, *, in_s: float, why: str) -> None:
        """Let a page wait after a failure that may pass; the last attempt parks it.

        Raises:
            LeaseLost: somebody else has the page.
        """
        attempts = self.rules.attempts
        self._database.write(
            lambda made: retry(made, held, now, in_s=in_s, why=why, attempts=attempts)
        )

    def put_off(self, held: Lease, now: datetime, *, in_s: float, why: str) -> None:
        """Let a page wait that cannot be worked on now, without counting an attempt.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: put_off(made, held, now, in_s=in_s, why=why))

    def park(self, held: Lease, now: datetime, *, why: str) -> None:
        """Give a page up until a newer revision comes, or a person asks for it.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: park(made, held, now, why=why))

    def give_back(self, held: Lease, now: datetime) -> None:
        """Return a page that was not worked on.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: give_back(made, held, now))

    def take_up(self, wiki: str, title: str, now: datetime) -> bool:
        """Let a parked page wait again; `False` if it is not parked."""
        return self._database.write(lambda made: take_up(made, wiki, title, now))

    def state(self) -> QueueState:
        """Count the pages in each state."""
        return self._database.read(_state_of_queue)

    def parked(self, limit: int = 100) -> tuple[ParkedJob, ...]:
        """Return parked pages, the one parked last first."""
        return self._database.read(lambda made: parked_jobs(made, limit))


class LookStates:
    """What people who asked for a look at a page are told. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def ask(self, wiki: str, title: str, now: datetime) -> LookState:
        """Let a page be looked at before all others, and return where that stands.

        Whoever asks while a look is under way follows that one.
        """
        return self._database.write(lambda made: _ask(made, wiki, title, now))

    def begin(self, wiki: str, title: str, now: datetime) -> LookState | None:
        """Take a look up, also one that was broken off; `None` if nobody asked for one."""
        return self._database.write(lambda made: _begin(made, wiki, title, now))

    def step(self, reached: LookState) -> None:
        """Note how far a look has come; of one that has ended, nothing changes."""
        self._database.write(lambda made: _step(made, reached))

    def of(self, wiki: str, title: str) -> LookState | None:
        """Return where the last look at a page stands; `None` if nobody asked for one."""
        row = self._database.read(lambda made: _look_row(made, wiki, title))
        return row and _look_state(row)


def renew(connection: Connection, held: Lease, now: datetime, *, for_s: float) -> Lease:
    """Prolong a lease.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    until = now + timedelta(seconds=for_s)
    _set_job(connection, row.id, {"leased_until": until})
    return Lease(held.job, held.token, held.attempt, until)


def finish_job(connection: Connection, held: Lease, now: datetime) -> None:
    """End the work on a page; it waits again if something came meanwhile.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    values = _ended(now) | {"attempts": 0, "note": None}
    if row.again:
        due = max(now, row.begun_at + timedelta(seconds=row.pause_s))
        values |= {"state": JobState.WAITING.name, "due_at": due}
    else:
        values |= {"state": JobState.IDLE.name}
    _set_job(connection, row.id, values)
    end_look(connection, row.wiki, row.title, now, None)


def retry(
    connection: Connection,
    held: Lease,
    now: datetime,
    *,
    in_s: float,
    why: str,
    attempts: int,
) -> None:
    """Let a page wait after a failure that may pass; park it after the last attempt.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    note = sanitise.text(why)
    if row.attempts >= attempts and not row.again:
        _set_job(connection, row.id, _parked(note, now))
        end_look(connection, row.wiki, row.title, now, why)
        return
    waiting = {
        "state": JobState.WAITING.name,
        "due_at": now + timedelta(seconds=in_s),
        "note": note,
    }
    if row.again:
        waiting |= {"attempts": 0}  # a newer revision has all attempts before it
    _set_job(connection, row.id, _ended(now) | waiting)
    told = f"{why}; tried again in {in_s:.0f} s"
    delay_look(connection, row.wiki, row.title, now, told)


def put_off(
    connection: Connection, held: Lease, now: datetime, *, in_s: float, why: str
) -> None:
    """Let a page wait that cannot be worked on now, through no fault of its own.

    It counts as no attempt: a page is not given up for what the whole program lacks.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    waiting = {
        "state": JobState.WAITING.name,
        "due_at": now + timedelta(seconds=in_s),
        "attempts": max(0, row.attempts - 1),
        "note": sanitise.text(why),
    }
    _set_job(connection, row.id, _ended(now) | waiting)
    told = f"{why}; tried again in {in_s:.0f} s"
    delay_look(connection, row.wiki, row.title, now, told)


def park(connection: Connection, held: Lease, now: datetime, *, why: str) -> None:
    """Give a page up until a newer revision comes, or a person asks for it.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    if row.again:
        waiting = {"state": JobState.WAITING.name, "due_at": now, "attempts": 0}
        _set_job(connection, row.id, _ended(now) | waiting)
        delay_look(connection, row.wiki, row.title, now, why)
    else:
        _set_job(connection, row.id, _parked(sanitise.text(why), now))
        end_look(connection, row.wiki, row.title, now, why)


def _give_up(connection: Connection, row: Row[Any], now: datetime, note: str) -> None:
    """Park a page that its workers died over."""
    _set_job(connection, row.id, _parked(note, now))


def give_back(connection: Connection, held: Lease, now: datetime) -> None:
    """Return a page that was not worked on, as a worker does that is told to stop.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    waiting = {
        "state": JobState.WAITING.name,
        "due_at": now,
        "attempts": max(0, row.attempts - 1),
    }
    _set_job(connection, row.id, _ended(now) | waiting)


def take_up(connection: Connection, wiki: str, title: str, now: datetime) -> bool:
    """Let a parked page wait again; `False` if it is not parked."""
    parked = jobs.c.state == JobState.PARKED.name
    named = (jobs.c.wiki == wiki) & (jobs.c.title == title)
    values = {"state": JobState.WAITING.name, "due_at": now, "attempts": 0}
    done = connection.execute(
        update(jobs).where(named & parked).values(**values, note=None, changed_at=now)
    )
    return done.rowcount > 0


def _state_of_queue(connection: Connection) -> QueueState:
    """Count the pages in each state."""
    counted = dict.fromkeys(JobState, 0)
    rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
    for name, count in rows:
        counted[JobState[name]] = count
    waiting = jobs.c.state == JobState.WAITING.name
    oldest = connection.scalar(
        select(jobs.c.due_at).where(waiting).order_by(jobs.c.due_at).limit(1)
    )
    return QueueState(counted, oldest)


def parked_jobs(connection: Connection, limit: int) -> tuple[ParkedJob, ...]:
    """Return parked pages, the one parked last first."""
    rows = connection.execute(
        select(jobs)
        .where(jobs.c.state == JobState.PARKED.name)
        .order_by(jobs.c.changed_at.desc(), jobs.c.id.desc())
        .limit(limit)
    )
    return tuple(
        ParkedJob(
            row.wiki,
            row.title,
            row.revision,
            row.note or "",
            row.changed_at,
            row.attempts,
        )
        for row in rows
    )


def _held(connection: Connection, held: Lease) -> Row[Any]:
    row = connection.execute(
        select(jobs)
        .filter_by(wiki=held.job.wiki, title=held.job.title)
        .with_for_update()
    ).one_or_none()
    leased = row is not None and row.state == JobState.LEASED.name
    if row is None or not leased or row.token != held.token:
        raise LeaseLost(f"{held.job.title} on {held.job.wiki} is no longer leased")
    return row


def _parked(note: str, now: datetime) -> dict[str, Any]:
    return _ended(now) | {"state": JobState.PARKED.name, "note": note}


def _ended(now: datetime) -> dict[str, Any]:
    return {"leased_until": None, "worker": None, "again": False, "changed_at": now}


def _set_job(connection: Connection, row_id: int, values: dict[str, Any]) -> None:
    connection.execute(update(jobs).where(jobs.c.id == row_id).values(**values))


def is_due(connection: Connection, now: datetime) -> bool:
    """Tell whether any page can be leased."""
    return what_is_due(connection, now).is_any


def lease(
    connection: Connection,
    worker: str,
    now: datetime,
    *,
    for_s: float,
    attempts: int,
    weights: Mapping[str, float],
    without: Collection[str],
) -> Lease | None:
    """Lease the page whose turn it is; `None` if none is due but of wikis in `without`.

    An attempt is counted before its work begins, since one that kills its worker
    counts, too; a page whose `attempts` are used up that way is parked. A revision that
    came meanwhile has all of them before it.
    """
    root = _share(connection, ALL_WIKIS, EVERYBODY, now)
    turn = Turn(connection, now, without)
    while True:
        row = turn.page(root)
        if row is None:
            return None
        if _tried(row) < attempts:
            _charge(connection, root, row, now, weights.get(row.wiki, 1.0))
            return _leased(connection, row, worker, now, for_s)
        note = _DIED.format(attempts=row.attempts)
        _give_up(connection, row, now, note)
        end_look(connection, row.wiki, row.title, now, note)


def _charge(
    connection: Connection, root: Share, row: Row[Any], now: datetime, weight: float
) -> None:
    """Write a turn down: for the party of a page, for its wiki, and for all."""
    wiki = _share(connection, row.wiki, EVERYBODY, now)
    party = _share(connection, row.wiki, row.party, now)
    root, wiki = after_a_turn(root, wiki, weight)
    wiki, party = after_a_turn(wiki, party)
    changed = (
        (ALL_WIKIS, EVERYBODY, replace(root, served=root.served + 1)),
        (row.wiki, EVERYBODY, wiki),
        (row.wiki, row.party, party),
    )
    for name, whose, share in changed:
        mine = (shares.c.wiki == name) & (shares.c.party == whose)
        values = asdict(share) | {"changed_at": now}
        connection.execute(update(shares).where(mine).values(**values))


def _share(connection: Connection, wiki: str, party: str, now: datetime) -> Share:
    """Return a share, its row locked."""
    mine = select(shares).filter_by(wiki=wiki, party=party).with_for_update()
    row = connection.execute(mine).one_or_none()
    if row is None:
        connection.execute(insert(shares).values(**fresh_share(wiki, party, now)))
        return Share()
    return Share(row.ends, row.clock, row.served)


def _tried(row: Row[Any]) -> int:
    """Return how often the revision was tried that would be looked at now."""
    return 0 if row.again else int(row.attempts)


def _leased(
    connection: Connection,
    row: Row[Any],
    worker: str,
    now: datetime,
    for_s: float,
) -> Lease:
    until, attempt = now + timedelta(seconds=for_s), _tried(row) + 1
    values = {
        "state": JobState.LEASED.name,
        "attempts": attempt,
        "token": row.token + 1,
        "leased_until": until,
        "worker": sanitise.text(worker, NAME_CHARS),
        "begun_at": now,
        "begun_revision": row.revision,
        "again": False,
        "changed_at": now,
    }
    connection.execute(update(jobs).where(jobs.c.id == row.id).values(**values))
    job = PageJob(
        wiki=row.wiki,
        title=row.title,
        reason=JobReason[row.reason],
        asked_at=row.asked_at,
        due_at=row.due_at,
        revision_id=row.revision,
        page_id=row.wiki_page_id,
        pause_s=row.pause_s,
    )
    return Lease(job, row.token + 1, attempt, until)


def put_job(connection: Connection, job: PageJob) -> bool:
    """Let a page wait, once; `False` if what is asked for was done or waits already.

    A page that was looked at rests first, unless a person asked for it.
    """
    return bool(put_jobs(connection, [job]))


def put_jobs(connection: Connection, found: Iterable[PageJob]) -> int:
    """Put many pages at once, as `put` does one; return for how many it was news.

    Statements are made for many pages together, since they cost more than the rows.
    Pages are locked in one order by all writers, so that none wait for each other.
    """
    pages: dict[tuple[str, str], list[PageJob]] = {}
    for job in sorted(found, key=lambda job: (job.wiki, job.title, job.asked_at)):
        page = sanitise.key(job.wiki, "wiki"), sanitise.key(job.title, "title")
        pages.setdefault(page, []).append(job)
    parties = _parties(connection, pages)
    news = 0
    while pages:  # what comes again for a page is put once the first of it has been
        for wiki, named in groupby(pages, key=itemgetter(0)):
            firsts = {title: pages[wiki, title][0] for _, title in named}
            news += _put_each(connection, wiki, firsts, parties[wiki])
        pages = {page: jobs[1:] for page, jobs in pages.items() if jobs[1:]}
    return news


def _parties(
    connection: Connection, pages: Mapping[tuple[str, str], list[PageJob]]
) -> Mapping[str, Mapping[str, str]]:
    """Return for each wiki whom its pages are looked at for; all of them have shares."""
    found = {}
    for wiki, named in groupby(pages, key=itemgetter(0)):
        titles = [title for _, title in named]
        parties = parties_of(connection, wiki, titles)
        asked_at = max(pages[wiki, title][-1].asked_at for title in titles)
        let_share(connection, wiki, set(parties.values()), asked_at)
        found[wiki] = {title: parties.get(title, NOBODY) for title in titles}
    return found


def _put_each(
    connection: Connection,
    wiki: str,
    found: Mapping[str, PageJob],
    parties: Mapping[str, str],
) -> int:
    """Put one job for each title."""
    rest = iter(found.items())
    news = 0
    while part := dict(islice(rest, _AT_ONCE)):
        rows = connection.execute(
            select(jobs)
            .where(jobs.c.wiki == wiki, jobs.c.title.in_(list(part)))
            .with_for_update()
        )
        known = {row.title: row for row in rows}
        fresh = [
            {"wiki": wiki, "title": title, "party": parties[title], **_fresh(job)}
            for title, job in part.items()
            if title not in known
        ]
        if fresh:
            connection.execute(insert(jobs), fresh)
        newer = [
            {
                "row_id": row.id,
                "party": parties[title],
                **_renewed(part[title], row),
            }
            for title, row in known.items()
            if _is_news(part[title], row)
        ]
        _update_each(connection, newer)
        news += len(fresh) + len(newer)
    return news


def _update_each(connection: Connection, newer: Iterable[dict[str, Any]]) -> None:
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for values in newer:
        alike.setdefault(tuple(values), []).append(values)
    for several in alike.values():  # one statement sets one choice of columns
        one = update(jobs).where(jobs.c.id == bindparam("row_id"))
        connection.execute(one, several)


def _fresh(job: PageJob) -> dict[str, Any]:
    return {
        **_asked(job),
        "state": JobState.WAITING.name,
        "due_at": job.due_at,
        "attempts": 0,
        "token": 0,
        "again": False,
    }


def _asked(job: PageJob) -> dict[str, Any]:
    return {
        "wiki_page_id": job.page_id,
        "revision": job.revision_id,
        "reason": job.reason.name,
        "urgency": job.reason.urgency,
        "asked_at": job.asked_at,
        "pause_s": job.pause_s,
        "changed_at": job.asked_at,
    }


def _is_news(job: PageJob, row: Row[Any]) -> bool:
    """Tell whether `job` asks for more than what was asked for before."""
    if job.revision_id is not None and row.revision is not None:
        if job.revision_id != row.revision:
            return bool(job.revision_id > row.revision)
        if job.reason is JobReason.CHANGE:
            return False
    if job.revision_id is not None and row.revision is None:
        return True  # the wiki's clock, that tells of the edit, may not be ours
    return bool(job.asked_at > row.asked_at)


def _renewed(job: PageJob, row: Row[Any]) -> dict[str, Any]:
    newest = [one for one in (job.revision_id, row.revision) if one is not None]
    state = JobState[row.state]
    values = _asked(job) | {
        "revision": max(newest, default=None),
        "wiki_page_id": job.page_id or row.wiki_page_id,
    }
    is_done = state in {JobState.IDLE, JobState.PARKED}
    if not is_done and row.urgency < job.reason.urgency:
        values |= {"reason": row.reason, "urgency": row.urgency}
    if state is JobState.LEASED:
        return values | {"again": True}
    if state is JobState.WAITING:
        return values | {"due_at": _sooner(job, row)}
    return values | {
        "state": JobState.WAITING.name,
        "due_at": _not_too_soon(job, row.begun_at),
        "attempts": 0,
        "note": None,
    }


def _sooner(job: PageJob, row: Row[Any]) -> datetime:
    """Return when a waiting page is due; after a failure no edit makes it sooner."""
    kept: datetime = row.due_at
    backs_off = row.attempts > 0 and job.reason is not JobReason.ASKED
    return kept if backs_off else min(kept, job.due_at)


def _not_too_soon(job: PageJob, begun_at: datetime | None) -> datetime:
    if begun_at is None or job.reason is JobReason.ASKED:
        return job.due_at
    return max(job.due_at, begun_at + timedelta(seconds=job.pause_s))


def end_look(
    connection: Connection, wiki: str, title: str, now: datetime, problem: str | None
) -> None:
    """End the look that the work on a page was, if anybody asked for one."""
    values: dict[str, Any] = {"ended_at": now, "changed_at": now, "reading": None}
    if problem is not None:
        values |= {"problem": sanitise.text(problem, _WORDS_CHARS)}
    _set_look(connection, wiki, title, values)


def delay_look(
    connection: Connection, wiki: str, title: str, now: datetime, problem: str
) -> None:
    """Note that the work on a page is tried again later, and why."""
    told = sanitise.text(problem, _WORDS_CHARS)
    values = {"problem": told, "changed_at": now, "reading": None}
    _set_look(connection, wiki, title, values)


def _set_look(
    connection: Connection, wiki: str, title: str, values: dict[str, Any]
) -> None:
    """Change a look that is under way: not one that was asked for meanwhile."""
    under_way = (
        (looks.c.wiki == wiki)
        & (looks.c.title == title)
        & looks.c.begun_at.is_not(None)
        & looks.c.ended_at.is_(None)
    )
    connection.execute(update(looks).where(under_way).values(**values))


def _ask(connection: Connection, wiki: str, title: str, now: datetime) -> LookState:
    # Jobs first, as those do who end the work on a page: one order of locks.
    state = connection.scalar(
        select(jobs.c.state).filter_by(wiki=wiki, title=title).with_for_update()
    )
    row = _look_row(connection, wiki, title, locked=True)
    if row is not None and row.ended_at is None and _is_in_hand(row, state):
        return _look_state(row)
    put_job(connection, PageJob(wiki, title, JobReason.ASKED, now, now, pause_s=0.0))
    fresh = {**_NOTHING_YET, "asked_at": now, "changed_at": now}
    if row is None:
        named = {
            "wiki": sanitise.key(wiki, "wiki"),
            "title": sanitise.key(title, "title"),
        }
        connection.execute(insert(looks).values(**named, **fresh))
    else:
        mine = (looks.c.wiki == wiki) & (looks.c.title == title)
        connection.execute(update(looks).where(mine).values(**fresh))
    return _known_look(connection, wiki, title)


def _is_in_hand(row: Row[Any], state: str | None) -> bool:
    """Tell whether a look that has not ended is under way, or will be."""
    if state == JobState.LEASED.name:
        return row.begun_at is not None
    return state == JobState.WAITING.name and row.begun_at is None


def _begin(
    connection: Connection, wiki: str, title: str, now: datetime
) -> LookState | None:
    row = _look_row(connection, wiki, title)
    if row is None or row.ended_at is not None:
        return None
    mine = (looks.c.wiki == wiki) & (looks.c.title == title)
    begun = {**_NOTHING_YET, "begun_at": now, "changed_at": now}
    connection.execute(
        update(looks).where(mine, looks.c.ended_at.is_(None)).values(**begun)
    )
    return _known_look(connection, wiki, title)


def _step(connection: Connection, reached: LookState) -> None:
    values = {
        "reading": sanitise.text(reached.reading, _WORDS_CHARS),
        "sources": reached.sources,
        "sources_read": reached.sources_read,
        "claims": reached.claims,
        "claims_checked": reached.claims_checked,
        "revision": reached.revision,
        "problem": sanitise.text(reached.problem, _WORDS_CHARS),
        "changed_at": reached.changed_at,
    }
    _set_look(connection, reached.wiki, reached.title, values)


def _look_row(
    connection: Connection, wiki: str, title: str, *, locked: bool = False
) -> Row[Any] | None:
    chosen = select(looks).filter_by(wiki=wiki, title=title)
    return connection.execute(
        chosen.with_for_update() if locked else chosen
    ).one_or_none()


def _known_look(connection: Connection, wiki: str, title: str) -> LookState:
    return _look_state(
        connection.execute(select(looks).filter_by(wiki=wiki, title=title)).one()
    )


def _look_state(row: Row[Any]) -> LookState:
    return LookState(
        wiki=row.wiki,
        title=row.title,
        asked_at=row.asked_at,
        changed_at=row.changed_at,
        begun_at=row.begun_at,
        ended_at=row.ended_at,
        reading=row.reading,
        sources=row.sources,
        sources_read=row.sources_read,
        claims=row.claims,
        claims_checked=row.claims_checked,
        revision=row.revision,
        problem=row.problem,
    )
