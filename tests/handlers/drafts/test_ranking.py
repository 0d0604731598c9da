import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.app.wiring.drafts import DEFAULT_RERANKER, RERANKERS, reranker_named
from handlers.drafts.chunks import (
    Reranker,
    Scores,
    at_random,
    by_bm25,
    by_encoder,
    by_tfidf,
    halves,
    merged,
    pieces,
)
from handlers.model import Chunk, Span
from handlers.ports import PermanentError
from tests.handlers.drafts.puppets import BagEncoder

QUERY = "2024 Valencia floods rescue"
TEXTS = (
    "The regional parliament met to vote on the budget. It was passed late at night.",
    "Floods struck Valencia in 2024. Rescue teams searched cars and cellars.",
    "A football club in Valencia signed a new goalkeeper for three years.",
    "",
)


def chunks(*texts: str) -> tuple[Chunk, ...]:
    return tuple(
        Chunk(number, 0, text, Span(0, len(text))) for number, text in enumerate(texts)
    )


def fixed(*scores: float) -> Scores:
    async def given(query: str, chunks: Sequence[Chunk]) -> list[float]:
        assert query, "a reranker is asked something"
        assert len(chunks) == len(scores)
        return list(scores)

    return given


def order(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda at: -scores[at])


@pytest.mark.parametrize("name", sorted(set(RERANKERS) - {"random"}))
async def test_the_chunk_that_answers_the_query_is_first(name: str) -> None:
    reranker = reranker_named(name, BagEncoder())
    scores = await reranker.scores(QUERY, chunks(*TEXTS))
    assert reranker.name == name
    assert len(scores) == len(TEXTS)
    assert scores[1] > max(scores[0], scores[2], scores[3])
    assert await reranker.scores(QUERY, ()) == []


async def test_rare_words_count_more_than_those_of_all_chunks() -> None:
    texts = ("Valencia rescue", "Valencia Valencia Valencia", "Valencia council")
    for each in (by_tfidf, by_bm25):
        scores = await each("Valencia rescue", chunks(*texts))
        assert order(scores)[0] == 0


async def test_words_are_compared_by_their_stems_and_stop_words_are_not() -> None:
    texts = ("He and the of in", "the teams were rescuing children")
    for each in (by_tfidf, by_bm25):
        scores = await each("The rescue of a child", chunks(*texts))
        assert scores[0] == 0 < scores[1]


async def test_the_whole_of_a_long_chunk_is_read() -> None:
    encoder = BagEncoder()
    words = [f"word{number}" for number in range(256)]
    [score] = await by_encoder(encoder, halves)("word255", chunks(" ".join(words)))
    assert score > 0
    assert " ".join(encoder.seen) == " ".join(words)


async def test_a_good_sentence_in_a_poor_chunk_is_found_by_gtr_alone() -> None:
    padding = " ".join(f"Nothing number {n} was said here." for n in range(12))
    texts = (f"{padding} Rescue of the Valencia floods.", "Valencia saw a rescue")
    query = "Rescue of the Valencia floods."
    encoder = BagEncoder()
    by_sentence = await by_encoder(encoder, pieces)(query, chunks(*texts))
    whole = await by_encoder(encoder, halves)(query, chunks(*texts))
    assert order(by_sentence) == [0, 1]
    assert order(whole) == [1, 0]


async def test_a_page_that_lost_its_full_stops_is_read_to_its_end() -> None:
    words = [f"word{number}" for number in range(256)]
    encoder = BagEncoder()
    [score] = await by_encoder(encoder, pieces)("word255", chunks(" ".join(words)))
    assert score > 0
    assert " ".join(encoder.seen) == " ".join(words)


async def test_ranks_are_joined_and_equal_scores_share_theirs() -> None:
    both = merged([fixed(0.9, 0.1, 0.1, 0.5), fixed(-3, 70, 5, 5)])
    scores = await both(QUERY, chunks("a", "b", "c", "d"))
    assert scores == pytest.approx(
        [1 / 61 + 1 / 64, 1 / 63 + 1 / 61, 1 / 63 + 1 / 62, 1 / 62 + 1 / 62]
    )


async def test_chance_is_the_same_for_the_same_query_alone() -> None:
    many = chunks(*"abcdefghij")
    first = await at_random(QUERY, many)
    assert first == await at_random(QUERY, many)
    assert order(first) != order(await at_random("other", many))


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(PermanentError, match=r"'colbert'.*tfidf, bm25, encoder"):
        reranker_named("colbert", BagEncoder())
    with pytest.raises(PermanentError, match="'gtr' is called 'encoder-sentences'"):
        reranker_named("GTR", BagEncoder())
    assert reranker_named(" BM25", BagEncoder()).name == "bm25"
    assert DEFAULT_RERANKER in RERANKERS


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=6), st.text(max_size=40))
def test_any_text_has_a_finite_score_in_every_reranker(
    texts: list[str], query: str
) -> None:
    encoder = BagEncoder()
    for name in RERANKERS:
        reranker = reranker_named(name, encoder)
        scores = asyncio.run(_scored(reranker, query, texts))
        assert len(scores) == len(texts)
        assert all(-1 <= score < float("inf") for score in scores)


async def _scored(reranker: Reranker, query: str, texts: list[str]) -> list[float]:
    return await reranker.scores(query, chunks(*texts))
