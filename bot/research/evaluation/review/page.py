"""Shows Wiki Fact as one HTML page: systems compared, the paper's figures, and a map.

The map has the facts of one Good Article in order, section by section, and shows which
of them each system covers (the paper's figure 4). The benchmark has the facts without
their sections. A fact's words occur in its section, so of all ways to divide the row of
facts among the sections, the one with the most words in common is chosen.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from bot.report.to_html import templates
from bot.research.evaluation.page import render_page
from bot.research.evaluation.review.articles import shown
from bot.research.evaluation.review.examination import ArticleResult
from bot.research.evaluation.review.judge import Word
from bot.research.evaluation.review.wiki_fact import Measured
from handlers.citations.words import content_stems, words

_HEADING = re.compile(r"^#{1,6}\s+(\S.*)$")
_AFTER = frozenset(
    {"references", "see also", "notes", "external links", "bibliography", "sources"}
    | {"further reading", "citations", "footnotes", "works cited"}
)
_COLUMNS = {
    "coverage": "Coverage",
    "wiki_conflict": "Wiki conflict",
    "reference_accuracy": "Reference accuracy",
    "reference_accuracy_with_error_pages": "with error pages",
    "reference_conflict": "Reference conflict",
    "leakage": "Leakage",
}
_MOST_DIFFERENCES = 200
_VALUES: Mapping[Word, int] = {Word.SUPPORT: 1, Word.CONFLICT: 2, Word.NOT_SUPPORT: 0}


def _sections_of(markdown: str) -> list[tuple[str, str]]:
    """Return heading and own text of the sections that have any, the lead first.

    The first heading is the title; sections such as References are left out.
    """
    parts: list[tuple[str, list[str]]] = [("Lead", [])]
    is_titled = False
    for line in markdown.split("\n"):
        heading = _HEADING.match(line)
        if heading and not is_titled and line.startswith("# "):
            is_titled = True
        elif heading:
            parts.append((heading[1].rstrip("# \t").strip(" *_"), []))
        else:
            parts[-1][1].append(line)
    return [
        (heading, text)
        for heading, lines in parts
        if (text := "\n".join(lines).strip()) and heading.casefold() not in _AFTER
    ]


def sections_of_facts(facts: Sequence[str], markdown: str) -> tuple[str, ...]:
    """Return the heading of each fact's section; the order of sections is kept."""
    sections = _sections_of(markdown)
    if not sections or not facts:
        return tuple("" for _ in facts)
    stems = [content_stems(words(text)) for _, text in sections]
    asked = [content_stems(words(fact)) for fact in facts]
    shares = [[len(of & one) / (len(of) or 1) for one in stems] for of in asked]
    return tuple(sections[at][0] for at in _in_order(shares))


def _in_order(shares: Sequence[Sequence[float]]) -> list[int]:
    """Return a column for each row, never going back, with the highest sum."""
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


def pages(measured: Measured) -> Iterator[tuple[Path, str]]:
    """Yield the report's files: systems compared with the map, then all figures."""
    report = measured.report
    compared = measured.comparison.compared if measured.comparison else ()
    differences = [one for one in compared if one.ours is not one.theirs]
    page = templates().get_template("wiki_live.html")
    yield (
        Path("wiki_live.html"),
        page.render(
            report=report,
            columns=_COLUMNS.values(),
            rows=[
                {
                    "system": system,
                    "articles": of["n"],
                    "statements": of["statements"],
                    "cells": [_cell(of, name) for name in _COLUMNS],
                    "skipped": [
                        (one.replace("_", " "), n) for one, n in of["skipped"].items()
                    ],
                }
                for system, of in report.metrics["systems"].items()
            ],
            remarks=report.metrics["against_paper"],
            agreement=report.metrics.get("judge_agreement"),
            differences=differences[:_MOST_DIFFERENCES],
            map=_map(measured),
        ),
    )
    yield Path("wiki_live_figures.html"), render_page(report)


def _cell(figures: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return a share in per cent with its interval, and the paper's with it."""
    value, ends = figures.get(name), figures.get(f"{name}_ci95")
    if value is None:
        return {"value": "–", "interval": "", "paper": ""}
    paper = figures["paper"].get(name)
    return {
        "value": f"{value * 100:.1f}",
        "interval": f"{ends[0] * 100:.1f}–{ends[1] * 100:.1f}" if ends else "",
        "paper": "" if paper is None else f"{paper * 100:.2f}",
    }


def _map(measured: Measured) -> dict[str, Any] | None:
    """Return which systems cover which facts of the article that most of them wrote."""
    by_title: dict[str, list[ArticleResult]] = {}
    for one in measured.results:
        by_title.setdefault(one.title, []).append(one)
    if not by_title:
        return None

    def covered(results: Sequence[ArticleResult]) -> tuple[int, int]:
        said = [fact.said.word for one in results for fact in one.facts]
        return len(results), said.count(Word.SUPPORT)

    chosen = max(by_title.values(), key=covered)
    title = chosen[0].title
    markdown = next(one.markdown for one in measured.references if one.title == title)
    texts = [one.text for one in chosen[0].facts]
    from bot.research.evaluation.plots import coverage_svg  # noqa: PLC0415 - slow to import

    drawing = coverage_svg(
        [one.system for one in chosen],
        [[_VALUES[fact.said.word] for fact in one.facts] for one in chosen],
        [
            (part, len(list(same)))
            for part, same in groupby(sections_of_facts(texts, markdown))
        ],
        f"Facts of {shown(title)} that each system covers",
    )
    # We make the drawing; the labels in it are escaped by the function that draws.
    drawn = Markup(drawing)  # noqa: S704 - see above
    return {"title": shown(title), "facts": len(texts), "drawing": drawn}
