"""Stand-in roles and tools for runs of the evaluation."""

from collections.abc import Sequence

from bot.research.evaluation.updates.coverage import Configuration
from bot.research.evaluation.updates.discovery import Engine, Kit, OpensAll
from handlers.model import (
    Add,
    CandidateUpdate,
    Criteria,
    Evidence,
    Page,
    Passage,
    SectionCriteria,
    SourceFetch,
    Span,
    Statement,
    Subject,
    Update,
)
from handlers.page.sentences import split
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.roles import DecidedFact, Facts, RoleAnswer, Roles
from tests.bot.research.engine import Sure, WordEncoder
from tests.fakes import FAKE_ENGINE


class _Names:
    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> RoleAnswer[Criteria]:
        assert statements
        sections = tuple(SectionCriteria(one.path, ()) for one in page.sections)
        return RoleAnswer(Criteria(sections, "0", FAKE_ENGINE))


class TakesAll:
    """Takes every sentence of a page, for the section that it is told."""

    def __init__(self, section: tuple[str, ...]) -> None:
        self._section = section

    async def extract(
        self,
        subject: Subject,
        fetch: SourceFetch,
        search: str,
        found: Sequence[Update],
    ) -> RoleAnswer[Facts | None]:
        assert subject.names
        assert len(found) < 100
        document = fetch.document
        assert document is not None
        return RoleAnswer(
            Facts(
                tuple(
                    DecidedFact(
                        self._candidate(fetch, place, document.text, search),
                        Add(self._section, None, 0.8),
                    )
                    for place in split(document.text)
                )
            )
        )

    def _candidate(
        self, fetch: SourceFetch, place: Span, text: str, search: str
    ) -> CandidateUpdate:
        quote = place.of(text)
        passage = Passage(fetch.url or "", quote, place)
        return CandidateUpdate(
            text=quote,
            evidence=Evidence(passage, quote, place, (), 1.0),
            fetch=fetch,
            dated=None,
            search=search,
        )


def cast(configuration: Configuration, kit: Kit) -> Roles:
    """Give roles that suggest all that they read; without criteria, for the lead."""
    assert kit.verifier
    is_blind = configuration is Configuration.NO_CRITERIA
    section = () if is_blind else ("The Tower",)
    return Roles(_Names(), OpensAll(), TakesAll(section))


def open_engine() -> Engine:
    return Engine(Sure(), WordEncoder(), ReliabilityLists(()))
