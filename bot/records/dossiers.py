"""What became of the drafts that people asked for, and where they may stand. Pure.

A draft is written to one page alone: a subpage of the person's own that says what it
is. Its state moves as the table shows; the person moves it by saving their opt-in.

    ask      a new topic, or one that was dropped → WAITING;  named no longer → DROPPED
    save     WAITING → DRAFTED, if something could be drafted;  else → NOTHING
    settle   DRAFTED → POSTED, SHOWN, REFUSED
    again    NOTHING, REFUSED, POSTED, SHOWN → WAITING, where there is no page
    anew     DRAFTED, SHOWN → WAITING, where the community has decided again meanwhile
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

FOLDER = "Sidenote drafts"
"""The subpage of a person's user page below which alone drafts are made."""

_CODE_PAGES = (".js", ".css", ".json")  # MediaWiki takes such subpages for programs


class DraftState(Enum):
    """Where a draft stands."""

    WAITING = "to be drafted, or in work"
    DRAFTED = "drafted, and to be posted"
    POSTED = "posted"
    SHOWN = "shown in a dry run"
    NOTHING = "nothing could be drafted"
    REFUSED = "its page could not be made"
    DROPPED = "asked for no longer"


IN_HAND = frozenset({DraftState.WAITING, DraftState.DRAFTED})
"""States in which something is still going to happen by itself."""


@dataclass(frozen=True, slots=True)
class Named:
    """A topic that someone named, and the title of the page that its draft gets."""

    topic: str
    page: str


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """All drafts that one opt-in names; `place` is the page that it stands on.

    `revision` is the number of the person's own last revision of that page: the next
    one asks again.
    """

    wiki: str
    place: str
    watcher: str
    named: tuple[Named, ...]
    revision: int = 0


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft as it is kept; `page` is the title of its page, in the wiki's own words.

    `asked_in` is the newest revision of the person's that was taken into account.
    `place` is the page of the opt-in that named it last. `text` is wikitext, until it
    is posted. `note` is for the person: why there is none.
    """

    wiki: str
    page: str
    place: str
    watcher: str
    topic: str
    state: DraftState
    changed_at: datetime
    asked_in: int = 0
    note: str = ""
    text: str = ""
    text_sha256: str = ""
    drafted_at: datetime | None = None
    revision_id: int | None = None


def name_of(watcher: str, topic: str) -> str:
    """Return the title of a draft's page, behind the name of the namespace."""
    name = f"{watcher}/{FOLDER}/{topic}"
    return f"{name} (draft)" if name.lower().endswith(_CODE_PAGES) else name


def is_draft_of(watcher: str, name: str) -> bool:
    """Return whether `name`, a user page's, is one that a draft for `watcher` may get."""
    folder = f"{watcher}/{FOLDER}/"
    is_inside = name.startswith(folder) and len(name) > len(folder)
    is_code = name.lower().endswith(_CODE_PAGES)
    return bool(watcher) and "/" not in watcher and is_inside and not is_code
