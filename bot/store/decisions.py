"""What readers of the panel decide about suggestions.

A reader is known only by a keyed hash, and only for a month: see
`bot.records.accounts.Reader`.

    decide   the reader's earlier decision is undone, the new one counts
    undo     it is undone

Everyone who decides about a suggestion locks its row first, so two of them cannot both
miss that the other's dismissal was the second. A dismissal by a second reader closes
the suggestion for everyone; undoing a decision opens it again if fewer than two
dismissals are left.

A reader who dismisses something again after a month must not count as a second reader,
so only dismissals by readers who are still known can close. To keep a closed suggestion
closed, all dismissals count.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    func,
    insert,
    select,
    true,
)

from bot.records.accounts import (
    Decision,
    DecisionKind,
    DismissReason,
    ErrorKind,
    Judgement,
    JudgementKind,
    StoredDecision,
    Tally,
    Voice,
    says_right,
)
from bot.records.watches import IntendedPost, PlanKind, WatcherKind
from bot.store import mapping, sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    inserted,
    put,
    read_with,
    reads,
    rows_with,
    writes,
)
from bot.store.mapping import as_columns, as_value
from bot.store.pages import replan
from bot.store.posts import ask_for_plans
from bot.store.schema import (
    HASH_CHARS,
    closures,
    decisions,
    judgements,
    pages,
    suggestions,
)
from bot.store.shown_notes import (
    bring_back_everywhere,
    bring_note_back,
    dismiss_ahead,
    dismiss_everywhere,
)
from bot.store.watches import watches_of_page
from handlers.model import CheckKind, Engine, PageId, Verdict
from handlers.ports import PermanentError

_CLOSES = 2  # dismissals by different readers close a suggestion
# A closure is dated this much later than the last dismissal, so that the notes it
# dismissed can be told from those the reader did.
_A_MOMENT = timedelta(microseconds=1)

_MOST = 50_000  # decisions that are counted, the newest first
_ROWS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class _Place:
    """The suggestion of a decision, and on whose reports it can be shown."""

    wiki: str
    title: str
    identity: str
    is_open: bool


def tallies_since(connection: Connection, since: datetime) -> tuple[Tally, ...]:
    """Count how decisions about flagged suggestions turned out, at `since` or later.

    A suggestion counts once, by the newest decision that says whether it is right: an
    acceptance, a denial that it is true, or another verdict. That something is not
    worth it, or already fixed, says neither. The newest 50,000 are counted.

    A reader's voice is shared out among all that they decided on. Decisions without a
    reader and a part of a voice, which are answers to reports, count as one reader
    together: any account may write them. What holds for its reader alone is left out.
    """
    columns = decisions.c
    found = (
        columns.wiki,
        columns.engine_name,
        columns.engine_version,
        columns.flag_kind,
    )
    answer = (columns.kind, columns.reason, columns.right_verdict)
    rows = connection.execute(
        select(
            columns.identity,
            columns.flag_probability,
            columns.reader,
            columns.voice,
            *found,
            *answer,
        )
        .where(
            (columns.decided_at >= since)
            & columns.undone_at.is_(None)
            & columns.flag_kind.is_not(None)
            & columns.is_own.is_not(true())
            & is_understood()
            & columns.flag_probability.is_not(None)
        )
        .order_by(columns.decided_at.desc(), columns.id.desc())
        .limit(_MOST)
    )
    seen: set[tuple[str, str]] = set()
    groups: defaultdict[tuple[str, ...], _Group] = defaultdict(_Group)
    for identity, chance, reader, part, wiki, name, version, flag, *words in rows:
        is_right = says_of(flag, *words)
        if is_right is None:
            continue
        group = groups[wiki, name, version, flag]
        if part is None:
            group.said[reader].append((chance, is_right))
        elif part > 0:
            group.voices.append(Voice(chance, is_right, part))
        if (wiki, identity) not in seen:
            seen.add((wiki, identity))
            (group.right if is_right else group.wrong).append(chance)
    return tuple(
        Tally(
            wiki,
            Engine(name, version),
            CheckKind[flag],
            tuple(sorted(group.right)),
            tuple(sorted(group.wrong)),
            tuple(sorted(group.all_voices())),
        )
        for (wiki, name, version, flag), group in sorted(
            groups.items(), key=lambda one: one[0]
        )
    )


@dataclass(slots=True)
class _Group:
    """The decisions about one kind by one engine on one wiki, while they are counted."""

    right: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    voices: list[Voice] = field(default_factory=list)
    said: defaultdict[str | None, list[tuple[float, bool]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def all_voices(self) -> Iterator[Voice]:
        yield from self.voices
        for said in self.said.values():
            yield from (Voice(*each, 1 / len(said)) for each in said)


def share_out_voices(
    connection: Connection, numbers: Collection[int], before: datetime
) -> None:
    """Set the parts of the voices of readers who are about to be forgotten.

    The decisions of a reader before that time get one voice together, so that however
    many there were they weigh no more than one reader's; none if the reader has decided
    on the kind since then, and their voice is there.

    Args:
        connection: to the database.
        numbers: of decisions that are about to lose their reader.
        before: the time before which all lose theirs.
    """
    columns = decisions.c
    named = (
        *(columns.reader, columns.wiki, columns.engine_name),
        *(columns.engine_version, columns.flag_kind),
    )
    is_flagged = columns.flag_kind.is_not(None) & columns.voice.is_(None)
    due = select(*named).where(columns.id.in_(numbers) & is_flagged).distinct()
    for group in connection.execute(due).all():
        query = (
            select(decisions)
            .where(
                *(column == value for column, value in zip(named, group, strict=True))
            )
            .where(columns.undone_at.is_(None) & columns.is_own.is_not(true()))
            .where(is_understood() & columns.flag_probability.is_not(None))
        )
        said = [
            row
            for row in connection.execute(query)
            if says_of(row.flag_kind, row.kind, row.reason, row.right_verdict)
            is not None
        ]
        old = [row.id for row in said if row.decided_at < before]
        part = 1 / len(old) if len(old) == len(said) and old else 0.0
        for number in old:
            change(connection, decisions, {"voice": part}, id=number)


@cache
def says_of(
    flag: str, kind: str, reason: str | None, right_verdict: str | None
) -> bool | None:
    """Return `says_right` of the columns of a decision about a flagged suggestion."""
    return says_right(
        CheckKind[flag],
        DecisionKind[kind],
        DismissReason[reason] if reason else None,
        Verdict[right_verdict] if right_verdict else None,
    )


class Decisions(Repository):
    """What readers decided, and what it closed."""

    tallies = read_with(tallies_since)

    @writes
    def decide(
        self,
        connection: Connection,
        reader_key: str,
        decision: Decision,
        *,
        user: str | None = None,
        is_own: bool = False,
    ) -> StoredDecision:
        """Save a decision; it replaces the reader's earlier one about the suggestion.

        The second reader who dismisses a suggestion closes it for everyone: its notes
        are dismissed everywhere, and those places are planned again. What readers
        dismiss is also dismissed on their own reports, even if it was never shown
        there: `user` is their name on the wiki, which is not stored. Everything that
        follows from the decision has its time. Repeating a decision, as when an answer
        was lost, changes nothing. With `is_own` it holds for this reader alone.

        Raises:
            PermanentError: there is no such suggestion.
        """
        place = _locked(connection, decision.wiki, decision.title, decision.identity)
        standing = _states_of(
            connection, reader_key, decision.wiki, [decision.identity]
        )
        known = next(iter(standing), None)
        now = decision.decided_at
        if known is not None:
            stored = _stored_decision(known)
            is_same = replace(stored.decision, decided_at=now) == decision
            if is_same and bool(known.is_own) is is_own:
                return stored
            _take_back(connection, known, place, now, user)
        values = decision_columns(decision) | {
            "reader": sanitise.key(reader_key, "reader", HASH_CHARS),
            "is_own": is_own,
        }
        number = inserted(connection, decisions, values)
        if decision.hides and user is not None:
            _dismiss(connection, place, decision, user)
        _settle(connection, place, now)
        return StoredDecision(number, decision)

    @writes
    def undo(
        self,
        connection: Connection,
        reader_key: str,
        number: int,
        now: datetime,
        *,
        user: str | None = None,
    ) -> Decision | None:
        """Undo a decision and its effects.

        A suggestion opens again if fewer than two dismissals of it are left. On a talk
        page, a note that has already been removed does not come back.

        Returns:
            What was decided; `None` if this reader has no decision with this number
            that still counts.
        """
        query = (
            select(decisions)
            .filter_by(id=number, reader=reader_key)
            .where(is_understood())
        )
        row = connection.execute(query).one_or_none()
        if row is None:
            return None
        place = _locked(connection, row.wiki, row.title, row.identity)
        row = connection.execute(query.with_for_update()).one_or_none()
        if row is None or row.undone_at not in {None, now}:
            return None
        if row.undone_at is None:
            _take_back(connection, row, place, now, user)
            _settle(connection, place, now)
        return _stored_decision(row).decision

    def take_back(
        self, reader_key: str, now: datetime, *, user: str | None = None
    ) -> int:
        """Undo all that a reader decided, as far as they are still known.

        It uses a transaction for each.

        Returns:
            How many decisions.
        """
        numbers = self._standing(reader_key)
        return sum(self._withdraw(reader_key, each, now, user) for each in numbers)

    @reads
    def _standing(self, connection: Connection, reader_key: str) -> list[int]:
        chosen = select(decisions.c.id).filter_by(reader=reader_key, undone_at=None)
        return list(connection.scalars(chosen.order_by(decisions.c.id)))

    def _withdraw(
        self, reader_key: str, number: int, now: datetime, user: str | None
    ) -> bool:
        try:
            return self.undo(reader_key, number, now, user=user) is not None
        except PermanentError:  # what it was about is there no longer
            return self._mark_undone(number, now)

    @writes
    def _mark_undone(self, connection: Connection, number: int, now: datetime) -> bool:
        row = find(connection, decisions, id=number, lock=True)
        if row is None:
            return False
        change(connection, decisions, {"undone_at": now}, id=number)
        _settle(
            connection, _Place(row.wiki, row.title, row.identity, is_open=False), now
        )
        return True

    @reads
    def of_reader(
        self,
        connection: Connection,
        reader_key: str,
        wiki: str,
        identities: Iterable[str],
    ) -> dict[str, StoredDecision]:
        """Return what a reader decided about these suggestions, by identity."""
        rows = _states_of(connection, reader_key, wiki, identities)
        return {row.identity: _stored_decision(row) for row in rows}

    @reads
    def closed(
        self,
        connection: Connection,
        wiki: str,
        identities: Iterable[str] | None = None,
    ) -> frozenset[str]:
        """Return which suggestions of a wiki are closed: among these, or all."""
        every = select(closures.c.identity).filter_by(wiki=wiki)
        if identities is None:
            return frozenset(connection.scalars(every))
        rows = rows_with(connection, every, closures.c.identity, identities)
        return frozenset(row.identity for row in rows)

    @reads
    def version(self, connection: Connection, wiki: str, title: str) -> str:
        """Return a value that changes when a decision about a page is made or undone."""
        newest, undone = connection.execute(
            select(
                func.max(decisions.c.id), func.count(decisions.c.undone_at)
            ).filter_by(wiki=wiki, title=title)
        ).one()
        return f"{newest or 0}-{undone}"

    def all(
        self, since: datetime | None = None
    ) -> Iterator[tuple[str | None, StoredDecision]]:
        """Yield all decisions, including undone ones, each with its reader's key.

        It uses many small transactions; the key is `None` once it has been forgotten.
        """
        after = 0
        while batch := self._next(after, since):
            yield from batch
            after = batch[-1][1].number

    @reads
    def _next(
        self, connection: Connection, after: int, since: datetime | None
    ) -> list[tuple[str | None, StoredDecision]]:
        chosen = (
            select(decisions)
            .where((decisions.c.id > after) & is_understood())
            .order_by(decisions.c.id)
        )
        if since is not None:
            chosen = chosen.where(decisions.c.decided_at >= since)
        rows = connection.execute(chosen.limit(_ROWS_AT_ONCE))
        return [(row.reader, _stored_decision(row)) for row in rows]


class Judgements(Repository):
    """What readers judged: preferences between two citations, and reviews."""

    @writes
    def add(
        self, connection: Connection, reader_key: str, judgement: Judgement
    ) -> None:
        """Save a judgement; it replaces the reader's earlier one about the same thing.

        Raises:
            ValueError: it is neither a preference nor a review, or both.
            PermanentError: a number in it is not a probability.
        """
        if (judgement.preferred is None) == (judgement.outcome is None):
            raise ValueError("a judgement is either a preference or a review")
        answer = json.dumps(_judgement_answer(judgement))
        values = as_columns(judgements, judgement, answer=answer)
        reader = sanitise.key(reader_key, "reader", HASH_CHARS)
        key = {name: values[name] for name in ("kind", "wiki", "identity")}
        same = select(judgements).filter_by(**key, reader=reader).limit(1)
        row = connection.execute(same.with_for_update()).first()
        put(connection, judgements, row, values, **key, reader=reader)

    @reads
    def done(
        self, connection: Connection, reader_key: str, kind: JudgementKind
    ) -> frozenset[str]:
        """Return the identities of what a reader has already judged."""
        named = {"reader": reader_key, "kind": kind.name}
        chosen = select(judgements.c.identity).filter_by(**named)
        return frozenset(connection.scalars(chosen))

    def all(
        self, kind: JudgementKind, since: datetime | None = None
    ) -> Iterator[tuple[str | None, Judgement]]:
        """Yield judgements in order, each with its reader's key.

        It uses many small transactions; the key is `None` once it has been forgotten.
        """
        after = 0
        while rows := self._next(kind, since, after):
            yield from ((row.reader, _judgement(row)) for row in rows)
            after = rows[-1].id

    @reads
    def _next(
        self,
        connection: Connection,
        kind: JudgementKind,
        since: datetime | None,
        after: int,
    ) -> Sequence[Row[Any]]:
        chosen = (
            select(judgements)
            .filter_by(kind=kind.name)
            .where(judgements.c.id > after)
            .order_by(judgements.c.id)
            .limit(_ROWS_AT_ONCE)
        )
        if since is not None:
            chosen = chosen.where(judgements.c.judged_at >= since)
        return connection.execute(chosen).all()


def _locked(connection: Connection, wiki: str, title: str, identity: str) -> _Place:
    """Lock the suggestion's row.

    Raises:
        PermanentError: there is no such suggestion.
    """
    page = select(pages.c.id).filter_by(wiki=wiki, title=title).scalar_subquery()
    row = connection.execute(
        select(suggestions.c.closed_at)
        .where((suggestions.c.page == page) & (suggestions.c.identity == identity))
        .with_for_update()
    ).one_or_none()
    if row is None:
        raise PermanentError(
            "there is no such suggestion for this page; reload it to see what there is"
        )
    return _Place(wiki, title, identity, row.closed_at is None)


def _take_back(
    connection: Connection,
    row: Row[Any],
    place: _Place,
    now: datetime,
    user: str | None,
) -> None:
    change(connection, decisions, {"undone_at": now}, id=row.id)
    if _stored_decision(row).decision.hides and user is not None:
        for report in _reports(connection, place, user):
            bring_note_back(
                connection,
                (place.wiki, report),
                place.identity,
                row.decided_at,
                now,
                is_open=place.is_open,
            )
        _ask_reports(connection, place, user, now)


def _dismiss(
    connection: Connection, place: _Place, decision: Decision, user: str
) -> None:
    """Dismiss the note on the reader's own reports, even before it is shown there."""
    now, kind = decision.decided_at, decision.flag
    for report in _reports(connection, place, user):
        dismiss_ahead(
            connection,
            (place.wiki, report),
            place.identity,
            (place.title, kind.name if kind else ""),
            now,
        )
    _ask_reports(connection, place, user, now)


