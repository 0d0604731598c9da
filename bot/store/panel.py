"""What the panel beside an article asks for, as verbs on values."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select

from bot.store import compatibility, sanitise
from bot.store.checks import last_check
from bot.store.jobs import IS_CHECK
from bot.store.schema import (
    KEY_CHARS,
    checks,
    discoveries,
    pages,
    revisions,
    source_readings,
    suggestions,
    tasks,
)
from bot.store.suggestion_columns import flag_of, kind_of_row
from bot.store.suggestions import kept_suggestion, selected_suggestions
from bot.store.tasks import LEASED, WAITING
from bot.store.transactions import Transactions
from bot.store.values import KeptSuggestion, PageLook, RankedSuggestion
from handlers.model import Engine, SourceOutcome, Verdict

_AT_ONCE = 500  # titles in one statement
_GONE = (SourceOutcome.GONE.name, SourceOutcome.SOFT_404.name)
_WAITS = frozenset({WAITING, LEASED})


class Panel:
    """Suggestions as readers ask for them. Each verb is one transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def suggestion(self, wiki: str, identity: str) -> KeptSuggestion | None:
        """Return a suggestion of any page, open or closed; `None` if it is not known."""
        return self._database.read(lambda made: suggestion(made, wiki, identity))

    def ranked(
        self, wiki: str, titles: Collection[str]
    ) -> tuple[RankedSuggestion, ...]:
        """Return what the open suggestions of some pages are chosen and sorted by."""
        return self._database.read(lambda made: ranked(made, wiki, titles))

    def version(self, wiki: str, title: str) -> str:
        """Return what changes with all that is kept of a page; cheap to ask."""
        return self._database.read(lambda made: version(made, wiki, title))

    def last_look(self, wiki: str, title: str) -> PageLook | None:
        """Return the last run over a page as far as it is told of beside the cards."""
        return self._database.read(lambda made: last_look(made, wiki, title))

    def is_waiting(self, wiki: str, title: str) -> bool:
        """Tell whether a look at a page is due or under way."""
        return self._database.read(lambda made: is_waiting(made, wiki, title))


def suggestion(
    connection: Connection, wiki: str, identity: str
) -> KeptSuggestion | None:
    """Return a suggestion by what names it on its wiki."""
    wanted = selected_suggestions().where(
        suggestions.c.identity == sanitise.text(identity, KEY_CHARS),
        pages.c.wiki == sanitise.text(wiki, KEY_CHARS),
    )
    rows = connection.execute(wanted.limit(1))
    return next(compatibility.understood(kept_suggestion, rows), None)


def ranked(
    connection: Connection, wiki: str, titles: Collection[str]
) -> tuple[RankedSuggestion, ...]:
    """Return the open suggestions of some pages, without their texts."""
    return tuple(_ranked(connection, wiki, titles))


def _ranked(
    connection: Connection, wiki: str, titles: Collection[str]
) -> Iterator[RankedSuggestion]:
    kept = suggestions.c
    wanted: Select[Any] = (
        select(
            *(pages.c.title, kept.identity, kept.section, kept.verdict),
            *(kept.probability, kept.engine_name, kept.engine_version),
            *(kept.flag_kind, kept.flag_probability, kept.flag_threshold),
            *(kept.flag_expected, kept.is_sensitive, kept.update_kind),
        )
        .join(pages, pages.c.id == kept.page)
        .where(kept.closed_at.is_(None), pages.c.wiki == sanitise.text(wiki, KEY_CHARS))
    )
    left = iter(dict.fromkeys(sanitise.text(title, KEY_CHARS) for title in titles))
    while some := tuple(islice(left, _AT_ONCE)):
        rows = connection.execute(wanted.where(pages.c.title.in_(some)))
        yield from compatibility.understood(_ranked_of, rows)


def _ranked_of(row: Row[Any]) -> RankedSuggestion:
    return RankedSuggestion(
        identity=row.identity,
        title=row.title,
        section=sanitise.unlisted(row.section),
        kind=kind_of_row(row).kind,
        verdict=Verdict[row.verdict],
        probability=row.probability,
        engine=Engine(row.engine_name, row.engine_version),
        flag=flag_of(row),
        is_sensitive=bool(row.is_sensitive),
    )


def version(connection: Connection, wiki: str, title: str) -> str:
    """Return what changes when a look at a page is saved, or asked for, or closed."""
    of_page = _of_page(wiki, title)
    kept = suggestions.c
    found = connection.execute(
        select(
            func.count(),
            func.count(kept.closed_at),
            func.max(kept.last_seen),
            func.max(kept.closed_at),
        )
        .join(pages, pages.c.id == kept.page)
        .where(*of_page)
    ).one()
    check = connection.scalar(
        select(func.max(checks.c.id))
        .join(revisions, revisions.c.id == checks.c.revision)
        .join(pages, pages.c.id == revisions.c.page)
        .where(*of_page)
    )
    run = connection.scalar(
        select(func.max(discoveries.c.id))
        .join(pages, pages.c.id == discoveries.c.page)
        .where(*of_page)
    )
    waits = is_waiting(connection, wiki, title)
    return repr((*map(str, found), check, run, waits))


def last_look(connection: Connection, wiki: str, title: str) -> PageLook | None:
    """Return the last run over the newest revision of a page that was checked."""
    check = last_check(connection, wiki, title, only_unchecked=True)
    if check is None:
        return None
    last = (
        select(checks.c.id)
        .join(revisions, revisions.c.id == checks.c.revision)
        .join(pages, pages.c.id == revisions.c.page)
        .where(*_of_page(wiki, title))
        .order_by(
            revisions.c.number.desc(), checks.c.checked_at.desc(), checks.c.id.desc()
        )
        .limit(1)
        .scalar_subquery()
    )
    gone = select(source_readings.c.source_key).where(
        source_readings.c.check_id == last, source_readings.c.outcome.in_(_GONE)
    )
    return PageLook(check, frozenset(connection.scalars(gone)))


def is_waiting(connection: Connection, wiki: str, title: str) -> bool:
    """Tell whether a page waits to be looked at, or somebody looks at it."""
    state = connection.scalar(
        select(tasks.c.state).where(
            IS_CHECK,
            tasks.c.wiki == sanitise.text(wiki, KEY_CHARS),
            tasks.c.subject == sanitise.text(title, KEY_CHARS),
        )
    )
    return state in _WAITS


def _of_page(wiki: str, title: str) -> tuple[ColumnElement[bool], ...]:
    return (
        pages.c.wiki == sanitise.text(wiki, KEY_CHARS),
        pages.c.title == sanitise.text(title, KEY_CHARS),
    )
