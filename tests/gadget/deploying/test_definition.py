import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.deployment import for_everybody, merged
from handlers.ports import PermanentError

THEIRS = """\
== browsing ==
* popups[ResourceLoader|default]|popups.js|popups.css
* sidenotes-of-another[ResourceLoader]|x.js

== editing ==
* hotcat[ResourceLoader]|hotcat.js"""


def test_an_empty_wiki_gets_our_two_lines() -> None:
    first, second = merged("").split("\n")
    assert first.startswith(
        "* sidenote[ResourceLoader|actions=view,edit,submit|dependencies="
    )
    assert first.endswith("]|sidenote.js|sidenote.css")
    assert second.startswith("* sidenote-panel[ResourceLoader|hidden|dependencies=")


def test_the_lines_of_others_stay_byte_for_byte() -> None:
    text = merged(THEIRS)
    assert text.startswith(THEIRS + "\n* sidenote[")
    assert merged(text) == text


def test_our_lines_stay_where_they_were_put() -> None:
    first, second = merged("").split("\n")
    moved = THEIRS.replace("* popups", f"{first}\n* popups", 1) + f"\n{second}\n"
    assert merged(moved) == moved


def test_what_the_wiki_added_to_our_line_stays() -> None:
    old = "* sidenote [default | ResourceLoader|rights=edit|dependencies=old] | a.js"
    line = merged(old).split("\n")[0]
    assert line.endswith("|default|rights=edit]|sidenote.js|sidenote.css")
    assert "old" not in line
    assert line.count("ResourceLoader") == 1


def test_the_entry_can_be_on_for_everybody() -> None:
    text = for_everybody(THEIRS)
    assert "|default]|sidenote.js" in text
    assert for_everybody(text) == text == merged(text)


def test_the_panel_is_put_behind_the_entry() -> None:
    first, second = merged("").split("\n")
    assert merged(f"{first}\n{THEIRS}") == f"{first}\n{second}\n{THEIRS}"


def test_a_gadget_that_is_defined_twice_is_refused() -> None:
    with pytest.raises(PermanentError, match="2 times"):
        merged("* sidenote|a.js\n* sidenote[x]|b.js")


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"))))
def test_whatever_stands_there_is_kept_and_done_once(lines: list[str]) -> None:
    text = "\n".join(f"x{line}" for line in lines)
    once = merged(text)
    assert merged(once) == once
    ours = merged("").split("\n")
    assert [line for line in once.split("\n") if line not in ours] == text.split("\n")[
        : len(lines)
    ]
