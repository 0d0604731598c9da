"""Runs discovery on an article as it stood, and has the judge look at what it suggests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.daemon.discover import Discoverer
from bot.research.evaluation.discovery.casts import OpensAll
from bot.research.evaluation.discovery.covering import Edit, Judge, Offer, answers_of
from bot.research.evaluation.discovery.recording import recorded, run_of, sources_of
from bot.research.evaluation.discovery.results import (
    Configuration,
    EventResult,
    Gold,
    Run,
    Suggested,
)
from bot.research.evaluation.history.periods import Period, StudiedPage
from bot.research.evaluation.history.reading import FactualEdit, PageHistory
from bot.wiki.history import WikiHistory
from handlers.citations.addresses import normal_key
from handlers.model import (
    Discovery,
    Found,
    ModelUse,
    PageId,
    Query,
    Update,
    Window,
)
from handlers.ports import PermanentError, Search
from handlers.updates.entailment import entails
from handlers.updates.roles import Roles
from handlers.updates.subject import OutlineCriteria
from handlers.updates.without_model import WithoutModel


class Examiner:
    """Puts an article's past weeks to discovery.

    Args:
        wiki: host name of the articles' wiki.
        histories: gives the article as it stood.
        discoverer: as the settings have it.
        judge: of what entails a fact.
        configurations: which are run.
    """

    def __init__(
        self,
        wiki: str,
        histories: WikiHistory,
        discoverer: Discoverer,
        judge: Judge,
        configurations: Sequence[Configuration],
    ) -> None:
        self._wiki = wiki
        self._histories = histories
        self._discoverer = discoverer
        self._judge = judge
        self._configurations = tuple(configurations)
        self.use = ModelUse()  # of a language model's roles, in this process

    @property
    def engine(self) -> Mapping[str, str]:
        """Who verifies and who judges, for the report."""
        verifier = self._discoverer.means.verifier.engine
        return {
            "name": verifier.name,
            "version": verifier.version,
            "judge": f"{self._judge.engine.name} {self._judge.engine.version}",
            "roles": _names_of(self._discoverer.roles),
            "searches": ", ".join(one.name for one in self._discoverer.means.searches),
        }

    async def result(
        self, page: StudiedPage, period: Period, history: PageHistory
    ) -> EventResult:
        """Return what every configuration gave on a page in a period.

        Raises:
            PermanentError: there was no such article yet, or its text is hidden.
            TemporaryError: the wiki cannot be reached or is busy.
        """
        before = await self._histories.revision_at(page.title, period.begins_at)
        if before is None or before.text is None:
            raise PermanentError(f"there is no text of {period.since} to begin with")
        page_id = PageId(
            self._wiki, page.title, None, before.note.revision_id, before.note.saved_at
        )
        edits = history.in_period(period)
        runs = {}
        for one in self._configurations:
            player = _player(self._discoverer, one, edits, period.ends_at)
            window = Window() if one is Configuration.ORACLE else period.window
            found = await player.discover(before.text, page_id, window)
            self.use += found.use
            runs[one] = await self._run(found, edits)
        return EventResult(
            event=page.title,
            title=page.title,
            category=page.category,
            pages=len({address for one in edits for address in one.addresses}),
            sentences=sum(len(one.sentences) for one in edits),
            passed_over=0,
            gold=tuple(map(_gold, edits)),
            runs=runs,
        )

    async def _run(self, found: Discovery, edits: Sequence[FactualEdit]) -> Run:
        answers = await answers_of(
            found.subject.page.id.title,
            [Edit(one.section, one.facts) for one in edits],
            [Offer(one.number, one.text, one.section) for one in found.updates],
            judge=self._judge,
            encoder=self._discoverer.means.encoder,
        )
        cited = {normal_key(address) for one in edits for address in one.addresses}
        suggested = [await self._suggested(found, one, cited) for one in found.updates]
        return run_of(found, suggested, answers)

    async def _suggested(
        self, found: Discovery, one: Update, cited: set[str]
    ) -> Suggested:
        sources = sources_of(one)
        return recorded(
            one,
            cited,
            is_copy=False,
            is_quoted=any(one.text in source.text for source in sources),
            borne_out=await entails(
                self._discoverer.means.verifier,
                found.subject.page.id.title,
                one.text,
                [sources[0].judged],
            ),
        )


class CitedSearch:
    """A search that finds what people cited, whatever it is asked (the oracle)."""

    name = "what people cited"

    def __init__(self, edits: Sequence[FactualEdit]) -> None:
        self._addresses = dict.fromkeys(
            address for one in edits for address in one.addresses
        )

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:  # noqa: ARG002 - whatever it is asked
        """Return all addresses, in the order in which people cited them."""
        return [
            Found(address=one, title=None, excerpt="", score=1.0, search=self.name)
            for one in self._addresses
        ]


def _player(
    discoverer: Discoverer,
    configuration: Configuration,
    edits: Sequence[FactualEdit],
    today: datetime,
) -> Discoverer:
    """Return discovery as a configuration has it, on the last day of its period."""
    means = discoverer.means
    if configuration is Configuration.ORACLE:
        searches: tuple[Search, ...] = (CitedSearch(edits),)
        means = replace(means, searches=searches)
    given = discoverer.roles
    roles = (
        _without_model(given, configuration)
        if isinstance(given, WithoutModel)
        else _by_model(given, configuration)
    )
    return replace(discoverer, roles=roles, means=means, now=lambda: today)


def _without_model(roles: WithoutModel, configuration: Configuration) -> WithoutModel:
    silent = replace(roles, editor=None)
    if configuration is Configuration.NO_CRITERIA:
        return replace(silent, criteria=OutlineCriteria(by_content=False))
    once = configuration is Configuration.SINGLE_QUERY
    return replace(silent, questions=1) if once else silent


def _by_model(roles: Roles, configuration: Configuration) -> Roles:
    silent = replace(roles, editor=None)
    if configuration is Configuration.NO_CRITERIA:
        return replace(silent, criteria=OutlineCriteria(by_content=False))
    asks_once = configuration in {Configuration.SINGLE_QUERY, Configuration.ORACLE}
    return replace(silent, navigator=OpensAll()) if asks_once else silent


def _names_of(roles: Roles | WithoutModel) -> str:
    players = (roles,) if isinstance(roles, WithoutModel) else _played(roles)
    return ", ".join(type(one).__name__ for one in players)


def _played(roles: Roles) -> tuple[object, ...]:
    return roles.criteria, roles.navigator, roles.extractor


def _gold(edit: FactualEdit) -> Gold:
    return Gold(" ".join(edit.sentences), edit.section, edit.facts, (), has_source=True)
