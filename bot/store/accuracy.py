"""How accurate the notes of a wiki are: by edits, by reports, and by day.

An edit that a reader saved through the panel is stored once, whoever finds it. It is
checked again until it is a month old; if it was not reverted by then, it is expected to
stay.

An answer to a report of a problem counts as a decision about the note without a reader,
so the measured precision includes it, just as readers' decisions. An answer that is
changed on the page replaces the earlier one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from pydantic import ValidationError
from sqlalchemy import (
    Connection,
    func,
    insert,
    select,
    true,
    update,
)

from bot.records.accounts import (
    Decision,
    DecisionKind,
    DismissReason,
    ProblemReport,
    ReportAnswer,
    Tally,
)
from bot.records.accuracy import AccuracyDay, Costs
from bot.records.noted_edits import NotedEdits
from bot.records.panel_edits import (
    STAYED_AFTER,
    EditCounts,
    EditKind,
    EditState,
    PanelEdit,
)
from bot.store import sanitise
from bot.store.checks import suggestion_on
from bot.store.database import (
    Repository,
    change,
    count_if,
    find,
    put,
    read_with,
    reads,
    rows_with,
    writes,
)
from bot.store.decisions import decision_columns, tallies_since
from bot.store.mapping import as_columns
from bot.store.noted_edits import count_noted
from bot.store.schema import (
    HASH_CHARS,
    accuracy_days,
    checks,
    decisions,
    model_uses,
    pages,
    panel_edit_sweeps,
    panel_edits,
    problem_reports,
    revisions,
    spending,
)
from bot.store.spending import BILLION, day_of
from bot.store.suggestions import StoredSuggestion

_CHECKED_FOR = timedelta(days=30)
_AGAIN_AFTER = timedelta(hours=20)
_MOST_DUE = 500

_edits = panel_edits.c


def count_panel_edits(
    connection: Connection, wiki: str, since: datetime, now: datetime
) -> tuple[EditCounts, ...]:
    """Count the edits of a wiki saved at `since` or later, by kind."""
    is_old = _edits.saved_at <= now - STAYED_AFTER
    stands = _edits.state == EditState.STANDS.name
    rows = connection.execute(
        select(
            _edits.kind,
            count_if(_edits.state == EditState.REVERTED.name),
            count_if(_edits.state == EditState.GONE.name),
            count_if(stands & is_old),
            count_if(stands & ~is_old),
        )
        .where((_edits.wiki == wiki) & (_edits.saved_at >= since))
        .group_by(_edits.kind)
    )
    found = {row[0]: map(int, row[1:]) for row in rows}
    return tuple(
        EditCounts(kind, *found[kind.name]) for kind in EditKind if kind.name in found
    )


class PanelEdits(Repository):
    """The edits that readers of all wikis saved through the panel."""

    counts = read_with(count_panel_edits)

    @reads
    def swept_until(self, connection: Connection, wiki: str) -> datetime | None:
        """Return up to when a wiki's changes were searched; `None` if they never were."""
        return connection.scalar(select(panel_edit_sweeps.c.until).filter_by(wiki=wiki))

    @writes
    def keep(
        self,
        connection: Connection,
        wiki: str,
        edits: Iterable[PanelEdit],
        until: datetime,
        now: datetime,
    ) -> int:
        """Save new edits, and that changes were searched up to `until`."""
        wiki = sanitise.key(wiki, "wiki")
        found = {one.revision: one for one in edits}
        query = select(_edits.revision).where(_edits.wiki == wiki)
        known = {
            row.revision for row in rows_with(connection, query, _edits.revision, found)
        }
        new = sorted(found.keys() - known)
        for edit in map(found.__getitem__, new):
            values = as_columns(panel_edits, edit, wiki=wiki, checked_at=now)
            connection.execute(insert(panel_edits).values(values))
        before = find(connection, panel_edit_sweeps, wiki=wiki, lock=True)
        if before is None or before.until < until:
            put(connection, panel_edit_sweeps, before, {"until": until}, wiki=wiki)
        return len(new)

    @reads
    def due(self, connection: Connection, wiki: str, now: datetime) -> tuple[int, ...]:
        """Return the revisions that are due to be checked for a revert."""
        is_due = (
            (_edits.wiki == wiki)
            & (_edits.state == EditState.STANDS.name)
            & (_edits.saved_at > now - _CHECKED_FOR - _AGAIN_AFTER)
            & (_edits.checked_at < now - _AGAIN_AFTER)
        )
        some = select(_edits.revision).where(is_due).order_by(_edits.checked_at)
        return tuple(connection.scalars(some.limit(_MOST_DUE)))

    @writes
    def keep_states(
        self,
        connection: Connection,
        wiki: str,
        states: Mapping[int, EditState],
        now: datetime,
    ) -> None:
        """Save what became of edits."""
        for revision in sorted(states):
            values = {"state": states[revision].name, "checked_at": now}
            change(connection, panel_edits, values, wiki=wiki, revision=revision)


class ProblemReports(Repository):
    """The reports of problems with notes, and the answers to them."""

    @writes
    def keep(
        self,
        connection: Connection,
        wiki: str,
        reports: Iterable[ProblemReport],
        now: datetime,
    ) -> int:
        """Save what is new; return how many reports changed.

        A report of a note that is not known, or no longer known, is left out.
        """
        return sum(_keep_report(connection, wiki, one, now) for one in reports)


def count_reports(
    connection: Connection, since: datetime, wiki: str | None = None
) -> dict[ReportAnswer | None, int]:
    """Count the reports since a time, on one wiki or all, by their answers.

    `None`: not answered yet.
    """
    columns = problem_reports.c
    which = true() if wiki is None else columns.wiki == wiki
    rows = connection.execute(
        select(columns.answer, func.count())
        .where((columns.reported_at >= since) & which)
        .group_by(columns.answer)
    )
    return {name and ReportAnswer[name]: count for name, count in rows}


