"""Makes and measures the drafts of events, on one core or more; what is done stays done.

All drafts of an event are made in a row, for they share what was encoded and judged.
What they are made and measured with is loaded as the settings and a person chose.
"""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.drafts import make_cast
from bot.app.wiring.language_model import open_draft_model, open_language_model
from bot.app.wiring.logs import configure_logging
from bot.models.encoder import Encoder, RememberingEncoder
from bot.models.lexical import LexicalVerifier
from bot.research.evaluation import checkpoints
from bot.research.evaluation.drafts.judge import (
    Checkpoints,
    CitationJudge,
    ModelJudge,
    Outcome,
    Overlap,
    Reference,
    Scored,
    VerifierJudge,
    Written,
    citing,
    marks_of,
    sentences_in,
    written,
)
from bot.research.evaluation.drafts.overlap import (
    LATEST,
    MeteorProgram,
    Synonyms,
    WordNet,
    bleu,
    meteor,
    rouge_l,
    rouge_l_nlg_eval,
    words,
)
from bot.research.evaluation.drafts.setups import Maker, Setup, documents_of
from bot.research.evaluation.events import Event
from bot.research.evaluation.report import Progress
from bot.research.evaluation.updates.hidden import is_copy
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.citations.reliability import ReliabilityLists
from handlers.drafts.dossier import draft
from handlers.drafts.gather import Gathered, screened
from handlers.drafts.roles import Cast, Rules
from handlers.model import DraftMethod, Topic
from handlers.ports import (
    LanguageModel,
    PermanentError,
    TemporaryError,
    TextEncoder,
    Verifier,
)
from handlers.updates.entailment import Remembering


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
    meteor_15: MeteorProgram | None = None


# Loads what a process needs; it is sent to the process, so it must be picklable.
Opens: TypeAlias = Callable[[], AbstractAsyncContextManager[Engine]]


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of what came of events."""

    opener: Opens
    done: Path
    setups: tuple[Setup, ...]


def work_off(
    events: Sequence[Event], work: Work, progress: Progress, *, processes: int
) -> None:
    """See to it that every event has its results in the folder."""
    results = Checkpoints(work.done)
    keys = tuple(one.key for one in work.setups)
    checkpoints.work_off(
        events,
        _each,
        work,
        progress,
        is_done=lambda one: results.is_done(keys, one.id),
        size=lambda one: sum(len(page.text) for page in one.all),
        processes=processes,
    )


async def _each(
    events: Sequence[Event], work: Work, advance: Callable[[], None]
) -> None:
    results = Checkpoints(work.done)
    async with work.opener() as engine:
        for event in events:
            on_event = OnEvent(event, engine)
            if results.reference(event.id) is None:
                results.put_reference(event.id, await on_event.reference())
            for setup in work.setups:
                if results.outcome(setup.key, event.id) is None:
                    made = await _made(on_event, setup, results)
                    results.put_outcome(setup.key, event.id, made)
            advance()


class OnEvent:
    """One event, and what its drafts have in common."""

    def __init__(self, event: Event, engine: Engine) -> None:
        self.id = event.id
        self._event = event
        self._engine = engine
        self._kit = Kit(
            Remembering(engine.verifier), RememberingEncoder(engine.encoder)
        )
        self._judge = engine.judges(self._kit.verifier)
        self._topic = Topic(event.title)

    async def reference(self) -> Reference:
        event = self._event
        marks = await marks_of(
            self._engine.model, event.title, event.text, event.headings
        )
        return Reference(words(event.text), marks)

    async def outcome(self, setup: Setup) -> Outcome:
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
            usable = screened(self._topic, gathered.documents).documents
            if not usable:
                raise PermanentError("no document can be used")
            drawn = setup.maker is Maker.CHANCE
            return sentences_in(usable, setup.words, drawn=drawn)
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
            turns=text.turns,
            replaced=text.replaced,
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


async def _made(on_event: OnEvent, setup: Setup, results: Checkpoints) -> Outcome:
    """Return what a setup gives; a baseline may have the length of another's draft."""
    if not setup.like:
        return await on_event.outcome(setup)
    model = results.outcome(setup.like, on_event.id)
    if model is None or model.scored is None:
        return Outcome(0.0, 0, failed="there is no draft that it could be as long as")
    return await on_event.outcome(replace(setup, words=model.scored.words))


def _since(start: float) -> float:
    return round(time.monotonic() - start, 3)


