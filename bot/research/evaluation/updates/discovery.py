"""Which hidden sentences of articles are found again? `sidenote evaluate discovery`.

WiNELL compares what its agents suggest with what people added to the same article in
the same weeks (§4). Here some sentences of each WikiGenBench article are hidden
(`hidden`) and stand for the people's edits. The rest is the article. All documents of
all events can be searched: what a search engine returned for them, and what their
articles cite. Most of it belongs to other subjects, and the cited pages were scraped
without capitals and full stops, so that nothing can be quoted from them. As in the
paper, only edits with a source among these documents count; `all_hidden` has the
figures of all.

There are four runs for each article: the whole engine, embedded or with a language
model in all roles, the paper's two ablations, and its oracle, which reads all documents
of the event itself and no others. Figures:

- `soft_coverage`, `hard_coverage`: mean over those edits of the share of their
  facts that some suggestion entails; for hard, a suggestion for the same section.
- `section_accuracy`: of the facts covered, by sentence, the share whose most probable
  suggestion is for the section that the sentence was taken from.
- `supported_share`: suggestions that the judge finds supported by their first source;
  `quoted_share`: those that are in a source character for character.
- `soft_coverage_without_copies`: without suggestions whose sources all repeat a hidden
  sentence word for word, such as mirrors of Wikipedia.
- `of_own_pages_share`: suggestions from pages returned for that event; those from pages
  of other events are mostly beside the point.
- `reachable`: the share of facts that the judge finds in a single sentence of the
  event's own pages: quotes of one sentence cannot cover more.

Facts are found by rules (`bot.research.evaluation.atomic_facts`), and the judge is the
verifier with a bound on words (`coverage.EmbeddedJudge`). `held_out_half` has the
events that nothing is made or tuned on (`events.is_held_out`).
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from bot.daemon.check import parse_page
from bot.models.encoder import Encoder, RememberingEncoder
from bot.models.lexical import shipped_lexical
from bot.research.evaluation.checkpoints import Results, short_name, work_off
from bot.research.evaluation.datasets import WIKI, Data, Unscored
from bot.research.evaluation.events import (
    Event,
    FoundPage,
    index_pages,
    read_events,
)
from bot.research.evaluation.report import EvaluationReport, Progress, named
from bot.research.evaluation.updates.coverage import (
    RESULT,
    Configuration,
    Edit,
    EmbeddedJudge,
    EventResult,
    Gold,
    Offer,
    Run,
    Suggested,
    answers_of,
    readable,
    recorded,
    run_of,
    sources_of,
)
from bot.research.evaluation.updates.figures import (
    bars_of,
    metrics_of,
    players_of,
    rows_of,
)
from bot.research.evaluation.updates.hidden import (
    FEWEST,
    MOST,
    SHARE,
    Exam,
    Hidden,
    exam_of,
    is_copy,
    prose_of,
)
from bot.search.index import IndexedSources, IndexSearch
from handlers.model import (
    Ask,
    Discovery,
    Found,
    Move,
    Open,
    PageId,
    Query,
    RunHistory,
    Stop,
    Subject,
    Update,
    Window,
)
from handlers.ports import LanguageModel, PermanentError, TextEncoder, Verifier
from handlers.sources.addresses import normal_key
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.criteria import OutlineCriteria
from handlers.updates.discovery import by_model, discover, embedded
from handlers.updates.embedded import EmbeddedReader
from handlers.updates.entailment import CachedVerifier, claim_of, passages_of
from handlers.updates.roles import Budget, RoleAnswer, Roles, Tools


@dataclass(frozen=True, slots=True)
class Measured:
    report: EvaluationReport
    results: tuple[EventResult, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    verifier: Verifier
    encoder: Encoder
    lists: ReliabilityLists

    def accepts(self, address: str) -> bool:
        """Return whether the wiki may accept a page as a source."""
        return self.lists.of(address, WIKI).trust.may_be_recommended


# Loads what a process needs; it is sent to the process, so it must be picklable.
Opener: TypeAlias = Callable[[], Engine]
Models: TypeAlias = Callable[[], AbstractAsyncContextManager[LanguageModel | None]]


def no_model() -> AbstractAsyncContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Kit:
    """What all runs on one event share; judgements and vectors are remembered."""

    verifier: Verifier
    likeness: TextEncoder
    lists: ReliabilityLists
    model: LanguageModel | None = None


Cast: TypeAlias = Callable[[Configuration, Kit], Roles]


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of the events' results.

    `models` opens the language model that plays the roles, for as long as a process
    works; `players` names who plays them, for the report.
    """

    opener: Opener
    cast: Cast
    pool: Path
    done: Path
    models: Models = no_model
    configurations: tuple[Configuration, ...] = tuple(Configuration)
    players: str = "embedded"


