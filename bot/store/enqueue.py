"""Lets pages wait to be looked at, within a transaction of the caller's.

What asks for no more than was asked for before changes nothing. What becomes of a
page that waits is told in `bot.store.queueing`, and for whom it is looked at in
`bot.store.tenants`.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from bot.records.jobs import JobReason, JobState, PageJob
from bot.store import sanitise
from bot.store.queue_tables import NOBODY, jobs
from bot.store.tenants import let_share, parties_of

_AT_ONCE = 100  # pages in one statement


def put(connection: Connection, job: PageJob) -> bool:
    """Let a page wait, once; `False` if what is asked for was done or waits already.

    A page that was looked at rests first, unless a person asked for it.
    """
    return bool(put_all(connection, [job]))


def put_all(connection: Connection, found: Iterable[PageJob]) -> int:
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
