"""The tools a handler is given, as small protocols; packages of `bot` implement them.

There are two failures. A `PermanentError` will not go away by itself: skip and
record why. A `TemporaryError` may: try again after its delay. That a source
could not be read is neither; it is a result (`SourceFetch.outcome`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

from pydantic import BaseModel

from handlers.model import (
    Claim,
    EditJudgement,
    Engine,
    Found,
    ModelFailure,
    ModelUse,
    Passage,
    Query,
    Quota,
    Source,
    SourceFetch,
    Verification,
)


class PermanentError(Exception):
    """Trying again is useless; the message says what is wrong and what to do."""


class TemporaryError(Exception):
    """Trying again later may help."""

    def __init__(self, message: str, *, retry_in_s: float) -> None:
        super().__init__(message)
        self.retry_in_s = retry_in_s


class AwayError(TemporaryError):
    """The server answers no requests at the moment; this one is not to blame."""


class UnansweredError(AwayError):
    """No answer: either no request gets one at the moment, or this one never will."""


class SourceReader(Protocol):
    """Reads what a citation points at."""

    async def read(self, source: Source) -> SourceFetch:
        """Return the text of `source`, or the outcome that says why there is none.

        Never raises for anything the web does; reading the same source twice
        in one run costs one request.
        """
        ...


@runtime_checkable
class RenewingReader(Protocol):
    """A reader that can be told to look at every source again."""

    def without_cache(self) -> SourceReader:
        """Return a reader for one check that asks for each source again, once."""
        ...


class ArchiveReader(Protocol):
    """Reads what a cited page said at an earlier time."""

    async def read_near(self, source: Source, day: date) -> SourceFetch:
        """Return the archived copy of `source` nearest to `day`.

        The copy that the citation itself names comes first. `read_at` of the
        reading is when it was captured, and can be far from `day`. Like
        `SourceReader.read` it never raises for anything the web does.
        """
        ...


class Verifier(Protocol):
    """Decides whether passages support a claim."""

    @property
    def engine(self) -> Engine:
        """Name and version, stored with each verdict."""
        ...

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        """Judge `claim` of the article `title` by all the `passages` of its sources.

        Args:
            title: of the article, part of the claim's context.
            claim: the claim with its section and preceding text.
            passages: every passage of every source that was read, at least one.
        """
        ...


@runtime_checkable
class EditJudge(Protocol):
    """Decides whether an edit moved a claim away from its sources."""

    @property
    def noted_from(self) -> float:
        """The probability from which an edit that it judges is noted."""
        ...

    async def judge_edit(
        self, title: str, before: Claim, after: Claim, passages: Sequence[Passage]
    ) -> EditJudgement:
        """Judge a claim of the article `title` before and after an edit.

        Both are read beside the same evidence of `passages`, gathered for the two
        together, and with the context of `after`: what else was edited is not this
        claim's doing.

        Args:
            title: of the article.
            before: the claim as it stood.
            after: the claim as it stands now; of the same kind.
            passages: every passage of the sources that stand behind it, at least one.
        """
        ...


class Search(Protocol):
    """Finds documents that may be about a claim."""

    @property
    def name(self) -> str:
        """The name of the service, shown with what it found."""
        ...

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        """Return at most `limit` documents, each once, best first.

        Raises:
            TemporaryError: the service is out of reach or its quota is spent.
            PermanentError: the service refuses us, or is misconfigured.
        """
        ...


@runtime_checkable
class Metered(Protocol):
    """A search whose services allow only so many requests a day."""

    def quotas(self) -> Sequence[Quota]:
        """Return what each of its services was asked today; asks none of them."""
        ...


class TextEncoder(Protocol):
    """Says how close texts are in meaning."""

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        """Return for each of `texts` its cosine with each of `others`, -1 to 1.

        Encoded texts are remembered for a while.
        """
        ...


T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Untrusted text, and what it is in a few words of our own.

    Code that sends it to a model makes sure that the model can tell where it starts and
    ends, and instructs it to obey nothing in it.
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest(Generic[T]):
    """One question for a language model, whose answer is JSON in the form of `answer`.

    `instructions` are written by people and contain nothing from outside; everything
    from a page or the web goes into `content`.
    """

    instructions: str
    content: tuple[Excerpt, ...]
    answer: type[T]


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """An answer that has the form asked for. Its text is as untrusted as the web."""

    value: T
    use: ModelUse


@dataclass(frozen=True, slots=True)
class ModelSilence:
    """There is no usable answer; `detail` says more in one plain line for a person."""

    why: ModelFailure
    detail: str
    use: ModelUse


ModelReply: TypeAlias = ModelAnswer[T] | ModelSilence


class ModelOutOfReachError(TemporaryError):
    """The model cannot be asked for now; `use` is what trying took."""

    def __init__(
        self, message: str, *, retry_in_s: float, use: ModelUse | None = None
    ) -> None:
        super().__init__(message, retry_in_s=retry_in_s)
        self.use = use or ModelUse()


class ModelUnusableError(PermanentError):
    """The server refuses us or is misconfigured; `use` is what trying took."""

    def __init__(self, message: str, *, use: ModelUse | None = None) -> None:
        super().__init__(message)
        self.use = use or ModelUse()


class LanguageModel(Protocol):
    """Answers questions in JSON, within a budget for the run that is never exceeded."""

    @property
    def engine(self) -> Engine:
        """Name and version, stored with each answer that counts."""
        ...

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        """Return the answer, or why there is none that can be used.

        How many questions are asked at once is the model's decision. The same
        question, asked again, may be answered from memory for nothing.

        Raises:
            ModelOutOfReachError: time-outs, connections, a busy server; all of them
                retried if that could help.
            ModelUnusableError: no such model, no access, no credit.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """All that a handler may use besides the page itself."""

    sources: SourceReader
    verifier: Verifier
    language_model: LanguageModel | None = None
    archive: ArchiveReader | None = None  # only where sources come from the web
    searches: tuple[Search, ...] = ()
    candidates: SourceReader | None = None  # reads what a search found; else `sources`
