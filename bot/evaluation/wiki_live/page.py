"""Shows Wiki Fact as one HTML page: systems side by side, beside the paper, and a map.

The map has the facts of one Good Article in their order, section by section, and shows
which of them each system covers (the paper's figure 4).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from bot.evaluation.page import render_page
from bot.evaluation.report import EvaluationReport
from bot.evaluation.wiki_live.agreement import Comparison
from bot.evaluation.wiki_live.judge import Word
from bot.evaluation.wiki_live.results import ArticleResult
from bot.evaluation.wiki_live.sections import sections_of_facts
from bot.evaluation.wiki_live.values import Reference, shown
from bot.report.templating import templates

COLUMNS = (
    ("coverage", "Coverage"),
    ("wiki_conflict", "Wiki conflict"),
    ("reference_accuracy", "Reference accuracy"),
    ("reference_accuracy_with_error_pages", "with error pages"),
    ("reference_conflict", "Reference conflict"),
    ("leakage", "Leakage"),
)
_IN_PERCENT = 100
_MOST_DIFFERENCES = 200
_VALUES: Mapping[Word, int] = {Word.SUPPORT: 1, Word.CONFLICT: 2, Word.NOT_SUPPORT: 0}


@dataclass(frozen=True, slots=True)
class Cell:
    """A share in percent with its interval, and the paper's beside."""

    value: str
    interval: str = ""
    paper: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A system in the table."""

    system: str
    articles: int
    statements: int
    cells: tuple[Cell, ...]
    skipped: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Map:
    """The facts of one article and which systems cover them, as a drawing."""

    title: str
    facts: int
    drawing: Markup


def render(
    report: EvaluationReport,
    results: Sequence[ArticleResult],
    references: Sequence[Reference],
    comparison: Comparison | None,
    title: str | None = None,
) -> str:
    """Return the page; `title` names the article of the map, else the best known."""
    systems: Mapping[str, Any] = report.metrics["systems"]
    differences = (
        [one for one in comparison.compared if one.ours is not one.theirs]
        if comparison
        else []
    )
    return (
        templates()
        .get_template("wiki_live.html")
        .render(
            report=report,
            columns=[name for _, name in COLUMNS],
            rows=[_row(name, figures) for name, figures in systems.items()],
            remarks=report.metrics["against_paper"],
            agreement=report.metrics.get("judge_agreement"),
            differences=differences[:_MOST_DIFFERENCES],
            map=_map(results, references, title),
        )
    )


def pages(
    report: EvaluationReport,
    results: Sequence[ArticleResult],
    references: Sequence[Reference],
    comparison: Comparison | None,
) -> Iterator[tuple[Path, str]]:
    """Yield the file names and texts of the report: the comparison, then all figures."""
    yield Path("wiki_live.html"), render(report, results, references, comparison)
    yield Path("wiki_live_figures.html"), render_page(report)


def _row(system: str, figures: Mapping[str, Any]) -> Row:
    return Row(
        system,
        figures["n"],
        figures["statements"],
        tuple(_cell(figures, name) for name, _ in COLUMNS),
        tuple((one.replace("_", " "), n) for one, n in figures["skipped"].items()),
    )


def _cell(figures: Mapping[str, Any], name: str) -> Cell:
    value, ends = figures.get(name), figures.get(f"{name}_ci95")
    if value is None:
        return Cell("–")
    paper = figures["paper"].get(name)
    return Cell(
        f"{value * _IN_PERCENT:.1f}",
        f"{ends[0] * _IN_PERCENT:.1f}–{ends[1] * _IN_PERCENT:.1f}" if ends else "",
        "" if paper is None else f"{paper * _IN_PERCENT:.2f}",
    )


def _map(
    results: Sequence[ArticleResult], references: Sequence[Reference], title: str | None
) -> Map | None:
    """Return the map of an article: the one named, else that of most systems' facts."""
    by_title: dict[str, list[ArticleResult]] = {}
    for one in results:
        if title is None or one.title == title:
            by_title.setdefault(one.title, []).append(one)
    if not by_title:
        return None
    chosen = max(by_title.values(), key=lambda some: (len(some), _covered(some)))
    name = chosen[0].title
    markdown = next((one.markdown for one in references if one.title == name), "")
    texts = [one.text for one in chosen[0].facts]
    headings = sections_of_facts(texts, markdown)
    from bot.adapters.plots import coverage_svg  # noqa: PLC0415 - slow to import

    drawing = coverage_svg(
        [one.system for one in chosen],
        [[_VALUES[fact.said.word] for fact in one.facts] for one in chosen],
        [(part, len(list(same))) for part, same in groupby(headings)],
        f"Facts of {shown(name)} that each system covers",
    )
    # The drawing is ours; the labels in it are escaped by what draws.
    return Map(shown(name), len(texts), Markup(drawing))  # noqa: S704 - see above


def _covered(results: Sequence[ArticleResult]) -> int:
    return sum(fact.said.word is Word.SUPPORT for one in results for fact in one.facts)
