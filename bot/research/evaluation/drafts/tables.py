"""The figures of drafts, and the paper's tables 2 to 5 in its own form: its rows, and ours.

Two columns of the paper have slipped against its appendix, which shows the same runs:
table 4 prints the citation rate under “Cit. Recall”, and table 5 the Focus Score under
“R-L”. The rows here have what the headings say, from tables 8 and 9.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.research.evaluation.drafts.judge import (
    NEEDS_A_MODEL,
    Marks,
    Outcome,
    Reference,
    Scored,
)
from bot.research.evaluation.drafts.setups import (
    CHUNKS,
    METHODS,
    RERANKED,
    SOURCES,
    Setup,
    baselines_of,
    rows_of_table,
)
from bot.research.evaluation.report import Bars, Findings, Grid, GridRow

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading in the paper, the name of the figure, digits shown."""

    heading: str
    figure: str
    digits: int = 2


ROUGE_L = Column("R-L", "rouge_l_nlg_eval")
RECALL = Column("Cit. Recall", "citation_recall")
PRECISION = Column("Cit. Prec.", "citation_precision")
_BARS = (ROUGE_L, RECALL, PRECISION)
_DASH = "–"
_ZERO = "0"
Cells = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row as printed; `None` stands for a dash."""

    label: str
    cells: Cells
    group: str = ""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    number: int
    title: str
    columns: tuple[Column, ...]
    rows: tuple[PublishedRow, ...]


class Tables:
    """Puts the figures of all setups into tables."""

    def __init__(
        self,
        numbers: Sequence[int],
        main: Setup,
        by_setup: Mapping[str, Figures],
        references: Figures,
        *,
        engine: str,
        is_tuned: bool,
    ) -> None:
        self._numbers = numbers
        self._main = main
        self._by_setup = by_setup
        self._references = references
        self._engine = engine
        self._is_tuned = is_tuned

    def to_dict(self) -> dict[str, Any]:
        return {
            f"table_{number}": {
                "title": PUBLISHED[number].title,
                "paper": published(number),
                "ours": [
                    {
                        "name": label,
                        "events": figures.get("events", 0),
                        **_cells(PUBLISHED[number].columns, figures),
                    }
                    for label, figures in self._ours(number)
                ],
            }
            for number in self._numbers
        }

    def grids(self) -> tuple[Grid, ...]:
        return tuple(
            self._grid(PUBLISHED[number], with_remarks=at == 0)
            for at, number in enumerate(self._numbers)
        )

    def bars(self) -> tuple[Bars, ...]:
        """Return what is drawn of them: ROUGE-L and citations, the paper's rows first."""
        return tuple(self._drawn(PUBLISHED[number]) for number in self._numbers)

    def _ours(self, number: int) -> Iterator[tuple[str, Figures]]:
        if number == METHODS:
            yield "These references", self._references
        if number == CHUNKS:
            yield _ZERO, {}
        rows = rows_of_table(number, self._main, is_tuned=self._is_tuned)
        if number == METHODS:
            rows += baselines_of(self._main)
        for row in rows:
            yield row.label, self._by_setup[row.setup.key]

    def _grid(self, table: PublishedTable, *, with_remarks: bool) -> Grid:
        rows = [
            GridRow(one.label, tuple(_told(table.columns, one.cells)), one.group)
            for one in table.rows
        ]
        rows += [
            GridRow(
                _counted(label, figures),
                tuple(_told(table.columns, _cells(table.columns, figures).values())),
                f"Ours: {self._engine}",
                is_ours=True,
            )
            for label, figures in self._ours(table.number)
        ]
        return Grid(
            f"Table {table.number}: {table.title}",
            _note(table.number),
            tuple(one.heading for one in table.columns),
            tuple(rows),
            tuple((name, text.replace("`", "")) for name, text in COMPARABLE.items())
            if with_remarks
            else (),
        )

    def _drawn(self, table: PublishedTable) -> Bars:
        places = [table.columns.index(one) for one in _BARS]
        rows = [(_short(one), [one.cells[at] for at in places]) for one in table.rows]
        rows += [
            (label, [figures.get(one.figure) for one in _BARS])
            for label, figures in self._ours(table.number)
        ]
        shown = [(label, cells) for label, cells in rows if cells[0] is not None]
        return Bars(
            "wikigen",
            f"Table {table.number}: {table.title}",
            "0 to 100 (the paper’s judge of citations is another)",
            tuple(label for label, _ in shown),
            tuple(
                (one.heading, tuple(cells[at] or 0.0 for _, cells in shown))
                for at, one in enumerate(_BARS)
            ),
            has_means=False,
        )