def evaluate(
    data: Path,
    work: Work,
    progress: Progress,
    *,
    limit: int | None = None,
    only: frozenset[str] = frozenset(),
    processes: int = 1,
) -> Measured:
    """Measure all configurations on the events of `data`."""
    events = read_events(data)
    engine = work.opener()
    exams: list[Exam] = []
    unscored = list(events.unscored)
    for number, event in enumerate(events.rows[:limit], start=1):
        if only and event.id not in only:
            continue
        exam = exam_of(event, engine.accepts)
        if exam is not None and event.found:
            exams.append(exam)
            continue
        why = f"fewer than {FEWEST} sentences of it can be hidden"
        why = why if exam is None else "no page of it has a text"
        unscored.append(Unscored(number, "events", f"{event.title}: {why}"))
    if not exams:
        raise PermanentError(
            f"{data} has no event of which two sentences can be hidden; discovery needs"
            " whole articles with search results"
        )
    verifier = engine.verifier.engine
    made_with = short_name(  # results of another run are not mixed with these
        events.sha256,
        verifier.name,
        verifier.version,
        engine.encoder.name,
        work.players,
        *(one.value for one in work.configurations),
    )
    work = replace(work, done=work.done / made_with)
    pages = index_pages(events, work.pool, engine.encoder, progress, with_found=True)
    asyncio.run(pages)
    done = Results(work.done, RESULT)
    work_off(
        exams,
        _each,
        work,
        progress,
        is_done=lambda one: done.get(one.event.id) is not None,
        size=lambda one: len(one.wikitext),
        processes=processes,
    )
    results = tuple(done.needed(one.event.id) for one in exams)
    hidden = [each for one in exams for each in one.hidden]
    searched = {normal_key(page.address) for one in events.rows for page in one.all}
    report = EvaluationReport(
        "discovery",
        Data(events.file, events.sha256, len(exams) + len(unscored), tuple(unscored)),
        named(
            verifier,
            encoder=engine.encoder.name,
            roles=work.players,
            **players_of(results),
            facts="by rules",
            judge=f"{verifier.name} {verifier.version}, and words in common",
        ),
        metrics_of(results),
        about_data={
            "articles": len(results),
            "pages_searched": len(searched),
            "hidden_share": SHARE,
            "hidden_at_most": MOST,
            "sentences_that_could_be_hidden": sum(one.sentences for one in exams),
            "hidden_sentences": len(hidden),
            "hidden_facts": sum(len(one.facts) for one in hidden),
            "hidden_with_source": sum(one.has_source for one in hidden),
            "passed_over_as_repeated": sum(one.passed_over for one in exams),
        },
        plots=bars_of(results),
        rows=rows_of(results),
    )
    return Measured(report, results)


async def _each(exams: Sequence[Exam], work: Work, advance: Callable[[], None]) -> None:
    done = Results(work.done, RESULT)
    async with work.models() as model:
        engine = work.opener()
        tools = IndexSearch(work.pool, engine.encoder), IndexedSources(work.pool)
        for exam in exams:
            result = await _OnEvent(exam, engine, model).result(work, *tools)
            done.put(result, exam.event.id)
            advance()


