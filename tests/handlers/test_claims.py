"""Each citation vouches for the words an editor would say it does."""

from collections.abc import Sequence

import pytest

from handlers.model import (
    Claim,
    ClaimKind,
    MissingKind,
    Page,
    PageId,
    TagKind,
    UnattachedReason,
)
from handlers.page import parse

A = "<ref>http://a.org/1 A</ref>"
B = "<ref>http://b.org/2 B</ref>"


def page_of(wikitext: str) -> Page:
    return parse(wikitext, PageId("en.wikipedia.org", "Example"))


def claims_of(wikitext: str) -> Sequence[Claim]:
    return page_of(wikitext).claims


def texts(wikitext: str) -> list[str]:
    return [claim.text for claim in claims_of(wikitext)]


def only(wikitext: str) -> Claim:
    """The one claim whose citation is right behind it."""
    [claim] = [one for one in claims_of(wikitext) if not one.sentences_before]
    return claim


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param(f"It is old. It is big.{A} End.", ["It is big."], id="sentence"),
        pytest.param(f"It is big{A}. End.", ["It is big."], id="before the full stop"),
        pytest.param(f"It is big. {A} End.", ["It is big."], id="after a space"),
        pytest.param(f'He said "It is."{A} End.', ['He said "It is."'], id="quote"),
        pytest.param(
            f"It opened in 1998,{A} and it closed in 2004.{B}",
            ["It opened in 1998", "and it closed in 2004."],
            id="clauses",
        ),
        pytest.param(
            f"It opened in 1998{A} and is closed now.",
            ["It opened in 1998"],
            id="words after the last marker",
        ),
        pytest.param(f"It is big.{A}{B}", ["It is big."], id="adjacent markers"),
        pytest.param(
            f"It is big.{A}{{{{rp|5}}}} {B}", ["It is big."], id="pages between"
        ),
        pytest.param(
            f"They made hats{A} and shoes.{B}",
            ["They made hats", "They made hats and shoes."],
            id="short end joined to its beginning",
        ),
        pytest.param(
            f"Smith{A} was born there in 1950.",
            ["Smith was born there in 1950."],
            id="short beginning read with the rest",
        ),
        pytest.param(f"One is.\n\nTwo is big.{A}", ["Two is big."], id="paragraphs"),
        pytest.param(f"Big [[a|b]] ''c'' is.{A}", ["Big b c is."], id="markup"),
        pytest.param(
            f"In {{{{circa|1998}}}} he ran {{{{convert|5|km|mi}}}}.{A}",
            ["In c. 1998 he ran 5 km."],
            id="templates",
        ),
        pytest.param(
            f"{{{{quote|To be or not to be.|Hamlet{A}}}}} He left.",
            ["To be or not to be."],
            id="author of a quotation",
        ),
        pytest.param(
            f"<blockquote>\nTo be or not.\n</blockquote>{A}",
            ["To be or not."],
            id="behind a block quotation",
        ),
    ],
)
def test_a_marker_covers_the_words_before_it(
    wikitext: str, expected: list[str]
) -> None:
    assert texts(wikitext) == expected


def test_a_clause_knows_its_sentence_and_what_precedes_it() -> None:
    wikitext = f"== H ==\nIt was built. It opened in 1998,{A} and closed in 2004.{B}"

    first, second = claims_of(wikitext)

    assert first.kind is second.kind is ClaimKind.CLAUSE
    assert second.sentence == "It opened in 1998, and closed in 2004."
    assert first.context == "It was built."
    assert second.context == "It was built. It opened in 1998,"
    assert second.section == ("H",)


def test_adjacent_markers_are_one_claim_with_several_citations() -> None:
    claim = only(f"It is big.{A}{B}")

    assert [source.url for source in claim.sources] == [
        "http://a.org/1",
        "http://b.org/2",
    ]


