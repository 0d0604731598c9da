"""Edits that readers saved through the panel, and whether they still stand. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

CHANGE_TAG = "sidenote"
"""The change tag of our edits, and of those that the panel fills in.

A wiki's administrators make it on Special:Tags; an edit with a tag that is not there
would be refused.
"""
STAYED_AFTER = timedelta(days=7)
"""How long an edit has to stand before it counts as one that stayed."""


class EditKind(Enum):
    """What the panel filled in; the value ends the key of its summary message."""

    TAG = "tag"
    ARCHIVE = "archive"
    CITE = "cite"
    UPDATE = "update"
    PLACE = "place"
    WORDING = "wording"
    RESTORE = "restore"
    FIX = "fix"
    SECTION = "section"
    OTHER = "other"  # the reader wrote another summary


class FoundBy(Enum):
    """How the edit was recognised as the panel's."""

    TAG = "change tag"
    SUMMARY = "summary"


class EditState(Enum):
    """What became of the edit."""

    STANDS = "stands"
    REVERTED = "reverted"
    GONE = "deleted or hidden"


@dataclass(frozen=True, slots=True)
class PanelEdit:
    """An edit as listed in the wiki's recent changes."""

    revision: int
    kind: EditKind
    found_by: FoundBy
    saved_at: datetime
    state: EditState = EditState.STANDS


@dataclass(frozen=True, slots=True)
class EditCounts:
    """The edits of one kind: `stayed` have stood for a week, `open` for less so far."""

    kind: EditKind
    reverted: int = 0
    gone: int = 0
    stayed: int = 0
    open: int = 0

    @property
    def saved(self) -> int:
        """How many were saved."""
        return self.reverted + self.gone + self.stayed + self.open
