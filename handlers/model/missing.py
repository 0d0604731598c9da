"""The one mark for "a piece is missing here", in a claim or in a source.

What could not be read leaves this mark, so that nothing is judged as if the rest were
all of it.
"""

from dataclasses import dataclass
from enum import Enum


class MissingKind(Enum):
    """Why the words of a piece are not there as readers see them."""

    # In the wikitext of a claim.
    TEMPLATE = "template"  # what it shows is not known here
    # In a source.
    FRAME = "frame"  # the text is on another page, shown inside this one
    SCAN = "scan"  # pages that are pictures
    PICTURE = "picture"  # words in a picture or drawing
    LEFT_OUT = "left out"  # words of the page that the extractor dropped
    COLUMNS = "columns"  # read across, so that their words are mixed
    CUT_OFF = "cut off"  # the text goes on, behind a wall or on further pages
    # In a source, and all that readers see was read.
    HIDDEN = "hidden words"  # the page holds words that it does not show
    RECOGNISED = "recognised"  # pictures of pages, whose words a program recognised

    @property
    def may_decide(self) -> bool:
        """Whether words that readers see were not read."""
        return self not in (MissingKind.HIDDEN, MissingKind.RECOGNISED)


@dataclass(frozen=True, slots=True)
class MissingPiece:
    """A piece that was not read. `what` names it in a few words of the page itself.

    For a template it is the start of its wikitext, such as "{{age|1960|5|2}}", for a
    frame its address, for pages their numbers; it may be empty.
    """

    kind: MissingKind
    what: str = ""
