"""Loads what drafts are made and measured with, as the settings and a person chose."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from bot.app.wiring import (
    configure_logging,
    open_draft_model,
    open_language_model,
    open_verifier,
)
from bot.app.wiring.drafts import make_cast
from bot.models.encoder import Encoder
from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.drafting.citing import (
    CitationJudge,
    ModelJudge,
    VerifierJudge,
)
from bot.research.evaluation.drafting.running import Casts, Engine, Judges, Kit
from bot.research.evaluation.drafting.setups import Setup
from bot.research.meteor_program import MeteorProgram
from bot.research.wordnet import WordNet
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.drafts.roles import Cast
from handlers.model import DraftMethod
from handlers.ports import LanguageModel, PermanentError, Verifier


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
    """Loads the engine in whichever process asks for it."""

    settings: Settings
    choices: Choices = field(default_factory=Choices)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        """Give the engine for as long as a process works."""
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
    """Refuse at once what would fail after minutes.

    Raises:
        PermanentError: a model that is asked for is not set up, or a file is not there.
    """
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
    """Name the parts, as the report has them."""
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
