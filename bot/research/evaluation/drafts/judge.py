"""How good a draft is: its citations, judged, and scores from a language model.

Do the cited chunks support the sentences (the paper's formulas 4 to 6)? A sentence is
compared with one 256-word chunk at a time, with the title of the article, as in the
program's own checks. The paper asks TRUE, an 11-billion-parameter NLI model, and gives
it only the sentence.

The six scores from 0 to 5 (WikiGenBench §3) come from a language model. In the paper
GPT-4 scores fluency, information and outline, and Prometheus 2 the rest. No embedded
method can honestly say which text reads better, so without a model there are no scores.
The questions are our own.

A text with citations, whoever wrote it, is converted to one form and measured.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import Field

from bot.research.evaluation.evaluator import Evaluator
from handlers.documents.prose import sentences
from handlers.drafts.chunks import chunks_of
from handlers.model import Draft, DraftDocument, ModelFailure
from handlers.ports import Excerpt, LanguageModel, ModelRequest, Verifier
from handlers.updates.entailment import judged
from handlers.updates.questions import Few, Form, ask_model, line

ENTAILED = 0.5  # probability from which a chunk counts as supporting
_PERCENT = 100
_MOST_CITES = 5  # citations of one sentence that are checked
_LONGEST_EXCERPT = 4_000  # characters of an excerpt that a model is shown
INSTRUCTIONS = """
You check footnotes. You are shown one sentence of an encyclopaedia article, the title \
of the article, and numbered passages that the sentence cites. Judge each passage by \
itself: does it state all that the sentence states, every name, number and date \
included? What is merely likely, or known from elsewhere, does not count. Answer with \
the numbers of the passages that do; with none if none does.
"""


class CitationJudge(Protocol):
    """Decides which of some chunks support a sentence, each by itself."""

    @property
    def name(self) -> str: ...

    async def supports(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]: ...


class VerifierJudge:
    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    @property
    def name(self) -> str:
        return f"{self._verifier.engine.name} {self._verifier.engine.version}"

    async def supports(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]:
        section = (heading,) if heading else ()
        found = [
            await judged(self._verifier, title, sentence, [one], section=section)
            for one in chunks
        ]
        return [one.supported >= ENTAILED for one in found]


class Supporting(Form):
    passages: Annotated[list[int], Few]


class ModelJudge:
    """A language model as the judge. Implements `CitationJudge`.

    If it gives no answer, `fallback` judges.
    """

    def __init__(self, model: LanguageModel, fallback: CitationJudge) -> None:
        self.evaluator = Evaluator(model)
        self._fallback = fallback

    @property
    def name(self) -> str:
        return self.evaluator.name

    async def supports(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]:
        """Ask the model one question about all chunks; return its answer for each."""
        content = (
            Excerpt("title of the article", title[:_LONGEST_EXCERPT]),
            Excerpt("sentence", sentence[:_LONGEST_EXCERPT]),
            *(
                Excerpt(f"passage {number}", chunk[:_LONGEST_EXCERPT])
                for number, chunk in enumerate(chunks, 1)
            ),
        )
        answer = await self.evaluator.ask(
            ModelRequest(INSTRUCTIONS, content, Supporting)
        )
        if answer is None:
            self.evaluator.unanswered += 1
            return await self._fallback.supports(title, heading, sentence, chunks)
        named = set(answer.passages)
        return [number in named for number, _ in enumerate(chunks, 1)]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the texts of the chunks that it cites.

    `is_worded` is true if a language model wrote it.
    """

    text: str
    cites: tuple[str, ...]
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A section; the lead has no heading."""

    heading: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class CitedText:
    """A whole text; `turns` and `replaced` are as in `handlers.model.Draft`."""

    parts: tuple[Part, ...]
    turns: int = 0
    replaced: int = 0

    @property
    def sentences(self) -> tuple[tuple[str, Sentence], ...]:
        """Return its sentences, each with the heading it is under."""
        return tuple(
            (part.heading, one) for part in self.parts for one in part.sentences
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """Return its headings, as the paper's outline score sees them."""
        return tuple(part.heading for part in self.parts if part.heading)

    @property
    def plain(self) -> str:
        """Return it in the form of the reference: headings on separate lines."""
        return "\n\n".join(
            "\n".join(
                one
                for one in (part.heading, " ".join(s.text for s in part.sentences))
                if one
            )
            for part in self.parts
        )


