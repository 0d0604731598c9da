"""The words that citations vouch for, and what stands beside them."""

from dataclasses import dataclass
from enum import Enum

from handlers.model.citing import Citation, Source
from handlers.model.spans import Span


class TagKind(Enum):
    """What an existing inline cleanup tag says about the words before it."""

    CITATION_NEEDED = "citation needed"
    FAILED_VERIFICATION = "failed verification"
    DEAD_LINK = "dead link"
    BETTER_SOURCE_NEEDED = "better source needed"
    DUBIOUS = "dubious"
    OUTDATED = "outdated"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Tag:
    """An inline cleanup tag, such as `{{citation needed|date=May 2024}}`."""

    kind: TagKind
    name: str  # the template's normalised name
    span: Span
    dated: str | None = None


class ClaimKind(Enum):
    """Where in the page the claim stands."""

    SENTENCE = "sentence"
    CLAUSE = "clause"  # part of a sentence, between two citations
    LIST_ITEM = "list item"
    TABLE_CELL = "table cell"
    INFOBOX_VALUE = "infobox value"
    NOTE = "note"  # text inside {{efn}}, with citations of its own
    CAPTION = "caption"  # of a picture or a gallery


@dataclass(frozen=True, slots=True)
class Claim:
    """The words that one group of adjacent citations vouches for.

    `text` is plain (markup, tags and citations removed); `span` covers its
    wikitext, citations excluded. `context` is the plain text that precedes it
    in its section, nearest last, at most some 600 characters.
    """

    text: str
    kind: ClaimKind
    span: Span
    section: tuple[str, ...]
    context: str
    sentence: str  # the whole sentence the claim belongs to, plain
    citations: tuple[Citation, ...]  # adjacent ones, in order; may be empty if tagged
    tags: tuple[Tag, ...] = ()
    row: str | None = None  # header of the table row, or the infobox parameter
    column: str | None = None  # header of the table column
    line: str | None = None  # all that stands in the table row, with the headers

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the distinct sources of all its citations, in order."""
        seen: dict[str, Source] = {}
        for citation in self.citations:
            for source in citation.sources:
                seen.setdefault(source.key, source)
        return tuple(seen.values())


class UnattachedReason(Enum):
    """Why a reference of the page vouches for no claim."""

    NEVER_USED = "defined in a list but never used"
    NO_WORDS = "no words stand before it"
    STATES_NOTHING = "the words before it state nothing"  # "Source:", a column's header
    NO_SOURCE = "a note without a source"
    IN_HEADING = "stands in a heading"
    EMPTY = "is empty"
    UNCLOSED = "is never closed"
    HIDDEN = "stands where nothing is shown"  # e.g. inside a comment-like parameter


@dataclass(frozen=True, slots=True)
class UnattachedReference:
    """A reference that no claim accounts for, and the reason."""

    reason: UnattachedReason
    span: Span
    raw: str  # at most 200 characters of it
