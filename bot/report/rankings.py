"""The claims of many pages in one list, those most likely to fail first. Pure.

Rendered as text for a terminal, JSON (`rankings_schema.json` describes each field) and
CSV for programs, and HTML for people. What could not be checked, and pages that could
not be read, are listed separately in every form.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO

from bot.report.claims import claim_href
from bot.report.page_report import PageReport
from bot.report.to_html import templates
from bot.report.to_json import Json, flag_json, json_document
from bot.report.to_text import laid_out, texts
from bot.report.words import clean
from handlers.citations.ranking import (
    Place,
    Ranked,
    Unranked,
    in_order,
    ranked,
    unranked,
)
from handlers.model import Engine


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be read, and why."""

    page: str  # as it was asked for
    reason: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """All claims of the pages that were read, in order, and what is listed separately.

    `left_out` counts ranked claims that are not shown because fewer were wanted.
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
    """Return the part of one page's check that a ranking keeps."""
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
    """Put everything in order, and keep the first `top` rows."""
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


COLUMNS = (
    "rank", "standing", "fails", "flagged_for", "wiki", "page", "section",
    "claim", "sentence", "source", "quote", "url_depth", "link", "detail",
)  # fmt: skip
# Spreadsheets run cells that begin like a formula, and all of this comes from pages and
# the web, so such cells start with an apostrophe (OWASP, "CSV Injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render_csv(ranking: Ranking) -> str:
    """Return a table: ranked claims, then those not checked, then unread pages.

    What is not ranked has no rank and no probability, but a reason.
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for cells in _rows(ranking):
        writer.writerow([_safe(cells.get(name)) for name in COLUMNS])
    return out.getvalue()


def _rows(ranking: Ranking) -> Iterator[dict[str, object]]:
    for rank, row in enumerate(ranking.rows, 1):
        yield {"rank": rank, **_ranked(row)}
    for one in ranking.unchecked:
        yield _unranked(one)
    for failure in ranking.failures:
        yield {
            "standing": "page not read",
            "page": failure.page,
            "detail": failure.reason,
        }


def _ranked(row: Ranked) -> dict[str, object]:
    return {
        "standing": row.verdict.value,
        "fails": f"{row.fails:.4f}",
        "flagged_for": row.flag.kind.value if row.flag else "",
        "source": row.address,
        "quote": row.quote,
        "url_depth": row.url_depth,
        **_placed(row.place),
    }


def _unranked(one: Unranked) -> dict[str, object]:
    return {
        "standing": "could not check",
        "source": one.address,
        "url_depth": one.url_depth,
        "detail": f"{one.outcome.value}: {one.detail}" if one.outcome else one.detail,
        **_placed(one.place),
    }


def _placed(place: Place) -> dict[str, object]:
    return {
        "wiki": place.page.wiki,
        "page": place.page.title,
        "section": " > ".join(place.section),
        "claim": place.claim,
        "sentence": place.sentence,
        "link": place.link,
    }


def _safe(cell: object) -> str:
    text = clean("" if cell is None else str(cell))
    return f"'{text}" if text.startswith(_FORMULA) else text


def render_html(ranking: Ranking) -> str:
    """Return one self-contained page with the whole ranking."""
    return templates().get_template("ranking.html").render(ranking=ranking)


SCHEMA_VERSION = "2.0"


def render_json(ranking: Ranking) -> str:
    """Return the ranking as one JSON document, best first."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "made_at": ranking.made_at,
        "engine": ranking.engine,
        "pages": ranking.pages,
        "ranked": [_ranked_json(rank, row) for rank, row in enumerate(ranking.rows, 1)],
        "left_out": ranking.left_out,
        "could_not_check": [_unranked_json(one) for one in ranking.unchecked],
        "pages_not_read": ranking.failures,
    }
    return json_document(document, indent=1)


def _ranked_json(rank: int, row: Ranked) -> Json:
    return {
        "rank": rank,
        "fails": row.fails,
        "verdict": row.verdict,
        "flag": flag_json(row.flag),
        **_placed_json(row.place),
        "source": row.address,
        "quote": row.quote,
        "url_depth": row.url_depth,
        "engine": row.engine,
    }


def _unranked_json(one: Unranked) -> Json:
    return {
        **_placed_json(one.place),
        "outcome": one.outcome,
        "detail": one.detail,
        "source": one.address,
        "url_depth": one.url_depth,
    }


def _placed_json(place: Place) -> Json:
    return {
        "wiki": place.page.wiki,
        "page": place.page.title,
        "revision_id": place.page.revision_id,
        "section": place.section,
        "claim": place.claim,
        "sentence": place.sentence,
        "url": place.link,
    }


_LEAST_WIDTH = 40


def render_text(ranking: Ranking, *, width: int) -> str:
    """Return the ranking wrapped to `width` columns; addresses are never broken."""
    reasons = Counter(
        one.outcome.value if one.outcome else "no verdict" for one in ranking.unchecked
    )
    filled = (
        texts()
        .get_template("ranking.txt")
        .render(ranking=ranking, reasons=reasons.most_common())
    )
    return laid_out(filled, width=max(width, _LEAST_WIDTH))