def _keep_report(
    connection: Connection, wiki: str, report: ProblemReport, now: datetime
) -> bool:
    row = find(connection, problem_reports, wiki=wiki, name=report.name, lock=True)
    answer = report.answer and report.answer.name
    if row is not None and row.answer == answer:
        return False
    stored = suggestion_on(connection, wiki, report.identity)
    if stored is None:
        return False
    if row is not None and row.answered_at is not None:
        _take_back(connection, wiki, row.identity, row.answered_at, now)
    found = stored.suggestion
    fresh = {
        "identity": found.identity,
        "revision": report.revision,
        "verdict": found.verdict.name,
        "flag_kind": found.flag.kind.name if found.flag else None,
        "reported_at": now,
    }
    values = {"answer": answer, "answered_at": now if answer else None}
    key = {
        "wiki": sanitise.key(wiki, "wiki"),
        "name": sanitise.key(report.name, "name of a report", HASH_CHARS),
    }
    put(connection, problem_reports, row, values, fresh, **key)
    if report.answer is not None:
        decision = _decision(stored, report, report.answer, now)
        connection.execute(insert(decisions).values(**decision_columns(decision)))
    return True


def _take_back(
    connection: Connection, wiki: str, identity: str, at: datetime, now: datetime
) -> None:
    """Undo the decision that an answer given at `at` counted as."""
    before = {"wiki": wiki, "identity": identity, "reader": None, "decided_at": at}
    undone = update(decisions).filter_by(**before).values(undone_at=now)
    connection.execute(undone)


def _decision(
    stored: StoredSuggestion, report: ProblemReport, answer: ReportAnswer, now: datetime
) -> Decision:
    found = stored.suggestion
    is_wrong = answer.says_wrong
    return Decision(
        wiki=found.page.wiki,
        title=found.page.title,
        identity=found.identity,
        kind=DecisionKind.DISMISS if is_wrong else DecisionKind.ACCEPT,
        verdict=found.verdict,
        engine=found.engine,
        flag=found.flag.kind if found.flag else None,
        flag_probability=found.flag.probability if found.flag else None,
        revision=report.revision,
        decided_at=now,
        reason=DismissReason.SOURCE_SAYS_IT if is_wrong else None,
    )


def costs_of(connection: Connection, wiki: str, day: date) -> Costs:
    """Return what a day cost."""
    since = datetime.combine(day, time(), UTC)
    until = since + timedelta(days=1)
    checked_pages, claims = connection.execute(
        select(func.count(), func.sum(checks.c.claims))
        .select_from(checks)
        .join(revisions, revisions.c.id == checks.c.revision)
        .join(pages, pages.c.id == revisions.c.page)
        .where(
            (pages.c.wiki == wiki)
            & (checks.c.checked_at >= since)
            & (checks.c.checked_at < until)
        )
    ).one()
    used = model_uses.c
    calls, tokens, billionths = connection.execute(
        select(
            func.sum(used.calls),
            func.sum(used.input_tokens + used.output_tokens),
            func.sum(used.billionths),
        ).where((used.used_at >= since) & (used.used_at < until))
    ).one()
    return Costs(
        checks=checked_pages,
        claims=int(claims or 0),
        model_calls=int(calls or 0),
        model_tokens=int(tokens or 0),
        money=f"{Decimal(int(billionths or 0)) / BILLION:f}",
    )


@dataclass(frozen=True, slots=True)
class Facts:
    """What the tables say about one wiki.

    `is_spent`: the language model's budget of the day is used up.
    """

    tallies: tuple[Tally, ...]
    edits: tuple[EditCounts, ...]
    reports: dict[ReportAnswer | None, int]
    costs: Costs
    is_spent: bool
    noted: tuple[NotedEdits, ...] = ()


class AccuracyDays(Repository):
    """The figures of all wikis, by day."""

    costs = read_with(costs_of)

    @reads
    def facts(
        self,
        connection: Connection,
        wiki: str,
        now: datetime,
        *,
        decided_since: datetime,
        saved_since: datetime,
    ) -> Facts:
        """Return the counts for the day of `now`."""
        refused = select(spending.c.refused_at).filter_by(day=day_of(now))
        return Facts(
            tuple(
                t for t in tallies_since(connection, decided_since) if t.wiki == wiki
            ),
            count_panel_edits(connection, wiki, saved_since, now),
            count_reports(connection, decided_since, wiki),
            costs_of(connection, wiki, day_of(now)),
            is_spent=connection.scalar(refused) is not None,
            noted=count_noted(connection, decided_since, wiki),
        )

    @writes
    def keep(self, connection: Connection, day: AccuracyDay, now: datetime) -> None:
        """Save a day, replacing what was saved for it before."""
        values = {"figures": day.model_dump_json(), "kept_at": now}
        wiki = sanitise.key(day.wiki, "wiki")
        row = find(connection, accuracy_days, wiki=wiki, day=day.day, lock=True)
        put(connection, accuracy_days, row, values, wiki=wiki, day=day.day)

    @reads
    def since(
        self, connection: Connection, wiki: str, day: date
    ) -> tuple[AccuracyDay, ...]:
        """Return the days of a wiki since `day`, the newest first."""
        columns = accuracy_days.c
        rows = connection.scalars(
            select(columns.figures)
            .where((columns.wiki == wiki) & (columns.day >= day))
            .order_by(columns.day.desc())
        )
        return tuple(_understood(rows))


def _understood(rows: Iterable[str]) -> Iterator[AccuracyDay]:
    for text in rows:
        try:
            yield AccuracyDay.model_validate_json(text)
        except ValidationError:
            continue  # from a newer version
