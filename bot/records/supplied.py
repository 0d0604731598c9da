"""A text that a person supplied for a source, and what the check of it found. Pure."""

from dataclasses import dataclass, field
from datetime import datetime

from handlers.model import Verdict


@dataclass(frozen=True, slots=True)
class SuppliedQuote:
    """Words of the text, in their surroundings; `page` is of a PDF."""

    quote: str
    before: str = ""
    after: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class SuppliedResult:
    """What the text says of one claim; `verdict` is `None` where that is not clear."""

    claim: str
    verdict: Verdict | None
    quotes: tuple[SuppliedQuote, ...] = ()


@dataclass(frozen=True, slots=True)
class SuppliedText:
    """What was supplied for the source `source_key` of a page.

    `body` is kept until it has been read, and the rest until `expires_at`. `reader` is
    the only one who is told what came of it.
    """

    name: str
    reader: str
    wiki: str
    title: str
    source_key: str
    supplied_at: datetime
    expires_at: datetime
    body: bytes | None = field(default=None, repr=False)
    ended_at: datetime | None = None
    results: tuple[SuppliedResult, ...] = ()
    problem: str | None = None
