"""How good a draft is, in the word of a judge: its citations, and a model's marks.

Do the cited chunks bear the sentences out (the paper's formulas 4 to 6)? A sentence is
put beside one 256-word chunk at a time, with the title of the article, as the program's
own checks are. The paper asks TRUE, an 11-billion-parameter NLI model, and gives it the
sentence alone.

The six scores from 0 to 5 (WikiGenBench §3) are a language model's. The paper has GPT-4
mark fluency, information and outline, and Prometheus 2 the rest. Which text reads better
has no honest embedded counterpart, so without a model there are no marks. The questions
are our own.
"""

from collections.abc import Sequence
from typing import Annotated, Protocol

from pydantic import Field

from bot.research.evaluation.drafts.results import Citing, Marks, Written
from handlers.model import ModelUse, Setback
from handlers.ports import Excerpt, LanguageModel, Verifier
from handlers.updates.by_model.asking import Few, Form, hear, line
from handlers.updates.entailing import entails

ENTAILED = 0.5  # probability from which a chunk bears a sentence out
_PERCENT = 100
_MOST_CITES = 5  # of one sentence that are looked at
_LONGEST_EXCERPT = 4_000  # characters of an excerpt that a model is shown
INSTRUCTIONS = """
You check footnotes. You are shown one sentence of an encyclopaedia article, the title \
of the article, and numbered passages that the sentence cites. Judge each passage by \
itself: does it state all that the sentence states, every name, number and date \
included? What is merely likely, or known from elsewhere, does not count. Answer with \
the numbers of the passages that do; with none if none does.
"""


class CitationJudge(Protocol):
    """Tells which of some chunks bear a sentence out, each by itself."""

    @property
    def name(self) -> str:
        """Who judges, with version."""
        ...

    async def bear_out(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]:
        """Return an answer for each chunk."""
        ...


class VerifierJudge:
    """The verification model as the judge. Fulfils `CitationJudge`."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    @property
    def name(self) -> str:
        """Return the model's name and version."""
        return f"{self._verifier.engine.name} {self._verifier.engine.version}"

    async def bear_out(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]:
        """Return whether each chunk alone entails the sentence."""
        section = (heading,) if heading else ()
        return [
            await entails(self._verifier, title, sentence, [one], section=section)
            >= ENTAILED
            for one in chunks
        ]


class BearingOut(Form):
    """Which passages state the sentence."""

    passages: Annotated[list[int], Few]


class ModelJudge:
    """A language model as the judge. Fulfils `CitationJudge`.

    Where it is silent, `fallback` judges; `silent` counts how often.
    """

    def __init__(self, model: LanguageModel, fallback: CitationJudge) -> None:
        self._model = model
        self._fallback = fallback
        self.silent = 0
        self.use = ModelUse()

    @property
    def name(self) -> str:
        """Return the model's name and version."""
        return f"{self._model.engine.name} {self._model.engine.version}"

    async def bear_out(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]:
        """Return the model's word on each chunk; one question for all of them."""
        content = [
            Excerpt("title of the article", title[:_LONGEST_EXCERPT]),
            Excerpt("sentence", sentence[:_LONGEST_EXCERPT]),
            *(
                Excerpt(f"passage {number}", chunk[:_LONGEST_EXCERPT])
                for number, chunk in enumerate(chunks, 1)
            ),
        ]
        heard = await hear(self._model, INSTRUCTIONS, content, BearingOut)
        self.use += heard.use
        if heard.value is None:
            self.silent += 1
            return await self._fallback.bear_out(title, heading, sentence, chunks)
        named = set(heard.value.passages)
        return [number in named for number, _ in enumerate(chunks, 1)]


