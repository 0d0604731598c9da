"""Forgets what need not be known any longer, in small transactions.

Names of people go after a month, and so do old runs, but for the newest of each page.
Titles in user space hold names, too. So of what was posted there only the last stays,
which the next plan is judged by, and nothing once nobody asks for it any longer. Of
posts to the talk pages of articles stays which notes they told, for none is told twice.
Who a reader of the panel was goes, too, and what they decided and judged stays without
them: what it closed must stay closed, and what it says of precision is nobody's. A
reader who comes back after that is a stranger.
Of suggestions that were closed long ago stays what people said of them: who decided
what, what readers closed, which notes were told where, each known by the identity of the
suggestion. A claim that comes back has the same identity, so nobody is told again what
they took away. An update has not: a later one is known by the words of the one that is
kept. So of these stay all that anybody was told, or decided on.
A share of the work that is forgotten begins again where the others stand, as one that had
nothing waiting does; see `bot.records.tasks`.

What is due is found by reading, and what may have come into use meanwhile is checked
again by the statement that removes it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
from bot.store.jobs import IS_CHECK
from bot.store.posts import IS_PLAN, MADE, OPEN
from bot.store.schedule import EVERYBODY
from bot.store.schema import (
    accuracy_days,
    checks,
    dead_letters,
    decisions,
    discoveries,
    drafts,
    holes,
    hosts,
    judgements,
    kept_answers,
    kept_criteria,
    link_visits,
    looks,
    pages,
    panel_edits,
    post_counts,
    posts,
    reader_sessions,
    reservations,
    revisions,
    shares,
    sign_ins,
    spending,
    spending_parts,
    suggestions,
    tasks,
    told_notes,
    watched_pages,
    watches,
)
from bot.store.spending import day_of
from bot.store.suggestions import is_decided, is_named_in, is_update
from bot.store.supplied import forget_supplied
from bot.store.tasks import IDLE, LEASED, WAITING

_ANSWERS_FOR = timedelta(days=1)
_SHARES_FOR = timedelta(days=1)
_DRY_PAGE_FOR = timedelta(hours=1)
_SPENDING_FOR = timedelta(days=400)
_LINKS_FOR = timedelta(days=400)  # after which an address has no history any more
_FIGURES_FOR = timedelta(days=800)  # which name nobody, and show how it went
_NO_TEXT = {"text": "", "expected": ""}

_TALK = "talk"  # the task that writes to talk pages of articles
_DRY_RUN = "dry-run"  # the task whose page may be rewritten each minute
_NONE = "[]"  # no identities, in JSON
_OPEN = (WAITING, LEASED)
_SETTLED = [state.name for state in PostState if state.name not in OPEN]


@dataclass(frozen=True, slots=True)
class SweepRules:
    """After how many days something is forgotten.

    `names_days` is for names of people and for events that could not be read, which
    may hold some; `checks_days` for runs over pages; `closed_days` for suggestions that
    were closed; `rest_days` for what the program wrote down for itself, and
    `criteria_days` for what belongs into sections. A transaction removes at most `batch`
    rows of one table.
    """

    names_days: float = 30.0
    checks_days: float = 30.0
    closed_days: float = 30.0
    rest_days: float = 30.0
    criteria_days: float = 180.0
    batch: int = 500


@dataclass(frozen=True, slots=True)
class _Due:
    """Rows of `table` to be removed, or set to `values`, where `which` holds.

    `still` is what of it has to hold when that is done, if that is less: a condition
    on other tables would lock their rows. `values` make a row no longer due.
    """

    table: Table
    which: ColumnElement[bool]
    still: ColumnElement[bool] | None = None
    values: dict[str, Any] | None = None
    lock: Callable[[Connection, Sequence[Row[Any]]], object] = lambda _made, _rows: None


def sweep(database: Transactions, now: datetime, rules: SweepRules) -> Counter[str]:
    """Forget what is old, a batch in each transaction; return how many rows, by what.

    Raises:
        PermanentError, TemporaryError: for what a database can do; what was removed
            before stays removed.
    """
    counts: Counter[str] = Counter()
    for what, due in _all_due(now, rules):
        counts[what] += _forget(database, due, rules.batch)
    counts["supplied"] = database.write(lambda made: forget_supplied(made, now))
    return counts


def _all_due(now: datetime, rules: SweepRules) -> Iterator[tuple[str, _Due]]:
    """Yield what to forget, in this order, and what it counts as."""

    def before(days: float) -> datetime:
        return now - timedelta(days=days)

    names, rest, old_runs = map(
        before, (rules.names_days, rules.rest_days, rules.checks_days)
    )
    old, late = _is_settled(names), _is_settled(now - _DRY_PAGE_FOR)
    is_old_note = told_notes.c.told_at < names
    yield "posts", _Due(posts, old & _is_outdated(), old)
    yield "posts", _Due(posts, late & _is_dry_page_of_before(), late)
    yield "texts", _Due(posts, old & _is_talk_of_before(), old, _NO_TEXT)
    yield "told_notes", _shown_to_nobody(names)
    yield "names", _Due(posts, old & (posts.c.user != ""), values={"user": ""})
    has_name = told_notes.c.watcher != ""
    yield "names", _Due(told_notes, is_old_note & has_name, values={"watcher": ""})
    yield "dead_letters", _Due(dead_letters, dead_letters.c.received_at < names)
    yield "holes", _Due(holes, holes.c.filled_at < rest)
    yield "checks", _outdated_checks(old_runs)
    yield "discoveries", _outdated_discoveries(old_runs)
    old_criteria = kept_criteria.c.kept_at < before(rules.criteria_days)
    yield "criteria", _Due(kept_criteria, old_criteria)
    is_dropped = drafts.c.state == DraftState.DROPPED.name
    yield "drafts", _Due(drafts, is_dropped & (drafts.c.changed_at < names))
    yield "suggestions", _closed_suggestions(before(rules.closed_days))
    yield "revisions", _unused_revisions()
    yield "post_counts", _Due(post_counts, post_counts.c.day < day_of(rest))
    yield "plans", _Due(tasks, _is_done(rest))
    yield "jobs", _unwatched_jobs(rest)
    for table, at in ((decisions, "decided_at"), (judgements, "judged_at")):
        is_known = (table.c[at] < names) & table.c.reader.is_not(None)
        yield "readers", _Due(table, is_known, values={"reader": None})
    for table in (reader_sessions, sign_ins):
        yield "sessions", _Due(table, table.c.expires_at <= now)
    yield "answers", _Due(kept_answers, kept_answers.c.kept_at < now - _ANSWERS_FOR)
    yield "looks", _Due(looks, looks.c.changed_at < names)
    yield "links", _Due(link_visits, link_visits.c.last_seen < now - _LINKS_FOR)
    is_past = panel_edits.c.saved_at < now - _FIGURES_FOR
    yield "panel_edits", _Due(panel_edits, is_past)
    old_days = accuracy_days.c.day < day_of(now - _FIGURES_FOR)
    yield "accuracy_days", _Due(accuracy_days, old_days)
    yield "hosts", _Due(hosts, hosts.c.changed_at < now - _SHARES_FOR)
    yield "shares", _idle_shares(now - _SHARES_FOR)
    yield "payers", _Due(spending_parts, spending_parts.c.day < day_of(names))
    long_ago = day_of(now - _SPENDING_FOR)
    yield "reservations", _Due(reservations, reservations.c.day < long_ago)
    yield "spending", _Due(spending, spending.c.day < long_ago)


def _forget(database: Transactions, due: _Due, batch: int) -> int:
    """Forget rows, at most `batch` in a transaction; return how many.

    Rows with one key are gone through in its order. Others are not: they would be sorted
    each time, or the whole table read in that order.
    """
    keys = tuple(due.table.primary_key.columns)
    wanted = select(*keys).where(due.which).limit(batch)
    is_ordered = len(keys) == 1
    some = wanted.order_by(*keys) if is_ordered else wanted
    found = 0
    while rows := database.read(partial(_chosen, some)):
        done = database.write(partial(_forgotten, due, rows))
        found += done
        if is_ordered:
            some = wanted.where(keys[0] > rows[-1][0]).order_by(*keys)
        elif not done:
            break
    return found


def _chosen(wanted: Select[Any], connection: Connection) -> Sequence[Row[Any]]:
    return connection.execute(wanted).all()


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
    """Yield conditions that name rows by their keys.

    Rows whose keys differ in the last column alone are named together. A list
    of whole keys would do for all; MariaDB thinks a second about one of 500 pairs.
    """
    *firsts, last = table.primary_key.columns
    alike: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        alike.setdefault(tuple(row[:-1]), []).append(row[-1])
    for known, ends in alike.items():
        same = (column == value for column, value in zip(firsts, known, strict=True))
        yield and_(true(), *same, last.in_(ends))


def _shown_to_nobody(before: datetime) -> _Due:
    """Return notes on reports that are no longer kept; those on talk pages stay."""
    here, at = told_notes.c.wiki, told_notes.c.place
    on_talk_page = exists().where(
        (posts.c.wiki == here) & (posts.c.title == at) & (posts.c.task == _TALK)
    )
    on_report = exists().where((watches.c.wiki == here) & (watches.c.report == at))
    is_old = told_notes.c.told_at < before
    return _Due(told_notes, is_old & ~on_talk_page & ~on_report, is_old)


def _outdated_checks(before: datetime) -> _Due:
    """Return old runs where a later one over the same page is known, which counts."""
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
    """Return old runs where a later one over the same page is known."""
    later = discoveries.alias()
    is_last = ~exists().where(
        (later.c.page == discoveries.c.page)
        & (later.c.searched_at > discoveries.c.searched_at)
    )
    is_old = discoveries.c.searched_at < before
    return _Due(discoveries, is_old & ~is_last, is_old)


def _closed_suggestions(before: datetime) -> _Due:
    is_old = suggestions.c.closed_at < before
    is_known_by = is_update() & (is_decided() | is_named_in(told_notes))
    return _Due(suggestions, is_old & ~is_known_by, is_old)


def _unused_revisions() -> _Due:
    is_used = or_(
        exists().where(checks.c.revision == revisions.c.id),
        exists().where(suggestions.c.revision == revisions.c.id),
    )
    return _Due(revisions, ~is_used, lock=_lock_pages)


def _lock_pages(connection: Connection, rows: Sequence[Row[Any]]) -> None:
    """Keep those away who save a run over one of these revisions just now."""
    numbers = [row.id for row in rows]
    theirs = select(revisions.c.page).where(revisions.c.id.in_(numbers))
    locked = select(pages.c.id).where(pages.c.id.in_(theirs)).order_by(pages.c.id)
    connection.execute(locked.with_for_update()).all()


def _is_done(before: datetime) -> ColumnElement[bool]:
    searched = tasks.c.kind == TaskKind.UPDATE.name
    is_done = (IS_PLAN | searched) & (tasks.c.state == IDLE)
    return is_done & (tasks.c.changed_at < before)


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
        & (tasks.c.party == shares.c.party)
        & tasks.c.state.in_(_OPEN)
    )
    is_old = (shares.c.party != EVERYBODY) & (shares.c.changed_at < before)
    return _Due(shares, is_old & ~waits)


def _is_settled(before: datetime) -> ColumnElement[bool]:
    """Tell which posts were settled before a time."""
    return posts.c.state.in_(_SETTLED) & (posts.c.changed_at < before)


def _is_outdated() -> ColumnElement[bool]:
    """Tell which settled posts nothing is judged by any longer.

    Those to talk pages say which notes were told, by a post or in a dry run alone.
    """
    nobodys = ~(
        exists().where(
            (watches.c.wiki == posts.c.wiki) & (watches.c.place == posts.c.title)
        )
        | exists().where(
            (watches.c.wiki == posts.c.wiki) & (watches.c.report == posts.c.title)
        )
    )
    tells = _holds(posts.c.adds) | _holds(posts.c.settles)
    return or_(
        ~posts.c.state.in_(MADE),
        (posts.c.task == _TALK) & ~_is_last() & ~tells,
        (posts.c.task != _TALK) & (~_is_last() | nobodys),
    )


def _is_dry_page_of_before() -> ColumnElement[bool]:
    """Tell what the page that shows a dry run once said: hundreds of kB each time."""
    made = posts.c.state.in_(MADE)
    return made & (posts.c.task == _DRY_RUN) & ~_is_last()


def _is_talk_of_before() -> ColumnElement[bool]:
    """Tell which texts of talk pages are not the last that was written there."""
    has_text = (posts.c.text != "") | (func.coalesce(posts.c.expected, "") != "")
    return (posts.c.task == _TALK) & ~_is_last() & has_text


def _holds(identities: ColumnElement[str | None]) -> ColumnElement[bool]:
    return func.coalesce(identities, _NONE).not_in(["", _NONE])


def _is_last() -> ColumnElement[bool]:
    """Tell which posts are the last of their page and task: on the wiki, or at all."""

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