_KINDS = (
    ("elections and politics", "election|referendum|nomination|party|movement|bill|act|law|cabinet|government|issue|campaign|parliament|congress|council"),
    ("sport", "season|championship|tournament|grand prix|match|league|cup|games|race|wrestling|pay-per-view|postseason|draft|bout|football|basketball|olympics"),
    ("film, music and books", "film|series|season of|episode|album|song|single|tour|novel|book|musical|show|game|march|painting|altarpiece|film's"),
    ("conflict and crime", "war|battle|siege|attack|shooting|murder|killing|invasion|bombing|sanctions|protests?|strike|riot|massacre|offensive|arrest|crime|kidnapping|slavery"),
    ("disasters", "earthquake|flood|hurricane|cyclone|typhoon|storm|tornado|crash|fire|explosion|accident|outbreak|pandemic|epidemic|collapse|eruption"),
)  # fmt: skip
_PATTERNS = tuple(
    (name, re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE)) for name, words in _KINDS
)
_OTHER = "other subjects"
_COPULA = re.compile(r"\b(?:is|was|are|were)\b")


def kind_of(title: str, opening: str) -> str:
    """Return the kind whose word comes first after “is” or “was”, else in the title."""
    found = _COPULA.search(opening)
    after = opening[found.end() :] if found else ""
    for text in (after[:200], title):
        places = [(m.start(), name) for name, p in _PATTERNS if (m := p.search(text))]
        if places:
            return min(places)[1]
    return _OTHER


# The articles are from 2023. The pages have no reliable dates, so every day counts.
TODAY = date(2024, 1, 1)
WINDOW = Window()
_NO_HURRY_S = 36_000.0  # a slow machine must not change the figures
_OPENING_CHARS = 600


class _OnEvent:
    """Runs the engine on an exam; what it remembers ends with the event."""

    def __init__(self, exam: Exam, engine: Engine, model: LanguageModel | None) -> None:
        self._exam = exam
        self._verifier = engine.verifier  # without a cache: whole pages would fill it
        self._accepts = engine.accepts
        self._kit = Kit(
            CachedVerifier(engine.verifier),
            RememberingEncoder(engine.encoder),
            engine.lists,
            model,
        )
        self._judge = EmbeddedJudge(self._kit.verifier)
        self._own = {normal_key(one.address) for one in exam.event.all}
        self._supported: dict[tuple[str, str], float] = {}

    async def result(
        self, work: Work, search: IndexSearch, sources: IndexedSources
    ) -> EventResult:
        event, kit = self._exam.event, self._kit
        runs: dict[Configuration, Run] = {}
        for one in work.configurations:
            is_oracle = one is Configuration.ORACLE
            found = await discover(
                parse_page(self._exam.wikitext, PageId(WIKI, event.title)),
                WINDOW,
                TODAY,
                roles=work.cast(one, kit),
                tools=Tools(
                    (pages_of(event) if is_oracle else search,),
                    sources,
                    kit.verifier,
                    kit.likeness,
                    kit.lists,
                ),
                budget=Budget(time_s=_NO_HURRY_S),
                elapsed_s=monotonic,
            )
            runs[one] = await self._run(found)
        return EventResult(
            event=event.id,
            title=event.title,
            category=kind_of(event.title, event.text[:_OPENING_CHARS]),
            pages=len(event.all),
            sentences=self._exam.sentences,
            passed_over=self._exam.passed_over,
            gold=await self._gold(),
            runs=runs,
        )

    async def _run(self, found: Discovery) -> Run:
        """Return a run's suggestions, and which hidden facts they cover."""
        edits = [Edit(one.section, one.facts, one.context) for one in self._exam.hidden]
        offers = [Offer(one.number, one.text, one.section) for one in found.updates]
        answers = await answers_of(
            self._exam.event.title,
            edits,
            offers,
            judge=self._judge,
            encoder=self._kit.likeness,
        )
        suggested = [await self._suggested(one) for one in found.updates]
        return run_of(found, suggested, answers)

    async def _suggested(self, one: Update) -> Suggested:
        sources = sources_of(one)
        hidden = [each.sentence for each in self._exam.hidden]
        quoted = _folded(one.text)
        return recorded(
            one,
            self._own,
            is_copy=all(is_copy(text, hidden) for _, text in sources),
            is_quoted=any(quoted in _folded(text) for _, text in sources),
            borne_out=await self._of_source(one.text, *sources[0]),
        )

    async def _of_source(self, claim: str, address: str, text: str) -> float:
        question = (claim, address)
        if question not in self._supported:
            passages = passages_of([readable(text)])
            likely = 0.0
            if passages:
                title = self._exam.event.title
                answer = await self._verifier.verify(title, claim_of(claim), passages)
                likely = round(answer.probabilities.supported, 4)
            self._supported[question] = likely
        return self._supported[question]

    async def _gold(self) -> tuple[Gold, ...]:
        """Return the hidden sentences, and how far the event's pages support them."""
        sentences = [
            sentence
            for page in self._exam.event.found
            if self._accepts(page.address)
            for sentence in prose_of(page.text)
        ]
        return tuple(
            [
                Gold(
                    one.sentence,
                    one.section,
                    one.facts,
                    tuple([await self._best(one, f, sentences) for f in one.facts]),
                    one.has_source,
                )
                for one in self._exam.hidden
            ]
        )

    async def _best(self, one: Hidden, fact: str, sentences: Sequence[str]) -> float:
        edit = Edit(one.section, one.facts, one.context)
        title = self._exam.event.title
        found = [
            await self._judge.entailed(title, edit, fact, text) for text in sentences
        ]
        return round(max(found, default=0.0), 4)