def _reports(connection: Connection, place: _Place, user: str) -> list[str]:
    return sorted({row.report for row in _own(connection, place, user)})


def _ask_reports(
    connection: Connection, place: _Place, user: str, now: datetime
) -> None:
    intended_posts = [
        IntendedPost(PlanKind.REPORT, place.wiki, row.place, now)
        for row in _own(connection, place, user)
    ]
    ask_for_plans(connection, intended_posts, now)


def _own(connection: Connection, place: _Place, user: str) -> list[Row[Any]]:
    """Return the rows of the reader's own opt-ins whose reports include the page.

    For other kinds of opt-in the watcher is a title, which might be someone's name.
    """
    rows = connection.execute(watches_of_page(place.wiki, place.title))
    return [
        row
        for row in rows
        if row.kind == WatcherKind.USER.name
        and row.watcher == user
        and row.report is not None
    ]


def _settle(connection: Connection, place: _Place, now: datetime) -> None:
    """Close the suggestion, or open it again, according to the dismissals that count."""
    here: dict[str, Any] = {"wiki": place.wiki, "identity": place.identity}
    closure = find(connection, closures, **here)
    standing = (
        select(decisions).filter_by(**here, undone_at=None).where(is_understood())
    )
    is_for_all = decisions.c.is_own.is_not(true())
    rows = connection.execute(standing.where(is_for_all)).all()
    refusals = _agreeing([(row.reader, _stored_decision(row).decision) for row in rows])
    known = {reader for reader in refusals if reader is not None}
    if closure is None and len(known) >= _CLOSES:
        closed_at = now + _A_MOMENT
        connection.execute(insert(closures).values(**here, closed_at=closed_at))
        dismiss_everywhere(connection, place.wiki, place.identity, closed_at)
    elif closure is not None and len(known) + refusals.count(None) < _CLOSES:
        connection.execute(delete(closures).filter_by(**here))
        bring_back_everywhere(
            connection,
            place.wiki,
            place.identity,
            closure.closed_at,
            now,
            is_open=place.is_open,
        )
    else:
        return
    replan(connection, PageId(place.wiki, place.title), now)


