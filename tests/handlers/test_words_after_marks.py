"""A marker that stands before its words covers what comes after it."""

import pytest

from handlers.model import ClaimKind, PageId
from handlers.page import parse
from tests.handlers.test_claims import A, B, claims_of, texts


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param(
            f"Holm wrote of the hall:{A}\n{{{{blockquote|It seats 900 people.}}}}\nEnd.",
            ["Holm wrote of the hall: It seats 900 people."],
            id="quotation template",
        ),
        pytest.param(
            f"Holm wrote:{A}\n<blockquote>It is old. It is big.</blockquote>\nEnd.",
            ["Holm wrote: It is old. It is big."],
            id="quotation set off",
        ),
        pytest.param(
            f"Holm wrote of the hall:{A}\n\n{{{{quote|text=It is old.}}}}\n\nEnd.",
            ["Holm wrote of the hall: It is old."],
            id="quotation after a blank line",
        ),
        pytest.param(
            f"Holm wrote of the hall:{A}\n: ''It is old.''\n\nEnd.",
            ["Holm wrote of the hall: It is old."],
            id="indented quotation",
        ),
        pytest.param(
            f"As Holm wrote,{A}\n<blockquote>It is very old.</blockquote>",
            ["As Holm wrote, It is very old."],
            id="quotation after a comma",
        ),
        pytest.param(
            f'Holm said of it:{A} "It is old. It is big." End.',
            ['Holm said of it: "It is old. It is big."'],
            id="quotation in the line",
        ),
        pytest.param(
            f'Holm said of it{A}: "It is old. It is big." End.',
            ['Holm said of it: "It is old. It is big."'],
            id="colon after the marker",
        ),
        pytest.param(
            f'Holm said of it:{A} "It is old."{B} End.',
            ["Holm said of it", 'Holm said of it: "It is old."'],
            id="quotation with a marker of its own",
        ),
        pytest.param(
            f"The hall has three bars:{A}\n* North Bar\n* South Bar{B}\n* West Bar\nEnd.",
            ["The hall has three bars:", "North Bar", "South Bar", "West Bar"],
            id="list",
        ),
        pytest.param(
            f"* The hall has three bars:{A}\n** North Bar\n* Other",
            ["The hall has three bars:", "North Bar"],
            id="list below an item",
        ),
        pytest.param(f"Members:{A}\n* Ann Bo", ["Ann Bo"], id="label and list"),
        pytest.param(
            f"The hall has three bars:{A}\n{{|\n|-\n|x\n|}}\n* Other",
            ["The hall has three bars:"],
            id="table between",
        ),
        pytest.param(
            f"According to the survey of 2019,{A} the hall has 862 seats.",
            ["According to the survey of 2019, the hall has 862 seats."],
            id="opening phrase",
        ),
        pytest.param(
            f"In the words of Holm{A}, the hall is small.",
            ["In the words of Holm, the hall is small."],
            id="opening phrase with a late comma",
        ),
        pytest.param(
            f"Covering a total of 11 ha,{A} it is the third largest.",
            ["Covering a total of 11 ha, it is the third largest."],
            id="participle",
        ),
        pytest.param(
            f"According to the survey{A} the hall has 862 seats.",
            ["According to the survey the hall has 862 seats."],
            id="opening phrase without a comma",
        ),
        pytest.param(
            f"The critic Anna Holm{A} wrote that it was small.",
            ["The critic Anna Holm wrote that it was small."],
            id="who says it",
        ),
        pytest.param(
            f"; Bars of the hall:{A}\n: North Bar\n: South Bar\n\nEnd.",
            ["North Bar", "South Bar"],
            id="terms",
        ),
        pytest.param(
            f"The hall has three bars:{A}\n: a) North Bar\n: b) South Bar\n\nEnd.",
            ["The hall has three bars:", "a) North Bar", "b) South Bar"],
            id="indented list",
        ),
        pytest.param(
            f"The South Hall of Velde{A} was opened in 1990.",
            ["The South Hall of Velde was opened in 1990."],
            id="subject",
        ),
        pytest.param(
            f"According to Holm, it opened in 1998,{A} but others differ.",
            ["According to Holm, it opened in 1998"],
            id="no opening, as another clause follows",
        ),
        pytest.param(
            f"In 1998, Smith founded the hall,{A} the first of its kind.",
            ["In 1998, Smith founded the hall"],
            id="no opening, as it is a clause",
        ),
        pytest.param(
            f"The hall of Velde (from Latin aula{A}) was old.",
            ["The hall of Velde (from Latin aula"],
            id="no opening, as it is in brackets",
        ),
        pytest.param(
            f"It was old in 1998,{A} the year it closed.",
            ["It was old in 1998"],
            id="no opening, as an apposition follows",
        ),
        pytest.param(
            f"In the 1990s,{A} and later, it was old.",
            ["In the 1990s"],
            id="no opening, as no clause follows",
        ),
    ],
)
def test_a_marker_before_its_words_covers_them(
    wikitext: str, expected: list[str]
) -> None:
    assert texts(wikitext) == expected


def test_a_long_list_after_a_marker_is_not_covered_whole() -> None:
    items = "".join(f"* Item number {number}\n" for number in range(100))

    assert 10 <= len(texts(f"The hall has many bars:{A}\n{items}")) <= 30


def test_items_of_a_list_are_cited_like_the_words_before_it() -> None:
    wikitext = f"The hall has three bars:{A}\n* The [[North Bar]] of 1990\n"

    opening, item = claims_of(wikitext)

    assert item.kind is ClaimKind.LIST_ITEM
    assert item.citations == opening.citations
    assert item.context == "The hall has three bars:"
    assert item.span.of(wikitext) == "The [[North Bar]] of 1990"


def test_a_list_after_a_label_accounts_for_its_reference() -> None:
    page = parse(f"Members:{A}\n* Ann Bo", PageId("en.wikipedia.org", "Example"))

    assert page.unattached == ()
