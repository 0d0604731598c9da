"""What the passages of its sources say about a claim, and the evidence for it."""

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from handlers.model.claims import Span


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of a source's text, with its place there.

    `text` is `fetch.document.text[span.start:span.end]` but for line breaks; `source_key` is the `key` of that
    fetch; `page` counts from 1.
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
    """What decided: name and version of the verifier, stored with each result."""

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
    """A quote from the source, found again there but for line breaks.

    `quote` lies inside `passage`, and `span` is its place in the text of the source.
    `matched` are ranges of `passage.text` whose words are also in the claim.
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


@dataclass(frozen=True, slots=True)
class EditJudgement:
    """What the same passages say of a claim before and after an edit.

    `moved` is the probability that they bear out what stood before and no longer what
    stands now; it is of the pair, and is not the difference of the two verdicts. It is
    0 if the edit only gives numbers, dates or times another form.
    """

    moved: float
    before: Verification
    after: Verification


# What a language model was asked, what it said and what that took.


class ModelFailure(Enum):
    """Why the answer of a language model does not count."""

    NO_QUOTE = "it gave no quote"
    QUOTE_NOT_FOUND = "its quote does not stand in the source"
    QUOTE_ELSEWHERE = "its quote speaks of something else"
    QUOTE_DIFFERS = "its quote says another number or date"
    MISLED = "it supported a statement that no source makes"
    LEFT_OUT = "it left the claim out"
    ANSWERED_TWICE = "it answered twice"
    UNKNOWN_VERDICT = "it gave a verdict that does not exist"
    REFUSED = "it refused to answer"
    CUT_OFF = "its answer was cut off"
    UNREADABLE = "its answer was not in the form asked for"
    TOO_LONG = "the question was too long for it"
    OUT_OF_BUDGET = "the budget does not allow another call"
    OUT_OF_REACH = "it could not be reached"
    UNUSABLE = "its server does not accept our requests"
    NAMED_UNKNOWN = "it named something that it was not shown"
    QUOTE_DOES_NOT_SUPPORT = "what it quoted does not support what it said"
    REPEATED = "it asked for what was done before"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a language model said of a claim, and what came of that.

    If the answer counts, `failure` is `None` and the check's verification includes it;
    otherwise the check is as it was. An answer that counts but is not a verdict says
    that the source cannot be used: the check then has no verdict. If the verifier could
    not judge, `before` is `None` and `verifier` is the model.
    """

    engine: Engine
    verifier: Engine
    before: Verdict | None  # of the verifier alone
    verdict: Verdict | None  # the model's; `None` if it gave none
    failure: ModelFailure | None


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What asking a language model took; uses add up.

    `cost` is in the currency of the prices in the settings. `calls` are requests that
    were sent, answered or not; answers known from before are `remembered`.
    """

    calls: int = 0
    remembered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "ModelUse") -> "ModelUse":
        """Return both uses as one."""
        return ModelUse(
            self.calls + other.calls,
            self.remembered + other.remembered,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Consultation:
    """The result of asking a language model about claims of a page.

    `expected` is the estimate from before anything was sent. `stopped` says in plain
    lines for a person what kept the model from answering, each reason once.
    """

    engine: Engine
    asked: int  # claims
    counted: int  # claims whose answer counts
    use: ModelUse
    expected: ModelUse = ModelUse()
    stopped: tuple[str, ...] = ()
