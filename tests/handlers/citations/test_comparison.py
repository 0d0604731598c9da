"""What the sources of a claim state is gathered from all of their passages."""

import pytest

from bot.models.lexical import shipped_lexical
from handlers.citations.annotation import read
from handlers.citations.comparison import gather, prepare
from handlers.citations.passages import cut
from handlers.model import SourceText
from tests import builders


@pytest.mark.parametrize("sentences", [1, 7, 90])
def test_the_words_of_overlapping_passages_count_once(sentences: int) -> None:
    first = " ".join(
        f"In {1800 + n} a bridge, no {n}, was built." for n in range(sentences)
    )
    second = "It was pulled down again."
    passages = [
        *cut(SourceText(first), "first", words_per_passage=25),
        *cut(SourceText(second), "second", words_per_passage=25),
    ]
    claim = builders.claim("The bridge was built in 1874")
    claimed = prepare(claim, "Bridge", shipped_lexical().model.rarity, read)

    stated = gather(claimed, "Bridge", passages, read)

    assert stated.word_count == len(read(first).words) + len(read(second).words)
