"""The tools a handler is given, as small protocols; `bot.adapters` fulfils them.

There are two failures. A `PermanentError` will not go away by itself: skip and
record why. A `TemporaryError` may: try again after its delay. That a source
could not be read is neither; it is a result (`SourceReading.outcome`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from handlers.model import (
    Claim,
    Engine,
    Found,
    Passage,
    Query,
    Source,
    SourceReading,
    Verification,
)


class PermanentError(Exception):
    """Trying again is useless; the message says what is wrong and what to do."""


class TemporaryError(Exception):
    """Trying again later may help."""

    def __init__(self, message: str, *, retry_in_s: float) -> None:
        super().__init__(message)
        self.retry_in_s = retry_in_s


class SourceReader(Protocol):
    """Reads what a citation points at."""

    async def read(self, source: Source) -> SourceReading:
        """Return the text of `source`, or the outcome that says why there is none.

        Never raises for anything the web does; reading the same source twice
        in one run costs one request.
        """
        ...


class ArchiveReader(Protocol):
    """Reads what a cited page said at an earlier time."""

    async def read_near(self, source: Source, day: date) -> SourceReading:
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


class Search(Protocol):
    """Finds documents that may speak of a claim."""

    @property
    def name(self) -> str:
        """Of the service, shown beside what it found."""
        ...

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        """Return at most `limit` documents, each once, best first.

        Raises:
            TemporaryError: the service is out of reach or its quota is spent.
            PermanentError: the service refuses us, or was set up wrongly.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """All that a handler may use beside the page itself."""

    sources: SourceReader
    verifier: Verifier
    archive: ArchiveReader | None = None  # only where sources come from the web
    searches: tuple[Search, ...] = ()