def _agreeing(made: Sequence[tuple[str | None, Decision]]) -> list[str | None]:
    """Return whose decisions count for closing a suggestion.

    Those who compare it with its source settle it only if they say the same; of two
    answers, the more frequent one counts.
    """
    refusals = [(reader, one) for reader, one in made if one.is_refusal]
    answers = Counter(
        one.right_verdict for _, one in refusals if one.kind is DecisionKind.COMPARED
    )
    [(answer, _)] = answers.most_common(1) or [(None, 0)]
    return [
        reader
        for reader, one in refusals
        if one.kind is not DecisionKind.COMPARED or one.right_verdict is answer
    ]


def _states_of(
    connection: Connection, reader: str, wiki: str, identities: Iterable[str]
) -> list[Row[Any]]:
    """Return the decisions of a reader that count, the first one first."""
    query = (
        select(decisions)
        .filter_by(reader=reader, wiki=wiki, undone_at=None)
        .where(is_understood())
        .order_by(decisions.c.id)
    )
    return list(rows_with(connection, query, decisions.c.identity, identities))


def is_understood() -> ColumnElement[bool]:
    """Return the condition that this version understands a decision."""
    columns = decisions.c
    return (
        mapping.known(columns.kind, DecisionKind)
        & mapping.known(columns.reason, DismissReason)
        & mapping.known(columns.flag_kind, CheckKind)
    )


