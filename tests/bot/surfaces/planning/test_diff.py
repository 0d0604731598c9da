"""A change of a page as one stretch, or as one section."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.posts import ReplaceSection, ReplaceStretch
from bot.surfaces.planning.diff import difference, section, stretch
from handlers.model import Span

_PIECES = st.lists(
    st.sampled_from(["a", "ab", "== H ==\n", "\n", "{{watch}}", " ", "é", "<!--"]),
    max_size=30,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(_PIECES, _PIECES, _PIECES, _PIECES)
def test_a_stretch_stands_once_and_makes_the_page_as_it_should_be(
    before: str, gone: str, put: str, after: str
) -> None:
    old, new = f"{before}{gone}{after}", f"{before}{put}{after}"
    whole = Span(len(before), len(before) + len(put))

    change = stretch(old, difference(old, new, whole))

    if change is None:
        assert not old.strip()
        return
    assert old.count(change.expected) == 1
    assert old.replace(change.expected, change.text) == new
    assert put in change.text


def test_a_stretch_does_not_grow_with_the_page() -> None:
    old = f"{'x' * 100_000}{{{{watch}}}}{'y' * 100_000}"
    new = old.replace("}}", "}}\nbox\n")

    change = stretch(old, difference(old, new))

    assert isinstance(change, ReplaceStretch)
    assert len(change.expected) < 200


def test_of_stretches_that_look_the_same_the_right_one_is_meant() -> None:
    part = f"xxxxx{{{{watch}}}}{'y' * 90}"
    old = part * 3
    new = old.replace("}}", "}}box", 1)

    change = stretch(old, difference(old, new))

    assert isinstance(change, ReplaceStretch)
    assert old.count(change.expected) == 1
    assert old.replace(change.expected, change.text) == new


def test_what_is_put_before_a_heading_belongs_to_the_section_above() -> None:
    old = "Lead.\n\n== A ==\nx\n\n== B ==\ny"
    new = "Lead.\n\n== A ==\nx\n\nbox\n== B ==\ny"

    change = section(old, new, difference(old, new))

    assert change == ReplaceSection(1, "== A ==\nx\n\n", "== A ==\nx\n\nbox")


def test_a_change_across_sections_is_none() -> None:
    old, new = "Lead.\n== A ==\nx\n== B ==\ny", "Lead.\ny"

    assert section(old, new, difference(old, new)) is None
