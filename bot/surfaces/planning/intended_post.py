"""The tools that plans are made with, and the result of a plan."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from bot.records.posts import Post
from bot.records.watches import IntendedPost, Plan
from bot.store import Store
from bot.surfaces.feedback import Feedback
from bot.surfaces.messages import language_of
from bot.surfaces.planning.post_history import Past
from bot.surfaces.post_summaries import Summaries, Task
from bot.wiki.keys import Keys
from bot.wiki.pages import PageText, SiteNames

# The methods that reports and talk pages need; the real reader has more.


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does.

    Every method raises PermanentError if the wiki will not answer, and TemporaryError
    if it cannot be reached or is busy.
    """

    async def site_names(self) -> SiteNames:
        """Return the names of the wiki's namespaces."""
        ...

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return a page or one of its revisions; `None` if it is missing or hidden."""
        ...

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those of `urls` that are on the wiki's spam blacklist."""
        ...


_SEPARATOR = "\x1f"  # a character that titles cannot contain


@dataclass(frozen=True, slots=True)
class PlanningTools:
    """The tools that plans are made with.

    `bot` is the name of the account, `keys` sign what it writes, and `reader` returns
    the reader of a wiki by its host name. In a dry run (`is_dry`) posts are shown and
    never made. A report is rewritten at most once in `rewrite_s` seconds; notes that a
    limit holds back are checked again after `room_s`. `feedback` says what may be shown
    according to readers' decisions; it is asked for each plan.
    """

    store: Store
    keys: Keys
    bot: str
    reader: Callable[[str], Reader]
    now: Callable[[], datetime]
    is_dry: bool
    rewrite_s: float = 600.0
    room_s: float = 3600.0
    feedback: Callable[[], Feedback] = Feedback

    def summaries(self, wiki: str) -> Summaries:
        """Return the maker of edit summaries for a wiki."""
        return Summaries(self.bot, self.keys, language_of(wiki))


@dataclass(frozen=True, slots=True)
class Planned:
    """The result of a plan: posts to be stored with its end, and plans for later.

    `drops` are the names of waiting posts that are no longer right. `why` says what is
    held back, for the log.
    """

    posts: tuple[Post, ...] = ()
    intended_posts: tuple[IntendedPost, ...] = ()
    why: str = ""
    drops: tuple[str, ...] = ()


Handler = Callable[[Plan], Awaitable[Planned]]
"""Makes plans of one kind.

It raises PermanentError or TemporaryError as the tools do, and ends well before the lease of the plan does.
"""


def again(plan: Plan, due_at: datetime) -> IntendedPost:
    """Return the same plan, to be made once more."""
    intended_post = plan.task
    return IntendedPost(
        intended_post.kind, intended_post.wiki, intended_post.subject, due_at
    )


def later(plan: Plan, now: datetime, in_s: float, why: str) -> Planned:
    """Return that nothing is posted now, and that the plan is made again later."""
    return Planned((), (again(plan, now + timedelta(seconds=in_s)),), why)


def posted(
    post: Post | None,
    past: Past,
    intended_posts: Iterable[IntendedPost] = (),
    why: str = "",
) -> Planned:
    """Return that `post` is due, or nothing, given what waits to be posted already.

    A waiting post that would do the same stays. A different one is dropped: by the
    store when this one is asked for, or here if nothing is due.
    """
    if post is not None:
        posts = () if past.waits_as(post) else (post,)
        return Planned(posts, tuple(intended_posts), why)
    drops = (past.waiting.post.name,) if past.waiting else ()
    return Planned((), tuple(intended_posts), why, drops)


def post_name(plan: Plan, title: str, task: Task, now: datetime) -> str:
    """Return a name for the post that a plan makes for a page.

    It must be known before the text, which contains it, and be new.
    """
    parts = (plan.task.wiki, title, task.value, str(plan.token), now.isoformat())
    return sha256(_SEPARATOR.join(parts).encode("utf-8", "replace")).hexdigest()
