"""Who plays in each configuration: all roles, or some of them cut down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bot.models.encoder import Encoder, RememberingEncoder
from bot.research.evaluation.discovery.results import Configuration
from bot.research.evaluation.events import Event, FoundPage
from handlers.citations.addresses import normal_key
from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import (
    Ask,
    Found,
    Move,
    Open,
    Query,
    SoFar,
    Stop,
    Subject,
)
from handlers.ports import LanguageModel, TextEncoder, Verifier
from handlers.updates.by_model import by_model
from handlers.updates.entailment import Remembering
from handlers.updates.roles import Roles, Turn
from handlers.updates.subject import OutlineCriteria
from handlers.updates.without_model import WithoutModel

WIKI = "en.wikipedia.org"  # where the articles come from
_EXCERPT_CHARS = 1_500


@dataclass(frozen=True, slots=True)
class Engine:
    """What a process loads once."""

    verifier: Verifier
    encoder: Encoder
    lists: ReliabilityLists

    def accepts(self, address: str) -> bool:
        """Tell whether the wiki may accept a page as a source."""
        return self.lists.of(address, WIKI).trust.may_be_recommended


@dataclass(frozen=True, slots=True)
class Kit:
    """What all runs on one event share; what was judged or encoded is remembered."""

    verifier: Verifier
    likeness: TextEncoder
    lists: ReliabilityLists
    model: LanguageModel | None = None


Cast: TypeAlias = Callable[[Configuration, Kit], Roles | WithoutModel]


def kit_of(engine: Engine, model: LanguageModel | None = None) -> Kit:
    """Return a kit with memories of its own, which end with the event."""
    return Kit(
        Remembering(engine.verifier),
        RememberingEncoder(engine.encoder),
        engine.lists,
        model,
    )


def cast_of(configuration: Configuration, kit: Kit) -> Roles | WithoutModel:
    """Return the roles as the program has them, or one of them cut down.

    With a model it plays all of them: who is left out has no stand-in.
    """
    if kit.model is None:
        return embedded_cast(configuration)
    roles = by_model(kit.model, kit.verifier, kit.likeness, kit.lists)
    if configuration is Configuration.NO_CRITERIA:
        return replace(roles, criteria=OutlineCriteria(by_content=False))
    if configuration in (Configuration.SINGLE_QUERY, Configuration.ORACLE):
        return replace(roles, navigator=OpensAll())
    return roles


def embedded_cast(configuration: Configuration) -> WithoutModel:
    """Return what works without a model as the program has it, or cut down."""
    if configuration is Configuration.NO_CRITERIA:
        return WithoutModel(criteria=OutlineCriteria(by_content=False))
    if configuration is Configuration.SINGLE_QUERY:
        return WithoutModel(questions=1)
    return WithoutModel()


class OpensAll:
    """A navigator that opens whatever the first question brings.

    Over all pages it is the paper's ablation without agentic search, over those of the
    event its oracle.
    """

    async def next_move(self, subject: Subject, so_far: SoFar) -> Turn[Move]:
        """Ask once, then open all, then stop."""
        if not so_far.queries:
            title = subject.names[0]
            return Turn(Ask(Query(title, title, window=subject.window), "all there is"))
        for found in so_far.hits:
            if normal_key(found.address) not in so_far.opened:
                return Turn(Open(found, "it is of the event"))
        return Turn(Stop())


class OfEvent:
    """A search that finds all pages of one event, whatever it is asked."""

    name = "the event's pages"

    def __init__(self, event: Event) -> None:
        self._event = event

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:  # noqa: ARG002 - whatever it is asked
        """Return the event's pages, each once; as many as there are."""
        pages = {normal_key(one.address): one for one in reversed(self._event.all)}
        return [
            Found(
                address=one.address,
                title=one.title if isinstance(one, FoundPage) else one.citation,
                excerpt=one.text[:_EXCERPT_CHARS],
                score=1.0,
                search=self.name,
            )
            for one in reversed(pages.values())
        ]
