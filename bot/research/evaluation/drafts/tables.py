"""The figures of drafts in the form of the paper's tables 2 to 5: its rows, and ours.

Two columns of the paper are misplaced, as its appendix shows for the same runs: table 4
prints the citation rate under “Cit. Recall”, and table 5 the Focus Score under “R-L”.
The rows here have what the headings say, from tables 8 and 9.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper; each row has a label, its cells and its group.

    `None` in a cell stands for a dash.
    """

    title: str
    note: str  # about our rows
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[float | None, ...], str], ...]


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
            for number in self.numbers
        }

    def grids(self) -> tuple[Grid, ...]:
        """Return the tables for the page; the first says what may be compared."""
        remarks = tuple(
            (key, text.replace("`", "")) for key, text in COMPARABLE.items()
        )
        found: list[Grid] = []
        for number in self.numbers:
            table = PUBLISHED[number]

            def formatted(
                cells: Iterable[float | None], table: PublishedTable = table
            ) -> tuple[str, ...]:
                return tuple(
                    "–" if cell is None else f"{cell:.{column.digits}f}"
                    for column, cell in zip(table.columns, cells, strict=True)
                )

            rows = [
                GridRow(label, formatted(cells), group)
                for label, cells, group in table.rows
            ]
            for label, figures in self._ours(number):
                scored, without = figures.get("events", 0), figures.get("unscored", 0)
                # Shown if events are missing: those may be harder.
                of = f" ({scored} of {scored + without} events)" if without else ""
                cells = formatted(_cells(table.columns, figures).values())
                group = f"Ours: {self.engine}"
                rows.append(GridRow(f"{label}{of}", cells, group, is_ours=True))
            title = f"Table {number}: {table.title}"
            columns = tuple(one.heading for one in table.columns)
            below = () if found else remarks
            found.append(Grid(title, table.note, columns, tuple(rows), below))
        return tuple(found)

    def bars(self) -> tuple[Bars, ...]:
        """Return the charts: ROUGE-L and citations, the paper's rows first."""
        found = []
        for number in self.numbers:
            table = PUBLISHED[number]
            places = [table.columns.index(one) for one in _BARS]
            rows = [
                (
                    f"{group.partition(' ')[0]} {label} (paper)".strip(),
                    [cells[at] for at in places],
                )
                for label, cells, group in table.rows
            ]
            rows += [
                (label, [figures.get(one.figure) for one in _BARS])
                for label, figures in self._ours(number)
            ]
            shown = [(label, cells) for label, cells in rows if cells[0] is not None]
            found.append(
                Bars(
                    "wikigen",
                    f"Table {number}: {table.title}",
                    "0 to 100 (the paper’s judge of citations is another)",
                    tuple(label for label, _ in shown),
                    tuple(
                        (one.heading, tuple(cells[at] or 0.0 for _, cells in shown))
                        for at, one in enumerate(_BARS)
                    ),
                    has_means=False,
                )
            )
        return tuple(found)

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


def _cells(columns: Sequence[Column], figures: Figures) -> dict[str, float | None]:
    exact = figures.get("meteor_15")
    shown = figures.get("meteor_15_weights") if exact is None else exact
    known = {**figures, "meteor_shown": shown}
    return {one.figure: known.get(one.figure) for one in columns}


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
_ITS_OWN = re.compile(r"“[^”]*”|\d+")  # titles and counts
_MOST_REASONS = 8
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class OfEvent:
    event: str
    outcome: Outcome


