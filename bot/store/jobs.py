"""The pages to check, and the checks that people asked for.

Times come from the caller's clock; if several machines share a queue, their clocks must
agree to within a fraction of a lease.

A request for no more than was already asked for changes nothing. A check that a person
asked for begins when a worker takes its page, and ends with the work on the page, in
the same transaction: whoever follows it never waits for one that is over.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from bot.records.accounts import CheckState
from bot.records.jobs import JobReason, PageJob, ParkedJob, QueueState
from bot.records.tasks import Lease, TaskKind, TaskState
from bot.store import sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    put,
    read_with,
    reads,
    write_with,
    writes,
)
from bot.store.mapping import as_value
from bot.store.schema import NOBODY, check_states, tasks
from bot.store.tasks import (
    IDLE,
    LEASED,
    PARKED,
    WAITING,
    Policy,
    finish,
    let_share,
    put_each,
    tenants_of,
)

_LONGEST_REST = timedelta(minutes=30)  # that edits can keep a page from being checked
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
IS_CHECK = tasks.c.kind == TaskKind.CHECK.name


def check_task(connection: Connection, wiki: str, title: str) -> Row[Any] | None:
    """Return the row of a page's checks, locked."""
    kind = TaskKind.CHECK.name
    return find(connection, tasks, kind=kind, wiki=wiki, subject=title, lock=True)


def state_of_check(connection: Connection, wiki: str, title: str) -> CheckState | None:
    """Return the state of the last check of a page; `None` if nobody asked for one."""
    row = find(connection, check_states, wiki=wiki, title=title)
    return None if row is None else as_value(CheckState, row)


class CheckStates(Repository):
    """The progress shown to people who asked for a check of a page."""

    of = read_with(state_of_check)

    @writes
    def ask(
        self, connection: Connection, wiki: str, title: str, now: datetime
    ) -> CheckState:
        """Have a page checked before all others, and return the state of that check.

        If a check is already in progress, that one is followed.
        """
        # Jobs first, as when the work on a page ends: the same order of locks.
        task = check_task(connection, wiki, title)
        state = None if task is None else task.state
        row = find(connection, check_states, wiki=wiki, title=title, lock=True)
        if row is not None and row.ended_at is None and _is_in_hand(row, state):
            return as_value(CheckState, row)
        job = PageJob(wiki, title, JobReason.ASKED, now, now, pause_s=0.0)
        put_jobs(connection, [job])
        fresh = {**_NOTHING_YET, "asked_at": now, "changed_at": now}
        put(connection, check_states, row, fresh, **sanitise.page(wiki, title))
        return CheckState(**sanitise.page(wiki, title), **fresh)

    @writes
    def begin(
        self, connection: Connection, wiki: str, title: str, now: datetime
    ) -> CheckState | None:
        """Begin a check, also one that was interrupted; `None` if nobody asked for one."""
        begun = {**_NOTHING_YET, "begun_at": now, "changed_at": now}
        key = {"wiki": wiki, "title": title}
        is_requested = change(connection, check_states, begun, **key, ended_at=None)
        return state_of_check(connection, wiki, title) if is_requested else None

    @writes
    def step(self, connection: Connection, reached: CheckState) -> None:
        """Record the progress of a check; one that has ended is not changed."""
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
        _set_state(connection, reached.wiki, reached.title, values)


def check_policy(
    lease_s: float = 120.0,
    attempts: int = 5,
    weights: Mapping[str, float] | None = None,
) -> Policy:
    """Return the policy for checks.

    `weights` are above 0, by the host names of wikis. If both have pages due, one of
    weight 2 gets twice as much of the work as one without a weight.
    """
    return Policy(
        lease_s,
        attempts,
        lambda _connection, row, _now: _job_of(row),
        on_failure=_record_failure,
        weights=weights or {},
    )


