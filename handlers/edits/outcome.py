"""What became of an edit that was noted, and whether the note was right.

What people do with an edit says more about its note than any figure measured before:
an edit that is reverted was worth a note, one that still stands a month later was
probably not. What a reader answered counts before that. Pure.
"""

from enum import Enum

from handlers.edits.alignment import Side
from handlers.edits.finding import ChangedFinding, is_parted, stands
from handlers.findings import Suggestion
from handlers.page.prose import normalised
from handlers.page.statements import header_of


class EditOutcome(Enum):
    """What became of the edit, as far as the page shows it later."""

    REVERTED = "reverted"  # what stood before stands again
    CHANGED = "changed again"  # neither stands, or the words have another source now
    STANDS = "still there"
    UNSEEN = "could not be seen"  # deleted, moved or hidden


def outcome(found: Suggestion, here: Side) -> EditOutcome:
    """Return what became of a noted edit, by the page as it is later.

    What was inserted and is gone counts as changed again: another wording of it cannot
    be told from a removal. The wiki's own tag on the edit tells more.
    """
    if stands(found, here) is not None:
        return EditOutcome.STANDS
    return EditOutcome.REVERTED if _is_back(found, here) else EditOutcome.CHANGED


def _is_back(found: Suggestion, here: Side) -> bool:
    finding = found.finding
    if not isinstance(finding, ChangedFinding):
        return False
    # Words that were parted from their source stand, but no longer without it.
    words = normalised(found.claim if is_parted(finding.done) else finding.before)
    if not words:
        return False
    return any(
        normalised(claim.text) == words and header_of(claim) == finding.header
        for claim in here.claims
    ) or (finding.header is None and any(here.find(words)))


def was_right(
    became: EditOutcome | None, *, is_final: bool, answered: bool | None
) -> bool | None:
    """Return whether a note was right; `None` if that is not decided.

    Args:
        became: of its edit; `None` before the first look.
        is_final: that was seen after a month.
        answered: what a reader said of it, if any did; that counts first.
    """
    if answered is not None:
        return answered
    if became is EditOutcome.REVERTED:
        return True
    return False if became is EditOutcome.STANDS and is_final else None