def _short(row: PublishedRow) -> str:
    method = row.group.partition(" ")[0]
    return f"{method} {row.label} (paper)".strip()


def _counted(label: str, figures: Figures) -> str:
    """Say of how many events a row is, where it is not of all: others may be harder."""
    scored, without = figures.get("events", 0), figures.get("unscored", 0)
    return f"{label} ({scored} of {scored + without} events)" if without else label


def _note(number: int) -> str:
    notes = {
        METHODS: "MET of ours is METEOR 1.5 where its program was given, else NLTK with its"
        " parameters; R-L is NLG-eval's. Citations are judged by another model than the"
        " paper's, and drafts keep only what ours bears out.",
        CHUNKS: "RR. Without documents an embedded draft has nothing to quote.",
        RERANKED: "RR. Ours has no DPR and no GTR; two rows of the stock encoder stand in their place.",
        SOURCES: "RR. What articles cite was scraped without capitals and full stops, so that"
        " stretches of it are quoted, not sentences.",
    }
    return notes[number]


def _cells(columns: Sequence[Column], figures: Figures) -> dict[str, float | None]:
    return {one.figure: _value(one.figure, figures) for one in columns}


def _value(name: str, figures: Figures) -> float | None:
    if name == "meteor_shown":
        exact: float | None = figures.get("meteor_15")
        return figures.get("meteor_15_weights") if exact is None else exact
    value: float | None = figures.get(name)
    return value


def _told(columns: Sequence[Column], cells: Any) -> Iterator[str]:
    for column, cell in zip(columns, cells, strict=True):
        yield _DASH if cell is None else f"{cell:.{column.digits}f}"


UNIT = "0 to 100; marks 0 to 5; shares 0 to 1; length in words"
MARKS = (
    "fluency",
    "organisation",
    "outline",
    "focus",
    "coverage",
    "information",
)
_Of = Callable[[Scored], float | None]
_FIGURES: tuple[tuple[str, _Of], ...] = (
    ("meteor", lambda one: one.overlap.meteor),
    ("rouge_l", lambda one: one.overlap.rouge_l),
    ("bleu", lambda one: one.overlap.bleu),
    ("citation_recall", lambda one: one.citing.recall),
    ("citation_precision", lambda one: one.citing.precision),
    ("citation_rate", lambda one: one.citing.rate),
    ("length_words", lambda one: float(one.words)),
    ("meteor_without_synonyms", lambda one: one.overlap.meteor_without_synonyms),
    ("meteor_15_weights", lambda one: one.overlap.meteor_15_weights),
    ("rouge_l_nlg_eval", lambda one: one.overlap.rouge_l_nlg_eval),
    ("quoted_share", lambda one: one.quoted),
    ("copied_share", lambda one: one.copied),
    ("unmarked_share", lambda one: one.unmarked),
    ("sentences", lambda one: float(one.sentences)),
)
_NO_PROGRAM = "needs the file of METEOR 1.5 (--meteor-jar)"
_ITS_OWN = re.compile(r"“[^”]*”|\d+")  # titles and counts
_MOST_REASONS = 8
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class OfEvent:
    event: str
    outcome: Outcome