def test_the_span_covers_the_markup_of_the_claim() -> None:
    wikitext = f"Old. '''[[Rome|It]]''' is [[big|so big]].{A}"

    claim = only(wikitext)

    assert claim.span.of(wikitext) == "'''[[Rome|It]]''' is [[big|so big]]."


def test_the_context_is_cut_at_a_word_and_stays_in_its_section() -> None:
    long = "word " * 400
    wikitext = f"Lead here.\n== H ==\nAbove it.\n\n{long}end. It is big.{A}"

    context = only(wikitext).context

    assert len(context) <= 600
    assert context.startswith("word ")
    assert context.endswith("end.")
    assert only(f"Lead.\n== H ==\nAbove.\n\nIt is.{A}").context == "Above."


@pytest.mark.parametrize("blank", [" ", "  ", "\n"])
@pytest.mark.parametrize("place", ["It is big.{}", "{{{{note|It is big.{}}}}}"])
def test_wherever_the_context_is_cut_its_first_word_is_whole(
    blank: str, place: str
) -> None:
    for length in range(7):
        words = blank.join(["absolute"] * 100)
        wikitext = f"{words} {'x' * length} end. {place.format(A)}"
        context = only(wikitext).context
        assert context.startswith("absolute "), length
        assert 500 <= len(context) <= 600


def test_a_list_item_is_covered_whole() -> None:
    claim = only(f"Intro:\n* Milk. It is white.\n* Bread. It is brown.{A}\n* Eggs")

    assert claim.text == "Bread. It is brown."
    assert claim.kind is ClaimKind.LIST_ITEM
    assert claim.context == "Intro: Milk. It is white."


TABLE = f"""Before it.
{{| class="wikitable"
|+ The towns were counted in 2020.{B}
! Town !! scope="col" | Size
! Ref
|-
! scope="row" rowspan="2" | [[Rome]]
| 1,200{A} || {B}
|-
| style="x" | 1,300 {A} || none
|}}
"""


def test_a_cell_is_a_claim_with_its_row_and_column() -> None:
    in_order = sorted(claims_of(TABLE), key=lambda each: each.citations[0].marker.start)

    caption, first, alone, below = in_order
    assert caption.text == "The towns were counted in 2020."
    assert caption.kind is ClaimKind.CAPTION
    assert (first.text, first.row, first.column) == ("1,200", "Rome", "Size")
    assert first.line == "Town: Rome; Size: 1,200"
    assert (below.text, below.row, below.column) == ("1,300", "Rome", "Size")
    assert first.kind is below.kind is alone.kind is ClaimKind.TABLE_CELL
    assert below.context == "Before it."
    assert (alone.text, alone.column) == ("Town: Rome; Size: 1,200", "Ref")


def _rows(wikitext: str) -> list[tuple[str, str | None]]:
    return [(claim.text, claim.row) for claim in claims_of(wikitext)]


HEADED = f"""{{| class="wikitable"
! rowspan=2 | Bridge !! colspan=2 | Length
|-
! 1990 !! 2000
|-
| North || 950 || 980{A}
|-
| rowspan=2 | South || colspan=2 | 700{A}
|-
| colspan=2 | 800{A}
|}}
"""


def test_a_cell_has_all_headers_above_it_and_of_all_that_it_spans() -> None:
    found = [(one.text, one.row, one.column) for one in claims_of(HEADED)]

    assert found == [
        ("980", "North", "Length, 2000"),
        ("700", "South", "Length, 1990, 2000"),
        ("800", "South", "Length, 1990, 2000"),
    ]


