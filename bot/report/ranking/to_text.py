"""Renders a ranking as text for a terminal, each claim in a few lines."""

from collections import Counter
from collections.abc import Iterator
from textwrap import fill

from bot.report.ranking.gathered import Ranking
from bot.report.wording import counted, percent
from bot.report.words import clean_for_terminal, shortened
from handlers.citations.quoting.links import safe_href
from handlers.citations.ranking import Ranked

_LEAST_WIDTH = 40
_INDENT = " " * 8
_MOST_OF_A_TEXT = 300


def render_text(ranking: Ranking, *, width: int) -> str:
    """Return the ranking wrapped to `width` columns; addresses are never broken."""
    lines = [
        *_head(ranking),
        *_rows(ranking, max(width, _LEAST_WIDTH)),
        *_apart(ranking),
    ]
    return "\n".join(lines) + "\n"


def _head(ranking: Ranking) -> Iterator[str]:
    rows = len(ranking.rows) + ranking.left_out
    engine = clean_for_terminal(f"{ranking.engine.name} {ranking.engine.version}")
    yield (
        f"{counted(rows, 'claim')} of {counted(ranking.pages, 'page')} by how likely"
        f" they fail; {ranking.flagged} of those shown flagged; engine {engine}"
    )
    yield "Made by a machine, which can be wrong: read the source before editing."


def _rows(ranking: Ranking, width: int) -> Iterator[str]:
    for rank, row in enumerate(ranking.rows, 1):
        yield ""
        yield from _row(rank, row, width)
    if ranking.left_out:
        yield ""
        yield f"{counted(ranking.left_out, 'claim')} less likely to fail are not shown."


def _row(rank: int, row: Ranked, width: int) -> Iterator[str]:
    flag = f"  FLAGGED: {row.flag.kind.value}" if row.flag else ""
    yield f"{rank:6}. {percent(row.fails):>8} fails  {row.verdict.value}{flag}"
    section = " > ".join(row.place.section) or "Lead"
    yield _wrapped(f"{row.place.page.title} > {section}", width)
    yield _wrapped(f"“{shortened(row.place.claim, _MOST_OF_A_TEXT)}”", width)
    if row.quote:
        yield _wrapped(f"source: “{shortened(row.quote, _MOST_OF_A_TEXT)}”", width)
    if row.address:
        depth = "" if row.url_depth is None else f"  (URL depth {row.url_depth})"
        yield f"{_INDENT}{clean_for_terminal(row.address)}{depth}"
    if safe_href(row.place.link):
        yield f"{_INDENT}{clean_for_terminal(row.place.link or '')}"


def _wrapped(text: str, width: int) -> str:
    return fill(
        clean_for_terminal(text),
        width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
    )


def _apart(ranking: Ranking) -> Iterator[str]:
    if ranking.unchecked:
        yield ""
        yield (
            f"{counted(len(ranking.unchecked), 'claim')} could not be checked, which"
            " says nothing against them:"
        )
        reasons = Counter(
            one.outcome.value if one.outcome else "no verdict"
            for one in ranking.unchecked
        )
        yield from (f"{number:6}  {reason}" for reason, number in reasons.most_common())
    if ranking.failures:
        yield ""
        yield f"{counted(len(ranking.failures), 'page')} could not be read:"
        for failure in ranking.failures:
            yield f"        {clean_for_terminal(f'{failure.page}: {failure.reason}')}"
