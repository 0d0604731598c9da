from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.network_input import (
    BETWEEN,
    FIRST,
    MOST_OF_ABOUT,
    MOST_OF_CLAIM,
    MOST_PIECES,
    Pieces,
    Segment,
    Tag,
    lay_out,
)

_PIECES = st.lists(st.integers(min_value=1000, max_value=2000), max_size=600)


def test_the_three_parts_follow_each_other() -> None:
    laid_out = lay_out(_pieces([7, 8]), [9], _pieces([10, 11]))
    assert laid_out.pieces == (FIRST, 7, 8, BETWEEN, 9, BETWEEN, 10, 11, BETWEEN)
    assert laid_out.segments == (0, 0, 0, 0, 0, 0, 1, 1, 1)
    assert laid_out.claim_pieces == 2


def test_pieces_of_a_value_have_its_segment() -> None:
    missing = Tag(3, 7, Segment.VALUE_MISSING)
    claim = Pieces([7, 8, 9], [(0, 2), (3, 5), (5, 7)], [missing])
    rival = Tag(0, 4, Segment.VALUE_RIVAL)
    laid_out = lay_out(claim, [], Pieces([10, 11], [(0, 4), (5, 9)], [rival]))
    value, other = Segment.VALUE_MISSING, Segment.VALUE_RIVAL
    assert laid_out.segments == (0, 0, value, value, 0, 0, other, 1, 1)


@given(_PIECES, _PIECES, _PIECES)
def test_a_long_claim_never_pushes_its_evidence_out(
    claim: list[int], about: list[int], evidence: list[int]
) -> None:
    laid_out = lay_out(_pieces(claim), about, _pieces(evidence))
    assert len(laid_out.pieces) == len(laid_out.segments) <= MOST_PIECES
    assert laid_out.pieces[-1] == BETWEEN
    room = MOST_PIECES - MOST_OF_CLAIM - MOST_OF_ABOUT - 4
    assert sum(laid_out.segments) >= min(len(evidence), room)
    claimed = laid_out.pieces[1 : 1 + laid_out.claim_pieces]
    assert list(claimed) == claim[:MOST_OF_CLAIM]


def _pieces(ids: list[int]) -> Pieces:
    return Pieces(ids, [(2 * at, 2 * at + 1) for at in range(len(ids))])
