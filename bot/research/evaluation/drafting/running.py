"""Makes the drafts of one event and measures them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bot.models.encoder import Encoder, RememberingEncoder
from bot.research.evaluation.discovery.copies import is_copy
from bot.research.evaluation.drafting.citing import CitationJudge, VerifierJudge, citing
from bot.research.evaluation.drafting.documents import documents_of
from bot.research.evaluation.drafting.marking import marks_of
from bot.research.evaluation.drafting.overlap import (
    LATEST,
    Synonyms,
    bleu,
    meteor,
    rouge_l,
    rouge_l_nlg_eval,
    words,
)
from bot.research.evaluation.drafting.results import Outcome, Overlap, Reference, Scored
from bot.research.evaluation.drafting.setups import Maker, Setup
from bot.research.evaluation.drafting.texts import (
    Written,
    drawn_sentences,
    first_words,
    written,
)
from bot.research.evaluation.events import Event
from handlers.citations.better.reliability import ReliabilityLists
from handlers.drafts.dossier import draft
from handlers.drafts.gather import Gathered
from handlers.drafts.roles import Cast, Rules
from handlers.drafts.screen import screened
from handlers.model import DraftDocument, Topic
from handlers.ports import (
    LanguageModel,
    PermanentError,
    TemporaryError,
    TextEncoder,
    Verifier,
)
from handlers.updates.entailment import Remembering


class Meteor(Protocol):
    """Another METEOR than NLTK's."""

    def score(self, reference: str, text: str) -> float:
        """Return it, 0 to 100."""
        ...


@dataclass(frozen=True, slots=True)
class Kit:
    """What all drafts of one event share; what was judged or encoded is remembered."""

    verifier: Verifier
    encoder: TextEncoder


Casts: TypeAlias = Callable[[Setup, Kit], Cast]
Judges: TypeAlias = Callable[[Verifier], CitationJudge]


@dataclass(frozen=True, slots=True)
class Engine:
    """What a process loads once.

    `second` judges citations beside the one that `judges` gives; `model` marks texts.
    """

    verifier: Verifier
    encoder: Encoder
    lists: ReliabilityLists
    casts: Casts
    judges: Judges = VerifierJudge
    second: Verifier | None = None
    model: LanguageModel | None = None
    synonyms: Synonyms | None = None
    meteor_15: Meteor | None = None


class OnEvent:
    """One event, and what its drafts have in common."""

    def __init__(self, event: Event, engine: Engine) -> None:
        self._event = event
        self._engine = engine
        self._kit = Kit(
            Remembering(engine.verifier), RememberingEncoder(engine.encoder)
        )
        self._judge = engine.judges(self._kit.verifier)
        self._topic = Topic(event.title)

    @property
    def id(self) -> str:
        """Return the number of the event."""
        return self._event.id

    async def reference(self) -> Reference:
        """Return what is known of the article itself."""
        event = self._event
        marks = await marks_of(
            self._engine.model, event.title, event.text, event.headings
        )
        return Reference(words(event.text), marks)

    async def outcome(self, setup: Setup) -> Outcome:
        """Return what a setup gave."""
        since = time.monotonic()
        gathered = documents_of(self._event, setup.documents, self._engine.lists)
        count = len(gathered.documents)
        try:
            text = await self._written(setup, gathered)
        except (PermanentError, TemporaryError) as error:
            return Outcome(_since(since), count, failed=str(error))
        took_s = _since(since)
        if not text.said:
            return Outcome(took_s, count, failed="the draft has no sentence")
        return Outcome(took_s, count, await self._scored(text))

    async def _written(self, setup: Setup, gathered: Gathered) -> Written:
        if not gathered.documents:
            raise PermanentError("the event has no document that may be used")
        if setup.maker.is_baseline:
            return self._baseline(setup, gathered.documents)
        cast = self._engine.casts(setup, self._kit)
        rules = Rules(chunks=setup.top, words=setup.words)
        return written(
            await draft(
                self._topic,
                gathered.documents,
                cast,
                rules,
                left_out=gathered.left_out,
            )
        )

    def _baseline(self, setup: Setup, documents: tuple[DraftDocument, ...]) -> Written:
        """Return what takes no thought, of the documents that a draft would use."""
        usable = screened(self._topic, documents).documents
        if not usable:
            raise PermanentError("no document can be used")
        make = first_words if setup.maker is Maker.LEAD else drawn_sentences
        return make(usable, setup.words)

    async def _scored(self, text: Written) -> Scored:
        title, engine = self._event.title, self._engine
        second = engine.second
        return Scored(
            words=words(text.plain),
            sentences=len(text.said),
            overlap=self._overlap(text.plain),
            citing=await citing(title, text, self._judge),
            second=await citing(title, text, VerifierJudge(second)) if second else None,
            quoted=_share(text, _is_quoted),
            copied=_share(text, lambda one, _: is_copy(self._event.text, [one])),
            marks=await marks_of(engine.model, title, text.plain, text.headings),
            text=text.plain,
            worded=sum(one.is_worded for _, one in text.said) / len(text.said),
            unmarked=_share(text, lambda one, _: one == one.lower()),
        )

    def _overlap(self, text: str) -> Overlap:
        reference, engine = self._event.text, self._engine
        return Overlap(
            meteor=meteor(reference, text, synonyms=engine.synonyms),
            meteor_without_synonyms=meteor(reference, text),
            meteor_15_weights=meteor(
                reference, text, synonyms=engine.synonyms, weights=LATEST
            ),
            rouge_l=rouge_l(reference, text).f1,
            rouge_l_nlg_eval=rouge_l_nlg_eval(reference, text),
            bleu=bleu(reference, text),
            meteor_15=self._meteor_15(text),
        )

    def _meteor_15(self, text: str) -> float | None:
        """Ask the program; a text that it breaks on has no figure of it."""
        if self._engine.meteor_15 is None:
            return None
        try:
            return self._engine.meteor_15.score(self._event.text, text)
        except PermanentError:
            return None


def _since(start: float) -> float:
    return round(time.monotonic() - start, 3)


def _share(text: Written, holds: Callable[[str, tuple[str, ...]], bool]) -> float:
    """Return the share of a text's words that stand in sentences for which it holds."""
    rows = [(words(one.text), holds(one.text, one.cites)) for _, one in text.said]
    return sum(count for count, is_so in rows if is_so) / sum(one for one, _ in rows)


def _is_quoted(sentence: str, cites: tuple[str, ...]) -> bool:
    said = " ".join(sentence.split())
    return any(said in " ".join(one.split()) for one in cites)
