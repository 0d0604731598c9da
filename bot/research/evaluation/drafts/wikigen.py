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

All drafts of an event are made in a row, because they share what was encoded and
judged.
"""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.drafts import make_cast
from bot.app.wiring.language_model import open_draft_model, open_language_model
from bot.app.wiring.logs import configure_logging
from bot.models.encoder import Encoder, RememberingEncoder
from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.checkpoints import Results, work_off
from bot.research.evaluation.datasets import Data, Unscored
from bot.research.evaluation.drafts.judge import (
    CitedText,
    ModelJudge,
    VerifierJudge,
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
    OUTCOME,
    REFERENCE,
    Outcome,
    Reference,
    Scored,
    Tables,
    figures_of,
    figures_of_references,
    published,
)
from bot.research.evaluation.events import Event, Events, read_events
from bot.research.evaluation.report import EvaluationReport, Points, Progress
from bot.research.evaluation.updates.hidden import is_copy
from bot.settings import Settings
from bot.sources.files import replacing
from bot.sources.reliability import load_reliability
from handlers.drafts.dossier import draft
from handlers.drafts.gather import Gathered, screened
from handlers.drafts.roles import Rules
from handlers.model import DraftMethod, Topic
from handlers.ports import LanguageModel, PermanentError, TemporaryError, Verifier
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.entailment import CachedVerifier


@dataclass(frozen=True, slots=True)
class Engine:
    """What a process loads once.

    `writer`, `tuned` and `judge` are the language models that write, write for TunedRR
    and judge citations, if any; `second` judges citations too; `model` scores texts.
    """

    verifier: Verifier
    encoder: Encoder
    lists: ReliabilityLists
    writer: LanguageModel | None = None
    tuned: LanguageModel | None = None
    judge: LanguageModel | None = None
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

    @property
    def outcomes(self) -> Results[Outcome]:
        return Results(self.done, OUTCOME)

    @property
    def references(self) -> Results[Reference]:
        return Results(self.done / "reference", REFERENCE)

    def is_done(self, event: Event) -> bool:
        return self.references.get(event.id) is not None and all(
            self.outcomes.get(one.key, event.id) is not None for one in self.setups
        )


async def _each(
    events: Sequence[Event], work: Work, advance: Callable[[], None]
) -> None:
    outcomes, references = work.outcomes, work.references
    async with work.opener() as engine:
        for event in events:
            on_event = OnEvent(event, engine)
            if references.get(event.id) is None:
                references.put(await on_event.reference(), event.id)
            for setup in work.setups:
                if outcomes.get(setup.key, event.id) is None:
                    made = await _made(on_event, setup, outcomes)
                    outcomes.put(made, setup.key, event.id)
            advance()


class OnEvent:
    """One event; judgements and vectors are remembered for all drafts of it."""

    def __init__(self, event: Event, engine: Engine) -> None:
        self.id = event.id
        self._event = event
        self._engine = engine
        self._verifier = CachedVerifier(engine.verifier)
        self._encoder = RememberingEncoder(engine.encoder)
        embedded = VerifierJudge(self._verifier)
        self._judge = ModelJudge(engine.judge, embedded) if engine.judge else embedded
        self._topic = Topic(event.title)

    async def reference(self) -> Reference:
        event = self._event
        marks = await marks_of(
            self._engine.model, event.title, event.text, event.headings
        )
        return Reference(words(event.text), marks)

    async def outcome(self, setup: Setup) -> Outcome:
        start = time.monotonic()
        gathered = documents_of(self._event, setup.documents, self._engine.lists)
        count = len(gathered.documents)
        failed = "the draft has no sentence"
        text = CitedText(())
        try:
            text = await self._written(setup, gathered)
        except (PermanentError, TemporaryError) as error:
            failed = str(error)
        took_s = round(time.monotonic() - start, 3)
        if not text.sentences:
            return Outcome(took_s, count, failed=failed)
        return Outcome(took_s, count, await self._scored(text))

    async def _written(self, setup: Setup, gathered: Gathered) -> CitedText:
        if not gathered.documents:
            raise PermanentError("the event has no document that may be used")
        if setup.maker.is_baseline:
            usable = screened(self._topic, gathered.documents).documents
            if not usable:
                raise PermanentError("no document can be used")
            drawn = setup.maker is Maker.CHANCE
            return sentences_in(usable, setup.words, drawn=drawn)
        method, engine = DraftMethod(setup.maker.value), self._engine
        writer = engine.tuned if method is DraftMethod.TUNED else engine.writer
        made = await draft(
            self._topic,
            gathered.documents,
            make_cast(method, setup.reranker, self._encoder, self._verifier, writer),
            Rules(chunks=setup.top, words=setup.words),
            left_out=gathered.left_out,
        )
        return written(made)

    async def _scored(self, text: CitedText) -> Scored:
        title, plain = self._event.title, text.plain
        reference, engine = self._event.text, self._engine
        cited = await citing(title, text, self._judge)
        second = engine.second
        figures: dict[str, float | None] = {
            "meteor": meteor(reference, plain, synonyms=engine.synonyms),
            "rouge_l": rouge_l(reference, plain),
            "bleu": bleu(reference, plain),
            "citation_recall": cited.recall,
            "citation_precision": cited.precision,
            "citation_rate": cited.rate,
            "length_words": float(words(plain)),
            "meteor_without_synonyms": meteor(reference, plain),
            "meteor_15_weights": meteor(
                reference, plain, synonyms=engine.synonyms, weights=LATEST
            ),
            "rouge_l_nlg_eval": rouge_l_nlg_eval(reference, plain),
            "quoted_share": _share(text, _is_quoted),
            "copied_share": _share(text, lambda one, _: is_copy(reference, [one])),
            "unmarked_share": _share(text, lambda one, _: one == one.lower()),
            "sentences": float(len(text.sentences)),
            "meteor_15": self._meteor_15(plain),
        }
        return Scored(
            figures,
            await citing(title, text, VerifierJudge(second)) if second else None,
            await marks_of(engine.model, title, plain, text.headings),
            plain,
            worded=sum(one.is_worded for _, one in text.sentences)
            / len(text.sentences),
            turns=text.turns,
            replaced=text.replaced,
        )

    def _meteor_15(self, text: str) -> float | None:
        """Ask the METEOR program; a text that crashes it has no figure."""
        if self._engine.meteor_15 is None:
            return None
        try:
            return self._engine.meteor_15.score(self._event.text, text)
        except PermanentError:
            return None


async def _made(on_event: OnEvent, setup: Setup, known: Results[Outcome]) -> Outcome:
    """Return the outcome of a setup; a baseline may match another draft's length."""
    if not setup.like:
        return await on_event.outcome(setup)
    model = known.get(setup.like, on_event.id)
    if model is None or model.scored is None:
        return Outcome(0.0, 0, failed="there is no draft to match in length")
    return await on_event.outcome(replace(setup, words=model.scored.words))


