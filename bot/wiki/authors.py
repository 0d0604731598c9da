"""Tells what was saved on a page lately and by whom, and what else befell its title.

That is how somebody can prove who they are to whom they told no password. What an edit
shows depends on what stood there before, and on how the edit came about. No redirect is
followed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import BaseModel, Field

from bot.wiki.answers import Slot
from bot.wiki.api import WikiApi
from bot.wiki.asking import MANY, Asked, asked_title
from bot.wiki.list_answers import Entry, ListAnswer, Name, Number, TextRevision

_MOST = 20  # revisions, log entries and recent changes, each

# The levels of protection that MediaWiki knows itself; others are named by the right.
_RIGHT_OF_LEVEL: Mapping[str, str] = MappingProxyType(
    {"sysop": "editprotected", "autoconfirmed": "editsemiprotected"}
)


@dataclass(frozen=True, slots=True)
class SavedRevision:
    """One revision of a page.

    `text`, `summary` and `sha1` are `None` where the wiki hides or has lost them. `user`
    is empty and `user_id` 0 where it hides who it was; an edit without an account has
    the number 0, too. `is_listed` says that the recent changes have it as an edit of
    this page by this user: what was imported, restored or moved here is none.
    """

    revision_id: int
    user: str
    user_id: int
    text: str | None
    summary: str | None
    sha1: str | None
    tags: frozenset[str]
    is_listed: bool


@dataclass(frozen=True, slots=True)
class LogEntry:
    """Something that the wiki's logs have of a title; `kind` is the log."""

    log_id: int
    kind: str


@dataclass(frozen=True, slots=True)
class RecentHistory:
    """The newest revisions of a page and log entries of its title, newest first.

    There are no revisions where there is no page. `has_older` and `has_older_log` say
    that more of them were not read. `rights` are those that it takes to save the page.
    """

    title: str
    is_redirect: bool
    revisions: tuple[SavedRevision, ...]
    has_older: bool
    log: tuple[LogEntry, ...]
    has_older_log: bool
    rights: frozenset[str]


class _Revision(TextRevision):
    user: Name = ""
    userid: Number = 0
    sha1: str | None = None
    comment: str = ""
    commenthidden: bool = False
    tags: list[str] = Field(default_factory=list)


class _Protection(BaseModel):
    type: str
    level: str


class _Page(Entry):
    revisions: list[_Revision] = Field(default_factory=list)  # type: ignore[assignment]  # of more than it was
    protection: list[_Protection] = Field(default_factory=list)


class _Logged(BaseModel):
    logid: Number
    type: str


class _Changed(BaseModel):
    title: str = ""
    user: str = ""
    revid: Number = 0


class _Lists(BaseModel):
    pages: list[_Page] = []
    logevents: list[_Logged] = []
    recentchanges: list[_Changed] = []


class _Answer(ListAnswer):
    query: _Lists = _Lists()  # type: ignore[assignment]  # of pages that tell more


async def recent_history(api: WikiApi, title: str) -> RecentHistory | None:
    """Return the recent history of a title; `None` if no page can be called so."""
    form = asked_title(title)
    if form is None:
        return None
    asked: Asked = {
        "titles": MANY + form,
        "prop": "info|revisions",
        "inprop": "protection",
        "rvprop": "ids|timestamp|user|userid|comment|tags|sha1|content",
        "rvslots": "main",
        "rvlimit": _MOST,
        "list": "logevents|recentchanges",
        "letitle": form,
        "leprop": "ids|type",
        "lelimit": _MOST,
        "rctitle": form,
        "rctype": "edit|new",
        "rcprop": "ids|user|title",
        "rclimit": _MOST,
    }
    answer = await api.call("query", _Answer, asked)
    page = answer.query.pages[0] if answer.query.pages else None
    if page is None or page.invalid or page.special:
        return None
    listed = {
        (each.revid, each.user)
        for each in answer.query.recentchanges
        if each.title == page.title
    }
    return RecentHistory(
        title=page.title,
        is_redirect=page.redirect,
        revisions=tuple(_saved(each, listed) for each in page.revisions),
        has_older="rvcontinue" in answer.going_on,
        log=tuple(LogEntry(one.logid, one.type) for one in answer.query.logevents),
        has_older_log="lecontinue" in answer.going_on,
        rights=_rights(page),
    )


def _saved(told: _Revision, listed: set[tuple[int, str]]) -> SavedRevision:
    slot = told.slots.get("main", Slot())
    return SavedRevision(
        revision_id=told.revid,
        user=told.user,
        user_id=told.userid,
        text=None if slot.texthidden else slot.content,
        summary=None if told.commenthidden else told.comment,
        sha1=told.sha1,
        tags=frozenset(told.tags),
        is_listed=(told.revid, told.user) in listed,
    )


def _rights(page: _Page) -> frozenset[str]:
    kind = "edit" if page.is_there else "create"
    levels = {each.level for each in page.protection if each.type == kind}
    return frozenset(_RIGHT_OF_LEVEL.get(level, level) for level in levels)
