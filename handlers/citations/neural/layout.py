"""Lays a text pair out as word pieces, alike in training and in use. Pure.

`[CLS] claim [SEP] about [SEP] evidence [SEP]`: the claim and what it is about form
the first segment, the evidence the second; values have segments of their own (`values`).
Each part has its share of the length, so
that a long claim cannot push its evidence out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.neural.values import Segment, Tag

FIRST, BETWEEN = 101, 102  # "[CLS]" and "[SEP]" of the BERT vocabulary
MOST_PIECES = 320
MOST_OF_CLAIM = 112
MOST_OF_ABOUT = 48


@dataclass(frozen=True, slots=True)
class LaidOut:
    """Word pieces and their segments; the claim's are `[1, 1 + claim_pieces)`."""

    pieces: tuple[int, ...]
    segments: tuple[int, ...]
    claim_pieces: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """The word pieces of a text, where each stands in it, and what is tagged there."""

    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    tags: Sequence[Tag] = ()

    def segments(self, otherwise: Segment) -> list[int]:
        """Return the segment of each piece; a later tag overrides an earlier one."""
        found = [int(otherwise)] * len(self.ids)
        for tag in self.tags:
            for at, (start, end) in enumerate(self.offsets):
                if start < tag.end and end > tag.start:
                    found[at] = int(tag.segment)
        return found


def lay_out(claim: Pieces, about: Sequence[int], evidence: Pieces) -> LaidOut:
    """Join the word pieces of the three parts, each cut to its share."""
    mine = claim.ids[:MOST_OF_CLAIM]
    first = [FIRST, *mine, BETWEEN, *about[:MOST_OF_ABOUT], BETWEEN]
    left = MOST_PIECES - len(first) - 1
    of_first = [int(Segment.CLAIM)] * len(first)
    of_first[1 : 1 + len(mine)] = claim.segments(Segment.CLAIM)[: len(mine)]
    of_second = evidence.segments(Segment.EVIDENCE)[:left]
    return LaidOut(
        pieces=(*first, *evidence.ids[:left], BETWEEN),
        segments=(*of_first, *of_second, int(Segment.EVIDENCE)),
        claim_pieces=len(mine),
    )