def _share(text: CitedText, holds: Callable[[str, tuple[str, ...]], bool]) -> float:
    """Return the share of a text's words in sentences for which `holds` is true."""
    rows = [(words(one.text), holds(one.text, one.cites)) for _, one in text.sentences]
    return sum(count for count, is_so in rows if is_so) / sum(one for one, _ in rows)


def _is_quoted(sentence: str, cites: tuple[str, ...]) -> bool:
    plain = " ".join(sentence.split())
    return any(plain in " ".join(one.split()) for one in cites)


class Parts(Enum):
    """Who does work that a language model could do too."""

    EMBEDDED = "embedded"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Opener:
    """Loads the engine in any process; it does without files that are `None`."""

    settings: Settings
    writer: Parts = Parts.EMBEDDED
    citation_judge: Parts = Parts.EMBEDDED
    is_tuned: bool = False
    wordnet: Path | None = None
    meteor_jar: Path | None = None

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        configure_logging(self.settings)  # not done yet in a separate process
        async with AsyncExitStack() as opened:
            model = await opened.enter_async_context(open_language_model(self.settings))
            tuned = (
                await opened.enter_async_context(open_draft_model(self.settings))
                if self.is_tuned
                else None
            )
            verifier = open_verifier(self.settings)
            yield Engine(
                verifier,
                Encoder(),
                load_reliability(),
                writer=model if self.writer is Parts.MODEL else None,
                tuned=tuned,
                judge=model if self.citation_judge is Parts.MODEL else None,
                second=self._second(verifier),
                model=model,
                synonyms=WordNet(self.wordnet) if self.wordnet else None,
                meteor_15=opened.enter_context(MeteorProgram(self.meteor_jar))
                if self.meteor_jar
                else None,
            )

    def _second(self, verifier: Verifier) -> Verifier | None:
        """Return the second judge of citations: the one least involved in the drafts."""
        lexical = LexicalVerifier()
        if verifier.engine != lexical.engine:
            return lexical
        return verifier if self.citation_judge is Parts.MODEL else None

    def require(self) -> None:
        """Refuse at once what would fail after minutes."""
        is_asked = Parts.MODEL in (self.writer, self.citation_judge)
        if is_asked and not self.settings.language_model_address:
            raise PermanentError(
                "no language model is set up; set SIDENOTE_LANGUAGE_MODEL_ADDRESS, or"
                " leave --writer and --citation-judge at “embedded”"
            )
        if self.meteor_jar:
            MeteorProgram(self.meteor_jar)
        if self.wordnet:
            WordNet(self.wordnet)

    @property
    def parts(self) -> dict[str, str]:
        """The parts of the engine, as the report names them."""
        settings, verifier = self.settings, open_verifier(self.settings)
        second, engine = self._second(verifier), verifier.engine
        model, named = settings.language_model_name, f"{engine.name} {engine.version}"
        is_model = self.citation_judge is Parts.MODEL
        return {
            "name": engine.name,
            "version": engine.version,
            "writer": model if self.writer is Parts.MODEL else "embedded, quotes only",
            "tuned_writer": settings.draft_model if self.is_tuned else "none",
            "encoder": Encoder().name,
            "citations": f"{model}; {named} where it is silent" if is_model else named,
            "second_judge": f"{second.engine.name} {second.engine.version}"
            if second
            else "none",
            "marks": model if settings.language_model_address else "none",
            "synonyms": "WordNet" if self.wordnet else "none: no WordNet is installed",
            "meteor_15": "meteor-1.5.jar" if self.meteor_jar else "none",
        }


