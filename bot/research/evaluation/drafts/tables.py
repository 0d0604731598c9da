"""The figures of drafts in the form of the paper's tables 2 to 5: its rows, and ours.

Two columns of the paper are misplaced, as its appendix shows for the same runs: table 4
prints the citation rate under “Cit. Recall”, and table 5 the Focus Score under “R-L”.
The rows in `published.json` have what the headings say, from tables 8 and 9.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter

from bot.research.evaluation.drafts.judge import NEEDS_A_MODEL, Citing, Marks
from bot.research.evaluation.drafts.setups import (
    CHUNKS,
    METHODS,
    Setup,
    baselines_of,
    rows_of_table,
)
from bot.research.evaluation.report import Bars, Findings, Grid, GridRow

Figures: TypeAlias = Mapping[str, Any]
_BARS = {
    "rouge_l_nlg_eval": "R-L",
    "citation_recall": "Cit. Recall",
    "citation_precision": "Cit. Prec.",
}


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper.

    A column has its heading, the name of the figure and how many digits are shown; a
    row its label, its group and its cells, of which `None` stands for a dash.
    """

    title: str
    note: str  # about our rows
    columns: tuple[tuple[str, str, int], ...]
    rows: tuple[tuple[str, str, tuple[float | None, ...]], ...]

    @property
    def figures(self) -> tuple[str, ...]:
        return tuple(figure for _, figure, _ in self.columns)

    def formatted(self, cells: Iterable[float | None]) -> tuple[str, ...]:
        return tuple(
            "–" if cell is None else f"{cell:.{digits}f}"
            for (_, _, digits), cell in zip(self.columns, cells, strict=True)
        )

    def cells_of(self, figures: Figures) -> dict[str, float | None]:
        """Return our cells by the names of the figures."""
        exact = figures.get("meteor_15")
        shown = figures.get("meteor_15_weights") if exact is None else exact
        known = {**figures, "meteor_shown": shown}
        return {name: known.get(name) for name in self.figures}

    def paper(self) -> list[Figures]:
        return [
            {
                "name": label,
                **({"group": group} if group else {}),
                **dict(zip(self.figures, cells, strict=True)),
            }
            for label, group, cells in self.rows
        ]


class Published(BaseModel):
    """The paper's tables, and which of its figures may be compared with ours."""

    tables: Mapping[int, PublishedTable]
    comparable: Mapping[str, str]