def figures_of(rows: Sequence[OfEvent]) -> dict[str, Any]:
    """Return all figures of one setup; those without a text are counted, not scored.

    `with_unscored_as_0` has METEOR and ROUGE-L of all events, so that leaving hard
    ones out gains nothing.
    """
    found = [(row.event, row.outcome.scored) for row in rows]
    scored = [(event, one) for event, one in found if one is not None]
    groups = [event for event, _ in scored]
    findings = Findings()
    for name, of in _FIGURES:
        findings.add_mean(name, groups, [of(one) for _, one in scored])
    _add_meteor_15(findings, groups, [one for _, one in scored])
    add_marks(findings, groups, [one.marks for _, one in scored])
    findings.add_mean("worded_share", groups, [one.worded for _, one in scored])
    took = [row.outcome.took_s for row in rows if row.outcome.scored]
    findings.add_mean("seconds", groups, took)
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
        **_second(groups, [one for _, one in scored]),
        "with_unscored_as_0": _of_all(rows),
        "reasons": _reasons(rows),
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
    """Add a model's marks, or why there are none."""
    for name in MARKS:
        values = [_mark(one, name) for one in marks]
        if any(one is not None for one in values):
            findings.add_mean(name, groups, values)
        else:
            why = next((one.why for one in marks if one.why), NEEDS_A_MODEL)
            findings.omit(name, why[:_LONGEST_REASON])


def _mark(marks: Marks, name: str) -> float | None:
    value: int | None = getattr(marks, name)
    return None if value is None else float(value)


def _add_meteor_15(
    findings: Findings, groups: Sequence[str], scored: Sequence[Scored]
) -> None:
    values = [one.overlap.meteor_15 for one in scored]
    if all(one is None for one in values):
        findings.omit("meteor_15", _NO_PROGRAM)
    else:
        findings.add_mean("meteor_15", groups, values)


def _second(groups: Sequence[str], scored: Sequence[Scored]) -> dict[str, Any]:
    found = [one.second for one in scored if one.second is not None]
    if not found or len(found) < len(scored):
        return {}
    findings = Findings()
    for name in ("recall", "precision", "rate"):
        values = [getattr(one, name) for one in found]
        findings.add_mean(f"citation_{name}", groups, values)
    return {"second_judge": findings.to_dict()}


def _of_all(rows: Sequence[OfEvent]) -> dict[str, Any]:
    findings = Findings()
    groups = [row.event for row in rows]
    scored = [row.outcome.scored for row in rows]
    for name, of in _FIGURES[:2]:
        findings.add_mean(name, groups, [of(one) if one else 0.0 for one in scored])
    return {"events": len(rows), **findings.to_dict()}


def _reasons(rows: Sequence[OfEvent]) -> dict[str, int]:
    counted = Counter(_kind(row.outcome.failed) for row in rows if row.outcome.failed)
    return dict(counted.most_common(_MOST_REASONS))


def _kind(reason: str) -> str:
    """Return a reason without what is different for each event."""
    return _ITS_OWN.sub("…", reason.partition(" (")[0])[:_LONGEST_REASON]


