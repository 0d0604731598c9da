"""Forgets what is no longer needed, in small transactions.

Names of people are removed after a month, and so are old runs, except the newest of
each page. Titles in user space contain names, too. So of the posts there only the last
is kept, for the next plan to compare with, and none once nobody asks for it. For posts
to the talk pages of articles, the record of their notes is kept, since no note is
posted twice. Who a reader of the panel was is removed as well, but their decisions and
judgements are kept without them: what they closed must stay closed, and their share in
the measured precision is anonymous. A reader who comes back later is a stranger.

For suggestions closed long ago, what people said of them is kept: who decided what, what
readers closed, and which notes were posted where, each by the identity of the
suggestion. A claim that comes back has the same identity, so nobody is shown again what
they removed. That does not hold for an update: a later one is recognised by the text of
an earlier one. So updates that anybody was shown, or decided on, are kept whole.

A forgotten share of the work starts again level with the others, like one that had
nothing waiting; see `bot.records.tasks`.

A query finds what is due, and the statement that removes it checks again whether it has
come into use since.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    update,
)

from bot.records.dossiers import DraftState
from bot.records.posts import PostState
from bot.records.tasks import TaskKind
from bot.store.database import Transactions
from bot.store.decisions import share_out_voices
from bot.store.fetches import forget_supplied
from bot.store.jobs import IS_CHECK
from bot.store.posts import IS_PLAN, MADE, OPEN, has_notes
from bot.store.schema import (
    accuracy_days,
    check_states,
    checks,
    dead_letters,
    decisions,
    discoveries,
    drafts,
    gaps,
    hosts,
    judgements,
    link_visits,
    noted_edits,
    pages,
    panel_edits,
    patrol_days,
    post_counts,
    posts,
    reader_sessions,
    reservations,
    revisions,
    shares,
    shown_notes,
    sign_ins,
    spending,
    spending_parts,
    stored_answers,
    stored_criteria,
    suggestions,
    tasks,
    watched_pages,
    watches,
)
from bot.store.spending import day_of
from bot.store.suggestions import is_decided, is_named_in, is_update
from bot.store.tasks import EVERYBODY, IDLE, LEASED, PARKED, WAITING

_ANSWERS_FOR = timedelta(days=1)
_SHARES_FOR = timedelta(days=1)
_DRY_PAGE_FOR = timedelta(hours=1)
_SPENDING_FOR = timedelta(days=400)
_LINKS_FOR = timedelta(days=400)  # then an address's history is removed
_PATROL_FOR = timedelta(days=1)  # a wiki can have 100,000 of them a day
_FIGURES_FOR = timedelta(days=800)  # they have no names, and show the trend
_NO_TEXT = {"text": "", "expected": ""}

_TALK = "talk"  # the task that writes to talk pages of articles
_DRY_RUN = "dry-run"  # the task whose page may be rewritten each minute
_OPEN = (WAITING, LEASED)
_SETTLED = [state.name for state in PostState if state.name not in OPEN]


@dataclass(frozen=True, slots=True)
class SweepRules:
    """The number of days after which something is forgotten.

    `names_days` is for names of people, and for events that could not be read, which
    may contain some; `checks_days` for runs over pages; `closed_days` for closed
    suggestions; `rest_days` for the program's own records, and `criteria_days` for what
    belongs in sections. A transaction removes at most `batch` rows of one table.
    """

    names_days: float = 30.0
    checks_days: float = 30.0
    closed_days: float = 30.0
    rest_days: float = 30.0
    criteria_days: float = 180.0
    batch: int = 500


@dataclass(frozen=True, slots=True)
class _Due:
    """Rows of `table` to be removed, or set to `values`, if `which` holds.

    `still` is the part of it to check again when that is done: a condition on other
    tables would lock their rows. `values` must make a row no longer due.
    """

    table: Table
    which: ColumnElement[bool]
    still: ColumnElement[bool] | None = None
    values: dict[str, Any] | None = None
    lock: Callable[[Connection, Sequence[Row[Any]]], object] = (
        lambda _connection, _rows: None
    )


def sweep(database: Transactions, now: datetime, rules: SweepRules) -> Counter[str]:
    """Forget what is old, a batch in each transaction; return how many rows, by kind.

    Raises:
        PermanentError, TemporaryError: the database failed; what was removed before
            stays removed.
    """
    counts: Counter[str] = Counter()
    for what, due in _all_due(now, rules):
        counts[what] += _forget(database, due, rules.batch)
    counts["supplied"] = database.write(
        lambda connection: forget_supplied(connection, now)
    )
    return counts


def _all_due(now: datetime, rules: SweepRules) -> Iterator[tuple[str, _Due]]:
    """Yield what to forget, in this order, with the name it is counted under."""

    def before(days: float) -> datetime:
        return now - timedelta(days=days)

    names, rest, old_runs = map(
        before, (rules.names_days, rules.rest_days, rules.checks_days)
    )
    old, late = _is_settled(names), _is_settled(now - _DRY_PAGE_FOR)
    is_old_note = shown_notes.c.shown_at < names
    yield "posts", _Due(posts, old & _is_outdated(), old)
    yield "posts", _Due(posts, late & _is_dry_page_of_before(), late)
    yield "texts", _Due(posts, old & _is_talk_of_before(), old, _NO_TEXT)
    yield "told_notes", _shown_to_nobody(names)
    yield "names", _Due(posts, old & (posts.c.user != ""), values={"user": ""})
    has_name = shown_notes.c.watcher != ""
    yield "names", _Due(shown_notes, is_old_note & has_name, values={"watcher": ""})
    yield "dead_letters", _Due(dead_letters, dead_letters.c.received_at < names)
    yield "holes", _Due(gaps, gaps.c.filled_at < rest)
    yield "checks", _outdated_checks(old_runs)
    yield "discoveries", _outdated_discoveries(old_runs)
    old_criteria = stored_criteria.c.kept_at < before(rules.criteria_days)
    yield "criteria", _Due(stored_criteria, old_criteria)
    is_dropped = drafts.c.state == DraftState.DROPPED.name
    yield "drafts", _Due(drafts, is_dropped & (drafts.c.changed_at < names))
    yield "suggestions", _closed_suggestions(before(rules.closed_days))
    yield "revisions", _unused_revisions()
    yield "post_counts", _Due(post_counts, post_counts.c.day < day_of(rest))
    yield "plans", _Due(tasks, _is_done(rest))
    yield "jobs", _unwatched_jobs(rest)
    for table, at in ((decisions, "decided_at"), (judgements, "judged_at")):
        is_known = (table.c[at] < names) & table.c.reader.is_not(None)
        forgotten = _Due(table, is_known, values={"reader": None})
        if table is decisions:
            forgotten = replace(forgotten, lock=partial(_share_out, names))
        yield "readers", forgotten
    for table in (reader_sessions, sign_ins):
        yield "sessions", _Due(table, table.c.expires_at <= now)
    yield "answers", _Due(stored_answers, stored_answers.c.kept_at < now - _ANSWERS_FOR)
    yield "looks", _Due(check_states, check_states.c.changed_at < names)
    yield "links", _Due(link_visits, link_visits.c.last_seen < now - _LINKS_FOR)
    is_past = panel_edits.c.saved_at < now - _FIGURES_FOR
    yield "panel_edits", _Due(panel_edits, is_past)
    is_past = noted_edits.c.noted_at < now - _FIGURES_FOR
    yield "noted_edits", _Due(noted_edits, is_past)
    old_days = accuracy_days.c.day < day_of(now - _FIGURES_FOR)
    yield "accuracy_days", _Due(accuracy_days, old_days)
    old_days = patrol_days.c.day < day_of(now - _FIGURES_FOR)
    yield "patrol_days", _Due(patrol_days, old_days)
    yield "patrol", _Due(tasks, _is_patrolled(now - _PATROL_FOR))
    yield "hosts", _Due(hosts, hosts.c.changed_at < now - _SHARES_FOR)
    yield "shares", _idle_shares(now - _SHARES_FOR)
    yield "payers", _Due(spending_parts, spending_parts.c.day < day_of(names))
    long_ago = day_of(now - _SPENDING_FOR)
    yield "reservations", _Due(reservations, reservations.c.day < long_ago)
    yield "spending", _Due(spending, spending.c.day < long_ago)


def _share_out(
    before: datetime, connection: Connection, rows: Sequence[Row[Any]]
) -> None:
    share_out_voices(connection, [row.id for row in rows], before)


def _forget(database: Transactions, due: _Due, batch: int) -> int:
    """Forget rows, at most `batch` in a transaction; return how many.

    Rows with a single key column are taken in its order. Others are not: the database
    would sort them each time, or read the whole table in that order.
    """
    keys = tuple(due.table.primary_key.columns)
    query = select(*keys).where(due.which).limit(batch)
    is_ordered = len(keys) == 1
    some = query.order_by(*keys) if is_ordered else query
    found = 0
    while rows := database.read(partial(_chosen, some)):
        done = database.write(partial(_forgotten, due, rows))
        found += done
        if is_ordered:
            some = query.where(keys[0] > rows[-1][0]).order_by(*keys)
        elif not done:
            break
    return found


def _chosen(query: Select[Any], connection: Connection) -> Sequence[Row[Any]]:
    return connection.execute(query).all()


def _forgotten(due: _Due, rows: Sequence[Row[Any]], connection: Connection) -> int:
    due.lock(connection, rows)
    still = due.which if due.still is None else due.still
    change = (
        delete(due.table)
        if due.values is None
        else update(due.table).values(**due.values)
    )
    each = (change.where(named & still) for named in _named(due.table, rows))
    return sum(connection.execute(one).rowcount for one in each)


def _named(table: Table, rows: Iterable[Row[Any]]) -> Iterator[ColumnElement[bool]]:
    """Yield conditions that select rows by their keys.

    Rows whose keys differ only in the last column are selected together. A list of
    whole keys would be simpler, but MariaDB takes a second to plan one with 500 pairs.
    """
    *firsts, last = table.primary_key.columns
    alike: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        alike.setdefault(tuple(row[:-1]), []).append(row[-1])
    for known, ends in alike.items():
        same = (column == value for column, value in zip(firsts, known, strict=True))
        yield and_(true(), *same, last.in_(ends))


def _shown_to_nobody(before: datetime) -> _Due:
    """Return notes on reports that no longer exist; those on talk pages stay."""
    here, at = shown_notes.c.wiki, shown_notes.c.place
    on_talk_page = exists().where(
        (posts.c.wiki == here) & (posts.c.title == at) & (posts.c.task == _TALK)
    )
    on_report = exists().where((watches.c.wiki == here) & (watches.c.report == at))
    is_old = shown_notes.c.shown_at < before
    return _Due(shown_notes, is_old & ~on_talk_page & ~on_report, is_old)


def _outdated_checks(before: datetime) -> _Due:
    """Return old runs that are outdated by a later one over the same page."""
    later, its_revision = checks.alias(), revisions.alias()
    of = revisions.alias()
    is_later = or_(
        its_revision.c.number > of.c.number,
        and_(
            its_revision.c.number == of.c.number,
            or_(
                later.c.checked_at > checks.c.checked_at,
                (later.c.checked_at == checks.c.checked_at)
                & (later.c.id > checks.c.id),
            ),
        ),
    )
    known = (
        select(later.c.id)
        .join(its_revision, its_revision.c.id == later.c.revision)
        .join(of, of.c.page == its_revision.c.page)
        .where((of.c.id == checks.c.revision) & is_later)
        .correlate(checks)
    )
    is_old = checks.c.checked_at < before
    return _Due(checks, is_old & known.exists(), is_old)


def _outdated_discoveries(before: datetime) -> _Due:
    """Return old runs that are outdated by a later one over the same page."""
    later = discoveries.alias()
    is_last = ~exists().where(
        (later.c.page == discoveries.c.page)
        & (later.c.searched_at > discoveries.c.searched_at)
    )
    is_old = discoveries.c.searched_at < before
    return _Due(discoveries, is_old & ~is_last, is_old)


def _closed_suggestions(before: datetime) -> _Due:
    is_old = suggestions.c.closed_at < before
    is_known_by = is_update() & (is_decided() | is_named_in(shown_notes))
    return _Due(suggestions, is_old & ~is_known_by, is_old)


def _unused_revisions() -> _Due:
    is_used = or_(
        exists().where(checks.c.revision == revisions.c.id),
        exists().where(suggestions.c.revision == revisions.c.id),
    )
    return _Due(revisions, ~is_used, lock=_lock_pages)


def _lock_pages(connection: Connection, rows: Sequence[Row[Any]]) -> None:
    """Block anyone about to save a run over one of these revisions."""
    numbers = [row.id for row in rows]
    theirs = select(revisions.c.page).where(revisions.c.id.in_(numbers))
    locked = select(pages.c.id).where(pages.c.id.in_(theirs)).order_by(pages.c.id)
    connection.execute(locked.with_for_update()).all()


def _is_done(before: datetime) -> ColumnElement[bool]:
    searched = tasks.c.kind == TaskKind.UPDATE.name
    is_done = (IS_PLAN | searched) & (tasks.c.state == IDLE)
    return is_done & (tasks.c.changed_at < before)


def _is_patrolled(before: datetime) -> ColumnElement[bool]:
    is_over = tasks.c.state.in_((IDLE, PARKED))
    is_patrol = tasks.c.kind == TaskKind.PATROL.name
    return is_patrol & is_over & (tasks.c.changed_at < before)


def _unwatched_jobs(before: datetime) -> _Due:
    watched = exists().where(
        (watched_pages.c.wiki == tasks.c.wiki)
        & (watched_pages.c.title == tasks.c.subject)
    )
    is_old = IS_CHECK & (tasks.c.state == IDLE) & (tasks.c.changed_at < before)
    return _Due(tasks, is_old & ~watched, is_old)


def _idle_shares(before: datetime) -> _Due:
    waits = exists().where(
        (tasks.c.wiki == shares.c.wiki)
        & (tasks.c.tenant == shares.c.tenant)
        & tasks.c.state.in_(_OPEN)
    )
    is_old = (shares.c.tenant != EVERYBODY) & (shares.c.changed_at < before)
    return _Due(shares, is_old & ~waits)


def _is_settled(before: datetime) -> ColumnElement[bool]:
    """Return the condition that a post was settled before a time."""
    return posts.c.state.in_(_SETTLED) & (posts.c.changed_at < before)


def _is_outdated() -> ColumnElement[bool]:
    """Return the condition that no plan needs a settled post any longer.

    Those to talk pages are the only record of notes posted, or shown in a dry run.
    """
    nobodys = ~(
        exists().where(
            (watches.c.wiki == posts.c.wiki) & (watches.c.place == posts.c.title)
        )
        | exists().where(
            (watches.c.wiki == posts.c.wiki) & (watches.c.report == posts.c.title)
        )
    )
    return or_(
        ~posts.c.state.in_(MADE),
        (posts.c.task == _TALK) & ~_is_last() & ~has_notes(),
        (posts.c.task != _TALK) & (~_is_last() | nobodys),
    )


def _is_dry_page_of_before() -> ColumnElement[bool]:
    """Return the condition for old texts of the dry-run page: hundreds of kB each time."""
    made = posts.c.state.in_(MADE)
    return made & (posts.c.task == _DRY_RUN) & ~_is_last()


def _is_talk_of_before() -> ColumnElement[bool]:
    """Return the condition for texts of talk pages that are not the last written there."""
    has_text = (posts.c.text != "") | (func.coalesce(posts.c.expected, "") != "")
    return (posts.c.task == _TALK) & ~_is_last() & has_text


def _is_last() -> ColumnElement[bool]:
    """Return the condition that a post is the last of its page and task, made or on the wiki."""

    def later(*states: str) -> ColumnElement[bool]:
        other = posts.alias()
        is_later = or_(
            other.c.changed_at > posts.c.changed_at,
            (other.c.changed_at == posts.c.changed_at) & (other.c.id > posts.c.id),
        )
        same = and_(
            other.c.wiki == posts.c.wiki,
            other.c.title == posts.c.title,
            other.c.task == posts.c.task,
        )
        known = select(other.c.id).where(same & is_later & other.c.state.in_(states))
        return known.correlate(posts).exists()

    posted = PostState.POSTED.name
    return ~later(*MADE) | ((posts.c.state == posted) & ~later(posted))