@pytest.mark.parametrize(
    ("wikitext", "rows"),
    [
        pytest.param(
            f"{{|\n! Bridge !! Length{A} !! Open\n|-\n| North || 950 || 1990\n"
            f"|-\n| South || 700{B} || 1991\n|-\n| West || 600 || 1992\n|}}",
            [
                ("Bridge: North; Length: 950", "North"),
                ("700", "South"),
                ("Bridge: West; Length: 600", "West"),
            ],
            id="a column",
        ),
        pytest.param(
            f"{{|\n|+ Bridges of Norland{A}\n! Bridge !! Length\n|-\n| North || 950\n|}}",
            [("Bridge: North; Length: 950", "North")],
            id="a table",
        ),
        pytest.param(
            f"{{|\n! Bridge{A} !! Length\n|-\n| North || 950\n|}}",
            [("Bridge: North; Length: 950", "North")],
            id="the names of rows",
        ),
        pytest.param(
            "{|\n! Bridge !! Length\n|-\n| North || 950\n|-\n"
            f"! colspan=2 | Sudland{A}\n|-\n| South || 700\n|}}",
            [("Sudland; Bridge: South; Length: 700", "South")],
            id="some rows",
        ),
    ],
)
def test_a_reference_on_a_header_is_for_what_is_below(
    wikitext: str, rows: list[tuple[str, str]]
) -> None:
    assert _rows(wikitext) == rows


def test_rows_below_a_heading_that_spans_the_table_are_named_after_the_last() -> None:
    wikitext = (
        "{|\n! Bridge !! Length !! Ref\n|-\n! colspan=3 | Norland\n"
        "|-\n| colspan=3 | '''Sudland'''\n"
        f"|-\n| East || 100 || {A}\n|}}"
    )

    assert _rows(wikitext) == [("Sudland; Bridge: East; Length: 100", "East")]


def test_more_rows_than_one_mark_is_for_are_told() -> None:
    rows = "".join(f"|-\n| Bridge {number} || 950\n" for number in range(60))
    page = page_of(f"{{|\n! Bridge !! Length{A}\n{rows}|}}")

    assert 20 < len(page.claims) < 60
    assert [one.reason for one in page.unattached] == [UnattachedReason.STATES_NOTHING]


@pytest.mark.parametrize(
    ("values", "text", "row"),
    [
        ("label1=Seats |data1=300%s", "300", "Seats, data1"),
        ("rev1=Mojo |rev1score=3/5%s", "3/5", "Mojo, rev1score"),
        ("vote1=1 |name2=Berg |vote1=2%s |name1=Holm", "2", "Holm, vote1"),
        ("name2=Berg |area_km2=300%s", "300", "area km2"),
        ("image2=A.jpg |seats2=300%s", "300", "seats2"),
    ],
)
def test_a_numbered_value_is_that_of_what_its_number_names(
    values: str, text: str, row: str
) -> None:
    claim = only("{{Infobox hall |" + values % A + "}}")

    assert (claim.text, claim.row) == (text, row)


@pytest.mark.parametrize("listed", ["{{hlist|Cars|Boats}}", "{{ubl|Cars|Boats}}"])
def test_a_reference_behind_a_list_in_a_value_is_for_all_of_it(listed: str) -> None:
    assert only(f"{{{{Infobox firm |products={listed}{A}}}}}").text == "Cars Boats"


def test_the_first_list_item_of_a_value_has_no_list_mark() -> None:
    value = f"{{{{plainlist|\n* Holm{A}\n* Berg{B}\n}}}}"
    first, second = claims_of(f"{{{{Infobox firm |people={value}}}}}")

    assert (first.text, second.text) == ("Holm", "Berg")


def test_a_reference_on_a_term_is_for_what_is_said_of_it() -> None:
    found = claims_of(f"; Mill{A}\n: It was built in 1700.\n: It burned in 1800.\n")

    assert [one.text for one in found] == [
        "It was built in 1700.",
        "It burned in 1800.",
    ]


