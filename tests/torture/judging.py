"""Compares what the store holds at the end with what processes were told it holds."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import Connection, Engine, func, select, text

from bot.records.changes import Position
from bot.records.posts import Posted, PostState, Refused, Shown
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import NoteState
from bot.store import Store
from bot.store.posts import Scope
from bot.store.schema import (
    checks,
    claim_checks,
    metadata,
    pages,
    post_counts,
    posts,
    revisions,
    shown_notes,
    tasks,
)
from tests.bot.daemon.intake.world import WIKI
from tests.torture.ledger import Ledger
from tests.torture.pages import Revisions

_SETTLED = {PostState.POSTED, PostState.SHOWN, PostState.REFUSED, PostState.DROPPED}
_MOST = 5  # faults of one kind


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged. `was_made` tells whether a post stands on the wiki, by name."""

    store: Store
    engine: Engine
    ledgers: Sequence[Ledger]
    revisions: Revisions
    was_made: Callable[[str], bool]


def judge(case: Case) -> tuple[str, ...]:
    """Return all that was lost or doubled, or is at odds with itself."""
    found = [fault for ledger in case.ledgers for fault in ledger.faults]
    with case.engine.connect() as connection:
        for judgement in (
            _batches,
            _jobs,
            _intended_posts,
            _checks,
            _posts,
            _shown_notes,
            _counts,
            _tables,
        ):
            found += list(judgement(case, connection))[:_MOST]
    found += [*_pages(case), *_watches(case), *_turns(case), *_leases(case)]
    return tuple(found)


def figures(case: Case) -> dict[str, int]:
    """Return how much went on."""
    counted = case.store.outbox.counts()
    all_ = case.ledgers
    return {
        "batches kept": sum(len(kept) for one in all_ for kept in one.batches.values()),
        "checks saved": sum(len(one.checks) for one in all_),
        "plans begun": sum(len(one.plans) for one in all_),
        "posts made": counted[PostState.POSTED] + counted[PostState.SHOWN],
        "tries": sum(len(one.tries) for one in all_),
        "turns": sum(len(one.turns) for one in all_),
        "failures waited out": sum(sum(one.troubles.values()) for one in all_),
    }


def _batches(case: Case, _: Connection) -> Iterator[str]:
    for ledger in case.ledgers:
        for feed, kept in ledger.batches.items():
            position = case.store.feeds.position(feed)
            for batch in kept:
                if batch.position and not _reaches(position, batch.position):
                    yield f"the position of {feed} went back"


def _reaches(position: Position | None, kept: Position) -> bool:
    now = {one.topic: one.timestamp or 0 for one in position.topics} if position else {}
    return all(now.get(one.topic, -1) >= (one.timestamp or 0) for one in kept.topics)


def _jobs(case: Case, connection: Connection) -> Iterator[str]:
    checked = select(tasks).where(tasks.c.kind == TaskKind.CHECK.name)
    known = {row.subject: row for row in connection.execute(checked)}
    for ledger in case.ledgers:
        for job in ledger.jobs:
            row = known.get(job.title)
            # A wish for whatever is newest, made after the change, covers it.
            if row is None or (
                (row.revision or 0) < (job.revision_id or 0)
                and row.asked_at < job.asked_at
            ):
                yield f"{job} is lost: {row}"
    for title, row in known.items():
        if row.state != TaskState.IDLE.name:
            yield f"the job of {title} is {row.state.lower()}: {row.note}"


def _intended_posts(case: Case, connection: Connection) -> Iterator[str]:
    known = {(row.kind, row.subject) for row in connection.execute(select(tasks))}
    for ledger in case.ledgers:
        for intended_post in ledger.intended_posts:
            if (intended_post.kind.task.name, intended_post.subject) not in known:
                yield f"a plan of {intended_post.subject} ({intended_post.kind.name}) is lost"


def _checks(case: Case, connection: Connection) -> Iterator[str]:
    rows = connection.execute(
        select(
            pages.c.title,
            revisions.c.number,
            checks.c.checked_at,
            checks.c.claims,
            select(func.count())
            .where(claim_checks.c.check_id == checks.c.id)
            .scalar_subquery(),
        )
        .join(revisions, revisions.c.page == pages.c.id)
        .join(checks, checks.c.revision == revisions.c.id)
    )
    known = {(row[0], row[1], row[2]): (row[3], row[4]) for row in rows}
    for ledger in case.ledgers:
        for check in ledger.checks:
            held = known.get((check.title, check.revision_id, check.checked_at))
            if held != (check.claims, check.claims):
                yield f"a check of {check.title} at {check.revision_id} is lost: {held}"
    for key, (recorded, held) in known.items():
        if recorded != held:
            yield f"a check of {key[0]} is half there: {recorded} claims, {held} rows"


