"""Runs over pages: the results of each claim and each source, and what the panel shows.

The page's row is locked first, so that two workers on one page take turns. Existing
rows are not changed: saving the same run again has no effect.

A result carried over from an earlier run is written like a new one, with the time of
the check that it comes from.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import (
    Connection,
    Row,
    Select,
    func,
    select,
    update,
)

from bot.records.jobs import PageJob
from bot.records.spending import Work
from bot.records.tasks import Lease
from bot.store import mapping, sanitise
from bot.store.database import (
    Repository,
    find,
    insert_all,
    inserted,
    read_with,
    reads,
    rows_with,
    write_with,
    writes,
)
from bot.store.discoveries import follow_updates
from bot.store.jobs import IS_CHECK, finish_job
from bot.store.links import note_visits, runs_of
from bot.store.mapping import as_value
from bot.store.pages import (
    PAGE_COLUMNS,
    has_runs,
    of_page,
    page_of,
    page_row,
    replan,
    revision_row,
)
from bot.store.schema import (
    ADDRESS_CHARS,
    KEY_CHARS,
    checks,
    claim_checks,
    claim_fetches,
    discoveries,
    pages,
    revisions,
    source_fetches,
    suggestions,
    tasks,
)
from bot.store.spending import book_work, keep_use
from bot.store.suggestion_columns import flag_of, kind_of_row
from bot.store.suggestions import (
    Carried,
    CheckedPage,
    StoredClaim,
    StoredFetch,
    StoredSuggestion,
    close_all_suggestions,
    forget_closed,
    save_of_kind,
    save_suggestions,
    selected_suggestions,
    shown_suggestions,
    stored_suggestion,
)
from bot.store.tasks import LEASED, WAITING
from handlers.findings import Suggestion
from handlers.model import (
    Claim,
    ClaimCheck,
    Engine,
    Flag,
    LinkVisit,
    Message,
    Origin,
    PageId,
    Probabilities,
    SourceFetch,
    Verdict,
)
from handlers.sources.links import LinkHistory, LinkState, history_of

_PAGES_AT_ONCE = 1000

_WAITS = frozenset({WAITING, LEASED})
_SUGGESTIONS = suggestions.c
_RANKED_BY = (
    *("identity", "section", "verdict", "probability", "engine_name", "engine_version"),
    *("flag_kind", "flag_probability", "flag_threshold", "flag_expected"),
    *("is_sensitive", "update_kind", "place"),
)

_Fetch: TypeAlias = tuple[Any, ...]  # its columns in order, without its position


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """How many claims a run found, and how many of them have which verdict."""

    claims: int
    supported: int
    partially_supported: int
    not_supported: int
    contradicted: int
    unchecked: int


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """One run over a page, with its claims in page order."""

    page: PageId
    engine: Engine
    checked_at: datetime
    counts: CheckCounts
    claims: tuple[StoredClaim, ...]


@dataclass(frozen=True, slots=True)
class RankedSuggestion:
    """An open suggestion without its texts: what is needed to choose and sort it."""

    identity: str
    title: str
    section: tuple[str, ...]
    kind: str  # one of `handlers.registry.KINDS`
    verdict: Verdict
    probability: float
    engine: Engine
    flag: Flag | None
    place: int = 0
    is_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class StoredLink:
    """The history of an address, and the archived copy that was read."""

    history: LinkHistory
    archived_url: str | None = None
    archived_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LastPageCheck:
    """The last run over a page, as shown beside its suggestions.

    `check` has only the claims without a verdict. `links` are the sources whose address
    no longer serves them as it did, by their keys.
    """

    check: StoredCheck
    links: Mapping[str, StoredLink]

    @property
    def gone(self) -> frozenset[str]:
        """The keys of the sources whose address is dead."""
        return frozenset(
            key
            for key, link in self.links.items()
            if link.history.state is LinkState.GONE
        )


@dataclass(frozen=True, slots=True)
class _ClaimRow:
    """A claim's columns without its position, and its sources' fetches."""

    place: int
    values: dict[str, Any]
    fetches: tuple[_Fetch, ...]


class Checks(Repository):
    """Runs over pages, and the results of each claim."""

    finish_check = write_with(finish_job)

    @writes
    def save_check(
        self,
        connection: Connection,
        checked: CheckedPage,
        suggestions: Sequence[Suggestion],
        *,
        carried: Sequence[Carried] = (),
        beside: Mapping[str, Sequence[Suggestion]] | None = None,
        ends: Lease[PageJob] | None = None,
    ) -> bool:
        """Save a run over a page with all its suggestions, or nothing.

        A suggestion of an earlier run that is not found again is closed, unless its
        claim is still on the page and could not be checked this time. A run over an
        older revision than one already saved changes no suggestion. After the first
        check of a page, or if the findings have changed, what people are shown of the
        page is planned again.

        `carried` are the other claims of the page, whose earlier results still hold:
        they are saved with this run as well, and their suggestions stay open. `beside`
        has, by kind, all findings besides those about citations; other suggestions of
        these kinds are closed. The lease of the page, `ends`, is ended in the same
        transaction.

        Raises:
            LeaseLost: someone else has the page; nothing is saved.

        Returns:
            `False` if this run was saved before (also by a first try whose answer was
            lost); then nothing changes.
        """
        if ends is not None:
            finish_job(connection, ends, checked.checked_at)
        page = page_row(connection, checked.page.id)
        revision = revision_row(connection, page, checked.page)
        values: dict[str, Any] = {
            "revision": revision,
            "checked_at": checked.checked_at,
            **sanitise.engine(checked.engine),
        }
        if find(connection, checks, **values) is not None:
            return False
        is_first = not has_runs(connection, page)
        is_newest = is_first or _is_newest(connection, page, checked)
        was_shown = shown_suggestions(connection, page)
        check = inserted(
            connection, checks, {**values, **_counts(checked.checks, carried)}
        )
        _save_results(connection, check, checked, carried)
        fetches = note_visits(connection, _visits(checked.checks))
        if is_newest:
            save_suggestions(
                connection, page, revision, checked, suggestions, carried=carried
            )
            follow_updates(connection, page, checked.page, checked.checked_at)
            for kind, some in (beside or {}).items():
                save_of_kind(
                    connection, page, revision, some, checked.checked_at, kind=kind
                )
        tokens = 0
        if (consultation := checked.consultation) is not None:
            tokens = consultation.use.input_tokens + consultation.use.output_tokens
            keep_use(
                connection,
                consultation.engine.version,
                consultation.use,
                checked.checked_at,
            )
        wiki, title = checked.page.id.wiki, checked.page.id.title
        work = Work(1, fetches, tokens)
        book_work(connection, wiki, title, work, checked.checked_at)
        if is_first:  # text was hidden: remove what is closed now, too
            forget_closed(connection, page)
        if is_first or shown_suggestions(connection, page) != was_shown:
            replan(connection, checked.page.id, checked.checked_at)
        return True

    @writes
    def close_page(
        self,
        connection: Connection,
        wiki: str,
        title: str,
        now: datetime,
        *,
        ends: Lease[PageJob] | None = None,
    ) -> int:
        """Close all suggestions of a page that no longer exists, or is a redirect.

        What was shown of them is planned again, so that no note is left. If the page
        comes back, no earlier result of its claims counts. The lease of the page,
        `ends`, is ended in the same transaction.

        Raises:
            LeaseLost: someone else has the page; nothing is changed.

        Returns:
            How many were open.
        """
        if ends is not None:
            finish_job(connection, ends, now)
        row = find(connection, pages, **sanitise.page(wiki, title), lock=True)
        if row is None:
            return 0
        page = row.id
        of_page = (
            select(checks.c.id)
            .join(revisions, revisions.c.id == checks.c.revision)
            .where(revisions.c.page == page)
        )
        forgotten = update(claim_checks).where(
            claim_checks.c.check_id.in_(of_page),
            claim_checks.c.fingerprint.is_not(None),
        )
        connection.execute(forgotten.values(fingerprint=None))
        closed = close_all_suggestions(connection, page, now)
        if closed:
            replan(connection, PageId(wiki, title), now)
        if not has_runs(connection, page):  # the page was deleted on the wiki
            forget_closed(connection, page)
        return closed

    @reads
    def last_check(
        self, connection: Connection, wiki: str, title: str
    ) -> StoredCheck | None:
        """Return the last run over the newest revision checked of a page."""
        row = _last_run(connection, wiki, title)
        return None if row is None else _stored_check(connection, row)

    def first_checks(self) -> Iterator[tuple[str, str, datetime]]:
        """Yield the wiki and title of each page, and the time of its oldest run that is kept."""
        last = 0
        while found := self._first_checks(last):
            yield from (check for _, check in found)
            last = found[-1][0]

    @reads
    def _first_checks(
        self, connection: Connection, after: int
    ) -> list[tuple[int, tuple[str, str, datetime]]]:
        query = (
            select(
                pages.c.id, pages.c.wiki, pages.c.title, func.min(checks.c.checked_at)
            )
            .join(revisions, revisions.c.page == pages.c.id)
            .join(checks, checks.c.revision == revisions.c.id)
            .where(pages.c.id > after)
            .group_by(pages.c.id, pages.c.wiki, pages.c.title)
            .order_by(pages.c.id)
            .limit(_PAGES_AT_ONCE)
        )
        rows = connection.execute(query)
        return [(number, (wiki, title, first)) for number, wiki, title, first in rows]

    @reads
    def suggestions_of(
        self,
        connection: Connection,
        wiki: str,
        title: str,
        *,
        with_closed: bool = False,
        all_or_none: bool = True,
    ) -> tuple[StoredSuggestion, ...]:
        """Return a page's open suggestions, the oldest first.

        Raises:
            TemporaryError: one is of a kind that only a newer version knows. A caller
                that removes notes must not think it is gone. Without `all_or_none` it
                is left out instead.
        """
        query = selected_suggestions().order_by(
            _SUGGESTIONS.first_seen, _SUGGESTIONS.identity
        )
        if not with_closed:
            query = query.where(_SUGGESTIONS.closed_at.is_(None))
        rows = connection.execute(of_page(query, wiki, title))
        return tuple(
            map(stored_suggestion, rows)
            if all_or_none
            else mapping.understood(stored_suggestion, rows)
        )


def suggestion_on(
    connection: Connection, wiki: str, identity: str
) -> StoredSuggestion | None:
    """Return a suggestion on any page of a wiki; `None` if there is none."""
    query = selected_suggestions().where(
        _SUGGESTIONS.identity == sanitise.text(identity, KEY_CHARS),
        pages.c.wiki == sanitise.text(wiki, KEY_CHARS),
    )
    rows = connection.execute(query.limit(1))
    return next(mapping.understood(stored_suggestion, rows), None)


def check_waits(connection: Connection, wiki: str, title: str) -> bool:
    """Return whether a check of a page is due or in progress."""
    state = connection.scalar(
        select(tasks.c.state).where(
            IS_CHECK,
            tasks.c.wiki == sanitise.text(wiki, KEY_CHARS),
            tasks.c.subject == sanitise.text(title, KEY_CHARS),
        )
    )
    return state in _WAITS


class Panel(Repository):
    """Answers for the panel beside an article."""

    suggestion = read_with(suggestion_on)
    is_waiting = read_with(check_waits)

    @reads
    def ranked(
        self, connection: Connection, wiki: str, titles: Collection[str]
    ) -> tuple[RankedSuggestion, ...]:
        """Return what the open suggestions of some pages are chosen and sorted by."""
        wiki = sanitise.text(wiki, KEY_CHARS)
        query: Select[Any] = (
            select(pages.c.title, *(_SUGGESTIONS[name] for name in _RANKED_BY))
            .join(pages, pages.c.id == _SUGGESTIONS.page)
            .where(_SUGGESTIONS.closed_at.is_(None), pages.c.wiki == wiki)
        )
        names = (sanitise.text(title, KEY_CHARS) for title in titles)
        rows = rows_with(connection, query, pages.c.title, names)
        return tuple(mapping.understood(_ranked_of, rows))

    @reads
    def version(self, connection: Connection, wiki: str, title: str) -> str:
        """Return a value that changes when a check of a page is saved, requested or closed.

        It is cheap to compute.
        """
        found = connection.execute(
            of_page(
                select(
                    func.count(),
                    func.count(_SUGGESTIONS.closed_at),
                    func.max(_SUGGESTIONS.last_seen),
                    func.max(_SUGGESTIONS.closed_at),
                ).join(pages, pages.c.id == _SUGGESTIONS.page),
                wiki,
                title,
            )
        ).one()
        newest = (
            select(func.max(checks.c.id))
            .join(revisions, revisions.c.id == checks.c.revision)
            .join(pages, pages.c.id == revisions.c.page)
        )
        check = connection.scalar(of_page(newest, wiki, title))
        searches = select(func.max(discoveries.c.id))
        searches = searches.join(pages, pages.c.id == discoveries.c.page)
        run = connection.scalar(of_page(searches, wiki, title))
        waits = check_waits(connection, wiki, title)
        return repr((*map(str, found), check, run, waits))

    @reads
    def last_page_check(
        self, connection: Connection, wiki: str, title: str
    ) -> LastPageCheck | None:
        """Return the last run over a page, as shown beside the cards."""
        row = _last_run(connection, wiki, title)
        if row is None:
            return None
        check = _stored_check(connection, row, only_unchecked=True)
        return LastPageCheck(check, _links(connection, row.id))


def _last_run(connection: Connection, wiki: str, title: str) -> Row[Any] | None:
    query = (
        select(*PAGE_COLUMNS, checks)
        .join(revisions, revisions.c.page == pages.c.id)
        .join(checks, checks.c.revision == revisions.c.id)
        .order_by(
            revisions.c.number.desc(), checks.c.checked_at.desc(), checks.c.id.desc()
        )
        .limit(1)
    )
    return connection.execute(of_page(query, wiki, title)).first()


def _stored_check(
    connection: Connection, row: Row[Any], *, only_unchecked: bool = False
) -> StoredCheck:
    """Return a run; if asked, with only the claims that have no verdict."""
    return as_value(
        StoredCheck,
        row,
        page=page_of(row),
        counts=as_value(CheckCounts, row),
        claims=_claims(connection, row.id, row.checked_at, only_unchecked),
    )


def _claims(
    connection: Connection, check: int, checked_at: datetime, only_unchecked: bool
) -> tuple[StoredClaim, ...]:
    fetches: dict[int, list[StoredFetch]] = defaultdict(list)
    of_check = claim_fetches.c.check_id == check
    query = select(claim_checks).where(claim_checks.c.check_id == check)
    if only_unchecked:
        query = query.where(claim_checks.c.verdict.is_(None))
        some = query.with_only_columns(claim_checks.c.position)
        of_check &= claim_fetches.c.claim.in_(some)
    linked = (
        select(claim_fetches.c.claim, source_fetches)
        .join(
            source_fetches,
            (source_fetches.c.check_id == claim_fetches.c.check_id)
            & (source_fetches.c.position == claim_fetches.c.fetch),
        )
        .where(of_check)
        .order_by(claim_fetches.c.claim, claim_fetches.c.fetch)
    )
    for row in connection.execute(linked):
        fetches[row.claim].append(as_value(StoredFetch, row))
    rows = connection.execute(query.order_by(claim_checks.c.position))
    return tuple(_claim(row, tuple(fetches[row.position]), checked_at) for row in rows)


def _claim(
    row: Row[Any], fetches: tuple[StoredFetch, ...], checked_at: datetime
) -> StoredClaim:
    shares = (
        row.p_supported,
        row.p_partially_supported,
        row.p_not_supported,
        row.p_contradicted,
    )
    return as_value(
        StoredClaim,
        row,
        text=row.claim,
        probabilities=None if None in shares else Probabilities(*shares),
        advice=_advice(row.advice),
        fetches=fetches,
        checked_at=row.checked_at or checked_at,
    )


def _is_newest(connection: Connection, page: int, checked: CheckedPage) -> bool:
    """Return whether this is the latest revision, and the latest run over it."""
    latest = connection.execute(
        select(revisions.c.number, checks.c.checked_at)
        .join(checks, checks.c.revision == revisions.c.id)
        .where(revisions.c.page == page)
        .order_by(revisions.c.number.desc(), checks.c.checked_at.desc())
        .limit(1)
    ).first()
    if latest is None:
        return True
    number: int = checked.page.id.revision_id or 0
    known: tuple[int, datetime] = (latest.number, latest.checked_at)
    return (number, checked.checked_at) >= known


def _counts(
    checked_at: Sequence[ClaimCheck], carried: Sequence[Carried]
) -> dict[str, int]:
    verdicts = [one.verdict for one in checked_at]
    verdicts += [one.result.verdict for one in carried]
    counts = {verdict.name.lower(): verdicts.count(verdict) for verdict in Verdict}
    return {"claims": len(verdicts), **counts, "unchecked": verdicts.count(None)}


def _links(connection: Connection, check: int) -> Mapping[str, StoredLink]:
    """Return what is wrong with the addresses that a run read, by their keys."""
    columns = source_fetches.c
    query = select(columns.source_key, columns.origin, columns.url, columns.read_at)
    rows = connection.execute(query.where(columns.check_id == check)).all()
    runs = runs_of(connection, {row.source_key for row in rows})
    found: dict[str, StoredLink] = {}
    for row in rows:
        history = history_of(runs.get(row.source_key, ()))
        if history.state not in {LinkState.WORKS, LinkState.UNKNOWN}:
            is_archived = row.origin == Origin.ARCHIVE.name
            found[row.source_key] = StoredLink(
                history,
                row.url if is_archived else None,
                row.read_at if is_archived else None,
            )
    return found


def _save_results(
    connection: Connection, check: int, checked: CheckedPage, carried: Sequence[Carried]
) -> None:
    """Write the claims of a run in page order, and what was fetched for them."""
    rows = [
        *(_row_of_check(result, checked.checked_at) for result in checked.checks),
        *map(_carried, carried),
    ]
    if carried:
        rows.sort(key=lambda row: row.place)
    places: dict[_Fetch, int] = {}
    links = {
        (position, places.setdefault(fetch, len(places)))
        for position, row in enumerate(rows)
        for fetch in row.fetches
    }
    insert_all(
        connection,
        claim_checks,
        [
            {"check_id": check, "position": position, **row.values}
            for position, row in enumerate(rows)
        ],
    )
    named = [column.name for column in source_fetches.columns][1:]
    insert_all(
        connection,
        source_fetches,
        [
            {"check_id": check, **dict(zip(named, (place, *fetch), strict=True))}
            for fetch, place in places.items()
        ],
    )
    insert_all(
        connection,
        claim_fetches,
        [
            {"check_id": check, "claim": claim, "fetch": fetch}
            for claim, fetch in sorted(links)
        ],
    )


def _visits(checks: Iterable[ClaimCheck]) -> Iterator[LinkVisit]:
    for check in checks:
        for fetch in check.fetches:
            if fetch.visit is not None:
                yield fetch.visit


def _stored(advice: Message | None) -> str | None:
    if advice is None:
        return None
    stored = {
        "key": advice.key,
        "english": sanitise.text(advice.english),
        "values": [
            one if isinstance(one, int) else sanitise.text(str(one))
            for one in advice.values
        ],
    }
    return json.dumps(stored, ensure_ascii=False)


# Only the English text was stored before. Such rows stay until their page is checked
# again, so their messages are recognised by it.
_OLD_ADVICE = (
    (
        "advice-nothing-to-judge-by",
        re.compile(r"The language model found nothing to judge by .*"),
    ),
    (
        "advice-others-unread",
        re.compile(
            r"(\d{1,9}) of (\d{1,9}) sources w\w+ read and do(?:es)? not support .*"
        ),
    ),
)


def _advice(stored: str | None) -> Message | None:
    if not stored:
        return None
    if stored.startswith("{"):
        fields = json.loads(stored)
        return Message(fields["key"], fields["english"], tuple(fields["values"]))
    for key, wording in _OLD_ADVICE:
        if found := wording.fullmatch(stored):
            return Message(key, stored, tuple(map(int, found.groups())))
    return Message("", stored)


def _row_of_check(result: ClaimCheck, at: datetime) -> _ClaimRow:
    found = result.verification.probabilities if result.verification else None
    values = {
        "fingerprint": result.fingerprint,
        "checked_at": at,
        "advice": _stored(result.advice),
    }
    return _ClaimRow(
        result.claim.span.start,
        values | _wording(result.claim) | _judged(result.verdict, found),
        tuple(_fetch_columns(one.source.key, one) for one in result.fetches),
    )


def _carried(one: Carried) -> _ClaimRow:
    last = one.result
    values = {
        "fingerprint": last.fingerprint,
        "checked_at": last.checked_at,
        "advice": _stored(last.advice),
    }
    return _ClaimRow(
        one.claim.span.start,
        values | _wording(one.claim) | _judged(last.verdict, last.probabilities),
        tuple(_fetch_columns(fetch.source_key, fetch) for fetch in last.fetches),
    )


def _wording(claim: Claim) -> dict[str, Any]:
    return {
        "claim": sanitise.text(claim.text),
        "kind": claim.kind.name,
        "section": sanitise.listed(claim.section),
    }


def _judged(verdict: Verdict | None, found: Probabilities | None) -> dict[str, Any]:
    return {
        "verdict": verdict and verdict.name,
        "p_supported": found and sanitise.share(found.supported),
        "p_partially_supported": found and sanitise.share(found.partially_supported),
        "p_not_supported": found and sanitise.share(found.not_supported),
        "p_contradicted": found and sanitise.share(found.contradicted),
    }


def _fetch_columns(key: str, fetch: SourceFetch | StoredFetch) -> _Fetch:
    return (
        sanitise.text(key, ADDRESS_CHARS),
        fetch.outcome.name,
        sanitise.text(fetch.detail, ADDRESS_CHARS),
        sanitise.text(fetch.url, ADDRESS_CHARS),
        fetch.origin and fetch.origin.name,
        fetch.read_at,
        sanitise.text(fetch.content_sha256, 64),
        fetch.http_status,
    )


def _ranked_of(row: Row[Any]) -> RankedSuggestion:
    return as_value(
        RankedSuggestion,
        row,
        kind=kind_of_row(row).kind,
        flag=flag_of(row),
        place=row.place or 0,
        is_sensitive=bool(row.is_sensitive),
    )