def _share(text: Written, holds: Callable[[str, tuple[str, ...]], bool]) -> float:
    """Return the share of a text's words that stand in sentences for which it holds."""
    rows = [(words(one.text), holds(one.text, one.cites)) for _, one in text.said]
    return sum(count for count, is_so in rows if is_so) / sum(one for one, _ in rows)


def _is_quoted(sentence: str, cites: tuple[str, ...]) -> bool:
    said = " ".join(sentence.split())
    return any(said in " ".join(one.split()) for one in cites)


class Parts(Enum):
    """Who does what a language model can do, too."""

    EMBEDDED = "embedded"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen of the engine's parts; files that are `None` are done without."""

    writer: Parts = Parts.EMBEDDED
    citation_judge: Parts = Parts.EMBEDDED
    is_tuned: bool = False
    wordnet: Path | None = None
    meteor_jar: Path | None = None


@dataclass(frozen=True, slots=True)
class Opener:
    settings: Settings
    choices: Choices = field(default_factory=Choices)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        chosen = self.choices
        configure_logging(self.settings)  # a process of its own has not done so
        async with AsyncExitStack() as opened:
            model = await opened.enter_async_context(open_language_model(self.settings))
            tuned = (
                await opened.enter_async_context(open_draft_model(self.settings))
                if chosen.is_tuned
                else None
            )
            verifier = open_verifier(self.settings)
            yield Engine(
                verifier=verifier,
                encoder=Encoder(),
                lists=load_reliability(),
                casts=_casts(model if chosen.writer is Parts.MODEL else None, tuned),
                judges=_judges(model if chosen.citation_judge is Parts.MODEL else None),
                second=_second(verifier, chosen.citation_judge),
                model=model,
                synonyms=WordNet(chosen.wordnet) if chosen.wordnet else None,
                meteor_15=opened.enter_context(MeteorProgram(chosen.meteor_jar))
                if chosen.meteor_jar
                else None,
            )


def _casts(model: LanguageModel | None, tuned: LanguageModel | None) -> Casts:
    def cast(setup: Setup, kit: Kit) -> Cast:
        method = DraftMethod(setup.maker.value)
        writer = tuned if method is DraftMethod.TUNED else model
        return make_cast(method, setup.reranker, kit.encoder, kit.verifier, writer)

    return cast


def _second(verifier: Verifier, judge: Parts) -> Verifier | None:
    """Return who else judges citations: whoever had the least to do with the drafts."""
    lexical = LexicalVerifier()
    if verifier.engine != lexical.engine:
        return lexical
    return verifier if judge is Parts.MODEL else None


def _judges(model: LanguageModel | None) -> Judges:
    def judge(verifier: Verifier) -> CitationJudge:
        embedded = VerifierJudge(verifier)
        return embedded if model is None else ModelJudge(model, embedded)

    return judge


def require(settings: Settings, choices: Choices) -> None:
    """Refuse at once what would fail after minutes."""
    is_asked = Parts.MODEL in (choices.writer, choices.citation_judge)
    if is_asked and not settings.language_model_address:
        raise PermanentError(
            "no language model is set up; set SIDENOTE_LANGUAGE_MODEL_ADDRESS, or leave"
            " --writer and --citation-judge at “embedded”"
        )
    if choices.meteor_jar:
        MeteorProgram(choices.meteor_jar)
    if choices.wordnet:
        WordNet(choices.wordnet)


def parts_of(settings: Settings, choices: Choices) -> tuple[tuple[str, str], ...]:
    judging = open_verifier(settings)
    second = _second(judging, choices.citation_judge)
    verifier = judging.engine
    named = f"{verifier.name} {verifier.version}"
    model = settings.language_model_name
    is_model = choices.citation_judge is Parts.MODEL
    return (
        ("name", verifier.name),
        ("version", verifier.version),
        ("writer", model if choices.writer is Parts.MODEL else "embedded, quotes only"),
        ("tuned_writer", settings.draft_model if choices.is_tuned else "none"),
        ("encoder", Encoder().name),
        ("citations", f"{model}; {named} where it is silent" if is_model else named),
        (
            "second_judge",
            f"{second.engine.name} {second.engine.version}" if second else "none",
        ),
        ("marks", model if settings.language_model_address else "none"),
        ("synonyms", "WordNet" if choices.wordnet else "none: no WordNet is installed"),
        ("meteor_15", "meteor-1.5.jar" if choices.meteor_jar else "none"),
    )
