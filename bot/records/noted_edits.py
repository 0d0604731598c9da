"""Edits that were noted, and what became of them days later. Pure.

Each is looked at twice. What was reverted at the first look is not looked at again.
"""

from dataclasses import dataclass
from datetime import timedelta

from handlers.edits.outcome import EditOutcome
from handlers.findings import Suggestion
from handlers.model import EditKind

FIRST_LOOK, LAST_LOOK = timedelta(hours=48), timedelta(days=30)
"""How long after the note its edit is looked at again."""


@dataclass(frozen=True, slots=True)
class DueLook:
    """A note whose edit is due to be looked at again.

    `found` is the note as it was last seen; `None` if it was forgotten since, as when
    the text was hidden.
    """

    identity: str
    found: Suggestion | None = None


@dataclass(frozen=True, slots=True)
class NotedEdits:
    """What became of the noted edits of one kind on one wiki, and of their notes.

    `became` counts edits by their last look: `stands` are those seen after two days
    only, `stayed` those seen after a month, and `waiting` those not looked at yet.
    Readers said of `said_right` and `said_wrong` notes that they are right or not.
    `right`, `wrong` and `undecided` are by `handlers.edits.outcome.was_right`; edits
    that could not be seen are not among the undecided.
    """

    wiki: str
    kind: EditKind
    waiting: int = 0
    reverted: int = 0
    changed: int = 0
    stands: int = 0
    stayed: int = 0
    unseen: int = 0
    said_right: int = 0
    said_wrong: int = 0
    right: int = 0
    wrong: int = 0
    undecided: int = 0

    @property
    def noted(self) -> int:
        """How many there are."""
        seen = self.reverted + self.changed + self.stands + self.stayed
        return self.waiting + seen + self.unseen

    @property
    def decided(self) -> int:
        """Of how many notes it is known whether they were right."""
        return self.right + self.wrong


def bucket_of(became: EditOutcome | None, *, is_final: bool) -> str:
    """Return the name of the field of `NotedEdits` that counts an edit."""
    if became is None:
        return "waiting"
    if became is EditOutcome.STANDS and is_final:
        return "stayed"
    return became.name.lower()
