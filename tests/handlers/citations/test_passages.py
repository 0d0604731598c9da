import asyncio
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.passages import WORDS_PER_PASSAGE, cut, cut_beside
from handlers.model import SourceText

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
        assert passage.text == passage.span.of(text)
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
