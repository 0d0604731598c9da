"""Asks a stronger model for a draft, and keeps what its chunks bear out (appendix B.3).

The paper takes GPT-4's answers as they are, and finds that better data is what its tuned
models lack. Here an answer goes the way of any draft: what names something that is not
in its chunks, or what the verifier does not find borne out, is not learnt. Sentences
that are the source's own words are left out, too: a model is to write, not to copy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from bot.research.evaluation.drafts.setups import Documents, documents_of
from bot.research.evaluation.events import Event
from bot.research.training.drafts.records import DraftExample, chunk_records
from handlers.citations.better.reliability import ReliabilityLists
from handlers.drafts.dossier import draft
from handlers.drafts.model import (
    SIZES,
    ArticleAnswer,
    HeadedAnswer,
    ParagraphAnswer,
    SentenceAnswer,
    article_request,
    drafted,
)
from handlers.drafts.roles import Cast, Order, Rules
from handlers.model import (
    Chunk,
    DraftSection,
    DraftSentence,
    ModelUse,
    Setback,
    Topic,
)
from handlers.ports import LanguageModel, PermanentError
from handlers.updates.by_model.asking import Heard, Sizes, put
from handlers.updates.roles import Turn

_STOPS = frozenset({Setback.OUT_OF_BUDGET, Setback.OUT_OF_REACH})
_FEWEST_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class Wanted:
    """What drafts are asked for. `least_kept` is the share of an answer that holds."""

    documents: Documents = Documents.MIXED
    chunks: int = Rules().chunks
    words: int = Rules().words
    least_kept: float = 0.5
    sizes: Sizes = SIZES


@dataclass(frozen=True, slots=True)
class Stronger:
    """The model that is learnt from, and who makes drafts beside it.

    The writer of `cast` is not asked.
    """

    model: LanguageModel
    cast: Cast
    lists: ReliabilityLists


@dataclass(frozen=True, slots=True)
class Made:
    """An example, or why there is none; and what asking for it took.

    With `stopped`, the model cannot be asked for now, and nothing was found out.
    """

    example: DraftExample | None
    use: ModelUse
    why_not: str = ""
    stopped: str = ""


async def example_of(event: Event, stronger: Stronger, wanted: Wanted) -> Made:
    """Return what the stronger model's draft on an event gives to learn from.

    Raises:
        PermanentError: the model's server refuses us; nothing can be made with it.
    """
    gathered = documents_of(event, wanted.documents, stronger.lists)
    asking = _Asking(stronger.model, wanted.sizes)
    cast = replace(stronger.cast, writer=asking, engine=stronger.model.engine)
    sections: tuple[DraftSection, ...] = ()
    why_not = ""
    try:
        made = await draft(
            Topic(event.title),
            gathered.documents,
            cast,
            Rules(chunks=wanted.chunks, words=wanted.words),
            left_out=gathered.left_out,
        )
        sections = made.sections
    except PermanentError:
        why_not = "its documents cannot be used"
    order, heard = asking.order, asking.heard
    if order is None or heard is None:
        return Made(None, ModelUse(), why_not)
    if heard.setback is not None:
        return _silent(heard)
    answer, kept = _answer(sections, order.chunks)
    written = asking.written
    if kept < _FEWEST_SENTENCES or kept < wanted.least_kept * written:
        return Made(None, heard.use, "too little of the answer is borne out")
    example = DraftExample(
        id=_id(event.title, stronger.model),
        title=event.title,
        language=order.topic.language,
        words=wanted.words,
        input_bytes=wanted.sizes.input_bytes,
        output_tokens=wanted.sizes.output_tokens,
        chunks=chunk_records(order.chunks, order.documents),
        answer=answer,
        written=written,
        kept=kept,
        writer=_named(stronger.model.engine.name, stronger.model.engine.version),
        verifier=_named(cast.verifier.engine.name, cast.verifier.engine.version),
    )
    return Made(example, heard.use)


class _Asking:
    """A writer that nobody stands in for; it keeps what was asked and heard."""

    def __init__(self, model: LanguageModel, sizes: Sizes) -> None:
        self._model = model
        self._sizes = sizes
        self.order: Order | None = None
        self.heard: Heard[ArticleAnswer] | None = None
        self.written = 0  # sentences

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the model's article, less what does not hold."""
        self.order = order
        self.heard = await put(self._model, article_request(order, self._sizes))
        answers = self.heard.value.sections if self.heard.value else []
        sections, left = drafted(order, answers, self._sizes)
        self.written = len(left) + sum(len(one.sentences) for one in sections)
        return Turn(sections, self.heard.use)


def _silent(heard: Heard[ArticleAnswer]) -> Made:
    setback = heard.setback or Setback.LEFT_OUT
    told = heard.detail or setback.value
    if setback is Setback.UNUSABLE:
        raise PermanentError(told)
    if setback in _STOPS:
        return Made(None, heard.use, stopped=told)
    return Made(None, heard.use, f"the model: {setback.value}")


def _answer(
    sections: Sequence[DraftSection], chunks: Sequence[Chunk]
) -> tuple[ArticleAnswer, int]:
    """Return the answer to learn, and how many sentences it has."""
    numbers = {(one.document, one.number): at for at, one in enumerate(chunks, 1)}

    def told(one: DraftSentence) -> SentenceAnswer:
        cites = [numbers[each.chunk.document, each.chunk.number] for each in one.cites]
        return SentenceAnswer(text=one.text, cites=cites)

    headed, count = [], 0
    for section in sections:
        kept = [
            [told(one) for one in paragraph if not one.is_quote]
            for paragraph in section.paragraphs
        ]
        paragraphs = [ParagraphAnswer(sentences=one) for one in kept if one]
        if paragraphs:
            headed.append(HeadedAnswer(heading=section.heading, paragraphs=paragraphs))
            count += sum(map(len, kept))
    return ArticleAnswer(sections=headed), count


def _id(title: str, model: LanguageModel) -> str:
    parts = f"{title}\n{model.engine.version}"
    return sha256(parts.encode("utf-8", "replace")).hexdigest()[:16]


def _named(name: str, version: str) -> str:
    return f"{name} {version}"
