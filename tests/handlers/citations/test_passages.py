"""How passages are cut, and which are found and ranked for a claim."""

import asyncio
import logging
import random
from dataclasses import replace
from itertools import pairwise
from textwrap import wrap

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.comparison import nearest, rank
from handlers.citations.corpus import bm25, read_corpus
from handlers.citations.passages import (
    LONGEST_SENTENCE,
    WORDS_PER_PASSAGE,
    cut,
    cut_beside,
    windows,
)
from handlers.citations.ranking import in_order, ranked, unranked
from handlers.model import Passage, SourceOutcome, SourceText, Verdict
from handlers.sources.addresses import depth_of, url_depth
from handlers.text.analysis import analyse
from tests.builders import (
    citation,
    claim,
    claim_check,
    fetch,
    page,
    source,
    unchecked,
    unread,
)

_TEXTS = st.lists(
    st.sampled_from(
        ["A cat sat.", "word", "\n", "It ended in 1999!", "long " * 130, " "]
    )
).map(" ".join)


@given(_TEXTS)
def test_passages_are_slices_that_cover_every_word(text: str) -> None:
    found = cut(SourceText(text), "key")

    held = set()
    for passage in found:
        held_there = passage.span.of(text)
        assert passage.text.replace("\n", " ") == held_there.replace("\n", " ")
        assert 0 < len(passage.text.split()) <= WORDS_PER_PASSAGE
        held.update(range(passage.span.start, passage.span.end))
    assert all(at in held or text[at].isspace() for at in range(len(text)))


def test_neighbouring_passages_overlap_by_about_half() -> None:
    text = " ".join(f"Sentence number {n} has these eight words." for n in range(100))

    found = cut(SourceText(text), "key")

    shared = [before.span.end - after.span.start for before, after in pairwise(found)]
    assert all(share > 0 for share in shared)
    assert len(found) < 20


def test_passages_know_their_page() -> None:
    first, second = "On page one.\n", "On page two.\n" + "More of page two. " * 60
    document = SourceText(first + second, page_starts=(0, len(first)))

    pages = [passage.page for passage in cut(document, "key")]

    assert pages[0] == 1
    assert pages[-1] == 2


def test_a_text_without_words_has_no_passages() -> None:
    assert cut(SourceText(" \n\n "), "key") == ()


def test_a_source_without_pages_has_no_page_numbers() -> None:
    [passage] = cut(SourceText("One sentence."), "key")

    assert passage.page is None


def test_what_has_no_words_is_cut_by_its_length() -> None:
    text = "Before it. " + "$1" * 50_000 + " " + "1%" * 50_000 + " After it."

    passages = cut(SourceText(text), "key")

    assert max(len(passage.text) for passage in passages) <= 10_000
    spans = [passage.span for passage in passages]
    assert all(one.end >= other.start - 1 for one, other in pairwise(spans))
    assert (spans[0].start, spans[-1].end) == (0, len(text))


async def test_the_event_loop_goes_on_while_a_long_text_is_cut() -> None:
    document = SourceText("a\n" * 60_000)
    cutting = asyncio.create_task(cut_beside(document, "key"))
    turns = 0
    while not cutting.done():
        await asyncio.sleep(0)
        turns += 1

    assert turns > 3
    assert await cutting == cut(document, "key")


_TABLE = " ".join(
    f"Town{n} EF-{n % 4} {100 + n} mph {n} Injuries {n}.5 miles" for n in range(30)
)


def test_a_sentence_of_common_length_is_left_whole() -> None:
    text = "It moved north. " + "It lifted " + "and lifted again " * 10 + "at last."

    assert [span.of(text) for span in windows(text)] == [text[:15], text[16:]]


def test_a_table_without_full_stops_is_read_in_overlapping_windows() -> None:
    found = [span.of(_TABLE) for span in windows(_TABLE)]

    assert all(len(one.split()) <= 30 for one in found)
    for n in range(30):
        row = f"Town{n} EF-{n % 4} {100 + n} mph {n} Injuries {n}.5 miles"
        assert any(row in one for one in found)


@given(st.lists(st.sampled_from(["ab", "c.", "D", "\n", "|"]), max_size=200))
def test_windows_cover_all_words_and_break_none(words: list[str]) -> None:
    text = " ".join(words)

    spans = list(windows(text))

    covered = {at for span in spans for at in range(span.start, span.end)}
    assert all(at in covered for at, sign in enumerate(text) if not sign.isspace())
    for span in spans:
        assert len(span.of(text).split()) <= LONGEST_SENTENCE
        assert (
            not text[max(0, span.start - 1) : span.start].strip()
            or span.start == 0
            or text[span.start - 1] in ".\n"
        )


_FILLER = "Nothing of interest was said about the weather that day. " * 12


def _passages(*texts: str) -> tuple[Passage, ...]:
    return cut(SourceText("\n".join(texts)), "key")


