"""A report becomes one change that leaves all else on its page as it is."""

from dataclasses import replace

import pytest

from bot.records.posts import Append, Change, Create, ReplaceSection, ReplaceStretch
from bot.surfaces.note import marks_in
from bot.surfaces.planning.reports import change_of
from bot.surfaces.report_page import BLOCK
from bot.wiki import blocks
from tests.bot.surfaces.makers import REPORT, name, note
from tests.bot.wiki.markup.makers import KEYS

PAGE = "My own words.\n\n== Mine ==\nMore."
ON_TALK = replace(REPORT, has_headings=False)


def changed(page: str, *numbers: int, on_talk: bool = False) -> Change | None:
    notes = [note(number) for number in numbers]
    facts = ON_TALK if on_talk else REPORT
    return change_of(page, notes, facts, KEYS, None, in_user_space=not on_talk)


def applied(page: str, change: Change | None) -> str:
    """Do what the gate and the wiki do."""
    assert change is not None
    if isinstance(change, Append):
        return f"{page}{change.text}".strip("\n")
    assert not isinstance(change, Create)
    expected, text = change.expected, change.text
    assert page.count(expected) == 1
    if isinstance(change, ReplaceSection):
        expected, text = expected.rstrip(), text.rstrip()
    return page.replace(expected, text)


@pytest.mark.parametrize("on_talk", [False, True])
@pytest.mark.parametrize("page", ["", PAGE])
def test_a_report_is_made_below_and_then_replaced_where_it_stands(
    page: str, *, on_talk: bool
) -> None:
    first = changed(page, 1, 2, on_talk=on_talk)
    assert isinstance(first, Append)
    written = applied(page, first)
    topped = f"Above\n{written}\n\n== Reply ==\nBelow"

    second = changed(topped, 2, 3, on_talk=on_talk)

    assert isinstance(second, ReplaceSection if on_talk else ReplaceStretch)
    after = applied(topped, second)
    assert after.startswith(f"Above\n{page}")
    assert after.endswith("\n\n== Reply ==\nBelow")
    assert marks_in(after, KEYS) == (name(2), name(3))


def test_a_page_that_somebody_begins_meanwhile_keeps_its_last_line() -> None:
    change = changed("", 1)

    after = applied(PAGE, change)

    assert after.startswith(f"{PAGE}\n<!-- sidenote begin")


def test_a_report_on_a_talk_page_leaves_other_sections_out() -> None:
    written = applied(PAGE, changed(PAGE, 1, on_talk=True))

    change = changed(f"{written}\n\n== Reply ==\nBelow", 2, on_talk=True)

    assert isinstance(change, ReplaceSection)
    assert change.number == 2
    assert change.expected.startswith("== Sidenote report ==")
    assert "Below" not in change.expected


def test_a_report_that_somebody_copied_is_replaced_at_its_first_place() -> None:
    written = applied("", changed("", 1))
    page = f"{written}\nMy copy:\n{written}"

    after = applied(page, changed(page))

    assert after.endswith(f"\nMy copy:\n{written}")
    assert marks_in(after.removesuffix(written), KEYS) == ()


def test_nothing_is_changed_where_an_open_comment_would_hide_it() -> None:
    assert changed("Words <!-- and no end", 1) is None


def test_a_report_that_people_parted_is_left_alone_on_a_talk_page() -> None:
    written = applied("", changed("", 1, on_talk=True))
    block = blocks.find(written, BLOCK, KEYS).block
    assert block is not None
    parted = written.replace("\n'''[[", "\n== My heading ==\n'''[[")

    change = change_of(
        parted, [note(2)], ON_TALK, KEYS, block.content, in_user_space=False
    )

    assert change is None