def _record_failure(
    connection: Connection,
    row: Row[Any],
    now: datetime,
    why: str | None,
    in_s: float | None,
) -> None:
    """Show those who asked for a check how the work on its page ended."""
    values: dict[str, Any] = {"changed_at": now, "reading": None}
    if in_s is None:
        values |= {"ended_at": now}
    elif why is None:
        return
    else:
        why = f"{why}; tried again in {in_s:.0f} s"
    if why is not None:
        values |= {"problem": sanitise.text(why, _WORDS_CHARS)}
    _set_state(connection, row.wiki, row.subject, values)


def finish_job(connection: Connection, lease: Lease[PageJob], now: datetime) -> None:
    """End the work on a page, and the check that people asked for.

    Raises:
        LeaseLost: someone else has the page.
    """
    finish(connection, lease, now)
    ended = {"ended_at": now, "changed_at": now, "reading": None}
    _set_state(connection, lease.wiki, lease.subject, ended)


def parked_jobs(connection: Connection, limit: int = 100) -> tuple[ParkedJob, ...]:
    """Return parked pages, the latest first."""
    rows = connection.execute(
        select(tasks)
        .where(IS_CHECK, tasks.c.state == PARKED)
        .order_by(tasks.c.changed_at.desc(), tasks.c.id.desc())
        .limit(limit)
    )
    return tuple(
        as_value(
            ParkedJob,
            row,
            title=row.subject,
            revision_id=row.revision,
            reason=row.note or "",
            parked_at=row.changed_at,
        )
        for row in rows
    )


def _job_of(row: Row[Any]) -> PageJob:
    return as_value(
        PageJob,
        row,
        title=row.subject,
        revision_id=row.revision,
        page_id=row.wiki_page_id,
    )


def put_jobs(connection: Connection, found: Iterable[PageJob]) -> int:
    """Queue pages, each once; return how many of the jobs were new.

    A page that was checked rests first, unless a person asked for it.

    Each statement handles many pages, because statements cost more than rows. All
    writers lock pages in the same order, so that none waits for another in a circle.
    """
    pages: dict[tuple[str, str], list[PageJob]] = {}
    for job in sorted(found, key=lambda job: (job.wiki, job.title, job.asked_at)):
        page = sanitise.key(job.wiki, "wiki"), sanitise.key(job.title, "title")
        pages.setdefault(page, []).append(job)
    tenants = _tenants(connection, pages)
    news = 0
    while pages:  # a page's second job is saved after its first, and so on
        for wiki, named in groupby(pages, key=itemgetter(0)):
            firsts = {title: pages[wiki, title][0] for _, title in named}
            news += _put_firsts(connection, wiki, firsts, tenants[wiki])
        pages = {page: jobs[1:] for page, jobs in pages.items() if jobs[1:]}
    return news


class JobQueue(Repository):
    """The pages waiting to be checked."""

    put = write_with(put_jobs)
    parked = read_with(parked_jobs)

    @reads
    def state(self, connection: Connection) -> QueueState:
        """Count the pages in each state."""
        counted = dict.fromkeys(TaskState, 0)
        rows = connection.execute(
            select(tasks.c.state, func.count()).where(IS_CHECK).group_by(tasks.c.state)
        )
        for name, count in rows:
            counted[TaskState[name]] = count
        waiting = IS_CHECK & (tasks.c.state == WAITING)
        oldest = connection.scalar(select(func.min(tasks.c.due_at)).where(waiting))
        return QueueState(counted, oldest)


def _tenants(
    connection: Connection, pages: Mapping[tuple[str, str], list[PageJob]]
) -> Mapping[str, Mapping[str, str]]:
    """Return for each wiki who its pages are checked for; all of them have shares."""
    found = {}
    for wiki, named in groupby(pages, key=itemgetter(0)):
        titles = [title for _, title in named]
        tenants = tenants_of(connection, wiki, titles)
        asked_at = max(pages[wiki, title][-1].asked_at for title in titles)
        let_share(connection, wiki, set(tenants.values()), asked_at)
        found[wiki] = {title: tenants.get(title, NOBODY) for title in titles}
    return found