def figures_of(rows: Sequence[OfEvent]) -> dict[str, Any]:
    """Return all figures of one setup; events without a text are counted, not scored.

    `with_unscored_as_0` has METEOR and ROUGE-L of all events, so that leaving out hard
    ones gains nothing.
    """
    found = [(row.event, row.outcome.scored) for row in rows]
    scored = [(event, one) for event, one in found if one is not None]
    groups = [event for event, _ in scored]
    findings = Findings()
    for name, of in _FIGURES:
        findings.add_mean(name, groups, [of(one) for _, one in scored])
    exact = [one.overlap.meteor_15 for _, one in scored]
    if all(one is None for one in exact):
        findings.omit("meteor_15", "needs the file of METEOR 1.5 (--meteor-jar)")
    else:
        findings.add_mean("meteor_15", groups, exact)
    add_marks(findings, groups, [one.marks for _, one in scored])
    findings.add_mean("worded_share", groups, [one.worded for _, one in scored])
    took = [row.outcome.took_s for row in rows if row.outcome.scored]
    findings.add_mean("seconds", groups, took)
    of_all = Findings()
    for name, of in _FIGURES[:2]:
        values = [of(one) if one else 0.0 for _, one in found]
        of_all.add_mean(name, [event for event, _ in found], values)
    reasons = Counter(  # without figures that differ by event
        _ITS_OWN.sub("…", failed.partition(" (")[0])[:_LONGEST_REASON]
        for row in rows
        if (failed := row.outcome.failed)
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
        **_second(groups, [one for _, one in scored]),
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


def _second(groups: Sequence[str], scored: Sequence[Scored]) -> dict[str, Any]:
    found = [one.second for one in scored if one.second is not None]
    if not found or len(found) < len(scored):
        return {}
    findings = Findings()
    for name in ("recall", "precision", "rate"):
        values = [getattr(one, name) for one in found]
        findings.add_mean(f"citation_{name}", groups, values)
    return {"second_judge": findings.to_dict()}


FLUENCY = Column("Fluency", "fluency")
ORGANISATION = Column("Org.", "organisation")
OUTLINE = Column("Outline", "outline")
METEOR = Column("MET", "meteor_shown")
FOCUS = Column("Focus", "focus")
COVERAGE = Column("Cover.", "coverage")
INFORMATION = Column("Info", "information")
RATE = Column("Cit. Rate", "citation_rate")
LENGTH = Column("Length", "length_words", 1)
_: float | None = None  # shown as a dash
_RR = "RR (Retrieve-then-Read)"
_PRR = "PRR (Plan-Retrieve-Read)"
_TUNED = "TunedRR"
PUBLISHED: Mapping[int, PublishedTable] = {
    2: PublishedTable(
        "Methods",
        "MET of ours is METEOR 1.5 where its program was given, else NLTK with its"
        " parameters; R-L is NLG-eval's. Citations are judged by another model than"
        " the paper's, and drafts keep only what ours supports.",
        (FLUENCY, ORGANISATION, OUTLINE, METEOR, ROUGE_L, FOCUS, COVERAGE, INFORMATION, RATE, RECALL, PRECISION, LENGTH),
        (
            ("Reference Wikipedia", (4.45, 3.61, 2.64, _, _, 4.02, 4.10, 4.83, _, _, _, 1639.0), ""),
            ("GPT3.5-turbo-0613", (4.31, 4.05, 2.86, 10.73, 17.81, 4.26, 3.94, 3.49, 42.09, 38.78, 36.70, 579.1), _RR),
            ("GPT3.5-turbo-1106-16k", (4.29, 4.02, 2.84, 10.29, 17.42, 4.22, 3.89, 3.39, 38.38, 33.98, 32.68, 541.3), _RR),
            ("Llama2-7b", (3.87, 3.64, 1.43, 10.21, 16.05, 3.77, 3.27, 2.94, 10.16, 15.85, 15.83, 625.7), _RR),
            ("Llama2-13b", (3.97, 4.16, 2.39, 9.74, 15.89, 4.38, 3.91, 3.03, 7.91, 8.91, 8.91, 552.9), _RR),
            ("Vicuna-7b", (4.06, 3.46, 1.61, 10.18, 17.34, 3.69, 3.39, 3.27, 6.40, 4.41, 4.38, 535.2), _RR),
            ("Vicuna-13b", (4.18, 3.72, 2.27, 9.80, 17.33, 3.98, 3.63, 3.39, 16.88, 11.03, 10.70, 491.8), _RR),
            ("GPT3.5-turbo-0613", (4.02, 3.36, 2.76, 22.29, 22.26, 3.69, 3.51, 3.78, 50.96, 53.47, 52.43, 1991.2), _PRR),
            ("GPT3.5-turbo-1106-16k", (4.02, 3.38, 2.76, 22.24, 22.27, 3.70, 3.51, 3.76, 50.6, 53.57, 52.53, 1988.9), _PRR),
            ("Llama2-7b", (2.83, 2.74, 2.52, 24.14, 21.16, 2.87, 2.69, 2.27, 13.08, 27.02, 26.89, 4210.4), _PRR),
            ("Llama2-13b", (3.70, 3.41, 2.70, 24.18, 20.94, 3.68, 3.40, 3.29, 12.77, 14.30, 14.30, 3789.5), _PRR),
            ("Vicuna-7b", (2.89, 2.40, 2.71, 23.43, 21.87, 2.61, 2.68, 2.61, 14.89, 22.40, 22.08, 5146.4), _PRR),
            ("Vicuna-13b", (3.65, 3.06, 3.01, 24.50, 23.29, 3.20, 3.17, 3.37, 18.96, 24.93, 23.37, 4182.9), _PRR),
            ("Llama2-7b-SFT", (4.06, 3.78, 0.47, 12.03, 17.19, 3.91, 3.67, 3.34, 32.29, 24.67, 21.23, 740.9), _TUNED),
            ("Llama2-13b-SFT", (4.22, 3.88, 0.17, 11.39, 17.19, 4.01, 3.69, 3.32, 38.08, 27.62, 24.85, 633.5), _TUNED),
            ("Vicuna-7b-SFT", (3.93, 3.54, 0.66, 13.45, 17.08, 3.57, 3.03, 3.21, 24.74, 25.75, 22.62, 1109.6), _TUNED),
            ("Vicuna-13b-SFT", (4.07, 3.68, 0.65, 12.80, 17.26, 3.91, 3.67, 3.40, 34.68, 29.58, 26.73, 944.6), _TUNED),
    ),
        ),
    3: PublishedTable(
        "Number of chunks",
        "RR. Without documents an embedded draft has nothing to quote.",
        (FLUENCY, ORGANISATION, ROUGE_L, RECALL, PRECISION, LENGTH),
        (
            ("0", (4.62, 4.32, 16.22, _, _, 574.7), ""),
            ("5", (4.29, 4.02, 17.42, 33.98, 32.68, 541.3), ""),
            ("10", (4.30, 3.99, 17.80, 34.75, 32.80, 559.9), ""),
            ("15", (4.29, 4.08, 18.09, 32.41, 30.22, 583.2), ""),
            ("20", (4.30, 4.10, 18.44, 32.85, 30.85, 584.9), ""),
    ),
        ),
    4: PublishedTable(
        "Rerankers",
        "RR. Ours has no DPR and no GTR; two rows of the stock encoder replace them.",
        (FLUENCY, ORGANISATION, ROUGE_L, INFORMATION, RECALL, PRECISION),
        (
            ("Random", (4.17, 4.02, 16.66, 3.23, 27.26, 26.16), ""),
            ("TF-IDF", (4.37, 4.16, 18.10, 3.59, 50.32, 48.34), ""),
            ("BM25", (4.39, 4.19, 17.38, 3.61, 46.74, 44.10), ""),
            ("DPR", (4.31, 4.31, 17.81, 3.49, 38.78, 36.70), ""),
            ("GTR", (4.33, 4.10, 17.89, 3.54, 41.97, 40.21), ""),
    ),
        ),
    5: PublishedTable(
        "Source of the documents",
        "RR. What articles cite was scraped without capitals and full stops, so that stretches of it are quoted, not sentences.",
        (FLUENCY, ORGANISATION, ROUGE_L, INFORMATION, RECALL, PRECISION),
        (
            ("Search Engine", (4.31, 4.16, 17.54, 3.51, 35.96, 34.31), ""),
            ("Human Editor", (4.31, 4.05, 17.70, 3.43, 35.71, 33.76), ""),
            ("Mixed", (4.31, 4.05, 17.89, 3.49, 38.78, 36.7), ""),
    ),
    ),
}  # fmt: skip
# Which figures may be compared with the paper's rows, and which may not.
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
    " names. A draft keeps only what our verifier supports, so by that verifier"
    " recall is near 100 by construction; `second_judge` gives the verdict of another"
    " that had no part in the draft, and `quoted_share` the share that is in its"
    " source word for word.",
    "scores": "Comparable only with the same model and questions: the paper's are from GPT-4 and Prometheus 2, with other questions.",
    "length_words": "Comparable. METEOR and ROUGE-L follow it (§5.2), so compare rows of"
    " like length only.",
    "rerankers": "The paper's DPR and GTR have no row of ours: `encoder` and"
    " `encoder-sentences` order by one small stock encoder, by all of a chunk or by its"
    " best sentence.",
}


def published(number: int) -> Sequence[Mapping[str, str | float | None]]:
    table = PUBLISHED[number]
    names = [one.figure for one in table.columns]
    return [
        {
            "name": label,
            **({"group": group} if group else {}),
            **dict(zip(names, cells, strict=True)),
        }
        for label, cells, group in table.rows
    ]
