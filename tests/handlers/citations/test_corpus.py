"""A source is analysed once; what a claim costs after that does not grow with it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.lexical import Corpora, shipped_lexical
from handlers.citations.corpus import Corpus, bm25, read_corpus
from handlers.citations.passages import cut
from handlers.citations.verification import verify
from handlers.model import Engine, Passage, SourceText, Verification
from handlers.text.analysis import StemIndex, TextAnalysis, analyse
from tests.builders import claim

_CLAIMS = tuple(
    claim(f"The bridge of {1800 + n} was {n} miles long and stood for {n} years")
    for n in range(5)
)


def source(sentences: int, key: str = "key") -> tuple[Passage, ...]:
    text = "\n".join(
        f"In {1800 + n % 150} the town of Larkfield {n} had {n} houses, a bridge {n % 90}"
        f" km long and {n % 7} brewers, who left in {1810 + n % 150}."
        for n in range(sentences)
    )
    return cut(SourceText(text), key)


class CountingAnalyser:
    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def __call__(self, text: str) -> TextAnalysis:
        self.seen[text] += 1
        return analyse(text)


def judged(corpus: Corpus, analyser: CountingAnalyser) -> list[Verification]:
    return [
        verify(
            "Larkfield",
            one,
            corpus,
            model=shipped_lexical().model,
            engine=Engine("lexical", "1"),
            analyse=analyser,
        )
        for one in _CLAIMS
    ]


def texts_read_for_claims(sentences: int) -> int:
    passages, analyser = source(sentences), CountingAnalyser()
    corpora = Corpora(analyser)
    judged(corpora.of(list(passages)), analyser)
    before = analyser.seen.total()
    judged(corpora.of(list(passages)), analyser)
    return analyser.seen.total() - before


def test_what_a_claim_costs_does_not_grow_with_the_source() -> None:
    small, large = texts_read_for_claims(60), texts_read_for_claims(600)

    assert large <= 1.5 * small


def test_the_passages_of_a_source_are_analysed_once_whoever_cites_it() -> None:
    first, second, analyser = source(300), source(200, "other"), CountingAnalyser()
    corpora = Corpora(analyser)

    for some in (first, [*first, *second], second, [*second, *first]):
        corpora.of(some)

    assert analyser.seen.total() == len(first) + len(second)


def test_the_sources_that_were_used_last_are_kept() -> None:
    analyser = CountingAnalyser()
    corpora = Corpora(analyser, most_passages=100)
    many = [source(60, str(number)) for number in range(9)]

    for some in many:
        corpora.of(some)
    before = analyser.seen.total()
    corpora.of(many[-1])
    assert analyser.seen.total() == before
    corpora.of(many[0])

    assert analyser.seen.total() > before


def test_another_text_of_the_same_source_is_another_corpus() -> None:
    corpora = Corpora(analyse)
    old, new = source(30), cut(SourceText("Nothing of the kind was built."), "key")

    assert corpora.of(old).passages == old
    assert corpora.of(new).passages == new
    assert corpora.of([*old[:3], *old[4:], old[0]]).passages[3] == old[4]


def test_the_verdict_is_the_same_for_the_first_claim_and_later_ones() -> None:
    analyser = CountingAnalyser()
    passages = [*source(150), *source(60, "other")]
    corpus = read_corpus(passages, analyser)

    together = judged(corpus, analyser)
    apart = [
        verify(
            "Larkfield",
            one,
            read_corpus(passages, analyse),
            model=shipped_lexical().model,
            engine=Engine("lexical", "1"),
            analyse=analyse,
        )
        for one in _CLAIMS
    ]

    assert together == apart


_WORDS = st.sampled_from(["a", "bridge", "town", "1874", "opened", "built"])


@given(
    st.lists(st.lists(_WORDS, min_size=1, max_size=12), min_size=1, max_size=8),
    st.lists(_WORDS, max_size=6),
)
def test_the_index_of_all_terms_gives_the_scores_of_one_made_for_the_query(
    texts: list[list[str]], query: list[str]
) -> None:
    passages = tuple(
        cut(SourceText(" ".join(text)), str(number))[0]
        for number, text in enumerate(texts)
    )
    corpus = read_corpus(passages, analyse)
    terms = [[word.stem for word in analyse(one.text).content] for one in passages]
    stems = [word.stem for word in analyse(" ".join(query)).content]

    first, second = corpus.scores(stems), corpus.scores(stems)

    assert first.tolist() == second.tolist() == bm25(stems, terms).tolist()


@pytest.mark.parametrize(
    "stem", ["town", "townhall", "1874", "12.6", "12:30", "germani"]
)
def test_what_occurs_anywhere_is_what_some_passage_has(stem: str) -> None:
    texts = ["The town hall", "12.58 m at half past 12:30", "Germany in 1874"]
    each = [analyse(text).index for text in texts]
    all_stems = StemIndex(frozenset().union(*(one.stems for one in each)))

    assert all_stems.support(stem) == max(one.support(stem) for one in each)
