"""A block is rewritten between its markers, and no word of a person is ever lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.wiki import blocks
from bot.wiki.blocks import Trouble
from bot.wiki.escaping import WikiSafe
from bot.wiki.keys import Keys
from tests.bot.wiki.markup.makers import KEYS

OLD = WikiSafe("first line\nsecond line")
NEW = WikiSafe("new line")
PAGE = "Words of Alice.\n\n== Hers ==\nMore words."


def with_block(page: str = PAGE, body: WikiSafe = OLD) -> str:
    return blocks.rewritten(page, "report", body, KEYS).text


def own(body: WikiSafe = OLD) -> str:
    return f"\n{body}\n"


def test_a_block_is_added_at_the_end_where_there_is_none() -> None:
    done = blocks.rewritten(PAGE, "report", NEW, KEYS)

    assert done.text.startswith(f"{PAGE}\n<!-- sidenote begin report ")
    assert done.text.endswith("-->\nnew line\n<!-- sidenote end report -->\n")
    assert done.content == "\nnew line\n"
    assert done.troubles == ()


def test_a_block_is_rewritten_and_nothing_else() -> None:
    page = f"{with_block()}\nWords below."

    done = blocks.rewritten(page, "report", NEW, KEYS)

    assert done.text == f"{with_block(PAGE, NEW)}\nWords below."


def test_rewriting_twice_is_rewriting_once() -> None:
    once = with_block()

    assert blocks.rewritten(once, "report", OLD, KEYS).text == once


def test_two_blocks_with_different_names_do_not_meet() -> None:
    page = blocks.rewritten(with_block(), "state", NEW, KEYS).text

    done = blocks.rewritten(page, "report", NEW, KEYS)

    state = blocks.find(done.text, "state", KEYS).block
    assert state.content == "\nnew line\n"
    assert "first line" not in done.text


def test_a_block_can_be_put_behind_a_template() -> None:
    done = blocks.rewritten("{{x}} rest", "state", NEW, KEYS, at=5)

    assert done.text.startswith("{{x}}\n<!-- sidenote begin state ")
    assert done.text.endswith("<!-- sidenote end state -->\n rest")


def test_what_people_wrote_inside_is_kept_below() -> None:
    page = with_block().replace("second line", "second line\nI fixed this. Alice")

    done = blocks.rewritten(page, "report", NEW, KEYS, own=own())

    assert done.troubles == (Trouble.CHANGED,)
    assert done.text == f"{with_block(PAGE, NEW).rstrip()}\nI fixed this. Alice\n"


def test_a_line_that_a_person_took_away_is_no_trouble() -> None:
    page = with_block().replace("second line\n", "")

    done = blocks.rewritten(page, "report", NEW, KEYS, own=own())

    assert done.troubles == ()
    assert done.text == with_block(PAGE, NEW)


def test_a_changed_block_stays_where_nobody_knows_what_was_ours() -> None:
    page = with_block().replace("second line", "words of Alice")

    done = blocks.rewritten(page, "report", NEW, KEYS)

    assert done.text.startswith(page)
    assert done.troubles == (Trouble.NOT_OURS,)


def test_a_missing_end_marker_is_made_good_where_our_words_are_known() -> None:
    page = with_block().replace("<!-- sidenote end report -->", "") + "Words below."

    done = blocks.rewritten(page, "report", NEW, KEYS, own=own())

    assert done.text == f"{with_block(PAGE, NEW)}Words below."
    assert done.troubles == (Trouble.NO_END,)


def test_a_missing_end_marker_never_takes_what_follows() -> None:
    broken = with_block().replace("<!-- sidenote end report -->", "Words of Alice.")

    done = blocks.rewritten(f"{broken}{with_block('')}", "report", NEW, KEYS)

    assert done.text == f"{broken}{with_block('', NEW)}"
    assert done.troubles == (Trouble.NO_END,)


def test_a_missing_begin_marker_is_reported() -> None:
    page = "Words.\n<!-- sidenote end report -->\nMore words."

    done = blocks.rewritten(page, "report", NEW, KEYS)

    assert done.text.startswith(page)
    assert done.troubles == (Trouble.NO_BEGIN,)


def test_of_a_doubled_block_the_first_is_kept() -> None:
    one = with_block("")

    done = blocks.rewritten(f"{one}Words.\n{one}", "report", NEW, KEYS)

    assert done.text == f"{with_block('', NEW)}Words.\n{one}"
    assert done.troubles == (Trouble.DOUBLED,)


def test_of_nested_markers_only_the_inner_block_is_ours() -> None:
    inner = with_block("")
    begin, end = inner.partition("-->")[0] + "-->", "<!-- sidenote end report -->"

    done = blocks.rewritten(f"{begin}\nA\n{inner}B\n{end}", "report", NEW, KEYS)

    assert done.text == f"{begin}\nA\n{with_block('', NEW)}B\n{end}"
    assert done.troubles == (Trouble.NO_END, Trouble.NO_BEGIN)


@pytest.mark.parametrize("quoting", ["<nowiki>{}</nowiki>", "<pre>{}</pre>"])
def test_markers_that_are_only_shown_count_for_nothing(quoting: str) -> None:
    page = quoting.format(with_block(""))

    done = blocks.rewritten(page, "report", NEW, KEYS)

    assert done.text.startswith(page)
    assert done.troubles == ()


def test_markers_that_somebody_made_up_eat_nothing() -> None:
    theirs = Keys((b"another secret of somebody",))
    page = blocks.rewritten("", "report", WikiSafe("words of Alice"), theirs).text

    done = blocks.rewritten(page, "report", NEW, KEYS)

    assert done.text.startswith(page)
    assert done.troubles == (Trouble.NOT_OURS,)


def test_nothing_is_added_where_a_comment_is_left_open() -> None:
    page = "Words. <!-- never closed"

    done = blocks.rewritten(page, "report", NEW, KEYS)

    assert done == blocks.Rewritten(page, None, (Trouble.HIDDEN,))


def test_a_block_goes_away_whole() -> None:
    assert blocks.removed(with_block(), "report", KEYS) == f"{PAGE}\n\n"


def test_a_block_cannot_hold_another() -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        blocks.rewritten("", "report", WikiSafe(with_block("")), KEYS)


_MINE = with_block("")
_BEGIN = _MINE.partition("-->")[0] + "-->"
_PIECES = (
    _MINE,
    _MINE.rstrip("\n"),
    _BEGIN,
    "<!-- sidenote end report -->",
    blocks.rewritten("", "state", OLD, KEYS).text,
    "\nfirst line\nsecond line\n",
    "first line",
    "\n",
    "<!--",
    "-->",
    "<nowiki>",
    "</nowiki>",
    "{{a|",
    "}}",
    "[[",
    "]]",
    "<ref>",
    "</ref>",
    "\n== H ==\n",
    "{|\n",
    "|}",
)
_pages = st.lists(st.sampled_from(_PIECES), max_size=12).map(
    lambda pieces: [f"{piece} human{at}q " for at, piece in enumerate(pieces)]
)


def words_of_people(pieces: list[str]) -> list[str]:
    return [f"human{at}q" for at in range(len(pieces))]


@settings(deadline=None)
@given(_pages, st.sampled_from([None, own(), own(NEW), ""]))
def test_no_word_of_a_person_is_ever_lost(pieces: list[str], known: str | None) -> None:
    page = "".join(pieces)

    done = blocks.rewritten(page, "report", NEW, KEYS, own=known)

    assert all(done.text.count(word) == 1 for word in words_of_people(pieces))
    if done.content is None:
        assert done.text == page
    else:
        again = blocks.rewritten(done.text, "report", NEW, KEYS, own=done.content)
        assert again.text == done.text


@settings(deadline=None)
@given(_pages, st.data())
def test_no_word_inside_a_block_is_lost_wherever_it_stands(
    pieces: list[str], data: st.DataObject
) -> None:
    body = "".join(pieces)
    at = data.draw(st.integers(0, len(_MINE)))
    page = f"{_MINE[:at]}human-inside{_MINE[at:]}{body}"

    done = blocks.rewritten(page, "report", NEW, KEYS, own=own())

    in_marker = "human-inside" not in blocks_text(page, at)
    assert in_marker or "human-inside" in done.text
    assert all(word in done.text for word in words_of_people(pieces))


def blocks_text(page: str, at: int) -> str:
    """Return the page, or nothing if the word was put into a marker of ours."""
    content = (len(_BEGIN), len(_BEGIN) + len(own()))
    return page if content[0] <= at <= content[1] else ""


@settings(deadline=None)
@given(_pages, st.sampled_from([None, own()]))
def test_removing_a_block_loses_no_word_either(
    pieces: list[str], known: str | None
) -> None:
    done = blocks.removed("".join(pieces), "report", KEYS, own=known)

    assert all(word in done for word in words_of_people(pieces))
