"""The page on which an operator reads what a dry run would have posted. Pure.

What is shown was made for other pages and must have no effect here: no category, no
template, no signature, nothing that could be mistaken for one of our notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, joined, page_link, text
from bot.wiki.keys import Keys

BLOCK = "dryrun"
MOST_POSTS = 20
_MOST_CHARS = 3_000  # characters of each post's text

_NAME = WikiSafe("'''Sidenote'''")


@dataclass(frozen=True, slots=True)
class ShownPost:
    """A post that a dry run showed.

    `wiki` is empty for posts to the wiki of the page itself; `held_back` says what
    would have prevented the post, `text` is what it would have written.
    """

    wiki: str
    title: str
    task: str
    shown_at: datetime
    summary: str
    held_back: str
    text: str


def shown_posts(
    page: str,
    posts: Sequence[ShownPost],
    keys: Keys,
    *,
    own: str | None = None,
    language: str = SOURCE,
) -> blocks.Rewritten:
    """Return the page with `posts` in its block, and nothing else changed.

    Args:
        page: its wikitext, empty if there is no page yet.
        posts: the newest first; those beyond the first `MOST_POSTS` are left out.
        keys: sign the block.
        own: `Rewritten.content` of the last time, if known.
        language: of the wiki.
    """
    words = Words(language)
    body = words.fill(
        "dry_run.wiki",
        name=_NAME,
        most_posts=MOST_POSTS,
        posts=posts[:MOST_POSTS],
        page_of=_page,
        text_of=_text,
        when=lambda at: WikiSafe(moment(at)),
    )
    advice = words.say("block-advice")
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)


def _page(post: ShownPost) -> WikiSafe:
    # A page of another wiki is only named: a link would lead to a page of this wiki.
    return text(f"{post.wiki}: {post.title}") if post.wiki else page_link(post.title)


def _text(post: ShownPost) -> WikiSafe:
    lines = post.text[:_MOST_CHARS].strip("\n").split("\n")
    shown = [text(line, most=_MOST_CHARS) for line in lines]
    cut = [WikiSafe("…")] if len(post.text) > _MOST_CHARS else []
    return joined("\n", [*shown, *cut])
