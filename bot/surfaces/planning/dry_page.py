"""Plans the page on which an operator reads what a dry run would have posted.

It is the one thing that a dry run writes, and it goes the way of every post: through
the outbox, to the one gate, under a stop page of its own.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

import structlog

from bot.records.posts import Append, Asked, Change, KeptPost, Post, PostState
from bot.surfaces.dry_run_page import BLOCK, MOST_POSTS, ShownPost, shown_posts
from bot.surfaces.messages import language_of
from bot.surfaces.planning.diff import difference, stretch
from bot.surfaces.planning.intended_post import Means
from bot.surfaces.planning.looking import Look, hindrance, look_at, names_of
from bot.surfaces.planning.post_history import Past
from bot.surfaces.post_summaries import Task
from bot.wiki import blocks
from bot.wiki.titles import USER
from handlers.model import Span
from handlers.ports import PermanentError

PAUSE_S = 60.0
_SEPARATOR = "\x1f"  # cannot stand in a title


@dataclass(frozen=True, slots=True)
class DryPage:
    """Keeps one page of one wiki up to date.

    `title` is the page, as the wiki itself writes it. `local` gives the local page
    that a post was shown in: its path is nobody's business on a wiki.
    """

    means: Means
    wiki: str
    title: str
    local: Callable[[Post], str]

    async def refresh(self) -> Asked | None:
        """Ask for the page to be written; `None` if nothing is to be done now.

        Raises:
            PermanentError: the page is not in user space, or keeps bots away.
            TemporaryError: the wiki or the store is away.
        """
        await self._check_title()
        look = await look_at(self.means, self.wiki, self.title, Task.DRY_RUN)
        if look is None or self._waits(look.past):
            return None
        stopped = hindrance(look.page, self.means.bot)
        if stopped:
            raise PermanentError(f"nothing can be shown there: {stopped}")
        change = self._change(look, await asyncio.to_thread(self._newest))
        if change is None:
            return None
        asked = await asyncio.to_thread(self.means.store.outbox.ask, self._post(change))
        structlog.get_logger().info("dry-run page planned", asked=asked.name)
        return asked

    async def _check_title(self) -> None:
        title = (await names_of(self.means, self.wiki)).title(self.title)
        if title is None or title.namespace != USER:
            raise PermanentError(
                f"`dry_run_page` is “{self.title}”, which is no user page on"
                f" {self.wiki}; give a page such as User:You/Sidenote dry run"
            )
        if title.text != self.title:
            raise PermanentError(
                f"`dry_run_page` is “{self.title}”, which {self.wiki} calls"
                f" “{title.text}”; write it so"
            )

    def _waits(self, past: Past) -> bool:
        """Tell whether the last post is too young, or not yet made, or was refused."""
        now = self.means.now()
        held, made = past.held_until, past.made
        if past.waiting is not None or (held is not None and held > now):
            return True
        return made is not None and now < made.changed_at + timedelta(seconds=PAUSE_S)

    def _newest(self) -> list[ShownPost]:
        kept = self.means.store.outbox.kept(limit=MOST_POSTS, state=PostState.SHOWN)
        return [self._shown(each) for each in kept if not _is_ours(each.post)]

    def _shown(self, kept: KeptPost) -> ShownPost:
        post = kept.post
        # The note is the path of the local page, then what held the post back.
        held_back = kept.note.removeprefix(self.local(post))
        return ShownPost(
            wiki="" if post.wiki == self.wiki else post.wiki,
            title=post.title,
            task=post.task,
            shown_at=kept.changed_at,
            summary=post.summary,
            held_back=held_back[2:] if held_back.startswith(": ") else "",
            text=post.change.text,
        )

    def _change(self, look: Look, posts: list[ShownPost]) -> Change | None:
        keys, page, own = self.means.keys, look.text, self._own(look.past)
        made = shown_posts(page, posts, keys, own=own, language=language_of(self.wiki))
        if made.content is None:
            raise PermanentError(
                f"nothing can be added to “{self.title}”: a comment or tag is left"
                " open there; close it"
            )
        known = blocks.find(page, BLOCK, keys, own=own).block
        if made.text == page or (known is None and not posts):
            return None
        if known is None:
            return Append(made.text[len(page) :])
        now = blocks.find(made.text, BLOCK, keys).block
        # The whole block is in the change, where the next look finds it.
        whole = Span(now.start, now.end) if now else None
        return stretch(page, difference(page, made.text, whole))

    def _own(self, past: Past) -> str | None:
        if past.made is None:
            return None
        written = past.made.post.change.text
        block = blocks.find(written, BLOCK, self.means.keys).block
        return block.content if block else None

    def _post(self, change: Change) -> Post:
        now, task = self.means.now(), Task.DRY_RUN
        parts = (self.wiki, self.title, task.value, now.isoformat())
        name = sha256(_SEPARATOR.join(parts).encode("utf-8", "replace")).hexdigest()
        return Post(
            name=name,
            wiki=self.wiki,
            title=self.title,
            task=task.value,
            change=change,
            summary=self.means.summaries(self.wiki).dry_run(name),
            asked_at=now,
        )


def _is_ours(post: Post) -> bool:
    return post.task == Task.DRY_RUN.value
