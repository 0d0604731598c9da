"""Two texts are compared by their words, numbers and units."""

import pytest

from handlers.page.prose import normalised


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("The “Bridge”, OPENED.", "the bridge opened", id="case"),
        pytest.param("It was -5 degrees", "it was -5 degrees", id="a sign"),
        pytest.param("1998-2003", "1998 2003", id="a range"),
        pytest.param("1,000.5 m (60%)", "1,000.5 m 60 %", id="units"),
    ],
)
def test_case_and_punctuation_do_not_count_numbers_and_units_do(
    text: str, words: str
) -> None:
    assert normalised(text) == words
