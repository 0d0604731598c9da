"""How the program is doing, read from the database in one go.

It costs a few sums over the tables, none of them over texts, and reading each decision
of readers that counts. That is fine every few seconds, but not for each request of a
crowd. Rows are counted by age in the database itself.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    case,
    func,
    literal,
    select,
    true,
)

from bot.records.changes import DeadReason, Gap, Position
from bot.records.dossiers import DraftState
from bot.records.patrol import PatrolCounts
from bot.records.posts import FILTERS, PostState, Refusal
from bot.records.spending import PayerKind
from bot.records.status import (
    AGES_S,
    DAY_S,
    WEEK_S,
    Ages,
    CommunityStatus,
    DayOfChecks,
    DecisionsStatus,
    DraftsStatus,
    FeedStatus,
    FetchesStatus,
    FindingsStatus,
    LeftOut,
    ModelCost,
    NotesStatus,
    PatrolStatus,
    PlansStatus,
    PostLine,
    PostsStatus,
    QueueStatus,
    ScheduledStatus,
    SourcesStatus,
    SpendingStatus,
    Status,
    Used,
    WatchesStatus,
)
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import NoteState, PlanKind, Surface, WatcherKind
from bot.store import mapping, sanitise
from bot.store.accuracy import count_reports
from bot.store.database import count_if
from bot.store.decisions import count_decisions, tallies_since
from bot.store.fetches import waiting_fetches
from bot.store.health import known_processes, open_incidents
from bot.store.jobs import IS_CHECK, parked_jobs
from bot.store.mapping import as_value
from bot.store.noted_edits import count_noted
from bot.store.patrol import counts_since
from bot.store.posts import (
    IS_PLAN,
    OPEN,
    Scope,
    count_parked,
    count_posts,
    failing_plans,
    has_notes,
    is_parked,
)
from bot.store.schema import (
    checks,
    communities,
    dead_letters,
    drafts,
    gaps,
    model_uses,
    pages,
    positions,
    post_counts,
    posts,
    revisions,
    role_leases,
    shown_notes,
    source_fetches,
    spending,
    spending_parts,
    suggestions,
    tasks,
    watched_pages,
    watches,
)
from bot.store.shown_notes import NEVER
from bot.store.spending import BILLION, day_of
from bot.store.tasks import LEASED, PARKED, WAITING
from bot.store.watches import community_page
from handlers.model import CheckKind, SourceOutcome, Verdict

_MOST_PARKED = 50
_MOST_REASONS = 10
_NOTE_CHARS = 300
_MOST_POSTS = 30
_LEFT_OUT_FOR = timedelta(days=30)  # the longest rest of a note that a filter refuses
_MOST_FILTERED = 200
_MOST_LEFT_OUT = 10
_WITHOUT = (DraftState.NOTHING.name, DraftState.REFUSED.name)
_MOST_GAPS = 20
_DAYS = 7
_VERDICTS = {verdict: checks.c[verdict.name.lower()] for verdict in Verdict}
_MOST_PLANS = 20


def read_status(
    connection: Connection, now: datetime, decided_since: datetime
) -> Status:
    """Return the whole status; it includes only decisions that still count."""
    return Status(
        at=now,
        queue=_queue(connection, now),
        plans=_planned(connection, now),
        posts=_posted(connection, now),
        findings=_findings(connection, now, _shown_notes(connection)),
        decided=_decided(connection, decided_since),
        feeds=_feeds(connection, now),
        watches=_watched(connection),
        communities=_configured(connection),
        scheduled=_scheduled(connection),
        processes=known_processes(connection),
        costs_day=_costs_since(connection, now - timedelta(seconds=DAY_S)),
        costs_week=_costs_since(connection, now - timedelta(seconds=WEEK_S)),
        drafts=_drafted(connection, now),
        fetches=FetchesStatus(*waiting_fetches(connection, now)),
        spending=_spent_today(connection, now),
        patrol=_patrolled(connection, now),
        noted=count_noted(connection, decided_since),
        incidents=open_incidents(connection),
    )


def _ages_by(
    connection: Connection,
    table: Table,
    group: ColumnElement[Any],
    moment: ColumnElement[datetime],
    now: datetime,
    *,
    where: ColumnElement[bool] | None = None,
) -> Mapping[Any, Ages]:
    """Return the ages of the rows of `table` for each value of `group`.

    Args:
        connection: in a transaction.
        table: whose rows are counted.
        group: what they are grouped by.
        moment: the start of a row's age.
        now: the time.
        where: which rows count; all by default.
    """
    edges = [now - timedelta(seconds=age) for age in AGES_S]
    older = [moment <= edge for edge in edges]
    classes = [
        moment > now,
        (moment <= now) & ~older[0],
        *(old & ~older[at] for at, old in enumerate(older[:-1], 1)),
        older[-1],
    ]
    rows = connection.execute(
        select(group, func.min(moment), *map(count_if, classes))
        .select_from(table)
        .where(true() if where is None else where)
        .group_by(group)
    )
    return {
        row[0]: Ages(int(row[2]), tuple(int(count) for count in row[3:]), row[1])
        for row in rows
    }


def _queue(connection: Connection, now: datetime) -> QueueStatus:
    """Count the pages by state and age, and list those that are parked."""
    waits = IS_CHECK & (tasks.c.state == WAITING)
    since: ColumnElement[datetime] = case(
        (tasks.c.state == WAITING, tasks.c.due_at),
        (tasks.c.state == LEASED, tasks.c.begun_at),
        else_=tasks.c.changed_at,
    )
    counted = _ages_by(connection, tasks, tasks.c.state, since, now, where=IS_CHECK)
    failing = select(func.count()).where(waits & tasks.c.note.is_not(None))
    return QueueStatus(
        states={state: counted.get(state.name, Ages()) for state in TaskState},
        parked=parked_jobs(connection, _MOST_PARKED),
        why_parked=_notes_of(
            connection, tasks.c.note, IS_CHECK & (tasks.c.state == PARKED)
        ),
        next_due_at=connection.scalar(
            select(func.min(tasks.c.due_at)).where(waits & (tasks.c.due_at > now))
        ),
        failing=connection.scalar(failing) or 0,
    )


def _notes_of(
    connection: Connection, note: ColumnElement[Any], where: ColumnElement[bool]
) -> tuple[tuple[str, int], ...]:
    """Return the notes of rows with their counts, the most frequent first."""
    short = func.substr(note, 1, _NOTE_CHARS)
    rows = connection.execute(
        select(short, func.count())
        .where(where & note.is_not(None))
        .group_by(short)
        .order_by(func.count().desc(), short)
        .limit(_MOST_REASONS)
    )
    return tuple((text, count) for text, count in rows if text)


def _posted(connection: Connection, now: datetime) -> PostsStatus:
    """Count the posts, and return the latest changed."""
    waits = posts.c.state.in_(OPEN) & ~is_parked()
    waiting = _ages_by(
        connection, posts, literal("open"), posts.c.due_at, now, where=waits
    )
    return PostsStatus(
        counts=count_posts(connection),
        week=count_posts(connection, now - timedelta(seconds=WEEK_S)),
        refusals=_refusals(connection, now),
        left_out=_left_out(connection, now),
        waiting=waiting.get("open", Ages()),
        held=_notes_of(connection, posts.c.note, waits),
        parked=count_parked(connection),
        newest=_newest(connection),
        last_posted_at=_last(connection, PostState.POSTED),
        last_shown_at=_last(connection, PostState.SHOWN),
        used_today=_used(connection, now),
    )


def _refusals(connection: Connection, now: datetime) -> dict[Refusal, int]:
    since = now - timedelta(seconds=WEEK_S)
    rows = connection.execute(
        select(posts.c.refusal, func.count())
        .where((posts.c.state == PostState.REFUSED.name) & (posts.c.changed_at > since))
        .where(posts.c.refusal.is_not(None))
        .group_by(posts.c.refusal)
        .order_by(func.count().desc())
    )
    return dict(mapping.counted(Refusal, ((name, count) for name, count in rows)))


def _left_out(connection: Connection, now: datetime) -> tuple[LeftOut, ...]:
    """Return the notes that a filter refused alone, and that are not shown since."""
    since = now - _LEFT_OUT_FOR
    by_filter = posts.c.refusal.in_([each.name for each in FILTERS])
    rows = connection.execute(
        select(
            posts.c.wiki,
            posts.c.title,
            posts.c.adds,
            func.substr(posts.c.note, 1, _NOTE_CHARS).label("note"),
            posts.c.changed_at,
        )
        .where((posts.c.state == PostState.REFUSED.name) & by_filter & has_notes())
        .where(posts.c.changed_at > since)
        .order_by(posts.c.changed_at.desc(), posts.c.id.desc())
        .limit(_MOST_FILTERED)
    )
    found: dict[tuple[str, str, str], LeftOut] = {}
    for row in rows:
        names = json.loads(row.adds or "[]")
        if len(names) != 1 or len(found) == _MOST_LEFT_OUT:
            continue
        key = (row.wiki, row.title, names[0])
        about = _about(connection, row.wiki, names[0])
        if key not in found and about and not _is_shown(connection, *key):
            found[key] = LeftOut(*key, *about, row.note or "", row.changed_at)
    return tuple(found.values())


def _is_shown(connection: Connection, wiki: str, place: str, identity: str) -> bool:
    known = select(shown_notes.c.id).filter_by(
        wiki=wiki, place=place, identity=identity
    )
    return connection.execute(known.limit(1)).first() is not None


def _about(connection: Connection, wiki: str, identity: str) -> tuple[str, str] | None:
    """Return the article and the claim of a note; `None` if nobody wants it any more."""
    row = connection.execute(
        select(pages.c.title, func.substr(suggestions.c.claim, 1, _NOTE_CHARS))
        .join(pages, pages.c.id == suggestions.c.page)
        .where((suggestions.c.identity == identity) & (pages.c.wiki == wiki))
        .where(suggestions.c.closed_at.is_(None))
        .limit(1)
    ).first()
    return (row[0], row[1]) if row else None


def _newest(connection: Connection) -> tuple[PostLine, ...]:
    rows = connection.execute(
        select(
            posts.c.wiki,
            posts.c.title,
            posts.c.task,
            posts.c.state,
            posts.c.tries,
            posts.c.asked_at,
            posts.c.due_at,
            posts.c.changed_at,
            func.substr(posts.c.note, 1, _NOTE_CHARS).label("note"),
            posts.c.refusal,
            posts.c.revision,
        )
        .where(mapping.known(posts.c.refusal, Refusal))
        .order_by(posts.c.changed_at.desc(), posts.c.id.desc())
        .limit(_MOST_POSTS)
    )
    return tuple(
        as_value(PostLine, row, note=row.note or "", revision_id=row.revision)
        for row in rows
    )


def _last(connection: Connection, state: PostState) -> datetime | None:
    found: datetime | None = connection.scalar(
        select(func.max(posts.c.changed_at)).where(posts.c.state == state.name)
    )
    return found


def _used(connection: Connection, now: datetime) -> tuple[Used, ...]:
    rows = connection.execute(
        select(post_counts.c.task, post_counts.c.wiki, post_counts.c.used)
        .where(
            (post_counts.c.day == day_of(now))
            & post_counts.c.scope.in_((Scope.ALL.name, Scope.WIKI.name))
            & (post_counts.c.used > 0)
        )
        .order_by(post_counts.c.task, post_counts.c.wiki)
    )
    return tuple(Used(row.task, row.wiki, row.used) for row in rows)


def _drafted(connection: Connection, now: datetime) -> DraftsStatus:
    """Count the drafts in each state, and say why some could not be made."""
    state: Any = drafts.c.state
    ages = _ages_by(connection, drafts, state, drafts.c.changed_at, now)
    return DraftsStatus(
        states={one: ages.get(one.name, Ages()) for one in DraftState},
        why_none=_notes_of(connection, drafts.c.note, state.in_(_WITHOUT)),
    )


def _feeds(connection: Connection, now: datetime) -> tuple[FeedStatus, ...]:
    """Return each feed about which anything is stored, by name."""
    rows = connection.execute(select(positions).order_by(positions.c.feed))
    dead = _dead(connection, now)
    return tuple(
        FeedStatus(
            feed=row.feed,
            newest_at=_newest_at(row.position),
            received_at=row.received_at,
            gaps=_gaps(connection, row.feed),
            dead_day={why: new for why, (new, _) in dead[row.feed].items() if new},
            dead=sum(stored for _, stored in dead[row.feed].values()),
        )
        for row in rows.all()
    )


def _newest_at(position: str) -> datetime | None:
    try:
        return Position.parse(position).newest_at if position else None
    except ValueError:  # intake reports it; the status must not fail for it
        return None


def _gaps(connection: Connection, feed: str) -> tuple[Gap, ...]:
    rows = connection.execute(
        select(gaps.c.since, gaps.c.until)
        .where((gaps.c.feed == feed) & gaps.c.filled_at.is_(None))
        .order_by(gaps.c.id.desc())
        .limit(_MOST_GAPS)
    )
    return tuple(as_value(Gap, row) for row in rows)


def _dead(
    connection: Connection, now: datetime
) -> dict[str, dict[DeadReason, tuple[int, int]]]:
    """Return how many unreadable events a feed has, by reason: new ones, and all."""
    since = now - timedelta(seconds=DAY_S)
    is_new = case((dead_letters.c.received_at > since, 1), else_=0)
    rows = connection.execute(
        select(
            dead_letters.c.feed, dead_letters.c.reason, func.sum(is_new), func.count()
        ).group_by(dead_letters.c.feed, dead_letters.c.reason)
    )
    found: dict[str, dict[DeadReason, tuple[int, int]]] = defaultdict(dict)
    for feed, reason, new, stored in rows:
        found[feed][DeadReason[reason]] = (int(new), stored)
    return found


def _costs_since(connection: Connection, then: datetime) -> tuple[ModelCost, ...]:
    """Sum up what each model used in checks after `then`, by name."""
    counted = (
        model_uses.c.calls,
        model_uses.c.remembered,
        model_uses.c.input_tokens,
        model_uses.c.output_tokens,
        model_uses.c.billionths,
    )
    rows = connection.execute(
        select(model_uses.c.model, *map(func.sum, counted))
        .where(model_uses.c.used_at > then)
        .group_by(model_uses.c.model)
        .order_by(model_uses.c.model)
    )
    return tuple(
        ModelCost(
            model,
            int(calls),
            int(remembered),
            int(tokens_in),
            int(tokens_out),
            Decimal(int(billionths)) / BILLION,
        )
        for model, calls, remembered, tokens_in, tokens_out, billionths in rows
    )


def _findings(
    connection: Connection, now: datetime, notes: tuple[NotesStatus, ...]
) -> FindingsStatus:
    """Sum up the checks of the last week, and all suggestions that are stored."""
    standing = _open(connection)
    return FindingsStatus(
        pages=_checked_pages(connection),
        last_check_at=connection.scalar(select(func.max(checks.c.checked_at))),
        days=_days(connection, now),
        flagged={kind: standing.get(kind.name, 0) for kind in CheckKind},
        doubtful=standing.get(None, 0),
        closed=connection.scalar(
            select(func.count()).where(suggestions.c.closed_at.is_not(None))
        )
        or 0,
        sources_day=_sources(connection, now, DAY_S),
        sources_week=_sources(connection, now, WEEK_S),
        notes=notes,
    )


def _patrolled(connection: Connection, now: datetime) -> tuple[PatrolStatus, ...]:
    """Return the figures of each wiki whose edits are looked at."""
    waits = (tasks.c.kind == TaskKind.PATROL.name) & (tasks.c.state == WAITING)
    waiting = _ages_by(
        connection, tasks, tasks.c.wiki, tasks.c.due_at, now, where=waits
    )
    today = counts_since(connection, now)
    week = counts_since(connection, now - timedelta(days=_DAYS - 1))
    return tuple(
        PatrolStatus(
            wiki, waiting.get(wiki, Ages()), today.get(wiki, PatrolCounts()), counts
        )
        for wiki, counts in week.items()
    )


def _checked_pages(connection: Connection) -> int:
    """Count the pages with a run: others are only patrolled, or refuse notes."""
    of_check = checks.c.revision == revisions.c.id
    query = select(func.count(revisions.c.page.distinct())).join(checks, of_check)
    return connection.scalar(query) or 0


def _days(connection: Connection, now: datetime) -> tuple[DayOfChecks, ...]:
    """Return the sums of each of the last days, from one query."""
    edges = [now - timedelta(days=days) for days in range(_DAYS + 1)]
    day = case(
        *((checks.c.checked_at > edge, at) for at, edge in enumerate(edges[1:])),
        else_=_DAYS,
    )
    counted = (checks.c.claims, checks.c.unchecked, *_VERDICTS.values())
    rows = connection.execute(
        select(day, func.count(), *map(func.sum, counted))
        .where((checks.c.checked_at > edges[-1]) & (checks.c.checked_at <= now))
        .group_by(day)
    )
    found = {row[0]: [int(number) for number in row[1:]] for row in rows}
    empty = [0] * (len(counted) + 1)
    return tuple(_day(edges[at], found.get(at, empty)) for at in range(_DAYS))


def _day(until: datetime, sums: list[int]) -> DayOfChecks:
    made, claims, unchecked, *verdicts = sums
    return DayOfChecks(
        until, made, claims, dict(zip(_VERDICTS, verdicts, strict=True)), unchecked
    )


def _open(connection: Connection) -> dict[str | None, int]:
    rows = connection.execute(
        select(suggestions.c.flag_kind, func.count())
        .where(suggestions.c.closed_at.is_(None))
        .group_by(suggestions.c.flag_kind)
    )
    return dict(rows.all())


def _sources(connection: Connection, now: datetime, span_s: float) -> SourcesStatus:
    newest = (  # of each page
        select(func.max(checks.c.id).label("check_id"))
        .join(revisions, revisions.c.id == checks.c.revision)
        .where(checks.c.checked_at > now - timedelta(seconds=span_s))
        .group_by(revisions.c.page)
        .subquery()
    )
    rows = connection.execute(
        select(source_fetches.c.outcome, func.count())
        .join(newest, newest.c.check_id == source_fetches.c.check_id)
        .group_by(source_fetches.c.outcome)
        .order_by(func.count().desc(), source_fetches.c.outcome)
    )
    return SourcesStatus(
        pages=connection.scalar(select(func.count()).select_from(newest)) or 0,
        outcomes={SourceOutcome[name]: count for name, count in rows},
    )


def _planned(connection: Connection, now: datetime) -> PlansStatus:
    """Count what waits to be planned, and list what fails."""
    waits = IS_PLAN & (tasks.c.state == WAITING)
    counted = _ages_by(
        connection, tasks, tasks.c.kind, tasks.c.due_at, now, where=waits
    )
    return PlansStatus(
        waiting={kind: counted.get(kind.task.name, Ages()) for kind in PlanKind},
        failing=tuple(
            replace(one, note=one.note[:_NOTE_CHARS])
            for one in failing_plans(connection, _MOST_PLANS)
        ),
    )


def _shown_notes(connection: Connection) -> tuple[NotesStatus, ...]:
    """Count the notes people were shown, by check kind, and what became of them."""
    rows = connection.execute(
        select(shown_notes.c.check_kind, shown_notes.c.state, func.count())
        .where(shown_notes.c.shown_at > NEVER)
        .group_by(shown_notes.c.check_kind, shown_notes.c.state)
        .order_by(shown_notes.c.check_kind)
    )
    found: dict[str, dict[NoteState, int]] = defaultdict(
        lambda: dict.fromkeys(NoteState, 0)
    )
    for kind, state, count in rows:
        found[kind or ""][NoteState[state]] = count
    return tuple(
        NotesStatus(
            kind,
            sum(states.values()),
            states[NoteState.SETTLED],
            states[NoteState.DISMISSED],
        )
        for kind, states in found.items()
    )


def _watched(connection: Connection) -> tuple[WatchesStatus, ...]:
    """Return the opt-ins in force on each wiki."""
    pages: dict[str, int] = dict(
        connection.execute(
            select(
                watched_pages.c.wiki, func.count(watched_pages.c.title.distinct())
            ).group_by(watched_pages.c.wiki)
        ).all()
    )
    kinds: dict[str, dict[WatcherKind, int]] = defaultdict(
        lambda: dict.fromkeys(WatcherKind, 0)
    )
    talk: dict[str, int] = defaultdict(int)
    chosen = select(watches.c.wiki, watches.c.kind, watches.c.surfaces)
    for wiki, kind, surfaces in connection.execute(chosen):
        kinds[wiki][WatcherKind[kind]] += 1
        talk[wiki] += Surface.TALK.name in sanitise.unlisted(surfaces)
    return tuple(
        WatchesStatus(wiki, kinds[wiki], pages.get(wiki, 0), talk[wiki])
        for wiki in sorted(kinds)
    )


def _configured(connection: Connection) -> tuple[CommunityStatus, ...]:
    """Return the configuration pages of wikis as last read."""
    rows = connection.execute(select(communities).order_by(communities.c.wiki))
    return tuple(CommunityStatus(row.wiki, community_page(row)) for row in rows)


def _scheduled(connection: Connection) -> tuple[ScheduledStatus, ...]:
    """Return the scheduled tasks that have ever run."""
    rows = connection.execute(select(role_leases).order_by(role_leases.c.name))
    return tuple(
        ScheduledStatus(row.name, row.began_at, row.holder, row.until) for row in rows
    )


def _decided(connection: Connection, since: datetime) -> DecisionsStatus:
    """Count the decisions at `since` or later."""
    kinds, closed = count_decisions(connection, since)
    reports = count_reports(connection, since)
    return DecisionsStatus(
        since, kinds, closed, tallies_since(connection, since), reports
    )


def _spent_today(connection: Connection, now: datetime) -> SpendingStatus:
    """Return what is booked on the day (UTC) of `now`."""
    day = day_of(now)
    chosen = select(spending).filter_by(day=day)
    row = connection.execute(chosen).one_or_none()
    refused = _refused(connection, day)
    if row is None:
        return SpendingStatus(refused=refused)
    settled, reserved = (Decimal(one) / BILLION for one in (row.settled, row.reserved))
    return SpendingStatus(settled, reserved, row.calls, row.refused_at, refused)


def _refused(connection: Connection, day: date) -> Mapping[PayerKind, int]:
    """Return the number of payers, by kind, whose last request was refused."""
    columns = spending_parts.c
    was_refused = (columns.day == day) & columns.refused_at.is_not(None)
    found = {}
    for kind in PayerKind:
        of_kind = columns.payer.startswith(f"{kind.value}:")
        several = select(func.count()).where(was_refused & of_kind)
        if count := connection.scalar(several):
            found[kind] = count
    return found