def test_a_reference_in_a_cell_that_spans_rows_is_for_each_of_them() -> None:
    wikitext = (
        "{|\n! Year !! Hall !! Seats !! Ref\n"
        f'|-\n| rowspan="2" | 1960 || East || 400 || rowspan=2 | {A}\n'
        f"|-\n| West || 300\n|-\n| 1970 || North || 200 || {B}\n|}}"
    )

    assert _rows(wikitext) == [
        ("Year: 1960; Hall: East; Seats: 400", "1960"),
        ("Year: 1960; Hall: West; Seats: 300", "1960"),
        ("Year: 1970; Hall: North; Seats: 200", "1970"),
    ]
    assert [claim.span.of(wikitext)[:4] for claim in claims_of(wikitext)] == [
        "1960",
        "West",
        "1970",
    ]


def test_a_heading_between_the_rows_that_a_cell_spans_is_no_claim() -> None:
    wikitext = (
        f'{{|\n! Hall !! Seats !! Ref\n|-\n| East || 400 || rowspan="3" | {A}\n'
        "|-\n! colspan=2 | Others\n|-\n| West || 300\n|}"
    )

    assert texts(wikitext) == [
        "Hall: East; Seats: 400",
        "Others; Hall: West; Seats: 300",
    ]


def test_a_value_that_spans_rows_is_a_claim_of_each() -> None:
    wikitext = (
        "{|\n! Hall !! Seats !! Opened\n"
        f'|-\n| East || rowspan="2" | 400{A} || 1960\n|-\n| West || 1970\n|}}'
    )

    first, second = claims_of(wikitext)

    assert (first.text, first.row, first.column) == ("400", "East", "Seats")
    assert (second.text, second.row, second.column) == ("400", "West", "Seats")
    assert second.line == "Hall: West; Seats: 400; Opened: 1970"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            f"|-\n| East{A} || 480 m || 1931",
            [("Bridge: East; Length: 480 m; Opened: 1931", "East")],
            id="first cell",
        ),
        pytest.param(
            f"|-\n! scope=row | East{A}\n| 480 m || 1931",
            [("Bridge: East; Length: 480 m; Opened: 1931", "East")],
            id="header",
        ),
        pytest.param(
            f"|-\n| 1 || East{A} || 1931",
            [("Bridge: 1; Length: East; Opened: 1931", "East")],
            id="behind its number",
        ),
        pytest.param(
            f"|-\n| || East{A} (closed){B} || 1931",
            [("Length: East (closed); Opened: 1931", "East (closed)")],
            id="behind an empty cell, with two marks",
        ),
        pytest.param(
            f"|-\n| East{A} || 480 m{B} || 1931",
            [("Bridge: East; Opened: 1931", "East"), ("480 m", "East")],
            id="another value has its own",
        ),
        pytest.param(
            f"|-\n| East{A} || 480 m || {B}",
            [("East", None), ("Bridge: East; Length: 480 m", "East")],
            id="the row has its own",
        ),
        pytest.param(
            f"|-\n| East || 480 m{A} || 1931", [("480 m", "East")], id="another cell"
        ),
        pytest.param(f"|-\n| East; old{A}", [("East; old", None)], id="a name alone"),
        pytest.param(
            f"|-\n| rowspan=2 | East{A} || 480 m || 1931\n|-\n| 500 m || 1975",
            [
                ("Bridge: East; Length: 480 m; Opened: 1931", "East"),
                ("Bridge: East; Length: 500 m; Opened: 1975", "East"),
            ],
            id="of several rows",
        ),
    ],
)
def test_a_reference_on_the_name_of_a_row_is_for_its_values(
    rows: str, expected: list[tuple[str, str | None]]
) -> None:
    wikitext = f"{{|\n! Bridge !! Length !! Opened\n{rows}\n|}}"

    assert sorted(_rows(wikitext)) == sorted(expected)


