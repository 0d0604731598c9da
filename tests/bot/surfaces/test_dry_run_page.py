"""The page of a dry run: what is shown does nothing there."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.surfaces.planning.own_pages import (
    DRY_RUN_BLOCK,
    MOST_POSTS,
    ShownPost,
    shown_posts,
)
from bot.wiki import blocks
from handlers.page.markup import Kind
from handlers.page.scan import scan
from tests.bot.wiki.markup.makers import KEYS

_AT = datetime(2026, 11, 21, 12, 5, tzinfo=UTC)
_POST = ShownPost("", "Talk:Lantern", "talk", _AT, "Notice", "", "== Note ==\nWords")


def _text(*posts: ShownPost, page: str = "", own: str | None = None) -> str:
    return shown_posts(page, posts, KEYS, own=own).text


def test_it_says_what_would_have_been_posted_where_and_when() -> None:
    held = replace(_POST, title="User:Ada/Report", held_back="the task is stopped")
    text = _text(held, _POST)

    assert text.index("[[:User:Ada/Report|") < text.index("[[:Talk:Lantern|")
    assert "2026-11-21 12:05 UTC: “Notice” '''Held back:''' the task is stopped" in text
    assert text.count("Held back") == 1
    assert "&#61;&#61; Note &#61;&#61;\nWords\n</pre>" in text


def test_it_is_bounded() -> None:
    posts = [replace(_POST, title=f"Talk:{one}", text="{" * 9_999) for one in range(50)]
    text = _text(*posts)

    assert text.count("<pre ") == MOST_POSTS
    assert f"[[:Talk:{MOST_POSTS - 1}|" in text
    assert text.count("&#123;") == MOST_POSTS * 3_000
    assert text.count("…") == MOST_POSTS


def test_a_page_of_another_wiki_is_named_and_not_linked() -> None:
    text = _text(replace(_POST, wiki="de.wikipedia.org", title="Diskussion:Uhr"))
    assert "[[" not in text
    assert "Diskussion&#58;Uhr" in text


def test_what_people_wrote_around_it_stays() -> None:
    first = shown_posts("Mine above.\n", [_POST], KEYS)
    page = f"{first.text}Mine below.\n"
    again = _text(replace(_POST, text="Other"), page=page, own=first.content)

    assert again.startswith("Mine above.\n<!--")
    assert again.endswith("-->\nMine below.\n")
    assert "Words" not in again


_PIECES = [
    "</pre>",
    "<pre>",
    "{{",
    "}}",
    "[[Category:",
    "]]",
    "~",
    "~~~",
    "<!--",
    "-->",
]
_PIECES += [
    "<nowiki>",
    "</nowiki>",
    "<ref>",
    "\n",
    "\n== ",
    "&#60;",
    "-{",
    "__TOC__",
    "x ",
]
_PIECES += ["<!-- sidenote end dryrun -->", "<!-- sidenote begin dryrun -->", "é", " "]


@given(st.lists(st.sampled_from(_PIECES), max_size=20).map("".join))
def test_no_text_gets_out_of_its_frame(words: str) -> None:
    hostile = replace(_POST, text=words, summary=words, held_back=words, task=words)
    text = _text(hostile, _POST)

    block = blocks.find(text, DRY_RUN_BLOCK, KEYS).block
    assert block is not None
    assert text[block.end :] == "\n"
    assert text.count("<pre ") == text.count("</pre>") == 2
    for sign in ("~~~", "{{", "}}", "[[Category", "__TOC__", "-{", "<ref"):
        assert sign not in text
    comments = [one for one in scan(text).elements if one.kind is Kind.COMMENT]
    assert len(comments) == 2
