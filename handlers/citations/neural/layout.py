"""Lays a text pair out as word pieces, alike in training and in use. Pure.

`[CLS] claim [SEP] about [SEP] evidence [SEP]`: the claim and what it is about form
the first segment, the evidence the second. Each part has its share of the length, so
that a long claim cannot push its evidence out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


def lay_out(
    claim: Sequence[int], about: Sequence[int], evidence: Sequence[int]
) -> LaidOut:
    """Join the word pieces of the three parts, each cut to its share."""
    claim = claim[:MOST_OF_CLAIM]
    about = about[:MOST_OF_ABOUT]
    first = [FIRST, *claim, BETWEEN, *about, BETWEEN]
    second = [*evidence[: MOST_PIECES - len(first) - 1], BETWEEN]
    return LaidOut(
        pieces=(*first, *second),
        segments=(0,) * len(first) + (1,) * len(second),
        claim_pieces=len(claim),
    )