def test_a_claim_names_the_words_that_are_not_known() -> None:
    wikitext = (
        f"It is {{{{no such|5}}}} m. It was big.{A} It has {{{{no such|6}}}} rooms,{B} and"
        f" they opened a large hall in 1931.{A} {{{{no such|7}}}} came.{B} All stayed.{A}"
    )

    found = [[piece.what for piece in claim.missing] for claim in claims_of(wikitext)]

    assert found == [[], ["{{no such|6}}"], [], ["{{no such|7}}"], []]


def test_a_row_lacks_what_its_cells_and_headers_lack() -> None:
    wikitext = (
        "{|\n! Year !! {{no such|1}} !! Ref\n"
        f"|-\n| 1990 || {{{{no such|a|b}}}} || {A}\n|-\n| 1991 || 5{A} || \n|}}"
    )

    row, cell = claims_of(wikitext)

    assert [piece.what for piece in row.missing] == ["{{no such|a|b}}"]
    assert [piece.what for piece in cell.missing] == ["{{no such|1}}"]
    assert {piece.kind for piece in row.missing} == {MissingKind.TEMPLATE}


@pytest.mark.parametrize(
    "wikitext",
    [
        f"{{{{Infobox town|area = {{{{no such|5}}}}{A}}}}}",
        f"* {{{{no such|5}}}}{A}",
        f"{{{{no such|5}}}}{A} is big.",
        f"[[File:a.jpg|thumb|{{{{no such|5}}}}{A}]]",
    ],
    ids=["value", "item", "beginning", "caption"],
)
def test_a_claim_of_which_no_words_are_known_is_one_all_the_same(
    wikitext: str,
) -> None:
    claim = only(wikitext)

    assert [piece.what for piece in claim.missing] == ["{{no such|5}}"]
    assert claim.citations


def test_a_long_template_is_named_by_its_beginning() -> None:
    [piece] = only(f"It is {{{{no such|{'a' * 99}}}}} m.{A}").missing

    assert piece.what == f"{{{{no such|{'a' * 50}…"


INFOBOX = f"""{{{{Infobox settlement
| name = Rome
| leader_name = {{{{nowrap|Ann [[Bo]]}}}}{A}
| population_total = 1,200
| population_as_of = 2011
| population_footnotes = {B}
| motto = <br>{A}
| image_caption = The old bridge.{B}
}}}}
It is big.{A}"""


def test_an_infobox_value_is_a_claim_named_by_its_parameter() -> None:
    by_row = {claim.row: claim for claim in claims_of(INFOBOX)}

    assert by_row["leader name"].text == "Ann Bo"
    assert by_row["leader name"].kind is ClaimKind.INFOBOX_VALUE
    assert by_row["population"].text == (
        "population total: 1,200; population as of: 2011"
    )
    assert by_row["image caption"].kind is ClaimKind.CAPTION
    assert by_row[None].text == "It is big."


def test_a_value_without_words_leaves_its_reference_unattached() -> None:
    [unattached] = page_of(INFOBOX).unattached

    assert unattached.reason is UnattachedReason.NO_WORDS
    assert unattached.raw == A


def test_a_caption_is_a_claim() -> None:
    claim = only(f"[[File:a.jpg|thumb|alt=x|A [[bridge]].{A}]] Text.")

    assert (claim.text, claim.kind) == ("A bridge.", ClaimKind.CAPTION)


def test_a_line_of_a_gallery_is_a_caption() -> None:
    claim = only(f"<gallery>\nFile:a.jpg|A bridge.{A}\nFile:b.jpg|Other.\n</gallery>")

    assert (claim.text, claim.kind) == ("A bridge.", ClaimKind.CAPTION)


def test_a_citation_inside_a_note_covers_the_words_of_the_note() -> None:
    page = page_of(f"It is big.{{{{efn|Some say huge.{A}}}}} End.")

    [claim] = page.claims

    assert (claim.text, claim.kind) == ("Some say huge.", ClaimKind.NOTE)
    assert claim.context == "It is big."
    assert page.unattached == ()


