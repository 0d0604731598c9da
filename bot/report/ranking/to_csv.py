"""Renders a ranking as CSV for spreadsheets.

A spreadsheet runs a cell that begins like a formula, and all of this comes from
pages and the web; such cells get an apostrophe in front (OWASP, "CSV Injection").
"""

import csv
from collections.abc import Iterator
from io import StringIO

from bot.report.ranking.gathered import Ranking
from bot.report.words import clean
from handlers.citations.ranking import Place, Ranked, Unranked

COLUMNS = (
    "rank", "standing", "fails", "flagged_for", "wiki", "page", "section",
    "claim", "sentence", "source", "quote", "url_depth", "link", "detail",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render_csv(ranking: Ranking) -> str:
    """Return a table: ranked claims, then those not checked, then unread pages.

    What is not ranked has no rank and no probability, and says why.
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
