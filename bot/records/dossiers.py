"""The state of the drafts that people asked for, and the pages they may go to. Pure.

A draft is written to one page only: a subpage in the person's own user space that
says what it is. Its state changes as shown below; the person changes it by saving
their opt-in.

    ask      a new topic, or one that was dropped → WAITING;  no longer named → DROPPED
    save     WAITING → DRAFTED, if something could be drafted;  else → NOTHING
    settle   DRAFTED → POSTED, SHOWN, REFUSED
    again    NOTHING, REFUSED, POSTED, SHOWN → WAITING, if there is no page
    anew     DRAFTED, SHOWN → WAITING, if the community has decided again meanwhile
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

FOLDER = "Sidenote drafts"
"""The subpage of a person's user page under which all their drafts are made."""


class DraftState(Enum):
    """The state of a draft."""

    WAITING = "to be drafted, or in work"
    DRAFTED = "drafted, and to be posted"
    POSTED = "posted"
    SHOWN = "shown in a dry run"
    NOTHING = "nothing could be drafted"
    REFUSED = "its page could not be made"
    DROPPED = "no longer asked for"


IN_HAND = frozenset({DraftState.WAITING, DraftState.DRAFTED})
"""States in which something will still happen without anybody acting."""


@dataclass(frozen=True, slots=True)
class NamedTopic:
    """A topic that someone named, and the title of the page for its draft."""

    topic: str
    page: str


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """All drafts that one opt-in names; `place` is the page with the opt-in.

    `revision` is the number of the person's own last revision of that page: their next
    revision asks again.
    """

    wiki: str
    place: str
    watcher: str
    named: tuple[NamedTopic, ...]
    revision: int = 0


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A stored draft; `page` is the title of its page, in the wiki's own words.

    `asked_in` is the person's newest revision that was taken into account. `place` is
    the page of the opt-in that named it last. `text` is wikitext, kept until it is
    posted. `note` tells the person why there is no draft.
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


def is_code(name: str) -> bool:
    """Return whether MediaWiki treats a subpage of that name as code."""
    return name.lower().endswith((".js", ".css", ".json"))


def name_of(watcher: str, topic: str) -> str:
    """Return the title of a draft's page, without the namespace."""
    name = f"{watcher}/{FOLDER}/{topic}"
    return f"{name} (draft)" if is_code(name) else name


def is_draft_of(watcher: str, name: str) -> bool:
    """Return whether `name`, a user page, may be the page of a draft for `watcher`."""
    folder = f"{watcher}/{FOLDER}/"
    is_inside = name.startswith(folder) and len(name) > len(folder)
    return bool(watcher) and "/" not in watcher and is_inside and not is_code(name)