@dataclass(frozen=True, slots=True)
class Measured:
    """The report, and a row of text for each draft of the main setup."""

    report: EvaluationReport
    drafts: tuple[Mapping[str, str], ...]


def evaluate(
    data: Path,
    opener: Opens,
    done: Path,
    progress: Progress,
    *,
    main: Setup,
    tables: tuple[int, ...] = (METHODS,),
    is_tuned: bool = False,
    limit: int | None = None,
    only_odd: bool = False,
    processes: int = 1,
    name: str = "embedded",
    parts: Mapping[str, str],
) -> Measured:
    """Measure the setup `main` and the rows of the paper's `tables`.

    `name` stands for our engine in the tables, whose `parts` are given in the report.
    """
    events = read_events(data)
    wanted = _wanted(events, limit, only_odd=only_odd)
    setups = all_setups(main, tables, is_tuned=is_tuned)
    work = Work(opener, done, setups)
    _claim(done, events.sha256, parts)
    work_off(
        wanted,
        _each,
        work,
        progress,
        is_done=work.is_done,
        size=lambda one: sum(len(page.text) for page in one.all),
        processes=processes,
    )
    outcomes = {
        one.key: [
            (event.id, work.outcomes.needed(one.key, event.id)) for event in wanted
        ]
        for one in setups
    }
    by_setup = {key: figures_of(rows) for key, rows in outcomes.items()}
    references = figures_of_references(
        [(one.id, work.references.needed(one.id)) for one in wanted]
    )
    own = outcomes[main.key]
    drafted = [
        (event, row.scored)
        for event, (_, row) in zip(wanted, own, strict=True)
        if row.scored
    ]
    shown = Tables(tables, main, by_setup, references, name, is_tuned)
    baselines = {one.key for one in baselines_of(main).values()}
    others = by_setup.keys() - baselines - {main.key}
    report = EvaluationReport(
        "wikigen",
        _data(events, wanted, own),
        dict(parts),
        {
            **by_setup[main.key],
            "odd_half": figures_of([one for one in own if is_odd(one[0])]),
            "baselines": {key: by_setup[key] for key in sorted(baselines)},
            "setups": {key: by_setup[key] for key in by_setup if key in others},
            "references": references,
            "tables": shown.to_dict(),
            "comparable_with_the_paper": dict(published().comparable),
        },
        about_data={"events": len(wanted), "setup": main.key},
        plots=(*shown.bars(), _points([one for _, one in drafted])),
        grids=shown.grids(),
        rows=[
            {
                "event": event.id,
                "title": event.title,
                "documents": row.documents,
                **_figures(row),
            }
            for event, (_, row) in zip(wanted, own, strict=True)
        ],
    )
    drafts = tuple(
        {"event": event.id, "title": event.title, "setup": "main", "text": one.text}
        for event, one in drafted
    )
    return Measured(report, drafts)