async def citing(title: str, text: Written, judge: CitationJudge) -> Citing:
    """Return recall, precision and rate of a text's citations.

    A sentence without a citation counts, with 0; headings do not count.
    """
    rows = [
        (
            len(one.text.split()),
            await _shares(title, heading, one.text, one.cites, judge),
        )
        for heading, one in text.said
    ]
    words = sum(length for length, _ in rows)
    if not words:
        return Citing(0.0, 0.0, 0.0)
    recall = sum(any(held) for _, held in rows) / len(rows)
    precision = sum(sum(held) / len(held) if held else 0.0 for _, held in rows)
    rate = sum(length for length, held in rows if any(held)) / words
    return Citing(_PERCENT * recall, _PERCENT * precision / len(rows), _PERCENT * rate)


async def _shares(
    title: str, heading: str, sentence: str, cites: Sequence[str], judge: CitationJudge
) -> Sequence[bool]:
    shown = [one for one in cites[:_MOST_CITES] if one.strip()]
    if not shown:
        return ()
    return await judge.bear_out(title, heading, sentence, shown)


NEEDS_A_MODEL = "needs a language model (see the setting language_model_address)"
_LONGEST_TEXT = 40_000  # characters of a text that are shown; some 7,000 words
_MOST_HEADINGS = 60
_SCALE = """
Give whole numbers from 0 (useless) over 1 (very poor), 2 (poor), 3 (acceptable) and \
4 (good) to 5 (what a careful encyclopaedia would publish). Judge each thing by itself \
and use the whole scale. Length alone earns nothing.
"""
OF_TEXT = f"""
You are an experienced editor of an encyclopaedia. You are shown the title of an \
article and the text of an article on it, headings on lines of their own. Marks for \
footnotes were taken out; their absence is no fault. Mark the text:

- fluency: grammar, and how easily one sentence reads after the other.
- organisation: what belongs together stands together, in an order that a reader can \
follow, nothing twice.
- focus: all of it is on the subject of the title.
- coverage: the main sides of the subject are there, in fair proportion.
- information: how much of substance a reader learns: who, what, when, where, why, \
with what result.
{_SCALE}"""
OF_OUTLINE = f"""
You are an experienced editor of an encyclopaedia. You are shown the title of an \
article and its headings in order. Mark as "outline" how well these headings divide \
such a subject: clear, distinct, complete, in a sensible order, and worded as an \
encyclopaedia words them.
{_SCALE}"""
Mark = Annotated[int, Field(ge=0, le=5)]


class TextMarks(Form):
    """What a model says of a text."""

    fluency: Mark
    organisation: Mark
    focus: Mark
    coverage: Mark
    information: Mark


class OutlineMark(Form):
    """What a model says of the headings."""

    outline: Mark


async def marks_of(
    model: LanguageModel | None, title: str, text: str, headings: Sequence[str]
) -> Marks:
    """Return a model's marks of a text and its outline, or why there are none."""
    if model is None:
        return Marks(why=NEEDS_A_MODEL)
    named = Excerpt("title", line(title))
    shown = [named, Excerpt("text", text[:_LONGEST_TEXT])]
    heard = await hear(model, OF_TEXT, shown, TextMarks)
    if heard.value is None:
        return Marks(why=_why(heard.setback, heard.detail))
    of = heard.value
    outline, why = await _outline(model, named, headings)
    return Marks(
        of.fluency, of.organisation, outline, of.focus, of.coverage, of.information, why
    )


async def _outline(
    model: LanguageModel, named: Excerpt, headings: Sequence[str]
) -> tuple[int | None, str]:
    if not headings:
        return 0, ""
    listed = "\n".join(line(one) for one in headings[:_MOST_HEADINGS])
    shown = [named, Excerpt("headings", listed)]
    heard = await hear(model, OF_OUTLINE, shown, OutlineMark)
    if heard.value is None:
        return None, _why(heard.setback, heard.detail)
    return heard.value.outline, ""


def _why(setback: Setback | None, detail: str) -> str:
    told = setback.value if setback else "it gave no answer"
    return f"{told}: {detail}" if detail else told
