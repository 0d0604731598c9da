"""The rows of WikiGenBench's tables 2 to 5, and what of them ours can stand beside.

Two of its columns have slipped against its appendix, which shows the same runs: table 4
prints the citation rate under “Cit. Recall”, and table 5 the Focus Score under “R-L”.
The rows here have what the headings say, from tables 8 and 9.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading in the paper, the name of the figure, digits shown."""

    heading: str
    figure: str
    digits: int = 2


FLUENCY = Column("Fluency", "fluency")
ORGANISATION = Column("Org.", "organisation")
OUTLINE = Column("Outline", "outline")
METEOR = Column("MET", "meteor_shown")
ROUGE_L = Column("R-L", "rouge_l_nlg_eval")
FOCUS = Column("Focus", "focus")
COVERAGE = Column("Cover.", "coverage")
INFORMATION = Column("Info", "information")
RATE = Column("Cit. Rate", "citation_rate")
RECALL = Column("Cit. Recall", "citation_recall")
PRECISION = Column("Cit. Prec.", "citation_precision")
LENGTH = Column("Length", "length_words", 1)

Cells = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row as printed; `None` stands for a dash."""

    label: str
    cells: Cells
    group: str = ""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper."""

    number: int
    title: str
    columns: tuple[Column, ...]
    rows: tuple[PublishedRow, ...]


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
    "rerankers": "DPR and GTR name the kind: ours order by one small sentence encoder,"
    " by the best sentence of a chunk or by all of it, and are not those models.",
}


def published(number: int) -> Sequence[Mapping[str, str | float | None]]:
    """Return the rows of a table as figures by name, for the JSON."""
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
