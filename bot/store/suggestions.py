"""Rows of pages, and their suggestions after a run: new, known, and those to close.

A check of citations finds no newer facts: it only closes updates that are settled on
the page as it was checked; see `bot.store.discoveries`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from bot.store import sanitise
from bot.store.database import find, insert_all
from bot.store.mapping import as_value
from bot.store.pages import PAGE_COLUMNS, page_of
from bot.store.schema import (
    ADDRESS_CHARS,
    HASH_CHARS,
    closures,
    decisions,
    noted_edits,
    pages,
    revisions,
    suggestions,
)
from bot.store.suggestion_columns import (
    column_of,
    finding_columns,
    finding_of_row,
    flag_columns,
    flag_of,
    remedies_of,
    remedies_text,
)
from handlers.citations.flags import is_unsure
from handlers.citations.suggestions import identity_of, is_marked
from handlers.citations.tags import TagFinding, goes_first
from handlers.edits.finding import ChangedFinding
from handlers.findings import RemedyKind, Suggestion, finding_of
from handlers.model import (
    Claim,
    ClaimCheck,
    ClaimKind,
    Consultation,
    Engine,
    Message,
    Origin,
    Page,
    PageId,
    Probabilities,
    SourceOutcome,
    UpdateKind,
    Verdict,
)

_FAILS = frozenset(set(Verdict) - {Verdict.SUPPORTED})
_OF_TAGS = column_of(TagFinding.kind)
_OF_UPDATES = list(UpdateKind.__members__)


class CheckedPage(Protocol):
    """One run over a page; `bot.report.PageReport` is one."""

    @property
    def page(self) -> Page:
        """The page that was checked."""
        ...

    @property
    def checks(self) -> Sequence[ClaimCheck]:
        """The results, one for each claim."""
        ...

    @property
    def engine(self) -> Engine:
        """The engine that judged."""
        ...

    @property
    def checked_at(self) -> datetime:
        """When the run ended, with its time zone."""
        ...

    @property
    def consultation(self) -> Consultation | None:
        """What asking a language model used; `None` if none is set up."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFetch:
    """The outcome of fetching a source in a run; its text is not stored."""

    source_key: str
    outcome: SourceOutcome
    detail: str
    url: str | None
    origin: Origin | None
    read_at: datetime | None
    content_sha256: str | None
    http_status: int | None


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """The result of one claim of a run; `verdict` is `None` if not checked.

    It was checked at `checked_at`, in this run or an earlier one; see
    `handlers.citations.due_checks`.
    """

    text: str
    kind: ClaimKind
    section: tuple[str, ...]
    verdict: Verdict | None
    probabilities: Probabilities | None
    advice: Message | None
    fetches: tuple[StoredFetch, ...]
    checked_at: datetime
    fingerprint: str | None  # `None`: unknown, or no longer useful


@dataclass(frozen=True, slots=True)
class Carried:
    """A claim as it is on the page now, with its result from an earlier run."""

    claim: Claim
    result: StoredClaim


@dataclass(frozen=True, slots=True)
class StoredSuggestion:
    """A suggestion and its life so far.

    `suggestion.page` and `suggestion.engine` are those of the run that found it last,
    at `last_seen`. `closed_at` is the time of the run that no longer found it.
    """

    suggestion: Suggestion
    first_seen: datetime
    last_seen: datetime
    closed_at: datetime | None


def save_suggestions(
    connection: Connection,
    page: int,
    revision: int,
    checked: CheckedPage,
    found: Iterable[Suggestion],
    *,
    carried: Sequence[Carried],
) -> None:
    """Write what a run found, move what it left unchanged, and close the rest."""
    of_page = suggestions.c.page == page
    kind = suggestions.c.update_kind
    of_citations = kind.is_(None) | (kind == _OF_TAGS)
    chosen = select(suggestions).where(of_page, of_citations)
    known = connection.execute(chosen).all()
    found = _with_known_remedies(found, checked, known)
    now = write_suggestions(connection, page, revision, checked.checked_at, found)
    still = _still_failing(checked.page.id, carried)
    still |= _still_helped(checked.page.id, carried, known)
    moved = {
        identity: _moved_on(revision, checked.checked_at, still[identity])
        for identity in still.keys() - now.keys()
    }
    _renew(connection, page, moved)
    missed = [row for row in known if row.identity not in now.keys() | still.keys()]
    gone = _gone(missed, checked, carried)
    close_suggestions(connection, page, gone, checked.checked_at)


def save_of_kind(
    connection: Connection,
    page: int,
    revision: int,
    found: Iterable[Suggestion],
    seen_at: datetime,
    *,
    kind: str,
) -> None:
    """Write a check's findings of one kind, and close the other open ones of that kind."""
    columns = suggestions.c
    now = write_suggestions(connection, page, revision, seen_at, found)
    open_ones = (columns.update_kind == column_of(kind)) & columns.closed_at.is_(None)
    stored = select(columns.identity).where((columns.page == page) & open_ones)
    gone = set(connection.scalars(stored)) - now.keys()
    close_suggestions(connection, page, gone, seen_at)


