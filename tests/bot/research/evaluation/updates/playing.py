"""Stand-in roles and tools for runs of the evaluation."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.models.encoder import DIMENSIONS, Encoder
from bot.research.evaluation.updates.coverage import Configuration
from bot.research.evaluation.updates.discovery import Engine, Kit, OpensAll
from handlers.citations.reliability import ReliabilityLists
from handlers.model import (
    Add,
    CandidateUpdate,
    Claim,
    Criteria,
    Evidence,
    Page,
    Passage,
    Probabilities,
    SectionCriteria,
    SourceFetch,
    Span,
    Statement,
    Subject,
    Update,
    Verdict,
    Verification,
)
from handlers.model import Engine as Name
from handlers.page.sentences import split
from handlers.updates.roles import DecidedFact, Facts, Roles, Turn
from tests.fakes import FAKE_ENGINE


@dataclass(frozen=True)
class Sure:
    """A verifier that is always as sure."""

    likely: float = 0.9
    engine: Name = FAKE_ENGINE

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title
        assert claim.text
        assert passages
        likely = Probabilities(self.likely, 0.0, 1 - self.likely, 0.0)
        return Verification(
            verdict=Verdict.SUPPORTED,
            probabilities=likely,
            evidence=(),
            unsupported=(),
            engine=self.engine,
        )


class Alike:
    """An encoder to which all texts are alike."""

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        return [[1.0 for _ in others] for _ in texts]


class WordEncoder(Encoder):
    """Texts are as alike as they share words."""

    name = "words"

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        vector = np.zeros(DIMENSIONS, dtype=np.float32)
        for word in text.lower().split():
            vector[zlib.crc32(word.strip(".,").encode()) % DIMENSIONS] += 1
        return np.asarray(
            vector / (float(np.linalg.norm(vector)) or 1.0), dtype=np.float32
        )


class _Names:
    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> Turn[Criteria]:
        assert statements
        sections = tuple(SectionCriteria(one.path, ()) for one in page.sections)
        return Turn(Criteria(sections, "0", FAKE_ENGINE))


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
    ) -> Turn[Facts | None]:
        assert subject.names
        assert len(found) < 100
        document = fetch.document
        assert document is not None
        return Turn(
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