def _claim(folder: Path, sha256: str, parts: Mapping[str, str]) -> None:
    """Reserve the folder for results of one file by one engine."""
    made_with = "\n".join((sha256, *(": ".join(one) for one in parts.items())))
    place = folder / "made_with.txt"
    try:
        if not place.exists():
            with replacing(place, made_with):
                pass
        known = place.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise PermanentError(
            f"{folder} cannot keep results ({error}); name another folder"
        ) from error
    if known != made_with:
        raise PermanentError(
            f"{folder} has results of other data or other parts of the engine; name"
            " another folder"
        )


def _wanted(events: Events, limit: int | None, *, only_odd: bool) -> tuple[Event, ...]:
    chosen = [one for one in events.rows if is_odd(one.id) or not only_odd]
    if not chosen:
        raise PermanentError(
            f"{events.file} has no event with an odd number; leave --odd out"
        )
    return tuple(chosen[:limit])


def is_odd(event: str) -> bool:
    return event.isdigit() and bool(int(event) % 2)


def _data(
    events: Events, wanted: Sequence[Event], main: Sequence[tuple[str, Outcome]]
) -> Data:
    """List the events without a draft, with the rows that could not be read."""
    lines = {one.id: number for number, one in enumerate(events.rows, start=1)}
    failed = [
        Unscored(lines[event.id], "events", f"{event.title}: {row.failed}")
        for event, (_, row) in zip(wanted, main, strict=True)
        if row.failed
    ]
    return Data(
        events.file,
        events.sha256,
        len(wanted) + len(events.unscored),
        (*events.unscored, *failed),
    )


def _points(scored: Sequence[Scored]) -> Points:
    def of(name: str) -> tuple[float, ...]:
        return tuple(one.figures[name] or 0.0 for one in scored)

    return Points(
        "wikigen",
        "Length against METEOR and ROUGE-L, one point for each event",
        "Words of the draft",
        "0 to 100",
        of("length_words"),
        (("METEOR", of("meteor")), ("ROUGE-L", of("rouge_l"))),
    )


def _figures(outcome: Outcome) -> dict[str, Any]:
    if outcome.scored is None:
        return {"failed": outcome.failed}
    figures = outcome.scored.figures
    shown = ("meteor", "rouge_l", "citation_recall", "citation_precision")
    return {
        "words": outcome.scored.words,
        **{name: round(figures[name] or 0.0, 2) for name in shown},
        "copied_share": round(figures["copied_share"] or 0.0, 3),
    }
