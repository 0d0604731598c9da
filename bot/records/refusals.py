"""What pages and people refuse, by kind of note. Pure."""

from dataclasses import dataclass
from enum import Enum


class NoteKind(Enum):
    """What can be refused; the value is the word for it on wikis."""

    CITATIONS = "citations"
    UPDATES = "updates"
    DRAFTS = "drafts"
    WRITING = "writing"


@dataclass(frozen=True, slots=True)
class PageSays:
    """What the text of a page says about notes: `optout` of `{{bots}}`, its templates.

    `templates` are names in lower case; the community decides which of them refuse.
    """

    optout: frozenset[NoteKind] = frozenset()
    templates: frozenset[str] = frozenset()