def _posts(case: Case, connection: Connection) -> Iterator[str]:
    known = {
        row.name: PostState[row.state] for row in connection.execute(select(posts))
    }
    for name, state in known.items():
        if state not in _SETTLED:
            yield f"a post is {state.name.lower()} at the end"
        if case.was_made(name) != (state in {PostState.POSTED, PostState.SHOWN}):
            yield f"a post is {state.name}, and on the wiki: {case.was_made(name)}"
    for ledger in case.ledgers:
        for name in ledger.posts.keys() - known.keys():
            yield f"the post {name[:12]} is lost"
        for name, outcome in ledger.settled.items():
            if _states(outcome) and known.get(name) not in _states(outcome):
                yield f"a post that was {outcome} is {known.get(name)}"
    yield from _twice("tried", (one for each in case.ledgers for one in each.tries))


def _states(outcome: object) -> tuple[PostState, ...]:
    match outcome:
        case Posted():
            return (PostState.POSTED,)
        case Shown():
            return (PostState.SHOWN,)
        case Refused():
            return (PostState.REFUSED,)
    return ()


def _shown_notes(case: Case, connection: Connection) -> Iterator[str]:
    rows = list(connection.execute(select(shown_notes)))
    known = {(row.place, row.identity): NoteState[row.state] for row in rows}
    done = {PostState.POSTED.name, PostState.SHOWN.name}
    named = {name: post for each in case.ledgers for name, post in each.posts.items()}
    names = connection.scalars(select(posts.c.name).where(posts.c.state.in_(done)))
    for name in names:
        if (post := named.get(name)) is not None:
            for identity in post.adds:
                if (post.title, identity) not in known:
                    yield f"a note on {post.title} is on the wiki and not in the store"
    for ledger in case.ledgers:
        for key in ledger.dismissed:
            if known.get(key) is not NoteState.DISMISSED:
                yield f"a note that was dismissed is {known.get(key)}"


def _counts(_: Case, connection: Connection) -> Iterator[str]:
    used: Counter[tuple[object, ...]] = Counter()
    for row in connection.execute(select(posts).where(posts.c.counted_on.is_not(None))):
        key = (row.counted_on, row.task)
        used[*key, Scope.ALL.name, "", ""] += 1
        used[*key, Scope.WIKI.name, row.wiki, ""] += 1
        used[*key, Scope.USER.name, row.wiki, row.user] += 1
        used[*key, Scope.PAGE.name, row.wiki, row.title] += 1
    counted: dict[tuple[object, ...], int] = {
        (row.day, row.task, row.scope, row.wiki, row.subject): row.used
        for row in connection.execute(select(post_counts))
    }
    for place in used.keys() | counted.keys():
        if used[place] != counted.get(place, 0):
            yield f"{counted.get(place, 0)} posts counted of {used[place]}: {place}"


def _tables(case: Case, connection: Connection) -> Iterator[str]:
    if case.engine.dialect.name == "sqlite":
        for (problem,) in connection.execute(text("PRAGMA integrity_check")):
            if problem != "ok":
                yield f"SQLite says {problem}"
        if broken := connection.execute(text("PRAGMA foreign_key_check")).all():
            yield f"rows without owner: {broken[:3]}"
        return
    for table in metadata.tables:
        for row in connection.execute(text(f"CHECK TABLE {table} EXTENDED")):
            if row[-1] != "OK":
                yield f"MariaDB says of {table}: {row[-1]}"


def _pages(case: Case) -> Iterator[str]:
    for title in case.revisions.edited():
        newest = case.revisions.of(title)
        last = case.store.last_check(WIKI, title)
        if last is None or last.page.revision_id != newest:
            yield f"revision {newest} of {title} was never looked at"
        of = {
            suggestion.suggestion.page.revision_id
            for suggestion in case.store.suggestions_of(WIKI, title)
        }
        if last and of and max(number or 0 for number in of) > newest:
            yield f"suggestions of {title} are from {of}"


def _watches(case: Case) -> Iterator[str]:
    for ledger in case.ledgers:
        for place, watch in ledger.watches.items():
            if case.store.watches.get(WIKI, place) != watch:
                yield f"the watch on {place} is not as it was kept last"


def _turns(case: Case) -> Iterator[str]:
    by_task: dict[str, list[tuple[object, ...]]] = {}
    for ledger in case.ledgers:
        for turn in ledger.turns:
            of = by_task.setdefault(turn.task, [])
            of.append((turn.begin, turn.end, turn.holder))
    for task, turns in by_task.items():
        for one, other in combinations(sorted(turns, key=lambda each: str(each[0])), 2):
            if one[2] != other[2] and str(other[0]) < str(one[1]):
                yield f"two had the turn of {task} at {other[0]}"
                return


def _leases(case: Case) -> Iterator[str]:
    yield from _twice("leased", (one for each in case.ledgers for one in each.leases))
    yield from _twice("planned", (one for each in case.ledgers for one in each.plans))


def _twice(what: str, seen: Iterable[object]) -> Iterator[str]:
    for one, times in Counter(seen).items():
        if times > 1:
            yield f"{one} was {what} by {times} at once"
