"""What a search is asked, and what it finds."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Window:
    """The days that count, both ends included; `None` is open to that side."""

    since: date | None = None
    until: date | None = None

    def holds(self, day: date) -> bool:
        """Tell whether `day` lies in the window."""
        return (self.since is None or self.since <= day) and (
            self.until is None or day <= self.until
        )

    @property
    def is_open(self) -> bool:
        """Whether any day counts, so that none has to be known."""
        return self.since is None and self.until is None

    def __str__(self) -> str:
        return f"{self.since or 'any day'} to {self.until or 'today'}"


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for: a claim with what a reader of its article already knows.

    A search that cannot honour the `window` may leave it out: dates are checked again
    on the page itself. `language` is a code such as "de", `None` for any.
    """

    claim: str  # plain text
    title: str  # of the article
    section: tuple[str, ...] = ()
    context: str = ""  # the plain text that precedes the claim
    window: Window | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A document that a search returned; `SourceReader` reads it by its `address`.

    `score` is comparable only within one answer; `search` names the service.
    `published` is what the service says of its date, which is not always true.
    """

    address: str
    title: str | None
    excerpt: str
    score: float
    search: str
    published: date | None = None
    language: str | None = None