def _folded(text: str) -> str:
    """Return a text on one line: line breaks do not matter for a quote."""
    return " ".join(text.split())


_EXCERPT_CHARS = 1_500


def cast_of(configuration: Configuration, kit: Kit) -> Roles:
    """Return the roles as the program has them, or with one of them reduced.

    A model plays all of them, and nothing takes the place of a role that is left out.
    """
    tools = kit.verifier, kit.likeness, kit.lists
    roles = (
        by_model(kit.model, *tools)
        if kit.model
        else embedded(*tools, shipped_lexical().model.rarity)
    )
    return cut_down(roles, configuration)


def cut_down(roles: Roles, configuration: Configuration) -> Roles:
    if configuration is Configuration.NO_CRITERIA:
        return replace(roles, criteria=OutlineCriteria())
    if isinstance(roles.navigator, EmbeddedReader):
        if configuration is Configuration.SINGLE_QUERY:
            return replace(roles, navigator=replace(roles.navigator, questions=1))
        return roles
    if configuration in (Configuration.SINGLE_QUERY, Configuration.ORACLE):
        return replace(roles, navigator=OpensAll())
    return roles


class OpensAll:
    """A navigator that opens whatever the first question finds.

    Over all pages it is the paper's ablation without agentic search, over those of the
    event its oracle.
    """

    async def next_move(
        self, subject: Subject, history: RunHistory
    ) -> RoleAnswer[Move]:
        if not history.queries:
            title = subject.names[0]
            return RoleAnswer(
                Ask(Query(title, title, window=subject.window), "all there is")
            )
        for found in history.hits:
            if normal_key(found.address) not in history.opened:
                return RoleAnswer(Open(found, "it is of the event"))
        return RoleAnswer(Stop())


@dataclass(frozen=True, slots=True)
class GivenPages:
    """A search that returns the same pages, whatever it is asked (the oracle)."""

    name: str
    found: Sequence[Found]

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:  # noqa: ARG002 - whatever it is asked
        return self.found


def pages_of(event: Event) -> GivenPages:
    """Return a search that finds all pages of an event, each address once."""
    name = "the event's pages"
    pages = {normal_key(one.address): one for one in reversed(event.all)}
    found = [
        Found(
            address=one.address,
            title=one.title if isinstance(one, FoundPage) else one.citation,
            excerpt=one.text[:_EXCERPT_CHARS],
            score=1.0,
            search=name,
        )
        for one in reversed(pages.values())
    ]
    return GivenPages(name, found)
