"""Do the cited chunks bear the sentences out? The paper's formulas 4 to 6.

A sentence is put beside one 256-word chunk at a time, with the title of the article, as
the program's own checks are. The paper asks TRUE, an 11-billion-parameter NLI model,
and gives it the sentence alone.
"""

from collections.abc import Sequence
from typing import Annotated, Protocol

from bot.research.evaluation.drafting.results import Citing
from bot.research.evaluation.drafting.texts import Written
from handlers.model import ModelUse
from handlers.ports import Excerpt, LanguageModel, Verifier
from handlers.updates.by_model.asking import Few, Form, hear
from handlers.updates.entailment import entails

ENTAILED = 0.5  # probability from which a chunk bears a sentence out
_PERCENT = 100
_MOST_CITES = 5  # of one sentence that are looked at
_LONGEST = 4_000  # characters of an excerpt that a model is shown
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
            Excerpt("title of the article", title[:_LONGEST]),
            Excerpt("sentence", sentence[:_LONGEST]),
            *(
                Excerpt(f"passage {number}", chunk[:_LONGEST])
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