def write_suggestions(
    connection: Connection,
    page: int,
    revision: int,
    seen_at: datetime,
    found: Iterable[Suggestion],
) -> dict[str, Suggestion]:
    """Insert or update suggestions; return them by the identity they are stored under."""
    now = {sanitise.key(one.identity, "identity"): one for one in found}
    of_page = suggestions.c.page == page
    known = set(connection.scalars(select(suggestions.c.identity).where(of_page)))
    fresh, again = [], {}
    for identity, one in now.items():
        values = _suggestion(revision, seen_at, one)
        if identity in known:
            again[identity] = values
        else:
            named = {"page": page, "identity": identity, "first_seen": seen_at}
            fresh.append({**values, **named})
    insert_all(connection, suggestions, fresh)
    _renew(connection, page, again)
    _note_edits(connection, [now[one["identity"]] for one in fresh], seen_at)
    return now


def _note_edits(
    connection: Connection, fresh: Iterable[Suggestion], now: datetime
) -> None:
    """Have the edits of new notes looked at again later, each once.

    A note that was forgotten and comes back is known still.
    """
    for one in fresh:
        finding = finding_of(one, ChangedFinding)
        if finding is None:
            continue
        key: dict[str, Any] = {
            "wiki": sanitise.key(one.page.wiki, "wiki"),
            "identity": sanitise.key(one.identity, "identity", HASH_CHARS),
        }
        if find(connection, noted_edits, **key) is None:
            values = {"kind": finding.done.name, "noted_at": now}
            connection.execute(insert(noted_edits).values(**key, **values))


def _renew(
    connection: Connection, page: int, values: Mapping[str, dict[str, Any]]
) -> None:
    """Set new values, in the same columns, for suggestions of a page by their identities.

    One statement does it: a long page has hundreds of them, and each check updates
    most.
    """
    rows = [{**each, "renewed": identity} for identity, each in values.items()]
    if rows:
        same = suggestions.c.identity == bindparam("renewed")
        renewed = update(suggestions).where(suggestions.c.page == page, same)
        connection.execute(renewed, rows)


def close_suggestions(
    connection: Connection, page: int, identities: Iterable[str], now: datetime
) -> None:
    """Close suggestions of a page by their identities."""
    which = suggestions.c.identity.in_(sorted(identities))
    closed = update(suggestions).where(suggestions.c.page == page, which)
    connection.execute(closed.values(closed_at=now))


def shown_suggestions(connection: Connection, page: int) -> frozenset[tuple[Any, ...]]:
    """Return what people see of a page's open suggestions, or what decides that.

    Neither the revision nor the position in it, as every edit would change those.
    """
    columns = suggestions.c
    rows = connection.execute(
        select(
            *(
                columns.identity,
                columns.claim,
                columns.section,
                columns.source_keys,
                columns.verdict,
            ),
            *(columns.quote, columns.quote_url, columns.remedies, columns.flag_kind),
            columns.probability,
        ).where((columns.page == page) & columns.closed_at.is_(None))
    )
    return frozenset((*row[:-1], round(row.probability, 2)) for row in rows)


def close_all_suggestions(connection: Connection, page: int, now: datetime) -> int:
    """Close all suggestions of a page; return how many were open."""
    of_page = suggestions.c.page == page
    still_open = update(suggestions).where(of_page, suggestions.c.closed_at.is_(None))
    return connection.execute(still_open.values(closed_at=now)).rowcount


def forget_closed(connection: Connection, page: int) -> None:
    """Remove the closed suggestions of a page whose text was hidden on the wiki.

    Updates that someone decided on stay: their text is from sources, and later ones
    that say the same are recognised by them.
    """
    gone = (suggestions.c.page == page) & suggestions.c.closed_at.is_not(None)
    connection.execute(delete(suggestions).where(gone & ~(is_update() & is_decided())))


def is_update() -> ColumnElement[bool]:
    """Return whether a suggestion is about newer facts; never NULL, so it can be negated."""
    kind = suggestions.c.update_kind
    return kind.is_not(None) & kind.in_(_OF_UPDATES)


def is_decided() -> ColumnElement[bool]:
    """Return whether any reader decided on a suggestion."""
    return is_named_in(decisions) | is_named_in(closures)


def is_named_in(table: Table) -> ColumnElement[bool]:
    """Return whether a table with a wiki and an identity mentions a suggestion."""
    its_page = (pages.c.id == suggestions.c.page) & (pages.c.wiki == table.c.wiki)
    named = select(pages.c.id).where(
        its_page, table.c.identity == suggestions.c.identity
    )
    return named.correlate(suggestions).exists()


def _with_known_remedies(
    found: Iterable[Suggestion], checked: CheckedPage, known: Iterable[Row[Any]]
) -> list[Suggestion]:
    """Keep the source that was found for each claim, unless it was searched for again.

    A search whose quota is used up says nothing against what it found before.
    """
    searched = {
        identity_of(checked.page.id, one.claim)
        for one in checked.checks
        if _is_searched(one)
    }
    open_rows = {row.identity: row for row in known if row.closed_at is None}
    return [
        one
        if one.identity in searched
        else _with_sources_of(
            open_rows.get(sanitise.key(one.identity, "identity")), one
        )
        for one in found
    ]