def test_a_note_without_a_source_is_listed() -> None:
    page = page_of("It is big.{{efn|Some say huge.}} End.")

    [unattached] = page.unattached

    assert unattached.reason is UnattachedReason.NO_SOURCE
    assert page.claims == ()


def test_a_statement_tagged_as_uncited_is_a_claim_without_citations() -> None:
    claim = only("It is old. It is big.{{citation needed|date=May 2024}} End.")

    assert claim.text == "It is big."
    assert claim.citations == ()
    assert [tag.kind for tag in claim.tags] == [TagKind.CITATION_NEEDED]


def test_tags_in_and_beside_a_reference_belong_to_its_claim() -> None:
    wikitext = (
        "He was big{{clarify}} then.<ref>http://a.org A {{dead link}}</ref>"
        "{{failed verification}} End."
    )

    claim = only(wikitext)

    assert [tag.name for tag in claim.tags] == [
        "clarify",
        "dead link",
        "failed verification",
    ]


@pytest.mark.parametrize(
    ("wikitext", "reason"),
    [
        pytest.param(f"{A} It is.", UnattachedReason.NO_WORDS, id="no words before"),
        pytest.param(f"== H {A} ==\nx", UnattachedReason.IN_HEADING, id="heading"),
        pytest.param(
            'x<references><ref name="q">http://a.org A</ref></references>',
            UnattachedReason.NEVER_USED,
            id="never used",
        ),
        pytest.param("It is.<ref></ref>", UnattachedReason.EMPTY, id="empty"),
        pytest.param("It is.<ref>http://a.org", UnattachedReason.UNCLOSED, id="open"),
    ],
)
def test_a_reference_without_a_claim_is_listed_with_the_reason(
    wikitext: str, reason: UnattachedReason
) -> None:
    page = page_of(wikitext)

    assert [each.reason for each in page.unattached] == [reason]
    assert page.claims == ()


def test_a_bibliography_makes_no_claims() -> None:
    page = page_of("== Works ==\n* {{cite book|title=A}}\n* {{cite book|title=B}}")

    assert page.claims == ()
    assert page.unattached == ()


def test_a_tag_in_a_cell_of_citations_belongs_to_the_row_they_cover() -> None:
    wikitext = (
        "{|\n! Date !! Share !! Source\n|-\n| May 2016\n| 33%\n| <ref>A b c d</ref>"
        "{{failed verification}}\n|-\n| June 2016\n| 44%\n| <ref>E f g h</ref>\n|}\n"
    )

    first, second = claims_of(wikitext)

    assert [tag.kind for tag in first.tags] == [TagKind.FAILED_VERIFICATION]
    assert second.tags == ()


@pytest.mark.parametrize(
    "wikitext",
    [
        f"Source:{A}",
        f"'''Sources:'''{A}\n\nOne.",
        f"The results are:{A}",
        f"1920{A}",
        f"[[File:a.jpg|thumb|Source:{A}]]",
        f'{{| class="wikitext"\n! Rank{A} !! 2015 Estimate{B}\n|}}',
    ],
)
def test_words_that_state_nothing_are_no_claim(wikitext: str) -> None:
    page = page_of(wikitext)

    assert page.claims == ()
    reasons = {one.reason for one in page.unattached}
    assert reasons == {UnattachedReason.STATES_NOTHING}


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        (f"Closed.{A}", "Closed."),
        (f"Seven families owned it in turn:{A}", "Seven families owned it in turn:"),
        (f"* Chios{A}", "Chios"),
        (f"{{|\n! Year !! Votes\n|-\n| 1920 || 340{A}\n|}}", "340"),
        (f"{{{{Infobox town|area = 77{A}}}}}", "77"),
        (f"[[File:a.jpg|thumb|The hall in 1911{A}]]", "The hall in 1911"),
    ],
)
def test_short_words_that_state_something_are_a_claim(
    wikitext: str, expected: str
) -> None:
    assert only(wikitext).text == expected