_PROSE = (
    "The hall was opened by the U.S. Consul in 1990 and has nine hundred seats, of which"
    " the county keeps forty for its guests. Anna Holm designed it for the company Velde"
    " Halls Inc. The county paid for all of it, and for the new tram stop before it, out"
    " of the money that the old ropeworks had brought. Trams stop there every ten minutes."
)


@pytest.mark.parametrize("width", [45, 60, 80, 120])
def test_line_breaks_at_a_margin_change_no_passage(width: int) -> None:
    on_one_line = " ".join([_PROSE] * 3)
    wrapped = "\n".join(wrap(on_one_line, width))
    assert cut(SourceText(wrapped), "source") == cut(SourceText(on_one_line), "source")


def test_sentences_on_lines_of_their_own_are_those_of_one_line() -> None:
    lines = _PROSE.replace(". ", ".\n")
    assert cut(SourceText(lines), "source") == cut(SourceText(_PROSE), "source")


@pytest.mark.parametrize(
    "text",
    [
        "The hall\nIt was opened in 1990.",
        "Mayor opens new hall after four years of work\nIt was opened in 1990.",
        "Trams\nBuses\nShips\nTrains\nCars",
        "Council votes on the new tram line this week\nNorth beats South by two goals"
        "\nWeather: rain in the west, and sun in the east after noon, says the office"
        "\nOpinion: why the hall should stay open on Sundays\nThe ferry, again",
        "Year | Hall | Seats of the hall and of the rooms in it\nof 1990 | North | 900.",
    ],
)
def test_headings_lists_and_rows_keep_their_lines(text: str) -> None:
    assert [one.text for one in cut(SourceText(text), "source")] == [text]


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

    found = rank(analyse("Zebra"), analyse(""), read_corpus(passages, analyse))

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


PAGE = page().id


@pytest.mark.parametrize(
    ("address", "depth"),
    [
        ("https://example.org", 0),
        ("https://example.org/", 0),
        ("https://example.org/news", 1),
        ("https://example.org/news/2020/05/story.html", 4),
        ("https://example.org//news//", 1),
        ("https://example.org/a?b=/c/d#/e", 1),
        ("https://web.archive.org/web/20200101000000/https://example.org/a/b", 2),
        ("https://example.org/redirect/http://other.org/a", 4),
        ("ftp://example.org/a", None),
        ("mailto:someone@example.org", None),
        ("https://[bad/a", None),
        ("", None),
    ],
)
def test_the_depth_of_an_address_is_the_number_of_elements_in_its_path(
    address: str, depth: int | None
) -> None:
    assert url_depth(address) == depth


@given(st.text())
def test_no_text_breaks_the_depth(address: str) -> None:
    assert url_depth(address) is None or "/" in address


def test_of_several_sources_the_most_specific_counts() -> None:
    front = source(url="https://example.org/", archive_url=None)
    story = source(url="https://example.com/a/b/c", archive_url=None)

    assert depth_of(claim(citations=(citation(front, story),))) == 3
    assert depth_of(claim(citations=())) is None


def test_a_claim_is_ranked_by_how_likely_it_is_not_fully_supported() -> None:
    rows = [
        ranked(claim_check(verdict, claim(verdict.value)), PAGE, None)
        for verdict in Verdict
    ]

    ordered = in_order(row for row in rows if row)

    assert [row.verdict for row in ordered] == [
        Verdict.CONTRADICTED,
        Verdict.NOT_SUPPORTED,
        Verdict.PARTIALLY_SUPPORTED,
        Verdict.SUPPORTED,
    ]
    assert [row.fails for row in ordered] == pytest.approx([0.98, 0.92, 0.79, 0.09])


def test_equal_claims_stand_in_the_order_of_the_page() -> None:
    row = ranked(claim_check(), PAGE, None)
    late = replace(row, place=replace(row.place, start=row.place.start + 1))

    assert in_order([late, row]) == [row, late]


def test_what_could_not_be_checked_is_never_ranked() -> None:
    gone = unchecked(SourceOutcome.GONE)

    assert ranked(gone, PAGE, None) is None
    apart = unranked(gone, PAGE, None)
    assert apart.outcome is SourceOutcome.GONE
    assert apart.address == gone.claim.sources[0].url


def test_a_withheld_verdict_is_not_ranked_though_there_are_probabilities() -> None:
    half = replace(
        claim_check(Verdict.NOT_SUPPORTED),
        verdict=None,
        fetches=(fetch(), unread(SourceOutcome.LOGIN_WALL)),
    )

    assert ranked(half, PAGE, None) is None
    apart = unranked(half, PAGE, None)
    assert apart.outcome is SourceOutcome.LOGIN_WALL


def test_a_claim_without_a_citation_stands_nowhere() -> None:
    bare = claim_check(None, claim(citations=()), fetches=())

    assert ranked(bare, PAGE, None) is None
    assert unranked(bare, PAGE, None) is None
