"""Plans the pages that the bot keeps for its operator: dry-run posts and health.

Like every post they go through the outbox to the one gate, each under its own stop
page. Showing what a dry run would have posted is the only thing that a dry run writes.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

import structlog

from bot.records.heartbeat import Incident
from bot.records.posts import (
    Append,
    Change,
    Post,
    PostState,
    RequestOutcome,
    StoredPost,
)
from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words, language_of
from bot.surfaces.planning.current_page import (
    CurrentPage,
    obstacle,
    read_current,
)
from bot.surfaces.planning.diff import difference, stretch
from bot.surfaces.planning.posts import Past, PlanningTools, post_name
from bot.surfaces.post_summaries import Task
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, joined, page_link, text
from bot.wiki.keys import Keys
from bot.wiki.pages import USER
from handlers.model import Span
from handlers.ports import PermanentError

DRY_RUN_BLOCK = "dryrun"
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
    return blocks.rewritten(page, DRY_RUN_BLOCK, body, keys, own=own, advice=advice)


def _page(post: ShownPost) -> WikiSafe:
    # A page of another wiki is only named: a link would lead to a page of this wiki.
    return text(f"{post.wiki}: {post.title}") if post.wiki else page_link(post.title)


def _text(post: ShownPost) -> WikiSafe:
    lines = post.text[:_MOST_CHARS].strip("\n").split("\n")
    shown = [text(line, most=_MOST_CHARS) for line in lines]
    cut = [WikiSafe("…")] if len(post.text) > _MOST_CHARS else []
    return joined("\n", [*shown, *cut])


PAUSE_S = 60.0


@dataclass(frozen=True, slots=True)
class OwnPage(ABC):
    """Keeps one page of one wiki up to date; `title` is as the wiki writes it."""

    tools: PlanningTools
    wiki: str
    title: str

    task: ClassVar[Task]
    block: ClassVar[str]
    setting: ClassVar[str]  # the setting that names the page
    pause_s: ClassVar[float] = PAUSE_S

    @abstractmethod
    def written(self, page: str, own: str | None) -> blocks.Rewritten:
        """Return the page as it should be; `own` is our block as we left it. Blocks."""

    @abstractmethod
    def summary(self, post: str) -> str:
        """Return the summary of the edit."""

    async def refresh(self) -> RequestOutcome | None:
        """Ask for the page to be written; `None` if there is nothing to do now.

        Raises:
            PermanentError: the page is not in user space, or keeps bots away.
            TemporaryError: the wiki or the store is away.
        """
        await self._check_title()
        current = await read_current(self.tools, self.wiki, self.title, self.task)
        if current is None or self._waits(current.past):
            return None
        stopped = obstacle(current.page, self.tools.bot)
        if stopped:
            raise PermanentError(f"nothing can be shown there: {stopped}")
        change = await asyncio.to_thread(self._change, current)
        if change is None or self._was_shown(current.past, change):
            return None
        outcome = await asyncio.to_thread(
            self.tools.store.outbox.ask, self._post(change)
        )
        log = structlog.get_logger()
        log.info("page planned", task=self.task.value, asked=outcome.name)
        return outcome

    async def _check_title(self) -> None:
        title = (await self.tools.reader(self.wiki).namespaces()).title(self.title)
        if title is None or title.namespace != USER:
            raise PermanentError(
                f"`{self.setting}` is “{self.title}”, which is not a user page on"
                f" {self.wiki}; give a page such as User:You/Sidenote"
            )
        if title.text != self.title:
            raise PermanentError(
                f"`{self.setting}` is “{self.title}”, which {self.wiki} calls"
                f" “{title.text}”; write it like that"
            )

    def _waits(self, past: Past) -> bool:
        """Return whether the last post is too recent, not yet made, or refused."""
        now = self.tools.now()
        held, made = past.held_until, past.made
        if past.waiting is not None or (held is not None and held > now):
            return True
        return made is not None and now < made.changed_at + timedelta(
            seconds=self.pause_s
        )

    def _was_shown(self, past: Past, change: Change) -> bool:
        """Return whether a dry run has shown this already."""
        shown = past.shown if self.tools.is_dry else None
        if shown is None or shown.state is not PostState.SHOWN:
            return False
        return shown.post.change == change

    def _change(self, current: CurrentPage) -> Change | None:
        keys, page, own = self.tools.keys, current.text, self._own(current.past)
        made = self.written(page, own)
        if made.content is None:
            raise PermanentError(
                f"nothing can be added to “{self.title}”: a comment or tag is left"
                " open there; close it"
            )
        if made.text == page:
            return None
        if blocks.find(page, self.block, keys, own=own).block is None:
            return Append(made.text[len(page) :])
        now = blocks.find(made.text, self.block, keys).block
        # The change contains the whole block, so that the next plan finds it there.
        whole = Span(now.start, now.end) if now else None
        return stretch(page, difference(page, made.text, whole))

    def _own(self, past: Past) -> str | None:
        if past.made is None:
            return None
        written = past.made.post.change.text
        block = blocks.find(written, self.block, self.tools.keys).block
        return block.content if block else None

    def _post(self, change: Change) -> Post:
        now = self.tools.now()
        name = post_name(self.wiki, self.title, self.task, now)
        return Post(
            name=name,
            wiki=self.wiki,
            title=self.title,
            task=self.task.value,
            change=change,
            summary=self.summary(name),
            asked_at=now,
        )


@dataclass(frozen=True, slots=True)
class DryPage(OwnPage):
    """What a dry run would have posted.

    `local` returns the local page that a post was shown in: its path must not appear on
    a wiki.
    """

    local: Callable[[Post], str]

    task = Task.DRY_RUN
    block = DRY_RUN_BLOCK
    setting = "dry_run_page"

    def written(self, page: str, own: str | None) -> blocks.Rewritten:
        """Show the newest posts; see `OwnPage`."""
        keys, posts = self.tools.keys, self._newest()
        if not posts and blocks.find(page, self.block, keys, own=own).block is None:
            return blocks.Rewritten(page, "", ())
        language = language_of(self.wiki)
        return shown_posts(page, posts, keys, own=own, language=language)

    def summary(self, post: str) -> str:
        """Return the summary of the edit."""
        return self.tools.summaries(self.wiki).dry_run(post)

    def _newest(self) -> list[ShownPost]:
        newest = self.tools.store.outbox.posts(limit=MOST_POSTS, state=PostState.SHOWN)
        return [self._shown(each) for each in newest if not _is_ours(each.post)]

    def _shown(self, stored: StoredPost) -> ShownPost:
        post = stored.post
        # The note is the path of the local page, then what prevented the post.
        held_back = stored.note.removeprefix(self.local(post))
        return ShownPost(
            wiki="" if post.wiki == self.wiki else post.wiki,
            title=post.title,
            task=post.task,
            shown_at=stored.changed_at,
            summary=post.summary,
            held_back=held_back[2:] if held_back.startswith(": ") else "",
            text=post.change.text,
        )


@dataclass(frozen=True, slots=True)
class StatusPage(OwnPage):
    """What is wrong with the program, or that nothing is.

    It contains nothing that changes by itself, so it is edited only when the problems
    change.
    """

    task = Task.STATUS
    block = "status"
    setting = "status_page"

    def written(self, page: str, own: str | None) -> blocks.Rewritten:
        """Show the problems that were last found; see `OwnPage`.

        They are described in English, as on the operator's other pages. No text of a
        page or of a source is among them.
        """
        words = Words(language_of(self.wiki))
        wrong = self._wrong()
        body = words.fill("status.wiki", name=_NAME, wrong=wrong, moment=moment)
        advice = words.say("block-advice")
        return blocks.rewritten(
            page, self.block, body, self.tools.keys, own=own, advice=advice
        )

    def summary(self, post: str) -> str:
        """Return the summary of the edit."""
        return self.tools.summaries(self.wiki).status(len(self._wrong()), post)

    def _wrong(self) -> tuple[Incident, ...]:
        return self.tools.store.health.known()


def _is_ours(post: Post) -> bool:
    return post.task == Task.DRY_RUN.value
