from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.neural.layout import (
    BETWEEN,
    FIRST,
    MOST_OF_ABOUT,
    MOST_OF_CLAIM,
    MOST_PIECES,
    lay_out,
)

_PIECES = st.lists(st.integers(min_value=1000, max_value=2000), max_size=600)


def test_the_three_parts_follow_each_other() -> None:
    laid_out = lay_out([7, 8], [9], [10, 11])
    assert laid_out.pieces == (FIRST, 7, 8, BETWEEN, 9, BETWEEN, 10, 11, BETWEEN)
    assert laid_out.segments == (0, 0, 0, 0, 0, 0, 1, 1, 1)
    assert laid_out.claim_pieces == 2


@given(_PIECES, _PIECES, _PIECES)
def test_a_long_claim_never_pushes_its_evidence_out(
    claim: list[int], about: list[int], evidence: list[int]
) -> None:
    laid_out = lay_out(claim, about, evidence)
    assert len(laid_out.pieces) == len(laid_out.segments) <= MOST_PIECES
    assert laid_out.pieces[-1] == BETWEEN
    room = MOST_PIECES - MOST_OF_CLAIM - MOST_OF_ABOUT - 4
    assert sum(laid_out.segments) >= min(len(evidence), room)
    claimed = laid_out.pieces[1 : 1 + laid_out.claim_pieces]
    assert list(claimed) == claim[:MOST_OF_CLAIM]