def _with_sources_of(row: Row[Any] | None, one: Suggestion) -> Suggestion:
    has_source = any(each.kind is RemedyKind.OTHER_SOURCE for each in one.remedies)
    if row is None or has_source:
        return one
    known = remedies_of(row)
    sources = (each for each in known if each.kind is RemedyKind.OTHER_SOURCE)
    return replace(one, remedies=(*one.remedies, *sources))


def _is_searched(check: ClaimCheck) -> bool:
    return check.better is not None and not check.better.troubles


def _still_failing(page: PageId, carried: Iterable[Carried]) -> dict[str, Claim]:
    """Return the failing claims that were left unchanged, the first of each.

    A claim that an editor has tagged since is settled.
    """
    failing: dict[str, Claim] = {}
    for one in carried:
        if one.result.verdict in _FAILS and not is_marked(one.claim):
            failing.setdefault(identity_of(page, one.claim), one.claim)
    return failing


def _still_helped(
    page: PageId, carried: Iterable[Carried], known: Iterable[Row[Any]]
) -> dict[str, Claim]:
    """Return the tagged claims that were left unchanged and have help, the first of each."""
    helped = {
        row.identity
        for row in known
        if row.update_kind == _OF_TAGS and row.closed_at is None
    }
    found: dict[str, Claim] = {}
    for one in carried:
        identity = identity_of(page, one.claim, TagFinding.kind)
        if identity in helped and goes_first(one.claim):
            found.setdefault(identity, one.claim)
    return found


def _moved_on(revision: int, seen_at: datetime, claim: Claim) -> dict[str, Any]:
    return {
        "revision": revision,
        "section": sanitise.listed(claim.section),
        "place": claim.span.start,
        "last_seen": seen_at,
        "closed_at": None,
    }


def _gone(
    missed: Iterable[Row[Any]], checked: CheckedPage, carried: Iterable[Carried]
) -> list[str]:
    """Return which open suggestions to close, of those that were not found again.

    If a claim is still there but could not be checked, its finding stays, unless its
    source now seems to support it. A better source is closed if a search no longer
    finds it, and help with a tag is closed if the tag is gone.
    """
    unchecked = [
        one for one in checked.checks if one.verdict is None and not is_unsure(one)
    ]
    unjudged = {_wording(one.claim) for one in carried if one.result.verdict is None}
    unsearched = unjudged | {
        _wording(one.claim) for one in unchecked if not _is_searched(one)
    }
    unjudged |= {_wording(one.claim) for one in unchecked}
    tagged = {
        _wording(claim)
        for claim in (one.claim for one in unchecked)
        if goes_first(claim)
    }

    def stays(row: Row[Any]) -> bool:
        words = _folded(row.claim), frozenset(sanitise.unlisted(row.source_keys))
        if row.update_kind == _OF_TAGS:
            return words in tagged
        is_offer = row.verdict == Verdict.SUPPORTED.name
        return words in (unsearched if is_offer else unjudged)

    return [row.identity for row in missed if row.closed_at is None and not stays(row)]


def _wording(claim: Claim) -> tuple[str, frozenset[str]]:
    """Return a claim's text and sources in the form stored with suggestions."""
    keys = sanitise.listed(claim.source_keys)
    words = sanitise.text(claim.text)
    return _folded(words), frozenset(sanitise.unlisted(keys))


def _folded(words: str) -> str:
    return " ".join(words.split())


def _suggestion(revision: int, seen_at: datetime, one: Suggestion) -> dict[str, Any]:
    return {
        "revision": revision,
        "claim": sanitise.text(one.claim),
        "section": sanitise.listed(one.section),
        "source_keys": sanitise.listed(one.source_keys),
        "probability": sanitise.share(one.probability),
        "quote": sanitise.text(one.quote),
        "quote_url": sanitise.text(one.quote_url, ADDRESS_CHARS),
        **sanitise.engine(one.engine),
        "last_seen": seen_at,
        "closed_at": None,
        **flag_columns(one.flag),
        "place": one.place,
        "remedies": remedies_text(one.remedies),
        **finding_columns(one),
    }


def selected_suggestions() -> Select[Any]:
    """Return the query for suggestions with their pages; for `stored_suggestion`."""
    return (
        select(*PAGE_COLUMNS, suggestions)
        .join(suggestions, suggestions.c.page == pages.c.id)
        .join(revisions, revisions.c.id == suggestions.c.revision)
    )


def stored_suggestion(row: Row[Any]) -> StoredSuggestion:
    """Return a suggestion's row as a value.

    Raises:
        NotKnown: a newer version wrote it.
    """
    finding, details = finding_of_row(row)
    return StoredSuggestion(
        suggestion=as_value(
            Suggestion,
            row,
            page=page_of(row),
            finding=finding,
            flag=flag_of(row),
            place=row.place or 0,
            remedies=remedies_of(row),
            details=details,
        ),
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        closed_at=row.closed_at,
    )
