"""`sidenote evaluate wikigen`: drafts of WikiGenBench's events beside the paper's.

Each event's article is the reference; the draft is made from the event's documents,
with the title as its topic. Headings count as words of both. All overlap figures are
means over events, 0 to 100:

- `meteor`: NLTK's METEOR (alpha 0.9, beta 3, gamma 0.5) of words and of runs of other
  characters, by form, Porter stem and WordNet's synonyms if WordNet is there
  (`engine.synonyms`); `meteor_without_synonyms` never uses synonyms.
  `meteor_15_weights` has the parameters of METEOR 1.5 (0.85, 0.2, 0.6);
  `meteor_15` is that program itself, if its file is given (texts that crash it are
  left out).
- `rouge_l`: F1 of the longest common subsequence of the whole texts (`rouge-score`, no
  stems). `rouge_l_nlg_eval`: the same on words split at spaces, case kept, beta 1.2.
- `bleu`: NLTK's, up to four words, 0.1 for a count of 0.
- `citation_recall`, `citation_precision`, `citation_rate`: formulas 4 to 6 by the judge
  that `engine.citations` names, a sentence against one 256-word chunk at a time; a
  sentence that cites nothing counts as 0. `second_judge`: by another judge.
- `quoted_share`: the share of words in sentences that a cited chunk contains word for
  word; `copied_share`: in sentences that share ten words in a row with the reference
  (some documents are copies of it, and some quote what it quotes); `unmarked_share`: in
  stretches without a capital, from cited pages as the data set has them.
- `fluency` to `information`: 0 to 5 by a language model, or none.

The first 5,000 words of either text are compared (`overlap.MAX_WORDS`). Events that
could not be drafted are counted with their reasons; `with_unscored_as_0` covers all
events. While the embedded engine was developed, drafts from both halves of this file
were read, so no event is unseen; `odd_half`, the events with an odd number, only shows
how much the figures depend on the choice of events.

Makes and measures the drafts of events, on one core or more, and keeps finished
results.

All drafts of an event are made in a row, because they share what was encoded and
judged. The tools to make and measure them are loaded as the settings and options say.
"""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.drafts import make_cast
from bot.app.wiring.language_model import open_draft_model, open_language_model
from bot.app.wiring.logs import configure_logging
from bot.models.encoder import Encoder, RememberingEncoder
from bot.models.lexical import LexicalVerifier
from bot.research.evaluation import checkpoints
from bot.research.evaluation.datasets import Data, Unscored
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
from bot.research.evaluation.drafts.setups import (
    METHODS,
    Maker,
    Setup,
    all_setups,
    baselines_of,
    documents_of,
)
from bot.research.evaluation.drafts.tables import (
    COMPARABLE,
    OfEvent,
    Tables,
    figures_of,
    figures_of_references,
)
from bot.research.evaluation.events import Event, Events, read_events
from bot.research.evaluation.report import EvaluationReport, Points, Progress
from bot.research.evaluation.updates.hidden import is_copy
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.citations.reliability import ReliabilityLists
from handlers.drafts.dossier import Cast, draft
from handlers.drafts.gather import Gathered, screened
from handlers.drafts.roles import Rules
from handlers.model import DraftMethod, Topic
from handlers.ports import (
    LanguageModel,
    PermanentError,
    TemporaryError,
    TextEncoder,
    Verifier,
)
from handlers.updates.entailment import CachedVerifier


@dataclass(frozen=True, slots=True)
class Kit:
    """What all drafts of one event share; judgements and vectors are remembered."""

    verifier: Verifier
    encoder: TextEncoder


Casts: TypeAlias = Callable[[Setup, Kit], Cast]
Judges: TypeAlias = Callable[[Verifier], CitationJudge]


@dataclass(frozen=True, slots=True)
class Engine:
    """What a process loads once.

    `second` judges citations besides the judge in `judges`; `model` scores texts.
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
    """What a process needs to know. `done` is the folder of the events' results."""

    opener: Opens
    done: Path
    setups: tuple[Setup, ...]


