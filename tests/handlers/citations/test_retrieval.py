import logging
import random

import bm25s
import numpy as np
import pytest

from handlers.citations.annotation import read
from handlers.citations.comparison import bm25, nearest, rank
from handlers.citations.passages import cut
from handlers.model import Passage, SourceText
from tests.builders import claim

_FILLER = "Nothing of interest was said about the weather that day. " * 12


def _passages(*texts: str) -> tuple[Passage, ...]:
    return cut(SourceText("\n".join(texts)), "key")


def test_the_passage_that_says_it_comes_first() -> None:
    passages = _passages(_FILLER, "The bridge opened in May 1937.", _FILLER)

    found = nearest("Bridge", claim("It opened in May 1937"), passages)

    assert "1937" in found[0].passage.text
    assert len(found) == len(passages)
    assert found[0].score > found[-1].score


def test_the_title_stands_in_for_a_pronoun() -> None:
    passages = _passages(
        "Smith sang it. " + _FILLER, _FILLER, "The Wanderers sang it. " + _FILLER
    )

    found = nearest("The Wanderers", claim("They sang it"), passages)

    assert "Wanderers" in found[0].passage.text


def test_a_claim_with_no_word_in_common_keeps_the_order_of_the_source() -> None:
    passages = _passages(_FILLER, _FILLER)
    analyses = [read(passage.text) for passage in passages]

    found = rank(read("Zebra"), read(""), passages, analyses)

    assert [one.passage for one in found] == list(passages)
    assert {one.score for one in found} == {0.0}


def test_passages_of_nothing_but_binding_words_can_be_ranked() -> None:
    passages = _passages("It was of the to and.")

    assert len(nearest("", claim("It was"), passages)) == 1


@pytest.mark.parametrize("seed", range(6))
def test_scores_are_those_of_the_library_to_the_last_bit(seed: int) -> None:
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    draw = random.Random(seed)
    words = [f"w{number}" for number in range(draw.choice([2, 20, 900]))]
    for _ in range(20):
        corpus = [
            draw.choices(words, k=draw.choice([0, 1, 7, 90]))
            for _ in range(draw.choice([1, 3, 40]))
        ]
        held = [
            word
            for word in draw.choices(words, k=9)
            if any(map({word}.issubset, corpus))
        ]
        if not held:
            continue
        library = bm25s.BM25()
        library.index(corpus, show_progress=False)

        ours = bm25([*held, "nowhere"], corpus)

        np.testing.assert_array_equal(ours, library.get_scores(held), strict=True)


def test_a_query_or_corpus_of_nothing_scores_nothing() -> None:
    assert bm25([], [["a"]]).tolist() == [0.0]
    assert bm25(["a"], [[], []]).tolist() == [0.0, 0.0]