FLUENCY = Column("Fluency", "fluency")
ORGANISATION = Column("Org.", "organisation")
OUTLINE = Column("Outline", "outline")
METEOR = Column("MET", "meteor_shown")
FOCUS = Column("Focus", "focus")
COVERAGE = Column("Cover.", "coverage")
INFORMATION = Column("Info", "information")
RATE = Column("Cit. Rate", "citation_rate")
LENGTH = Column("Length", "length_words", 1)
_: float | None = None  # a dash
_RR = "RR (Retrieve-then-Read)"
_PRR = "PRR (Plan-Retrieve-Read)"
_TUNED = "TunedRR"
PUBLISHED: Mapping[int, PublishedTable] = {
    one.number: one
    for one in (
        PublishedTable(
            2,
            "Methods",
            (FLUENCY, ORGANISATION, OUTLINE, METEOR, ROUGE_L, FOCUS, COVERAGE, INFORMATION, RATE, RECALL, PRECISION, LENGTH),
            (
                PublishedRow("Reference Wikipedia", (4.45, 3.61, 2.64, _, _, 4.02, 4.10, 4.83, _, _, _, 1639.0)),
                PublishedRow("GPT3.5-turbo-0613", (4.31, 4.05, 2.86, 10.73, 17.81, 4.26, 3.94, 3.49, 42.09, 38.78, 36.70, 579.1), _RR),
                PublishedRow("GPT3.5-turbo-1106-16k", (4.29, 4.02, 2.84, 10.29, 17.42, 4.22, 3.89, 3.39, 38.38, 33.98, 32.68, 541.3), _RR),
                PublishedRow("Llama2-7b", (3.87, 3.64, 1.43, 10.21, 16.05, 3.77, 3.27, 2.94, 10.16, 15.85, 15.83, 625.7), _RR),
                PublishedRow("Llama2-13b", (3.97, 4.16, 2.39, 9.74, 15.89, 4.38, 3.91, 3.03, 7.91, 8.91, 8.91, 552.9), _RR),
                PublishedRow("Vicuna-7b", (4.06, 3.46, 1.61, 10.18, 17.34, 3.69, 3.39, 3.27, 6.40, 4.41, 4.38, 535.2), _RR),
                PublishedRow("Vicuna-13b", (4.18, 3.72, 2.27, 9.80, 17.33, 3.98, 3.63, 3.39, 16.88, 11.03, 10.70, 491.8), _RR),
                PublishedRow("GPT3.5-turbo-0613", (4.02, 3.36, 2.76, 22.29, 22.26, 3.69, 3.51, 3.78, 50.96, 53.47, 52.43, 1991.2), _PRR),
                PublishedRow("GPT3.5-turbo-1106-16k", (4.02, 3.38, 2.76, 22.24, 22.27, 3.70, 3.51, 3.76, 50.6, 53.57, 52.53, 1988.9), _PRR),
                PublishedRow("Llama2-7b", (2.83, 2.74, 2.52, 24.14, 21.16, 2.87, 2.69, 2.27, 13.08, 27.02, 26.89, 4210.4), _PRR),
                PublishedRow("Llama2-13b", (3.70, 3.41, 2.70, 24.18, 20.94, 3.68, 3.40, 3.29, 12.77, 14.30, 14.30, 3789.5), _PRR),
                PublishedRow("Vicuna-7b", (2.89, 2.40, 2.71, 23.43, 21.87, 2.61, 2.68, 2.61, 14.89, 22.40, 22.08, 5146.4), _PRR),
                PublishedRow("Vicuna-13b", (3.65, 3.06, 3.01, 24.50, 23.29, 3.20, 3.17, 3.37, 18.96, 24.93, 23.37, 4182.9), _PRR),
                PublishedRow("Llama2-7b-SFT", (4.06, 3.78, 0.47, 12.03, 17.19, 3.91, 3.67, 3.34, 32.29, 24.67, 21.23, 740.9), _TUNED),
                PublishedRow("Llama2-13b-SFT", (4.22, 3.88, 0.17, 11.39, 17.19, 4.01, 3.69, 3.32, 38.08, 27.62, 24.85, 633.5), _TUNED),
                PublishedRow("Vicuna-7b-SFT", (3.93, 3.54, 0.66, 13.45, 17.08, 3.57, 3.03, 3.21, 24.74, 25.75, 22.62, 1109.6), _TUNED),
                PublishedRow("Vicuna-13b-SFT", (4.07, 3.68, 0.65, 12.80, 17.26, 3.91, 3.67, 3.40, 34.68, 29.58, 26.73, 944.6), _TUNED),
            ),
        ),
        PublishedTable(
            3,
            "Number of chunks",
            (FLUENCY, ORGANISATION, ROUGE_L, RECALL, PRECISION, LENGTH),
            (
                PublishedRow("0", (4.62, 4.32, 16.22, _, _, 574.7)),
                PublishedRow("5", (4.29, 4.02, 17.42, 33.98, 32.68, 541.3)),
                PublishedRow("10", (4.30, 3.99, 17.80, 34.75, 32.80, 559.9)),
                PublishedRow("15", (4.29, 4.08, 18.09, 32.41, 30.22, 583.2)),
                PublishedRow("20", (4.30, 4.10, 18.44, 32.85, 30.85, 584.9)),
            ),
        ),
        PublishedTable(
            4,
            "Rerankers",
            (FLUENCY, ORGANISATION, ROUGE_L, INFORMATION, RECALL, PRECISION),
            (
                PublishedRow("Random", (4.17, 4.02, 16.66, 3.23, 27.26, 26.16)),
                PublishedRow("TF-IDF", (4.37, 4.16, 18.10, 3.59, 50.32, 48.34)),
                PublishedRow("BM25", (4.39, 4.19, 17.38, 3.61, 46.74, 44.10)),
                PublishedRow("DPR", (4.31, 4.31, 17.81, 3.49, 38.78, 36.70)),
                PublishedRow("GTR", (4.33, 4.10, 17.89, 3.54, 41.97, 40.21)),
            ),
        ),
        PublishedTable(
            5,
            "Source of the documents",
            (FLUENCY, ORGANISATION, ROUGE_L, INFORMATION, RECALL, PRECISION),
            (
                PublishedRow("Search Engine", (4.31, 4.16, 17.54, 3.51, 35.96, 34.31)),
                PublishedRow("Human Editor", (4.31, 4.05, 17.70, 3.43, 35.71, 33.76)),
                PublishedRow("Mixed", (4.31, 4.05, 17.89, 3.49, 38.78, 36.7)),
            ),
        ),
    )
}  # fmt: skip
# What may be compared with the paper's rows, figure by figure, and what may not.
COMPARABLE: Mapping[str, str] = {
    "events": "The paper has 309 test events of 1,320. These 148 are of the same set"
    " but were not drawn as its test events were, so some may be among those it"
    " trained TunedRR on. All figures below stand beside the paper's with that in mind.",
    "documents": "Fewer documents have a text here than the paper had (17 cited and 24"
    " found on average), and cited pages were scraped in lower case without full stops:"
    " an extractive draft can quote stretches of them, not sentences (`unmarked_share`),"
    " which no reader would take but which metrics of words do not mind.",
    "meteor": "NLG-eval runs METEOR 1.5 with paraphrases over all events at once."
    " `meteor_15` is that program, event by event, where its file was given; it may be"
    " compared. `meteor_15_weights` is NLTK with the parameters of 1.5, which came"
    " within a tenth of it; it may be compared roughly. `meteor` has the parameters"
    " of 2007 and runs about a third higher: not comparable.",
    "rouge_l": "`rouge_l_nlg_eval` is computed as the paper's is and may be compared."
    " `rouge_l` is F1 on lower-cased words without punctuation, about one higher.",
    "bleu": "The paper prints none.",
    "citations": "Not comparable: the paper asks TRUE, this the judge that `engine`"
    " names. A draft keeps only what our verifier bears out, so by that verifier recall"
    " is near 100 by construction; `second_judge` has the word of another that had no"
    " hand in the draft, and `quoted_share` what stands in its source word for word.",
    "scores": "Comparable only with the same model and questions: the paper's are of"
    " GPT-4 and Prometheus 2, with other questions.",
    "length_words": "Comparable. METEOR and ROUGE-L follow it (§5.2), so compare rows of"
    " like length only.",
    "rerankers": "The paper's DPR and GTR have no row of ours: `encoder` and"
    " `encoder-sentences` order by one small stock encoder, by all of a chunk or by its"
    " best sentence.",
}


def published(number: int) -> Sequence[Mapping[str, str | float | None]]:
    table = PUBLISHED[number]
    return [
        {
            "name": one.label,
            **({"group": one.group} if one.group else {}),
            **{
                column.figure: cell
                for column, cell in zip(table.columns, one.cells, strict=True)
            },
        }
        for one in table.rows
    ]