def work_off(
    events: Sequence[Event], work: Work, progress: Progress, *, processes: int
) -> None:
    """Make sure that every event has its results in the folder."""
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
    """One event, and what its drafts share."""

    def __init__(self, event: Event, engine: Engine) -> None:
        self.id = event.id
        self._event = event
        self._engine = engine
        self._kit = Kit(
            CachedVerifier(engine.verifier), RememberingEncoder(engine.encoder)
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
        """Ask the METEOR program; a text that crashes it has no figure."""
        if self._engine.meteor_15 is None:
            return None
        try:
            return self._engine.meteor_15.score(self._event.text, text)
        except PermanentError:
            return None


async def _made(on_event: OnEvent, setup: Setup, results: Checkpoints) -> Outcome:
    """Return the outcome of a setup; a baseline may match another draft's length."""
    if not setup.like:
        return await on_event.outcome(setup)
    model = results.outcome(setup.like, on_event.id)
    if model is None or model.scored is None:
        return Outcome(0.0, 0, failed="there is no draft to match in length")
    return await on_event.outcome(replace(setup, words=model.scored.words))


def _since(start: float) -> float:
    return round(time.monotonic() - start, 3)


def _share(text: Written, holds: Callable[[str, tuple[str, ...]], bool]) -> float:
    """Return the share of a text's words in sentences for which `holds` is true."""
    rows = [(words(one.text), holds(one.text, one.cites)) for _, one in text.said]
    return sum(count for count, is_so in rows if is_so) / sum(one for one, _ in rows)


def _is_quoted(sentence: str, cites: tuple[str, ...]) -> bool:
    said = " ".join(sentence.split())
    return any(said in " ".join(one.split()) for one in cites)


class Parts(Enum):
    """Who does work that a language model could do too."""

    EMBEDDED = "embedded"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Choices:
    """Which parts the engine is made of; it does without files that are `None`."""

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
        configure_logging(self.settings)  # not done yet in a separate process
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
    """Return the second judge of citations: the one least involved in the drafts."""
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


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and how to describe it.

    `engine` names the parts for the report, `name` is the short form for tables.
    """

    main: Setup
    tables: tuple[int, ...] = (METHODS,)
    is_tuned: bool = False
    limit: int | None = None
    only_odd: bool = False
    processes: int = 1
    name: str = "embedded"
    engine: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DraftOf:
    event: str
    title: str
    setup: str
    text: str


@dataclass(frozen=True, slots=True)
class Measured:
    report: EvaluationReport
    drafts: tuple[DraftOf, ...]


def evaluate(
    data: Path, opener: Opens, done: Path, plan: Plan, progress: Progress
) -> Measured:
    events = read_events(data)
    wanted = _wanted(events, plan)
    checkpoints = Checkpoints(done)
    checkpoints.claim(
        "\n".join((events.sha256, *(": ".join(one) for one in plan.engine)))
    )
    setups = all_setups(plan.main, plan.tables, is_tuned=plan.is_tuned)
    work_off(wanted, Work(opener, done, setups), progress, processes=plan.processes)

    def results(setup: Setup) -> list[OfEvent]:
        found = []
        for event in wanted:
            outcome = checkpoints.outcome(setup.key, event.id)
            if outcome is None:
                raise PermanentError(
                    f"the result of event {event.id} is no longer in the folder; run"
                    " again"
                )
            found.append(OfEvent(event.id, outcome))
        return found

    main = results(plan.main)
    by_setup = {one.key: figures_of(results(one)) for one in setups}
    kept = [(one.id, checkpoints.reference(one.id)) for one in wanted]
    references = figures_of_references([(id_, one) for id_, one in kept if one])
    tables = Tables(
        plan.tables,
        plan.main,
        by_setup,
        references,
        engine=plan.name,
        is_tuned=plan.is_tuned,
    )
    report = EvaluationReport(
        "wikigen",
        _data(events, wanted, main),
        dict(plan.engine),
        {
            **_metrics(plan, main, by_setup),
            "references": references,
            "tables": tables.to_dict(),
            "comparable_with_the_paper": dict(COMPARABLE),
        },
        about_data={"events": len(wanted), "setup": plan.main.key},
        bars=tables.bars(),
        grids=tables.grids(),
        points=_points(main),
        rows=[
            {
                "event": event.id,
                "title": event.title,
                "documents": row.outcome.documents,
                **_figures(row.outcome),
            }
            for event, row in zip(wanted, main, strict=True)
        ],
    )
    drafts = tuple(
        DraftOf(event.id, event.title, "main", row.outcome.scored.text)
        for event, row in zip(wanted, main, strict=True)
        if row.outcome.scored
    )
    return Measured(report, drafts)


def _wanted(events: Events, plan: Plan) -> tuple[Event, ...]:
    chosen = [one for one in events.rows if is_odd(one.id) or not plan.only_odd]
    if not chosen:
        raise PermanentError(
            f"{events.file} has no event with an odd number; leave --odd out"
        )
    return tuple(chosen[: plan.limit])


def is_odd(event: str) -> bool:
    return event.isdigit() and bool(int(event) % 2)


def _data(events: Events, wanted: Sequence[Event], main: Sequence[OfEvent]) -> Data:
    """List the events without a draft, with the rows that could not be read."""
    lines = {one.id: number for number, one in enumerate(events.rows, start=1)}
    failed = [
        Unscored(lines[event.id], "events", f"{event.title}: {row.outcome.failed}")
        for event, row in zip(wanted, main, strict=True)
        if row.outcome.failed
    ]
    return Data(
        events.file,
        events.sha256,
        len(wanted) + len(events.unscored),
        (*events.unscored, *failed),
    )


def _metrics(
    plan: Plan, main: Sequence[OfEvent], by_setup: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    baselines = {one.key for one in baselines_of(plan.main).values()}
    others = set(by_setup) - baselines - {plan.main.key}
    return {
        **by_setup[plan.main.key],
        "odd_half": figures_of([one for one in main if is_odd(one.event)]),
        "baselines": {key: by_setup[key] for key in sorted(baselines)},
        "setups": {key: by_setup[key] for key in by_setup if key in others},
    }


def _points(main: Sequence[OfEvent]) -> tuple[Points, ...]:
    scored = [one.outcome.scored for one in main if one.outcome.scored]
    return (
        Points(
            "wikigen",
            "Length against METEOR and ROUGE-L, one point for each event",
            "Words of the draft",
            "0 to 100",
            tuple(float(one.words) for one in scored),
            (
                ("METEOR", tuple(one.overlap.meteor for one in scored)),
                ("ROUGE-L", tuple(one.overlap.rouge_l for one in scored)),
            ),
        ),
    )


def _figures(outcome: Outcome) -> dict[str, Any]:
    one = outcome.scored
    if one is None:
        return {"failed": outcome.failed}
    return {
        "words": one.words,
        "meteor": round(one.overlap.meteor, 2),
        "rouge_l": round(one.overlap.rouge_l, 2),
        "citation_recall": round(one.citing.recall, 2),
        "citation_precision": round(one.citing.precision, 2),
        "copied_share": round(one.copied, 3),
    }
