"""What is the same and what differs between a claim and its sources."""

import pytest

from bot.models.lexical import shipped_lexical
from handlers.citations.comparison import gather, prepare
from handlers.citations.corpus import read_corpus
from handlers.citations.passages import cut
from handlers.model import SourceText
from handlers.text.analysis import analyse
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
    claimed = prepare(claim, "Bridge", shipped_lexical().model.rarity, analyse)

    stated = gather(claimed, "Bridge", read_corpus(passages, analyse), analyse)

    assert stated.word_count == len(analyse(first).words) + len(analyse(second).words)


def test_the_words_around_a_claim_are_added_up_in_the_same_order_in_every_run() -> None:
    title = "A long title of seven words, none of them twice, about bridges and towns"
    rarity = shipped_lexical().model.rarity

    hints = prepare(builders.claim("It was built"), title, rarity, analyse).hints

    assert list(hints) == [word.stem for word in analyse(title).content]
