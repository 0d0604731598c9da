"""Runs all configurations on an event, and has the judge look at what they suggest."""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from bot.daemon.check import parse_page
from bot.daemon.discover import run
from bot.research.evaluation.discovery.casts import (
    WIKI,
    Cast,
    Engine,
    Kit,
    OfEvent,
    kit_of,
)
from bot.research.evaluation.discovery.copies import is_copy
from bot.research.evaluation.discovery.covering import (
    Edit,
    EmbeddedJudge,
    Offer,
    answers_of,
)
from bot.research.evaluation.discovery.hiding import Exam, Hidden
from bot.research.evaluation.discovery.recording import (
    Opened,
    recorded,
    run_of,
    sources_of,
)
from bot.research.evaluation.discovery.results import (
    Configuration,
    EventResult,
    Gold,
    Run,
    Suggested,
)
from bot.research.evaluation.discovery.sourced import prose_of
from bot.search.index import IndexedSources, IndexSearch
from handlers.citations.addresses import normal_key
from handlers.model import Discovery, PageId, Passage, Update, Window
from handlers.ports import LanguageModel
from handlers.updates.entailment import claim_of, passages_of
from handlers.updates.roles import Budget, Means

# What an event is about, for figures by category: told by its first sentence. Pure.

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
    """Return the kind whose word comes first: in what the subject “is”, else its title."""
    found = _COPULA.search(opening)
    told = opening[found.end() :] if found else ""
    for text in (told[:200], title):
        places = [(m.start(), name) for name, p in _PATTERNS if (m := p.search(text))]
        if places:
            return min(places)[1]
    return _OTHER


# The articles are of 2023. The pages have no dates to trust, so every day counts.
TODAY = date(2024, 1, 1)
WINDOW = Window()
_NO_HURRY_S = 36_000.0  # a slow machine must not change the figures
_OPENING_CHARS = 600


class Examiner:
    """Puts exams to the engine, over one index of all events' pages.

    Args:
        engine: what judges and encodes.
        cast: gives the roles of a configuration.
        pool: folder of the index.
        model: plays the roles, if there is one.
        configurations: which are run.
    """

    def __init__(
        self,
        engine: Engine,
        cast: Cast,
        pool: Path,
        model: LanguageModel | None = None,
        configurations: Sequence[Configuration] = tuple(Configuration),
    ) -> None:
        self._model = model
        self._configurations = configurations
        self._engine = engine
        self._cast = cast
        self._search = IndexSearch(pool, engine.encoder)
        self._sources = IndexedSources(pool)

    async def result(self, exam: Exam) -> EventResult:
        """Return what every configuration gave on an event."""
        on_event = _OnEvent(exam, kit_of(self._engine, self._model), self._engine)
        runs: dict[Configuration, Run] = {}
        for one in self._configurations:
            is_oracle = one is Configuration.ORACLE
            means = Means(
                (OfEvent(exam.event) if is_oracle else self._search,),
                self._sources,
                on_event.kit.verifier,
                on_event.kit.likeness,
                on_event.kit.lists,
            )
            found = await run(
                self._cast(one, on_event.kit),
                parse_page(exam.wikitext, PageId(WIKI, exam.event.title)),
                WINDOW,
                TODAY,
                means=means,
                budget=Budget(time_s=_NO_HURRY_S),
            )
            runs[one] = await on_event.run(found)
        return EventResult(
            event=exam.event.id,
            title=exam.event.title,
            category=kind_of(exam.event.title, exam.event.text[:_OPENING_CHARS]),
            pages=len(exam.event.all),
            sentences=exam.sentences,
            passed_over=exam.passed_over,
            gold=await on_event.gold(),
            runs=runs,
        )


class _OnEvent:
    """Looks at the runs on one event."""

    def __init__(self, exam: Exam, kit: Kit, engine: Engine) -> None:
        self.kit = kit
        self._exam = exam
        self._verifier = engine.verifier  # without memory: whole pages would fill it
        self._accepts = engine.accepts
        self._judge = EmbeddedJudge(kit.verifier)
        self._own = {normal_key(one.address) for one in exam.event.all}
        self._borne_out: dict[tuple[str, str], float] = {}

    async def run(self, found: Discovery) -> Run:
        """Return what a run suggested and what of the hidden facts that covers."""
        edits = [Edit(one.section, one.facts, one.context) for one in self._exam.hidden]
        offers = [Offer(one.number, one.text, one.section) for one in found.updates]
        answers = await answers_of(
            self._exam.event.title,
            edits,
            offers,
            judge=self._judge,
            encoder=self.kit.likeness,
        )
        suggested = [await self._suggested(one) for one in found.updates]
        return run_of(found, suggested, answers)

    async def _suggested(self, one: Update) -> Suggested:
        sources = sources_of(one)
        hidden = [each.sentence for each in self._exam.hidden]
        return recorded(
            one,
            self._own,
            is_copy=all(is_copy(source.text, hidden) for source in sources),
            is_quoted=any(_folded(one.text) in _folded(each.text) for each in sources),
            borne_out=await self._of_source(one.text, sources[0]),
        )

    async def _of_source(self, text: str, source: Opened) -> float:
        asked = (text, source.address)
        if asked not in self._borne_out:
            self._borne_out[asked] = await self._asked(
                text, passages_of([source.judged])
            )
        return self._borne_out[asked]

    async def gold(self) -> tuple[Gold, ...]:
        """Return the hidden sentences, and what the event's pages bear out of them."""
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

    async def _asked(self, text: str, passages: Sequence[Passage]) -> float:
        if not passages:
            return 0.0
        title = self._exam.event.title
        answer = await self._verifier.verify(title, claim_of(text), passages)
        return round(answer.probabilities.supported, 4)


def _folded(text: str) -> str:
    """Return a text on one line: where it is broken does not matter for a quote."""
    return " ".join(text.split())
