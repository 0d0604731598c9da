"""How accurate the notes of a wiki are, by day, and the counts the figures are made from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from pydantic import ValidationError
from sqlalchemy import Connection, func, insert, select, update

from bot.records.accounts import ReportAnswer, Tally
from bot.records.accuracy import AccuracyDay, Costs
from bot.records.panel_edits import EditCounts
from bot.store import sanitise
from bot.store.database import Repository, reads, writes
from bot.store.decisions import tallies
from bot.store.panel_edits import count_panel_edits
from bot.store.problem_reports import count_reports
from bot.store.schema import (
    accuracy_days,
    checks,
    model_uses,
    pages,
    revisions,
    spending,
)
from bot.store.spending import BILLION, day_of


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


class AccuracyDays(Repository):
    """The days of all wikis."""

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
            tuple(t for t in tallies(connection, decided_since) if t.wiki == wiki),
            count_panel_edits(connection, wiki, saved_since, now),
            count_reports(connection, decided_since, wiki),
            _costs(connection, wiki, day_of(now)),
            is_spent=connection.scalar(refused) is not None,
        )

    @reads
    def costs(self, connection: Connection, wiki: str, day: date) -> Costs:
        """Return what a day cost."""
        return _costs(connection, wiki, day)

    @writes
    def keep(self, connection: Connection, day: AccuracyDay, now: datetime) -> None:
        """Save a day, replacing what was saved for it before."""
        wiki = sanitise.key(day.wiki, "wiki")
        values = {"figures": day.model_dump_json(), "kept_at": now}
        same = (accuracy_days.c.wiki == wiki) & (accuracy_days.c.day == day.day)
        known = select(accuracy_days.c.day).where(same).with_for_update()
        if connection.scalar(known) is None:
            named = {"wiki": wiki, "day": day.day}
            connection.execute(insert(accuracy_days).values(**named, **values))
        else:
            connection.execute(update(accuracy_days).where(same).values(**values))

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


def _costs(connection: Connection, wiki: str, day: date) -> Costs:
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
