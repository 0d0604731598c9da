"""The page on which an operator reads what a dry run would have posted. Pure.

What is shown was made for other pages and must have no effect here: no category, no
template, no signature, nothing that could be mistaken for one of our notes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words
from bot.wiki import blocks
from bot.wiki.escaping import NOTHING, WikiSafe, filled, joined, page_link, text
from bot.wiki.keys import Keys

BLOCK = "dryrun"
MOST_POSTS = 20
_MOST_CHARS = 3_000  # characters of each post's text
_SUMMARY_CHARS = 500

_NAME = WikiSafe("'''Sidenote'''")
_POST = """\
* $page ($task), $when: “$summary”$held
<pre style="white-space: pre-wrap">
$text
</pre>"""
_HELD = " '''$held:''' $why"


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
    body, advice = _body(posts[:MOST_POSTS], words), words.say("block-advice")
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)


def _body(posts: Sequence[ShownPost], words: Words) -> WikiSafe:
    parts = [words.say("dry-run-head", _NAME, MOST_POSTS)]
    parts += [_shown(each, words) for each in posts] or [words.say("dry-run-none")]
    return joined("\n\n", parts)


def _shown(post: ShownPost, words: Words) -> WikiSafe:
    # A page of another wiki is only named: a link would lead to a page of this wiki.
    page = text(f"{post.wiki}: {post.title}") if post.wiki else page_link(post.title)
    why = text(post.held_back)
    return filled(
        _POST,
        page=page,
        task=text(post.task),
        when=WikiSafe(moment(post.shown_at)),
        summary=text(post.summary, most=_SUMMARY_CHARS),
        held=filled(_HELD, held=words.say("dry-run-held"), why=why) if why else NOTHING,
        text=joined("\n", _lines(post.text)),
    )


def _lines(words: str) -> Iterator[WikiSafe]:
    for line in words[:_MOST_CHARS].strip("\n").split("\n"):
        yield text(line, most=_MOST_CHARS)
    if len(words) > _MOST_CHARS:
        yield WikiSafe("…")
