"""Reads a page that may be written to, so that what is on it can be interpreted.

What people removed is found by comparing the page with our last post. So the page must
be at least as new as that post, and no other post of ours may be under way.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from bot.records.posts import PostState, StoredPost
from bot.store import Store, StoredSuggestion
from bot.surfaces.opt_in.community import Community, in_force
from bot.surfaces.opt_in.refusal import PROGRAM, exclusion
from bot.surfaces.planning.posts import MOST_PER_PAGE, Past, PlanningTools, past_of
from bot.surfaces.planning.selection import ReaderDecisions
from bot.surfaces.post_summaries import Task
from bot.wiki.pages import PageText

SOON_S = 20.0
_LAG_S = 120.0  # how far a replica of the wiki's database may lag


@dataclass(frozen=True, slots=True)
class CurrentPage:
    """A page as it is now; `page` is `None` if it is missing or hidden.

    `at` is when reading it began: what is planned from it does not know about later
    posts.
    """

    page: PageText | None
    past: Past
    at: datetime

    @property
    def text(self) -> str:
        """Its wikitext, empty if there is none."""
        return self.page.text if self.page else ""


async def past_at(tools: PlanningTools, wiki: str, title: str, task: Task) -> Past:
    """Return what we posted to a page for a task.

    A post dated in the future, by a clock that has been corrected since, counts as
    posted now: otherwise a report would pause for as long as the clock was wrong.
    """
    posts = await asyncio.to_thread(_newest, tools.store, wiki, title, task)
    notes = await asyncio.to_thread(
        tools.store.outbox.notes_posted, wiki, title, task.value
    )
    now = tools.now()
    happened = [replace(each, changed_at=min(each.changed_at, now)) for each in posts]
    return past_of(happened, notes)


def _newest(store: Store, wiki: str, title: str, task: Task) -> list[StoredPost]:
    """Return the newest posts to a page, and the newest of those made, or refused.

    Without those, a page where many posts in a row were refused would look as if
    nothing had been posted there, and what a filter refuses would be forgotten.
    """
    newest = partial(
        store.outbox.posts, limit=MOST_PER_PAGE, wiki=wiki, title=title, task=task.value
    )
    states = (PostState.POSTED, PostState.SHOWN, PostState.REFUSED)
    found = [*newest(), *(each for state in states for each in newest(state=state))]
    by_name = {each.post.name: each for each in found}
    return sorted(by_name.values(), key=lambda each: each.changed_at, reverse=True)


async def read_current(
    tools: PlanningTools, wiki: str, title: str, task: Task
) -> CurrentPage | None:
    """Return a page and what we posted there; `None` if that cannot be known now.

    Raises:
        PermanentError: the wiki will not answer.
        TemporaryError: it cannot be reached, or the store.
    """
    at = tools.now()
    before = await past_at(tools, wiki, title, task)
    if before.is_trying:
        return None
    page = await tools.reader(wiki).text_of(title)
    after = await past_at(tools, wiki, title, task)
    if not after.is_still(before) or _is_behind(page, after, tools.now()):
        return None
    return CurrentPage(page, after, at)


def _is_behind(page: PageText | None, past: Past, now: datetime) -> bool:
    made = past.made
    if made is None or (now - made.changed_at).total_seconds() > _LAG_S:
        return False  # then the page was deleted, or restored to an old revision
    return page is None or page.revision_id < (made.revision_id or 0)


def obstacle(page: PageText | None, bot: str) -> str:
    """Return what the page itself says against writing to it."""
    if page is None:
        return ""
    if page.is_redirect:
        return f"“{page.title}” is a redirect"
    if page.content_model != "wikitext":
        return f"“{page.title}” is not wikitext"
    reason = exclusion(page.text, bot, task=PROGRAM).reason
    return f"“{page.title}”: {reason}" if reason else ""


def community_of(store: Store, wiki: str) -> Community:
    """Return what a wiki's community decided, or the defaults."""
    return in_force(store.communities.get(wiki))


def reader_decisions(
    tools: PlanningTools, wiki: str, stored: Iterable[StoredSuggestion]
) -> ReaderDecisions:
    """Return what readers of the panel decided about suggestions of a wiki."""
    identities = [each.suggestion.identity for each in stored]
    closed = tools.store.decisions.closed(wiki, identities)
    return ReaderDecisions(closed, tools.feedback())
