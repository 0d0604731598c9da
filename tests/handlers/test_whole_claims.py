"""A footnote is for all that its paragraph says since the footnote before it."""

import pytest

from handlers.model import ClaimKind, PageId, TagKind
from handlers.page import parse
from handlers.page.article import article_of, stated
from tests.handlers.test_claims import A, B, claims_of

FIRST = "The hall was built in 1904."
SECOND = "It has nine hundred seats."
THIRD = "It was closed in 1990."


def before(wikitext: str) -> list[tuple[int, str]]:
    return [(one.sentences_before, one.text) for one in claims_of(wikitext)]


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param(
            f"{FIRST} {SECOND} {THIRD}{A}",
            [(2, FIRST), (1, SECOND), (0, THIRD)],
            id="all of a paragraph",
        ),
        pytest.param(
            f"{FIRST}{B} {SECOND} {THIRD}{A} The end of it all.",
            [(0, FIRST), (1, SECOND), (0, THIRD)],
            id="since the footnote before",
        ),
        pytest.param(
            f"{FIRST}\n\n{SECOND}{A}", [(0, SECOND)], id="not the paragraph before"
        ),
        pytest.param(
            f"* {FIRST}\n* {SECOND}{A}", [(0, SECOND)], id="not the item before"
        ),
        pytest.param(
            f"{FIRST}{{{{citation needed}}}} {SECOND}{A}",
            [(0, FIRST), (0, SECOND)],
            id="not what is tagged as uncited",
        ),
        pytest.param(
            f"{FIRST} {SECOND}{{{{citation needed}}}}",
            [(0, SECOND)],
            id="a tag is for its own sentence",
        ),
        pytest.param(
            f"ISBN 0-19. At last. The halls of Velde:<br>{SECOND}{A}",
            [(0, SECOND)],
            id="no fragments",
        ),
        pytest.param(
            f"{FIRST} It opened in May 1905,{A} and was closed in 1990.{B}",
            [(1, FIRST), (0, "It opened in May 1905"), (0, "and was closed in 1990.")],
            id="before the first clause",
        ),
    ],
)
def test_sentences_before_the_one_with_the_footnote(
    wikitext: str, expected: list[tuple[int, str]]
) -> None:
    assert before(wikitext) == expected


def test_a_long_paragraph_is_not_covered_to_its_start() -> None:
    sentences = [f"Hall number {number} was built there." for number in range(20)]

    found = before(" ".join(sentences) + A)

    assert 2 <= len(found) < 8
    assert found[-1] == (0, sentences[-1])


def test_an_earlier_sentence_is_a_claim_of_its_own() -> None:
    wikitext = f"{FIRST} The '''[[hall]]''' has 900 seats. {THIRD}{A}{{{{dubious}}}}"

    _, earlier, last = claims_of(wikitext)

    assert earlier.span.of(wikitext) == "The '''[[hall]]''' has 900 seats."
    assert earlier.kind is ClaimKind.SENTENCE
    assert earlier.citations == last.citations
    assert earlier.context == FIRST
    assert earlier.tags == ()
    assert [tag.kind for tag in last.tags] == [TagKind.DUBIOUS]


def test_a_footnote_for_several_sentences_is_shown_and_counted_once() -> None:
    page = parse(f"{FIRST} {SECOND}{A}", PageId("en.wikipedia.org", "Example"))

    [part] = article_of(page).parts
    [(_, [line])] = part.runs

    assert [one.notes for one in line.stretches] == [(1,)]
    assert len(page.citations) == 1
    assert [one.is_cited for one in stated(page)] == [False, True]


def test_what_an_earlier_sentence_lacks_is_its_own() -> None:
    wikitext = f"It has {{{{seats of the hall}}}} seats in all. {SECOND}{A}"

    earlier, last = claims_of(wikitext)

    assert [one.what for one in earlier.missing] == ["{{seats of the hall}}"]
    assert last.missing == ()


def test_what_an_item_of_a_list_lacks_is_its_own() -> None:
    wikitext = (
        f"The hall has bars of old:{A}\n* North, {{{{seats of it}}}} seats\n* South"
    )

    opening, north, south = claims_of(wikitext)

    assert [one.what for one in north.missing] == ["{{seats of it}}"]
    assert opening.missing == south.missing == ()
