"""What a search is asked, and what it finds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import overload


@dataclass(frozen=True, slots=True)
class Window:
    """The days that count, both ends included; `None` leaves that end open."""

    since: date | None = None
    until: date | None = None

    def holds(self, day: date) -> bool:
        """Return whether `day` is in the window."""
        return (self.since is None or self.since <= day) and (
            self.until is None or day <= self.until
        )

    @property
    def is_open(self) -> bool:
        """Whether any day counts, so that dates need not be known."""
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


@dataclass(frozen=True, slots=True)
class SearchResults(Sequence[Found]):
    """The answer of a search that also says what went wrong or was left out."""

    found: tuple[Found, ...]
    troubles: tuple[str, ...] = ()  # each a line for a person, naming its service

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found)

    @overload
    def __getitem__(self, at: int) -> Found: ...

    @overload
    def __getitem__(self, at: slice) -> "SearchResults": ...

    def __getitem__(self, at: int | slice) -> "Found | SearchResults":
        if isinstance(at, slice):
            return SearchResults(self.found[at], self.troubles)
        return self.found[at]


@dataclass(frozen=True, slots=True)
class Quota:
    """How often a search service was used today (UTC), and whether it may be asked now.

    `limit` is the number of requests allowed per day, `None` if unlimited. `free_at` is
    when it may be asked again, `None` if right away; `note` says what prevents it, ""
    if nothing.
    """

    search: str
    used: int
    limit: int | None
    free_at: datetime | None = None
    note: str = ""

    def __str__(self) -> str:
        """Return one line for a person."""
        of = "" if self.limit is None else f" of {self.limit:,}"
        when = (
            "" if self.free_at is None else f" until {self.free_at:%Y-%m-%d %H:%M} UTC"
        )
        note = f"; left alone{when}: {self.note}" if self.note else ""
        noun = "request" if self.used == 1 and not of else "requests"
        return f"{self.search}: {self.used:,}{of} {noun} today{note}"
