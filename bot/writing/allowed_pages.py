"""Where the bot may write: talk pages and user pages, by the wiki's own names. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.records.dossiers import is_draft_of
from bot.records.posts import Create, Post, Refusal, Refused
from bot.surfaces.post_summaries import Task
from bot.wiki.pages import USER

_MOST_BYTES = 255
_NEVER = re.compile(
    r"[#<>\[\]|{}_\x00-\x1f\x7f-\x9f\ufffd]|  |~~~|(?:\A|/)\.{1,2}(?:/|\Z)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A page that may be written to; `subject` is what a talk page is about.

    `requested_on` is another page, on which a person asked for this post.
    """

    title: str
    namespace: int
    subject: str | None
    requested_on: str | None = None


def is_allowed(namespace: int) -> bool:
    """Return whether pages of a namespace are talk or user pages."""
    return namespace == USER or (namespace > 0 and namespace % 2 == 1)


def place_of(post: Post, local: Mapping[int, str], stop_pages: str) -> Place | Refused:
    """Return where a post goes, or why it is refused; see `place` and `by_task`."""
    where = place(post.title, local, stop_pages)
    return where if isinstance(where, Refused) else by_task(where, post) or where


def place(title: str, local: Mapping[int, str], stop_pages: str) -> Place | Refused:
    """Return where a title leads, or why nothing is written there.

    The title must be exactly as the wiki itself writes it, so that no other page can be
    meant: the name of its namespace, a colon, the page.

    Args:
        title: of the page.
        local: the wiki's own names of its namespaces, by number.
        stop_pages: the beginning of the titles of the bot's stop pages, without the
            namespace.
    """
    prefix, colon, name = title.partition(":")
    number = {name: number for number, name in local.items() if name}.get(prefix)
    if not colon or number is None or not is_allowed(number):
        return _refused(title, "it is neither a talk page nor a user page")
    if _NEVER.search(title) or name != name.strip() or not name.strip(": "):
        return _refused(title, "no page has such a title")
    if name.startswith(":") or len(title.encode("utf-8", "replace")) > _MOST_BYTES:
        return _refused(title, "no page has such a title")
    if number == USER and (name == stop_pages or name.startswith(f"{stop_pages}/")):
        return _refused(title, "it is a stop page")
    return Place(title, number, _subject(number, name, local))


def by_task(where: Place, post: Post) -> Refused | None:
    """Return why a post of this task may not be written there.

    A draft is always a new page in the person's own user space.
    """
    if post.task != Task.DRAFT.value:
        return None
    name = where.title.partition(":")[2]
    if where.namespace != USER or not is_draft_of(post.user, name):
        return _refused(
            where.title, "a draft is only written to its requester's own subpages"
        )
    if not isinstance(post.change, Create):
        return _refused(where.title, "a draft is always a new page")
    return None


def _subject(number: int, name: str, local: Mapping[int, str]) -> str | None:
    if number == USER:
        return None
    prefix = local.get(number - 1, "")
    return f"{prefix}:{name}" if prefix else name


def _refused(title: str, why: str) -> Refused:
    return Refused(Refusal.PLACE, f"nothing is written to “{title[:100]}”: {why}")
