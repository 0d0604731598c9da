import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.network_input import Segment, Tag, tags

STATED, MISSING = Segment.VALUE_STATED, Segment.VALUE_MISSING
CLAIMED, OTHER = Segment.VALUE_CLAIMED, Segment.VALUE_OTHER
RIVAL = Segment.VALUE_RIVAL
_VALUES = {STATED, MISSING, CLAIMED, OTHER, RIVAL}


@pytest.mark.parametrize(
    ("claim", "evidence", "of_claim", "of_evidence"),
    [
        ("12,600 voters", "12.6 thousand voters", {"12,600": STATED}, {"12.6 thousand": CLAIMED}),
        ("22 people", "27 people", {"22": MISSING}, {"27": RIVAL}),
        ("22 people", "on 27 August", {"22": MISSING}, {"27 August": OTHER}),
        ("won 6-5", "lost 5–6", {"6-5": STATED}, {"5–6": CLAIMED}),
        ("won 6–5", "won 6–4", {"6–5": MISSING}, {"6–4": RIVAL}),
        ("in May 2011", "on 12 May 2011", {"May 2011": STATED}, {"12 May 2011": CLAIMED}),
        ("in 1998", "in 1999", {"1998": MISSING}, {"1999": RIVAL}),
        ("at 5:30 pm", "at 17:30", {"5:30 pm": STATED}, {"17:30": CLAIMED}),
        ("seven ships", "7 ships", {"seven": STATED}, {"7": CLAIMED}),
    ],
)  # fmt: skip
def test_values_are_compared_by_what_they_are_worth(
    claim: str,
    evidence: str,
    of_claim: dict[str, Segment],
    of_evidence: dict[str, Segment],
) -> None:
    mine, theirs = tags(claim, evidence)
    assert _values(claim, mine) == of_claim
    assert _values(evidence, theirs) == of_evidence


def test_words_that_the_evidence_lacks_are_marked() -> None:
    claim = "The bridge collapsed in flames"
    mine, _ = tags(claim, "The bridges were opened.")
    assert [claim[one.start : one.end] for one in mine] == ["collapsed", "flames"]


@given(st.text(max_size=80), st.text(max_size=80))
def test_tags_lie_within_their_text(claim: str, evidence: str) -> None:
    for text, found in zip((claim, evidence), tags(claim, evidence), strict=True):
        assert all(0 <= one.start < one.end <= len(text) for one in found)


def _values(text: str, found: tuple[Tag, ...]) -> dict[str, Segment]:
    return {
        text[one.start : one.end]: one.segment
        for one in found
        if one.segment in _VALUES
    }
