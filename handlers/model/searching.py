"""What a search is asked, and what it finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for: a claim with what a reader of its article already knows."""

    claim: str  # plain text
    title: str  # of the article
    section: tuple[str, ...] = ()
    context: str = ""  # the plain text that precedes the claim


@dataclass(frozen=True, slots=True)
class Found:
    """A document that a search returned; `SourceReader` reads it by its `address`.

    `score` is comparable only within one answer; `search` names the service.
    """

    address: str
    title: str | None
    excerpt: str
    score: float
    search: str
