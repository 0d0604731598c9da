"""How models write drafts: the metrics of the paper, on examples that none has learnt.

What a model says is measured as it says it, with nothing taken out: the checks of a
draft would hide what training is to mend.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.research.evaluation.drafts.judge import (
    CitationJudge,
    Part,
    Said,
    Written,
    citing,
)
from bot.research.evaluation.drafts.overlap import bleu, meteor, rouge_l, words
from bot.research.evaluation.report import Progress
from bot.research.training.writers.drafts import DraftExample, order_of
from handlers.drafts.model import ArticleAnswer, article_request, cleaned, is_lead
from handlers.ports import LanguageModel
from handlers.updates.questions import put

_NO_SUCH = "(there is no such document)"
_FIGURES = (
    "citation_recall",
    "citation_precision",
    "citation_rate",
    "length_words",
    "meteor",
    "rouge_l",
    "bleu",
)


@dataclass(frozen=True, slots=True)
class DraftWriter:
    """A writer by its name, and its answer to an example; `None` where it is in no form."""

    name: str
    write: Callable[[DraftExample], Awaitable[ArticleAnswer | None]]


def learnt_from() -> DraftWriter:
    async def write(example: DraftExample) -> ArticleAnswer | None:
        return example.answer

    return DraftWriter("the examples themselves", write)


def remote(model: LanguageModel) -> DraftWriter:
    async def write(example: DraftExample) -> ArticleAnswer | None:
        request = article_request(order_of(example), example.sizes)
        return (await put(model, request)).value

    return DraftWriter(f"{model.engine.name} {model.engine.version}", write)


async def compare(
    examples: Sequence[DraftExample],
    writers: Sequence[DraftWriter],
    judge: CitationJudge,
    references: Mapping[str, str],
    progress: Progress,
) -> dict[str, Any]:
    """Return a row of figures for each writer."""
    progress.started(len(examples) * len(writers))
    rows = []
    for writer in writers:
        measured = []
        for example in examples:
            answer = await writer.write(example)
            measured.append(await _measured(example, answer, judge, references))
            progress.advance()
        rows.append(_row(writer.name, measured))
    return {
        "examples": len(examples),
        "with_reference": sum(one.title in references for one in examples),
        "citation_judge": judge.name,
        "rows": rows,
        "note": "means over examples; an answer in another form counts as an empty"
        " draft; nothing was taken out of the answers",
    }


async def _measured(
    example: DraftExample,
    answer: ArticleAnswer | None,
    judge: CitationJudge,
    references: Mapping[str, str],
) -> dict[str, float | None]:
    text = _written(answer, example)
    found = await citing(example.title, text, judge)
    reference = references.get(example.title)
    plain = text.plain
    of_words: dict[str, float | None] = dict.fromkeys(_FIGURES[-3:])
    if reference:
        of_words = {
            "meteor": meteor(reference, plain) if plain else 0.0,
            "rouge_l": rouge_l(reference, plain).f1,
            "bleu": bleu(reference, plain) if plain else 0.0,
        }
    return {
        "in_form": float(answer is not None),
        "citation_recall": found.recall,
        "citation_precision": found.precision,
        "citation_rate": found.rate,
        "length_words": float(words(plain)),
        **of_words,
    }


def _written(answer: ArticleAnswer | None, example: DraftExample) -> Written:
    """Return an answer as the metrics see it; a citation of nothing is a wrong one."""
    texts = [one.text for one in example.chunks]

    def cited(number: int) -> str:
        return texts[number - 1] if 0 < number <= len(texts) else _NO_SUCH

    parts = []
    for section in answer.sections if answer else []:
        heading = cleaned(section.heading)
        said = tuple(
            Said(one.text, tuple(map(cited, one.cites)))
            for paragraph in section.paragraphs
            for one in paragraph.sentences
            if one.text
        )
        parts.append(Part("" if is_lead(heading) else heading, said))
    return Written(tuple(parts))


def _row(name: str, measured: Sequence[dict[str, float | None]]) -> dict[str, Any]:
    in_form = sum(one["in_form"] or 0 for one in measured)
    return {
        "writer": name,
        "examples": len(measured),
        "in_form": int(in_form),
        **{figure: _mean([one[figure] for one in measured]) for figure in _FIGURES},
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return round(sum(known) / len(known), 2) if known else None
