"""A parsed page of a wiki: its sections, its claims, and references without a claim."""

from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from handlers.model.claims import Citation, Claim, Span, Tag, UnattachedReference


@dataclass(frozen=True, slots=True)
class PageId:
    """One revision of one page of one wiki; `None` where it came from a file."""

    wiki: str  # host name, such as "en.wikipedia.org"
    title: str
    page_id: int | None = None
    revision_id: int | None = None
    revised_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that follows it, up to the next heading of any level.

    The lead is the section with `level` 0 and an empty path. The sections of a
    page, joined in order, are its wikitext, character for character.
    """

    path: tuple[str, ...]  # headings from the top down, markup removed
    level: int  # number of "=" signs; 0 for the lead
    span: Span  # heading included, in characters
    body: Span  # heading excluded
    number: int = 0  # MediaWiki's own, by which a section is edited; 0 for the lead


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. `wikitext` is kept unchanged; spans point into it.

    `language` is that of its text, `None` if the text does not show it.
    """

    id: PageId
    wikitext: str
    sections: tuple[Section, ...]
    claims: tuple[Claim, ...]
    unattached: tuple[UnattachedReference, ...]
    tags: tuple[Tag, ...]
    redirect_to: str | None = None
    is_disambiguation: bool = False
    language: str | None = None

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Return the citations of all claims in order, each once.

        Several claims may have one and the same.
        """
        found = chain.from_iterable(claim.citations for claim in self.claims)
        return tuple(dict.fromkeys(found))
