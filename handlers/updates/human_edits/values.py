"""Revisions of a page and what people changed from one to the next. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from handlers.model import Source


@dataclass(frozen=True, slots=True)
class RevisionNote:
    """What a wiki says of a revision beside its text. Hidden parts are empty."""

    revision_id: int
    saved_at: datetime
    user: str = ""
    comment: str = ""
    tags: tuple[str, ...] = ()  # such as "mw-reverted"
    is_minor: bool = False


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision with its wikitext, `None` where that is hidden."""

    note: RevisionNote
    text: str | None


class Look(Enum):
    """How the changed words look on the page."""

    PARAGRAPH = "paragraph"
    ITEM = "item of a list"
    CAPTION = "caption"
    INFOBOX = "value of an infobox"
    TABLE = "cell of a table"


class Fate(Enum):
    """What became of an edit until the last revision that was read."""

    KEPT = "it still stands"
    REWORDED = "others have changed its words"
    UNDONE = "it was undone"


@dataclass(frozen=True, slots=True)
class ParagraphChange:
    """A paragraph, item, value or cell before and after, in wikitext.

    One side is empty where it is new or gone. `insertions` and `removals` are plain
    sentences: those that the page did not have before, or has no longer; a sentence
    that was only moved is in neither. `sources` are those that the page had nowhere.
    """

    look: Look
    before: str
    after: str
    insertions: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class HumanEdit:
    """What one revision changed in one section, in the order of the page.

    `looks` are those of all that the section holds. Where `is_outline_changed`,
    headings came, went or moved in the same revision.
    """

    note: RevisionNote
    section: tuple[str, ...]
    changes: tuple[ParagraphChange, ...]
    looks: frozenset[Look] = frozenset()
    is_outline_changed: bool = False
    fate: Fate = Fate.KEPT

    @property
    def insertions(self) -> tuple[str, ...]:
        """The plain sentences that came."""
        return tuple(text for one in self.changes for text in one.insertions)

    @property
    def removals(self) -> tuple[str, ...]:
        """The plain sentences that went."""
        return tuple(text for one in self.changes for text in one.removals)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources that the page had nowhere before, each once."""
        found = {source.key: source for one in self.changes for source in one.sources}
        return tuple(found.values())
