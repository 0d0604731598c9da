"""How a claim fares against the passages of its sources, and what shows it."""

from dataclasses import dataclass
from enum import Enum

from handlers.model.spans import Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a source's text, with its place there.

    `text == reading.document.text[span.start:span.end]`; `page` counts from 1.
    """

    source_key: str
    text: str
    span: Span
    page: int | None = None


class Verdict(Enum):
    """What the sources that were read say about the claim."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially supported"
    NOT_SUPPORTED = "not supported"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Engine:
    """Who decided: name and version of the verifier, stored with each result."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Probabilities:
    """Calibrated probabilities of the verifier; they sum to 1."""

    supported: float
    partially_supported: float
    not_supported: float
    contradicted: float

    def of(self, verdict: Verdict) -> float:
        """Return the probability of `verdict`."""
        return {
            Verdict.SUPPORTED: self.supported,
            Verdict.PARTIALLY_SUPPORTED: self.partially_supported,
            Verdict.NOT_SUPPORTED: self.not_supported,
            Verdict.CONTRADICTED: self.contradicted,
        }[verdict]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote from the source, found again there character for character.

    `quote` lies inside `passage`, and `span` is its place in the text of the
    source. `matched` are ranges of `passage.text` whose words also stand in the
    claim.
    """

    passage: Passage
    quote: str
    span: Span
    matched: tuple[Span, ...]
    score: float  # how well the passage fits the claim; only comparable within a claim


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of a verifier for one claim and the passages it was given.

    `unsupported` are ranges of the claim's text whose words found no support.
    """

    verdict: Verdict
    probabilities: Probabilities
    evidence: tuple[Evidence, ...]  # best first
    unsupported: tuple[Span, ...]
    engine: Engine