def _put_firsts(
    connection: Connection,
    wiki: str,
    found: Mapping[str, PageJob],
    tenants: Mapping[str, str],
) -> int:
    """Save one job for each title."""

    def fresh(job: PageJob) -> dict[str, Any]:
        return _columns(job) | {"tenant": tenants[job.title], "due_at": job.due_at}

    def renewed(job: PageJob, row: Row[Any]) -> dict[str, Any] | None:
        if not _is_news(job, row):
            return None
        return _renewed(job, row) | {"tenant": tenants[row.subject]}

    return put_each(
        connection, TaskKind.CHECK, wiki, found, fresh=fresh, renewed=renewed
    )


def _columns(job: PageJob) -> dict[str, Any]:
    return {
        "wiki_page_id": job.page_id,
        "revision": job.revision_id,
        "reason": job.reason.name,
        "priority": job.reason.urgency,
        "asked_at": job.asked_at,
        "pause_s": job.pause_s,
        "changed_at": job.asked_at,
    }


def _is_news(job: PageJob, row: Row[Any]) -> bool:
    """Return whether `job` asks for more than was asked for before."""
    if job.revision_id is not None and row.revision is not None:
        if job.revision_id != row.revision:
            return bool(job.revision_id > row.revision)
        if job.reason is JobReason.CHANGE:
            return False
    if job.revision_id is not None and row.revision is None:
        return True  # the edit's time is the wiki's, whose clock may differ
    return bool(job.asked_at > row.asked_at)


def _renewed(job: PageJob, row: Row[Any]) -> dict[str, Any]:
    newest = [one for one in (job.revision_id, row.revision) if one is not None]
    values = _columns(job) | {
        "revision": max(newest, default=None),
        "wiki_page_id": job.page_id or row.wiki_page_id,
    }
    is_done = row.state in {IDLE, PARKED}
    if not is_done and row.priority < job.reason.urgency:
        values |= {"reason": row.reason, "priority": row.priority}
    if row.state == LEASED:
        due = _not_too_soon(job, row.begun_at)
        sooner = min(due, row.due_at) if row.again else due
        return values | {"again": True, "due_at": sooner}
    if row.state == WAITING and _still_edited(job, row):
        latest = row.asked_at + _LONGEST_REST
        rested = max(row.due_at, min(job.due_at, latest))
        return values | {"asked_at": row.asked_at, "due_at": rested}
    if row.state == WAITING:
        return values | {"due_at": _sooner(job, row)}
    return values | {
        "state": WAITING,
        "due_at": _not_too_soon(job, row.begun_at),
        "attempts": 0,
        "note": None,
    }


def _still_edited(job: PageJob, row: Row[Any]) -> bool:
    """Return whether the page was edited again before it had rested from an edit.

    What is undone at once is then never looked at.
    """
    is_edit = job.reason is JobReason.CHANGE and row.reason == JobReason.CHANGE.name
    is_later = job.asked_at < row.due_at < job.due_at
    return is_edit and not row.attempts and bool(is_later)


def _sooner(job: PageJob, row: Row[Any]) -> datetime:
    """Return when a waiting page is due; after a failure no edit makes it earlier."""
    due_at: datetime = row.due_at
    backs_off = row.attempts > 0 and job.reason is not JobReason.ASKED
    return due_at if backs_off else min(due_at, job.due_at)


def _not_too_soon(job: PageJob, begun_at: datetime | None) -> datetime:
    if begun_at is None or job.reason is JobReason.ASKED:
        return job.due_at
    return max(job.due_at, begun_at + timedelta(seconds=job.pause_s))


def _set_state(
    connection: Connection, wiki: str, title: str, values: dict[str, Any]
) -> None:
    """Change a check in progress, but not one asked for since."""
    under_way = (
        (check_states.c.wiki == wiki)
        & (check_states.c.title == title)
        & check_states.c.begun_at.is_not(None)
        & check_states.c.ended_at.is_(None)
    )
    connection.execute(update(check_states).where(under_way).values(**values))


def _is_in_hand(row: Row[Any], state: str | None) -> bool:
    """Return whether a check that has not ended is in progress, or will be."""
    if state == LEASED:
        return row.begun_at is not None
    return state == WAITING and row.begun_at is None
