"""Joined claims read as people write, and tell which part the page lacks."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bot.training.verifier.joining import Part, join_parts

_PARTS = (
    Part("Bell met Stone.", supported=True),
    Part("The war ended in 1990.", supported=True),
    Part("She moved to York.", supported=False),
)


@given(st.integers(0, 10_000), st.permutations(_PARTS), st.integers(2, 3))
def test_the_marked_words_are_those_of_the_part_that_is_lacking(
    seed: int, parts: list[Part], count: int
) -> None:
    text, (whole, *lacking) = join_parts(parts[:count], Random(seed))

    assert (whole.start, whole.end, whole.supported) == (0, len(text), True)
    marked = [text[mark.start : mark.end].lower() for mark in lacking]
    wanted = [one.text.lower() for one in parts[:count] if not one.supported]
    assert marked == [words.rstrip(".") for words in wanted]
    assert not any(mark.supported for mark in lacking)


def test_a_part_stands_first_as_often_as_last() -> None:
    texts = [join_parts(_PARTS, Random(seed))[0] for seed in range(200)]

    first = sum(text.startswith("She moved to York") for text in texts)
    assert 40 < first < 95


def test_only_plain_words_lose_their_capital() -> None:
    texts = {
        join_parts(
            [
                Part(one, supported=True)
                for one in ("Bell met Stone.", "The war ended.")
            ],
            Random(seed),
        )[0]
        for seed in range(60)
    }

    assert "Bell met Stone, and the war ended." in texts
    assert "The war ended, and Bell met Stone." in texts
    assert "Bell met Stone. The war ended." in texts
    assert not any("bell" in text for text in texts)