@dataclass(frozen=True, slots=True)
class Citing:
    """The paper's formulas 4 to 6 for one text, 0 to 100."""

    recall: float
    precision: float
    rate: float


async def citing(title: str, text: CitedText, judge: CitationJudge) -> Citing:
    """Return recall, precision and rate of a text's citations.

    A sentence without a citation counts as 0; headings do not count.
    """
    rows: list[tuple[int, Sequence[bool]]] = []
    for heading, one in text.sentences:
        cites = [cite for cite in one.cites[:_MOST_CITES] if cite.strip()]
        held = await judge.supports(title, heading, one.text, cites) if cites else ()
        rows.append((len(one.text.split()), held))
    words = sum(length for length, _ in rows)
    if not words:
        return Citing(0.0, 0.0, 0.0)
    recall = sum(any(held) for _, held in rows) / len(rows)
    precision = sum(sum(held) / len(held) if held else 0.0 for _, held in rows)
    rate = sum(length for length, held in rows if any(held)) / words
    return Citing(_PERCENT * recall, _PERCENT * precision / len(rows), _PERCENT * rate)


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
    fluency: Mark
    organisation: Mark
    focus: Mark
    coverage: Mark
    information: Mark


class OutlineMark(Form):
    outline: Mark


@dataclass(frozen=True, slots=True)
class Marks:
    """A model's scores of a text, 0 to 5; `why` says why there are none."""

    fluency: int | None = None
    organisation: int | None = None
    outline: int | None = None
    focus: int | None = None
    coverage: int | None = None
    information: int | None = None
    why: str = ""


async def marks_of(
    model: LanguageModel | None, title: str, text: str, headings: Sequence[str]
) -> Marks:
    """Return a model's scores of a text and its outline, or why there are none."""
    if model is None:
        return Marks(why=NEEDS_A_MODEL)
    named = Excerpt("title", line(title))
    shown = [named, Excerpt("text", text[:_LONGEST_TEXT])]
    reply = await ask_model(model, OF_TEXT, shown, TextMarks)
    if reply.value is None:
        return Marks(why=_why(reply.failure, reply.detail))
    of = reply.value
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
    reply = await ask_model(model, OF_OUTLINE, shown, OutlineMark)
    if reply.value is None:
        return None, _why(reply.failure, reply.detail)
    return reply.value.outline, ""


def _why(failure: ModelFailure | None, detail: str) -> str:
    message = failure.value if failure else "it gave no answer"
    return f"{message}: {detail}" if detail else message


_SEED = 0
_FEWEST_WORDS = 4  # of a sentence that may be drawn; headings and menus have fewer


def written(draft: Draft) -> CitedText:
    return CitedText(
        tuple(
            Part(
                section.heading,
                tuple(
                    Sentence(
                        one.text,
                        tuple(cite.chunk.text for cite in one.cites),
                        is_worded=not one.is_quote,
                    )
                    for one in section.sentences
                ),
            )
            for section in draft.sections
        ),
        draft.turns,
        draft.replaced,
    )


def sentences_in(
    documents: Sequence[DraftDocument], words: int, *, drawn: bool
) -> CitedText:
    """Return sentences of the documents, each citing the chunk it is from.

    They are the first ones, or drawn at random; the same documents give the same ones.
    """
    found = [
        Sentence(one.text, (chunk.text,))
        for document in documents
        for chunk in chunks_of(document)
        for one in sentences(chunk.text)
        if one.text
    ]
    if drawn:
        found = [one for one in found if len(one.text.split()) >= _FEWEST_WORDS]
        random.Random(_SEED).shuffle(found)  # noqa: S311 - a baseline, no secret
    taken: list[Sentence] = []
    for one in found:
        if words <= 0:
            break
        taken.append(one)
        words -= len(one.text.split())
    return CitedText((Part("", tuple(taken)),) if taken else ())
