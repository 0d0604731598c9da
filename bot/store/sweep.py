"""Forgets what need not be known any longer, in small transactions.

Names of people go after a month, and so do old runs, but for the newest of each page.
Titles in user space hold names, too. So of what was posted there only the last stays,
which the next plan is judged by, and nothing once nobody asks for it any longer. Of
posts to the talk pages of articles stays which notes they told, for none is told twice.
What is due is found by reading, and what may have come into use meanwhile is checked
again by the statement that removes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
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
from bot.store.posts import IS_PLAN
from bot.store.schema import (
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

# Forgets who readers of the panel were, in small transactions.
# What they decided and judged stays, without them: what it closed must stay closed, and
# what it says of precision is nobody's. A reader who comes back after that is a
# stranger.

_ANSWERS_FOR = timedelta(days=1)
_LINKS_FOR = timedelta(days=400)  # after which an address has no history any more


# Forgets whose turn it was at hosts, and who had which share, once that is long ago.
# A share that is forgotten begins again where the others stand, as one that had nothing
# waiting does; see `bot.records.fair_schedule`.

_LONG_AGO = timedelta(days=1)
_OPEN = (WAITING, LEASED)


_DRY_PAGE_FOR = timedelta(hours=1)
_NO_TEXT = {"text": "", "expected": ""}

_TALK = "talk"  # the task that writes to talk pages of articles
_DRY_RUN = "dry-run"  # the task whose page may be rewritten each minute
_NONE = "[]"  # no identities, in JSON
_MADE = [PostState.POSTED.name, PostState.SHOWN.name]
_UNSETTLED = {PostState.WAITING, PostState.TRIED}
_SETTLED = [state.name for state in PostState if state not in _UNSETTLED]
_SPENDING_KEPT_DAYS = 400


@dataclass(frozen=True, slots=True)
class ReaderCounts:
    """How many rows were removed, and from how many a reader was taken."""

    keys: int
    sessions: int
    answers: int
    looks: int


@dataclass(frozen=True, slots=True)
class SharingCounts:
    """How many rows were removed."""

    hosts: int
    shares: int


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
class SweepCounts:
    """How many rows were removed; a text or a name was taken from `texts` and `names`."""

    posts: int
    texts: int
    told_notes: int
    names: int
    dead_letters: int
    holes: int
    checks: int
    discoveries: int
    criteria: int
    drafts: int
    revisions: int
    post_counts: int
    plans: int
    jobs: int
    readers: ReaderCounts
    sharing: SharingCounts
    spending: int
    suggestions: int
    supplied: int = 0
    links: int = 0


@dataclass(frozen=True, slots=True)
class _Task:
    """Rows of `table` to be removed, or set to `values`, where `due` holds.

    `still` is what of it has to hold when that is done, if that is less: a condition
    on other tables would lock their rows.
    """

    table: Table
    due: ColumnElement[bool]
    still: ColumnElement[bool] | None = None
    values: dict[str, Any] | None = None
    prepare: Callable[[Connection, Sequence[int]], object] | None = None


def sweep_readers(
    database: Transactions, now: datetime, names: datetime, batch: int
) -> ReaderCounts:
    """Forget readers whose decisions are older than `names`, and what has run out.

    Raises:
        PermanentError, TemporaryError: for what a database can do; what was removed
            before stays removed.
    """

    def gone(table: Table, due: ColumnElement[bool]) -> int:
        return remove_all(database, table, due, batch)

    def nameless(table: Table, at: ColumnElement[datetime]) -> int:
        due = (at < names) & table.c.reader.is_not(None)
        return remove_all(database, table, due, batch, values={"reader": None})

    return ReaderCounts(
        keys=nameless(decisions, decisions.c.decided_at)
        + nameless(judgements, judgements.c.judged_at),
        sessions=gone(reader_sessions, reader_sessions.c.expires_at <= now)
        + gone(sign_ins, sign_ins.c.expires_at <= now),
        answers=gone(kept_answers, kept_answers.c.kept_at < now - _ANSWERS_FOR),
        looks=gone(looks, looks.c.changed_at < names),
    )


def sweep_sharing(database: Transactions, now: datetime) -> SharingCounts:
    """Remove hosts that were not asked for a day, and shares with nothing in them."""
    before = now - _LONG_AGO
    waits = exists().where(
        (tasks.c.wiki == shares.c.wiki)
        & (tasks.c.party == shares.c.party)
        & tasks.c.state.in_(_OPEN)
    )
    is_idle = (shares.c.party != "") & (shares.c.changed_at < before) & ~waits

    old_hosts = delete(hosts).where(hosts.c.changed_at < before)
    idle_shares = delete(shares).where(is_idle)
    return SharingCounts(
        hosts=database.write(lambda made: made.execute(old_hosts).rowcount),
        shares=database.write(lambda made: made.execute(idle_shares).rowcount),
    )


# Forgets suggestions that were closed long ago, in small transactions.
# What people said of them stays: who decided what, what readers closed, and which notes
# were told where, each known by the identity of the suggestion. A claim that comes back
# has the same identity, so nobody is told again what they took away. An update has not:
# a later one is known by the words of the one that is kept. So of these stay all that
# anybody was told, or decided on.


def sweep_suggestions(database: Transactions, before: datetime, batch: int) -> int:
    """Remove what was closed before a time; return how many.

    Raises:
        PermanentError, TemporaryError: for what a database can do; what was removed
            before stays removed.
    """
    kept = suggestions.c
    is_old = kept.closed_at < before
    was_told = is_named_in(told_notes)
    is_known_by = is_update() & (is_decided() | was_told)
    return remove_all(database, suggestions, is_old & ~is_known_by, batch, still=is_old)


def sweep(database: Transactions, now: datetime, rules: SweepRules) -> SweepCounts:
    """Forget what is old, a batch in each transaction.

    Raises:
        PermanentError, TemporaryError: for what a database can do; what was removed
            before stays removed.
    """

    def before(days: float) -> datetime:
        return now - timedelta(days=days)

    def done(*tasks: _Task) -> int:
        return sum(_do(database, task, rules.batch) for task in tasks)

    names, rest = before(rules.names_days), before(rules.rest_days)
    closed = before(rules.closed_days)
    old, late = _is_settled(names), _is_settled(now - _DRY_PAGE_FOR)
    return SweepCounts(
        posts=done(
            _Task(posts, old & _is_outdated(), still=old),
            _Task(posts, late & _is_dry_page_of_before(), still=late),
        ),
        texts=done(
            _Task(posts, old & _is_talk_of_before(), still=old, values=_NO_TEXT)
        ),
        told_notes=done(_told_to_nobody(names)),
        names=done(*_names(names)),
        dead_letters=done(_Task(dead_letters, dead_letters.c.received_at < names)),
        holes=done(_Task(holes, holes.c.filled_at < rest)),
        checks=done(_outdated_checks(before(rules.checks_days))),
        discoveries=done(_outdated_discoveries(before(rules.checks_days))),
        criteria=done(
            _Task(kept_criteria, kept_criteria.c.kept_at < before(rules.criteria_days))
        ),
        drafts=done(
            _Task(
                drafts,
                (drafts.c.state == DraftState.DROPPED.name)
                & (drafts.c.changed_at < names),
            )
        ),
        suggestions=sweep_suggestions(database, closed, rules.batch),  # before these:
        revisions=done(_Task(revisions, _is_unused(), prepare=_lock_pages)),
        post_counts=done(_Task(post_counts, _is_past(rest))),
        plans=done(_Task(tasks, _is_done(rest))),
        jobs=done(_unwatched_jobs(rest)),
        readers=sweep_readers(database, now, names, rules.batch),
        sharing=sweep_sharing(database, now),
        spending=sweep_spending(database, now, names, rules.batch),
        links=done(_Task(link_visits, link_visits.c.last_seen < now - _LINKS_FOR)),
        supplied=database.write(lambda made: forget_supplied(made, now)),
    )


def _do(database: Transactions, task: _Task, batch: int) -> int:
    number = task.table.c.id
    found = 0
    last = 0
    while True:
        wanted = select(number).where(task.due & (number > last)).order_by(number)
        numbers = database.read(_numbers(wanted.limit(batch)))
        if not numbers:
            return found
        found += database.write(_removed(task, numbers))
        last = numbers[-1]


def _numbers(wanted: Select[tuple[int]]) -> Callable[[Connection], list[int]]:
    return lambda made: list(made.scalars(wanted))


def _removed(task: _Task, numbers: Sequence[int]) -> Callable[[Connection], int]:
    still = task.due if task.still is None else task.still
    which = task.table.c.id.in_(numbers) & still
    change = (
        delete(task.table).where(which)
        if task.values is None
        else update(task.table).where(which).values(**task.values)
    )

    def work(made: Connection) -> int:
        if task.prepare is not None:
            task.prepare(made, numbers)
        return made.execute(change).rowcount

    return work


def _told_to_nobody(before: datetime) -> _Task:
    """Return notes on reports that are no longer kept; those on talk pages stay."""
    here, at = told_notes.c.wiki, told_notes.c.place
    on_talk_page = exists().where(
        (posts.c.wiki == here) & (posts.c.title == at) & (posts.c.task == _TALK)
    )
    on_report = exists().where((watches.c.wiki == here) & (watches.c.report == at))
    is_old = told_notes.c.told_at < before
    return _Task(told_notes, is_old & ~on_talk_page & ~on_report, still=is_old)


def _names(before: datetime) -> tuple[_Task, ...]:
    settled = _is_settled(before)
    told = told_notes.c.told_at < before
    return (
        _Task(posts, settled & (posts.c.user != ""), values={"user": ""}),
        _Task(told_notes, told & (told_notes.c.watcher != ""), values={"watcher": ""}),
    )


def _outdated_checks(before: datetime) -> _Task:
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
    return _Task(checks, is_old & known.exists(), still=is_old)


def _outdated_discoveries(before: datetime) -> _Task:
    """Return old runs where a later one over the same page is known."""
    later = discoveries.alias()
    is_last = ~exists().where(
        (later.c.page == discoveries.c.page)
        & (later.c.searched_at > discoveries.c.searched_at)
    )
    is_old = discoveries.c.searched_at < before
    return _Task(discoveries, is_old & ~is_last, still=is_old)


def _is_unused() -> ColumnElement[bool]:
    return ~(
        exists().where(checks.c.revision == revisions.c.id)
        | exists().where(suggestions.c.revision == revisions.c.id)
    )


def _lock_pages(connection: Connection, numbers: Sequence[int]) -> None:
    """Keep those away who save a run over one of these revisions just now."""
    connection.execute(
        select(pages.c.id)
        .where(
            pages.c.id.in_(select(revisions.c.page).where(revisions.c.id.in_(numbers)))
        )
        .order_by(pages.c.id)
        .with_for_update()
    ).all()


def _is_past(before: datetime) -> ColumnElement[bool]:
    return post_counts.c.day < day_of(before)


def _is_done(before: datetime) -> ColumnElement[bool]:
    searched = tasks.c.kind == TaskKind.UPDATE.name
    is_done = (IS_PLAN | searched) & (tasks.c.state == IDLE)
    return is_done & (tasks.c.changed_at < before)


def _unwatched_jobs(before: datetime) -> _Task:
    watched = exists().where(
        (watched_pages.c.wiki == tasks.c.wiki)
        & (watched_pages.c.title == tasks.c.subject)
    )
    is_old = IS_CHECK & (tasks.c.state == IDLE) & (tasks.c.changed_at < before)
    return _Task(tasks, is_old & ~watched, still=is_old)


def remove_all(
    database: Transactions,
    table: Table,
    due: ColumnElement[bool],
    batch: int,
    *,
    still: ColumnElement[bool] | None = None,
    values: Mapping[str, Any] | None = None,
) -> int:
    """Remove rows, or set them to `values`, which makes them no longer due.

    Args:
        database: where.
        table: its rows.
        due: what holds of them.
        batch: how many at most in a transaction.
        still: what of `due` has to hold when that is done, if that is less: a condition
            on other tables would lock their rows.
        values: in the place of removing them.

    Returns:
        How many.
    """
    still = due if still is None else still
    keys = tuple(table.primary_key.columns)
    found = 0
    while True:
        rows = database.read(_listed(select(*keys).where(due).limit(batch)))
        done = database.write(_changed(table, rows, still, values)) if rows else 0
        if not done:
            return found
        found += done


def _listed(wanted: Any) -> Callable[[Connection], list[Row[Any]]]:
    return lambda made: list(made.execute(wanted))


def _changed(
    table: Table,
    rows: list[Row[Any]],
    still: ColumnElement[bool],
    values: Mapping[str, Any] | None,
) -> Callable[[Connection], int]:
    change = delete(table) if values is None else update(table).values(**values)
    each = [change.where(named & still) for named in _named(table, rows)]
    return lambda made: sum(made.execute(one).rowcount for one in each)


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
        ~posts.c.state.in_(_MADE),
        (posts.c.task == _TALK) & ~_is_last() & ~tells,
        (posts.c.task != _TALK) & (~_is_last() | nobodys),
    )


def _is_dry_page_of_before() -> ColumnElement[bool]:
    """Tell what the page that shows a dry run once said: hundreds of kB each time."""
    made = posts.c.state.in_(_MADE)
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
    return ~later(*_MADE) | ((posts.c.state == posted) & ~later(posted))


def sweep_spending(
    database: Transactions, now: datetime, parts_before: datetime, batch: int
) -> int:
    """Remove days of more than a year ago, and older parts of days; return how many days.

    Raises:
        PermanentError, TemporaryError: for what a database can do.
    """
    kept = spending_parts.c.day
    remove_all(database, spending_parts, kept < day_of(parts_before), batch)
    before = day_of(now - timedelta(days=_SPENDING_KEPT_DAYS))
    remove_all(database, reservations, reservations.c.day < before, batch)
    return remove_all(database, spending, spending.c.day < before, batch)