@lru_cache
def published() -> Published:
    place = files("bot.research.evaluation.drafts") / "published.json"
    return Published.model_validate_json(place.read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Tables:
    """The figures of all setups, by their keys, to be put into tables.

    `numbers` are the paper's tables that are wanted; `engine` names what made our rows,
    and `is_tuned` is true if there is a model for TunedRR.
    """

    numbers: Sequence[int]
    main: Setup
    by_setup: Mapping[str, Figures]
    references: Figures  # the figures of the articles themselves
    engine: str
    is_tuned: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the tables for the JSON: the paper's rows and ours, by name."""
        return {
            f"table_{number}": {
                "title": table.title,
                "paper": table.paper(),
                "ours": [
                    {
                        "name": label,
                        "events": figures.get("events", 0),
                        **table.cells_of(figures),
                    }
                    for label, figures in self._ours(number)
                ],
            }
            for number, table in self._tables()
        }

    def grids(self) -> tuple[Grid, ...]:
        """Return the tables for the page; the first says what may be compared."""
        found: list[Grid] = []
        for number, table in self._tables():
            rows = [
                GridRow(label, table.formatted(cells), group)
                for label, group, cells in table.rows
            ]
            for label, figures in self._ours(number):
                scored, without = figures.get("events", 0), figures.get("unscored", 0)
                # Shown if events are missing: those may be harder.
                of = f" ({scored} of {scored + without} events)" if without else ""
                cells = table.formatted(table.cells_of(figures).values())
                group = f"Ours: {self.engine}"
                rows.append(GridRow(f"{label}{of}", cells, group, is_ours=True))
            remarks = () if found else published().comparable.items()
            found.append(
                Grid(
                    f"Table {number}: {table.title}",
                    table.note,
                    tuple(heading for heading, _, _ in table.columns),
                    tuple(rows),
                    tuple((key, text.replace("`", "")) for key, text in remarks),
                )
            )
        return tuple(found)

    def bars(self) -> tuple[Bars, ...]:
        """Return the charts: ROUGE-L and citations, the paper's rows first."""
        found = []
        for number, table in self._tables():
            rows = [
                (
                    f"{group.partition(' ')[0]} {label} (paper)".strip(),
                    dict(zip(table.figures, cells, strict=True)),
                )
                for label, group, cells in table.rows
            ]
            rows += [(label, dict(figures)) for label, figures in self._ours(number)]
            shown = [row for row in rows if row[1].get("rouge_l_nlg_eval") is not None]
            found.append(
                Bars(
                    "wikigen",
                    f"Table {number}: {table.title}",
                    "0 to 100 (the paper’s judge of citations is another)",
                    tuple(label for label, _ in shown),
                    tuple(
                        (heading, tuple(cells.get(name) or 0.0 for _, cells in shown))
                        for name, heading in _BARS.items()
                    ),
                    has_means=False,
                )
            )
        return tuple(found)

    def _tables(self) -> list[tuple[int, PublishedTable]]:
        return [(number, published().tables[number]) for number in self.numbers]

    def _ours(self, number: int) -> Iterator[tuple[str, Figures]]:
        if number == METHODS:
            yield "These references", self.references
        if number == CHUNKS:
            yield "0", {}
        rows = rows_of_table(number, self.main, is_tuned=self.is_tuned)
        if number == METHODS:
            rows |= baselines_of(self.main)
        for label, setup in rows.items():
            yield label, self.by_setup[setup.key]


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of one text, by the names in `FIGURES`, and what they are of.

    `meteor_15` is there if the METEOR program gave one; `second` is from another judge
    of citations. `worded` is the share of its sentences that a language model wrote; the
    others are quotes, including those used when the model was asked and gave nothing
    usable.
    """

    figures: Mapping[str, float | None]
    second: Citing | None
    marks: Marks
    text: str
    worded: float
    turns: int
    replaced: int

    @property
    def words(self) -> int:
        return int(self.figures["length_words"] or 0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored text, or a line that says why there is none; never both."""

    took_s: float
    documents: int
    scored: Scored | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """The article itself: its length, and its marks."""

    words: int
    marks: Marks


OUTCOME = TypeAdapter(Outcome)
REFERENCE = TypeAdapter(Reference)
UNIT = "0 to 100; marks 0 to 5; shares 0 to 1; length in words"
MARKS = ("fluency", "organisation", "outline", "focus", "coverage", "information")
# Shares are of the words of a text's sentences: `quoted_share` are in a cited chunk word
# for word, `copied_share` in sentences that share ten words in a row with the reference,
# `unmarked_share` in quotes from text that lost its capitals and full stops.
FIGURES = (
    "meteor",
    "rouge_l",
    "bleu",
    "citation_recall",
    "citation_precision",
    "citation_rate",
    "length_words",
    "meteor_without_synonyms",
    "meteor_15_weights",
    "rouge_l_nlg_eval",
    "quoted_share",
    "copied_share",
    "unmarked_share",
    "sentences",
)
_ITS_OWN = re.compile(r"“[^”]*”|\d+")  # titles and counts
_MOST_REASONS = 8
_LONGEST_REASON = 200


def figures_of(rows: Sequence[tuple[str, Outcome]]) -> dict[str, Any]:
    """Return all figures of one setup; events without a text are counted, not scored.

    `with_unscored_as_0` has METEOR and ROUGE-L of all events, so that leaving out hard
    ones gains nothing.
    """
    scored = [(event, one.scored) for event, one in rows if one.scored]
    groups = [event for event, _ in scored]
    findings = Findings()
    for name in FIGURES:
        findings.add_mean(name, groups, [one.figures[name] for _, one in scored])
    exact = [one.figures.get("meteor_15") for _, one in scored]
    if all(one is None for one in exact):
        findings.omit("meteor_15", "needs the file of METEOR 1.5 (--meteor-jar)")
    else:
        findings.add_mean("meteor_15", groups, exact)
    add_marks(findings, groups, [one.marks for _, one in scored])
    findings.add_mean("worded_share", groups, [one.worded for _, one in scored])
    took = [one.took_s for _, one in rows if one.scored]
    findings.add_mean("seconds", groups, took)
    of_all = Findings()
    for name in FIGURES[:2]:
        values = [one.scored.figures[name] if one.scored else 0.0 for _, one in rows]
        of_all.add_mean(name, [event for event, _ in rows], values)
    reasons = Counter(  # without figures that differ by event
        _ITS_OWN.sub("…", one.failed.partition(" (")[0])[:_LONGEST_REASON]
        for _, one in rows
        if one.failed
    )
    return {
        "events": len(scored),
        "unscored": len(rows) - len(scored),
        "worded_by_model": sum(one.worded > 0 for _, one in scored),
        "turns": {
            "played": sum(one.turns - one.replaced for _, one in scored),
            "replaced": sum(one.replaced for _, one in scored),
        },
        "unit": UNIT,
        **findings.to_dict(),
        **_second(groups, [one.second for _, one in scored]),
        "with_unscored_as_0": {"events": len(rows), **of_all.to_dict()},
        "reasons": dict(reasons.most_common(_MOST_REASONS)),
    }


def figures_of_references(rows: Sequence[tuple[str, Reference]]) -> dict[str, Any]:
    groups = [event for event, _ in rows]
    findings = Findings()
    lengths = [float(one.words) for _, one in rows]
    findings.add_mean("length_words", groups, lengths)
    add_marks(findings, groups, [one.marks for _, one in rows])
    return {"events": len(rows), **findings.to_dict()}


def add_marks(
    findings: Findings, groups: Sequence[str], marks: Sequence[Marks]
) -> None:
    for name in MARKS:
        values: list[int | None] = [getattr(one, name) for one in marks]
        if any(one is not None for one in values):
            findings.add_mean(name, groups, values)
        else:
            why = next((one.why for one in marks if one.why), NEEDS_A_MODEL)
            findings.omit(name, why[:_LONGEST_REASON])


def _second(groups: Sequence[str], judged: Sequence[Citing | None]) -> dict[str, Any]:
    found = [asdict(one) for one in judged if one is not None]
    if not found or len(found) < len(judged):
        return {}
    findings = Findings()
    for name in found[0]:
        findings.add_mean(f"citation_{name}", groups, [one[name] for one in found])
    return {"second_judge": findings.to_dict()}
