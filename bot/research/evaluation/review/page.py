"""Shows Wiki Fact as one HTML page: systems side by side, beside the paper, and a map.

The map has the facts of one Good Article in their order, section by section, and shows
which of them each system covers (the paper's figure 4). The benchmark has the facts
without their sections. A fact's words stand in its section, so of all ways to part the
row of facts along the sections the one with the most words in common is taken.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from bot.report.to_html import templates
from bot.research.evaluation.page import render_page
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.review.articles import Reference, shown
from bot.research.evaluation.review.examination import ArticleResult
from bot.research.evaluation.review.figures import Comparison
from bot.research.evaluation.review.judge import Word
from handlers.citations.words import content_stems, words

_HEADING = re.compile(r"^#{1,6}\s+(\S.*)$")
_LEAD = "Lead"
_AFTER = frozenset(
    {"references", "see also", "notes", "external links", "bibliography", "sources"}
    | {"further reading", "citations", "footnotes", "works cited"}
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section with its own text, that of its subsections left out."""

    heading: str
    text: str


def sections_of(markdown: str) -> tuple[Section, ...]:
    """Return the sections of an article that have a text, the lead first.

    The first heading is the title; sections such as References are left out.
    """
    parts: list[tuple[str, list[str]]] = [(_LEAD, [])]
    is_titled = False
    for line in markdown.split("\n"):
        heading = _HEADING.match(line)
        if heading and not is_titled and line.startswith("# "):
            is_titled = True
        elif heading:
            parts.append((heading[1].rstrip("# \t").strip(" *_"), []))
        else:
            parts[-1][1].append(line)
    return tuple(
        Section(heading, text)
        for heading, lines in parts
        if (text := "\n".join(lines).strip()) and heading.casefold() not in _AFTER
    )


def sections_of_facts(facts: Sequence[str], markdown: str) -> tuple[str, ...]:
    """Return the heading of each fact's section; the order of sections is kept."""
    sections = sections_of(markdown)
    if not sections or not facts:
        return tuple("" for _ in facts)
    stems = [content_stems(words(one.text)) for one in sections]
    shares = [
        [_share(content_stems(words(fact)), one) for one in stems] for fact in facts
    ]
    return tuple(sections[at].heading for at in _in_order(shares))


def _share(asked: frozenset[str], stated: frozenset[str]) -> float:
    return len(asked & stated) / len(asked) if asked else 0.0


def _in_order(shares: Sequence[Sequence[float]]) -> list[int]:
    """Return for each row a column that never goes back, the sum being the highest."""
    best = list(shares[0])
    came_from: list[list[int]] = []
    for row in shares[1:]:
        before = [0]
        for at in range(1, len(best)):
            before.append(at if best[at] > best[before[-1]] else before[-1])
        came_from.append(before)
        best = [best[before[at]] + row[at] for at in range(len(row))]
    chosen = [max(range(len(best)), key=lambda at: best[at])]
    for before in reversed(came_from):
        chosen.append(before[chosen[-1]])
    return chosen[::-1]


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
    from bot.research.evaluation.plots import coverage_svg  # noqa: PLC0415 - slow to import

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
