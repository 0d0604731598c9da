"""What a ranking is made of, taken from reports one after another. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.report.links import claim_href
from bot.report.page_report import PageReport
from handlers.citations.ranking import Ranked, Unranked, in_order, ranked, unranked
from handlers.model import Engine


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be read, and why."""

    page: str  # as it was asked for
    reason: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """All claims of the pages that were read, in order, and what stands apart.

    `left_out` counts ranked claims that are not shown, because fewer were wanted.
    """

    rows: tuple[Ranked, ...]
    left_out: int
    unchecked: tuple[Unranked, ...]
    failures: tuple[Failure, ...]
    pages: int
    engine: Engine
    made_at: datetime

    @property
    def flagged(self) -> int:
        """Return how many of the rows shown are flagged."""
        return sum(row.flag is not None for row in self.rows)


def gathered(report: PageReport) -> tuple[list[Ranked], list[Unranked]]:
    """Return what a ranking keeps of one page."""
    page = report.page.id
    rows, apart = [], []
    for check in report.in_order:
        link = claim_href(check.claim, page)
        if row := ranked(check, page, link):
            rows.append(row)
        elif left := unranked(check, page, link):
            apart.append(left)
    return rows, apart


def ranking(
    rows: Sequence[Ranked],
    unchecked: Sequence[Unranked],
    failures: Sequence[Failure],
    *,
    pages: int,
    engine: Engine,
    made_at: datetime,
    top: int | None = None,
) -> Ranking:
    """Put everything in order and keep the first `top` rows."""
    ordered = in_order(rows)
    shown = ordered if top is None else ordered[:top]
    return Ranking(
        rows=tuple(shown),
        left_out=len(ordered) - len(shown),
        unchecked=tuple(unchecked),
        failures=tuple(failures),
        pages=pages,
        engine=engine,
        made_at=made_at,
    )
