"""Articles by lines, and the sentences of them that are hidden."""

from bot.research.evaluation.updates.hidden import (
    Part,
    exam_of,
    is_copy,
    lines_of,
    wikitext_of,
)
from handlers.model import PageId
from handlers.page import parse
from tests.bot.research.evaluation.updates.harbour import (
    BUILT,
    KEPT,
    OPENING,
    PAID,
    SANK,
    TELLS_OF_FERRY,
    TELLS_OF_TOWER,
    event,
    page_of,
)


def accepts(_address: str) -> bool:
    return True


def test_headings_of_two_levels_are_distinguished_from_prose_and_lists() -> None:
    text = "A port is here.\n\nThe Tower\n Bricks\nStone walls\n\nSize \nIt is 9 m.\n"

    lines = lines_of(event(text=text))

    assert [(line.part, line.text, line.section) for line in lines] == [
        (Part.PROSE, "A port is here.", ()),
        (Part.HEADING, "The Tower", ("The Tower",)),
        (Part.ITEM, "Bricks", ("The Tower",)),
        (Part.PROSE, "Stone walls", ("The Tower",)),
        (Part.SUBHEADING, "Size", ("The Tower", "Size")),
        (Part.PROSE, "It is 9 m.", ("The Tower", "Size")),
    ]


def test_what_would_be_markup_is_none_in_the_wikitext() -> None:
    text = "Harbour 1 has {{x}} and [[y]].\n\nThe Tower\n== ''z'' | <ref> it is.\n"

    wikitext = wikitext_of("Harbour 1", lines_of(event(text=text)))

    page = parse(wikitext, PageId("en.wikipedia.org", "Harbour 1"))
    assert wikitext.startswith("'''Harbour 1''' has ((x)) and ((y)).")
    assert [section.path for section in page.sections] == [(), ("The Tower",)]
    assert not page.tags


def test_sentences_with_a_source_are_hidden_first_and_leave_the_article() -> None:
    exam = exam_of(event(1, page_of(TELLS_OF_TOWER), page_of(TELLS_OF_FERRY)), accepts)

    assert exam is not None
    assert [(one.sentence, one.section, one.has_source) for one in exam.hidden] == [
        (BUILT, ("The Tower",), True),
        (SANK, ("Shipping", "The Odin"), True),
    ]
    assert exam.sentences == 4
    assert BUILT not in exam.wikitext
    assert SANK not in exam.wikitext
    for kept in (KEPT, PAID, "'''Harbour 1''' is a harbour in Denmark."):
        assert kept in exam.wikitext
    page = parse(exam.wikitext, PageId("en.wikipedia.org", "Harbour 1"))
    paths = {section.path for section in page.sections}
    assert {one.section for one in exam.hidden} <= paths


def test_a_page_that_is_not_accepted_or_a_copy_is_no_source() -> None:
    sources = (page_of(TELLS_OF_TOWER), page_of(SANK))
    refused = exam_of(event(1, *sources), lambda address: address.endswith("-1"))

    assert refused is not None
    assert not any(one.has_source for one in refused.hidden)


def test_what_the_article_says_elsewhere_is_passed_over() -> None:
    again = f"{BUILT} {KEPT}"
    text = f"{OPENING}\n\n{BUILT}\n\nThe Tower\n{again}\n\nShipping\n{SANK} {PAID}"
    source = page_of(TELLS_OF_TOWER)

    exam = exam_of(event(1, source, text=text), accepts)

    assert exam is not None
    assert BUILT not in {one.sentence for one in exam.hidden}
    assert exam.passed_over == 2


def test_plots_references_and_gaps_are_never_hidden() -> None:
    gap = "The tower of Ada Penrose was  high and cost  in the year 1874 ."
    text = f"{OPENING}\n\nThe Tower\n\nPlot \n{BUILT} {SANK}\n\nShipping\n{gap}\n\nReferences\n{PAID} {KEPT}"

    assert exam_of(event(text=text), accepts) is None


def test_a_quote_makes_no_copy() -> None:
    speech = "we shall build a tower that all the ships of Denmark can see"

    assert is_copy(f"She said it: {BUILT}", [BUILT])
    assert not is_copy(f"“{speech}”, Penrose said.", [f"Penrose said: “{speech}”."])