def decision_columns(one: Decision) -> dict[str, Any]:
    """Return a decision as the values of a row, without who decided."""
    chance = one.flag_probability
    return as_columns(
        decisions,
        one,
        flag_kind=one.flag.name if one.flag else None,
        flag_probability=None if chance is None else sanitise.share(chance),
    )


def _stored_decision(row: Row[Any]) -> StoredDecision:
    """Return a row of `decisions` as a value."""
    flag = mapping.kind_of(CheckKind, row.flag_kind) if row.flag_kind else None
    decision = as_value(Decision, row, flag=flag)
    return StoredDecision(row.id, decision, row.undone_at)


def count_decisions(
    connection: Connection, since: datetime
) -> tuple[dict[DecisionKind, int], int]:
    """Count the decisions that count at `since` or later, by kind, and all closures."""
    found = dict.fromkeys(DecisionKind, 0)
    rows = connection.execute(
        select(decisions.c.kind, func.count())
        .where((decisions.c.decided_at >= since) & decisions.c.undone_at.is_(None))
        .where(is_understood())
        .group_by(decisions.c.kind)
    )
    for kind, count in rows:
        found[DecisionKind[kind]] = count
    closed = connection.scalar(select(func.count()).select_from(closures))
    return found, closed or 0


def _judgement_answer(one: Judgement) -> dict[str, Any]:
    chances = {
        "present_probability": one.present_probability,
        "recommended_probability": one.recommended_probability,
    }
    return {
        "preferred": one.preferred.name if one.preferred else None,
        "shown_first": one.shown_first.name if one.shown_first else None,
        "outcome": one.outcome.name if one.outcome else None,
        "errors": [each.name for each in dict.fromkeys(one.errors)],
        **{
            name: None if chance is None else sanitise.share(chance)
            for name, chance in chances.items()
        },
    }


def _judgement(row: Row[Any]) -> Judgement:
    answer: dict[str, Any] = json.loads(row.answer)
    errors = tuple(ErrorKind[name] for name in answer["errors"])
    return as_value(Judgement, {**row._mapping, **answer}, errors=errors)
