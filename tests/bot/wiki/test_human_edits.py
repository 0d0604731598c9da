from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.wiki.human_edits import (
    HumanEdit,
    Layout,
    Paragraph,
    RevisionNote,
    edits_between,
    paragraphs_of,
)
from handlers.model import PageId
from handlers.page import parse
from tests.linear import is_linear

_NOTE = RevisionNote(7, datetime(2024, 5, 1, tzinfo=UTC), "Ada")
_REF = "<ref>{{cite news|url=https://news.example/a|title=A|date=28 April 2024}}</ref>"
_PAGE = """{{Infobox venue|attendance = 20,000}}
'''Ashdown Arena''' is a hall in Ashdown. It opened in 1998.

== History ==
The hall was built by Weir & Sons.<ref>https://old.example/weir</ref> It cost £4m.

== Events ==
* Festival, 2001
* Fair, 2003

== References ==
{{reflist}}
"""


def _read(wikitext: str) -> tuple[Paragraph, ...]:
    return paragraphs_of(parse(wikitext, PageId("en.wikipedia.org", "Ashdown Arena")))


def _edits(before: str, after: str) -> tuple[HumanEdit, ...]:
    return edits_between(_read(before), _read(after), _NOTE)


def test_a_new_sentence_comes_with_its_paragraph_its_section_and_its_new_source() -> (
    None
):
    text = f"It cost £4m. In 2024 the roof was replaced.{_REF}"

    [edit] = _edits(_PAGE, _PAGE.replace("It cost £4m.", text))

    assert edit.section == ("History",)
    assert edit.insertions == ("In 2024 the roof was replaced.",)
    assert edit.removals == ()
    assert [source.url for source in edit.sources] == ["https://news.example/a"]
    [change] = edit.changes
    assert change.before.startswith("The hall was built")
    assert change.after.endswith(_REF)


def test_a_reworded_sentence_counts_as_removed_and_added() -> None:
    [edit] = _edits(_PAGE, _PAGE.replace("It cost £4m.", "It cost £5m."))

    assert edit.removals == ("It cost £4m.",)
    assert edit.insertions == ("It cost £5m.",)


def test_order_signs_capitals_and_markup_are_no_change() -> None:
    after = (
        _PAGE.replace(
            "* Festival, 2001\n* Fair, 2003", "* fair 2003\n* Festival – 2001"
        )
        .replace("in Ashdown", "in [[Ashdown]]")
        .replace("built by Weir", "built by ''Weir''")
    )

    assert _edits(_PAGE, after) == ()


def test_a_paragraph_that_moved_to_another_section_is_no_change() -> None:
    line = "The hall was built by Weir & Sons.<ref>https://old.example/weir</ref> It cost £4m."
    after = _PAGE.replace(line, "").replace("== Events ==", f"== Events ==\n{line}\n")

    assert _edits(_PAGE, after) == ()


def test_a_sentence_that_moved_into_another_paragraph_is_no_change() -> None:
    after = _PAGE.replace(" It cost £4m.", "").replace(
        "It opened in 1998.", "It opened in 1998. It cost £4m."
    )

    assert _edits(_PAGE, after) == ()


def test_an_edit_is_listed_under_the_new_heading_of_its_section() -> None:
    after = _PAGE.replace("== History ==", "== Building ==").replace(
        "It cost £4m.", "It cost £4m. It holds 900 people."
    )

    [edit] = _edits(_PAGE, after)

    assert edit.section == ("Building",)
    assert edit.insertions == ("It holds 900 people.",)


def test_a_value_of_an_infobox_comes_with_its_parameter() -> None:
    [edit] = _edits(_PAGE, _PAGE.replace("20,000", f"23,105{_REF}"))

    [change] = edit.changes
    assert change.layout is Layout.INFOBOX
    assert change.removals == ("attendance: 20,000",)
    assert change.insertions == ("attendance: 23,105",)
    assert [source.url for source in change.sources] == ["https://news.example/a"]
    assert edit.section == ()


def test_the_lead_is_parted_from_the_infobox_before_it() -> None:
    [edit] = _edits(_PAGE, _PAGE.replace("in 1998.", "in 1999."))

    [change] = edit.changes
    assert change.before.startswith("'''Ashdown Arena''' is a hall")


def test_a_source_that_the_page_had_elsewhere_is_not_new() -> None:
    text = "It cost £4m. Weir was paid late.<ref>https://www.old.example/weir/</ref>"

    [edit] = _edits(_PAGE, _PAGE.replace("It cost £4m.", text))

    assert edit.insertions == ("Weir was paid late.",)
    assert edit.sources == ()


def test_a_blanked_page_and_its_return_are_one_edit_a_section_each() -> None:
    gone = _edits(_PAGE, "")
    back = _edits("", _PAGE)

    assert {edit.section for edit in gone} == {(), ("History",), ("Events",)}
    assert all(not edit.insertions and edit.removals for edit in gone)
    assert [edit.insertions for edit in back] == [edit.removals for edit in gone]


def test_a_rebuilt_long_list_takes_no_long_time() -> None:
    def listed(items: int) -> str:
        return "\n".join(f"* Item {n} of {7 * n} things" for n in range(items))

    def made_anew(before: str) -> list[HumanEdit]:
        return list(_edits(before, before.replace("things", "kinds")))

    [edit] = made_anew(listed(2_000))

    assert len(edit.insertions) == 2_000
    assert edit.changes[1_999].before == "Item 1999 of 13993 things"
    assert is_linear(listed, made_anew, 2_000)


_LINES = st.lists(
    st.sampled_from(
        [
            "One stood.",
            "Two fell.",
            "== A ==",
            "== B ==",
            "* Three",
            "{{Infobox x|y=4}}",
        ]
    ),
    max_size=8,
).map("\n".join)


@given(_LINES, _LINES)
def test_what_came_one_way_went_the_other(before: str, after: str) -> None:
    there = _edits(before, after)
    back = _edits(after, before)

    came = sorted(text for edit in there for text in edit.insertions)
    assert came == sorted(text for edit in back for text in edit.removals)
    if before == after:
        assert there == ()
