"""Where an article and a quote give different values of the same thing."""

import pytest

from handlers.text.difference import difference

_HALF = "Dunmere Town 3–2 Carrow Athletic (half-time 0–2)"


@pytest.mark.parametrize(
    ("claim", "quote", "expected"),
    [
        ("72 people were hurt.", "22 people were hurt.", ("72", "22")),
        ("It opened in 1998.", "It opened in 1999.", ("1998", "1999")),
        (
            "It fell on May 28, 2020.",
            "03/28/2020: it fell.",
            ("May 28, 2020", "03/28/2020"),
        ),
        ("It fell before May 28, 2020.", "It fell on May 27, 2020.", None),
        ("It fell in May 2020.", "It fell on May 27, 2020.", None),
        ("Dunmere Town won the final 3–1.", _HALF, ("3–1", "3–2")),
        ("The match ended 6-4.", "It ended 6–5.", ("6-4", "6–5")),
        ("Dunmere Town won the final 3–2.", _HALF, None),
        ("The final ended 3–2, not 3–1.", _HALF, None),
        ("Dunmere won 4–1.", _HALF, None),
        ("The final ended 3–1.", "They won 3–2 and 3–0.", None),
        ("It ran in 2019–20.", "It ran in 2019–21.", None),
        ("It is here.", "It is there.", None),
    ],
)
def test_a_difference_is_named_where_no_other_is_near(
    claim: str, quote: str, expected: tuple[str, str] | None
) -> None:
    assert difference(claim, quote) == expected
