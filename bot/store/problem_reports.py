"""Reports of problems with notes, from the wikis' report pages.

An answer counts as a decision about the note without a reader, so the measured
precision includes it, just as readers' decisions. An answer that is changed on the page
replaces the earlier one.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, true, update

from bot.records.accounts import (
    Decision,
    DecisionKind,
    DismissReason,
    ProblemReport,
    ReportAnswer,
)
from bot.store import sanitise
from bot.store.checks import suggestion_on
from bot.store.database import Repository, writes
from bot.store.decisions import decision_columns
from bot.store.schema import HASH_CHARS, decisions, problem_reports
from bot.store.suggestions import StoredSuggestion


class ProblemReports(Repository):
    """The reports, and the answers to them."""

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
        return sum(_keep(connection, wiki, one, now) for one in reports)


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


def _keep(
    connection: Connection, wiki: str, report: ProblemReport, now: datetime
) -> bool:
    row = connection.execute(
        select(problem_reports).filter_by(wiki=wiki, name=report.name).with_for_update()
    ).one_or_none()
    answer = report.answer and report.answer.name
    if row is not None and row.answer == answer:
        return False
    stored = suggestion_on(connection, wiki, report.identity)
    if stored is None:
        return False
    found = stored.suggestion
    if row is None:
        connection.execute(
            insert(problem_reports).values(
                wiki=sanitise.key(wiki, "wiki"),
                name=sanitise.key(report.name, "name of a report", HASH_CHARS),
                identity=found.identity,
                revision=report.revision,
                verdict=found.verdict.name,
                flag_kind=found.flag.kind.name if found.flag else None,
                reported_at=now,
            )
        )
    else:
        _take_back(connection, row, now)
    values = {"answer": answer, "answered_at": now if answer else None}
    same = (problem_reports.c.wiki == wiki) & (problem_reports.c.name == report.name)
    connection.execute(update(problem_reports).where(same).values(**values))
    if report.answer is not None:
        made = _decision(stored, report, report.answer, now)
        connection.execute(insert(decisions).values(**decision_columns(made)))
    return True


def _take_back(connection: Connection, row: Row[Any], now: datetime) -> None:
    if row.answered_at is None:
        return
    columns = decisions.c
    before = (
        (columns.wiki == row.wiki)
        & (columns.identity == row.identity)
        & columns.reader.is_(None)
        & (columns.decided_at == row.answered_at)
    )
    connection.execute(update(decisions).where(before).values(undone_at=now))


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
