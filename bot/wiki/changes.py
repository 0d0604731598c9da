"""Reads a wiki's list of recent changes as changes.

The API keeps them for some weeks, the stream for a few days. An entry says the same as
an event of the stream, under a different id. First come the names that wikis use for
actions on pages and for the people who do them.
"""

import re
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Annotated, Any

import structlog
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from bot.records.changes import Change, ChangeKind, UserKind
from bot.wiki.answers import (
    Comment,
    ListAnswer,
    Name,
    Namespace,
    Number,
    Reply,
    Tags,
    Title,
    one_line,
)
from bot.wiki.api import Parameters, WikiApi, answers, in_parts, only, wiki_time
from handlers.ports import PermanentError

REVERTED = "mw-reverted"
"""MediaWiki's tag of an edit that was undone, rolled back or manually reverted."""

_TEMPORARY = re.compile(r"~\d{4}-")
_LOGS = {
    ("move", "move"): ChangeKind.MOVE,
    ("move", "move_redir"): ChangeKind.MOVE,
    ("delete", "delete"): ChangeKind.DELETE,
    ("delete", "delete_redir"): ChangeKind.DELETE,
    ("delete", "delete_redir2"): ChangeKind.DELETE,
    ("suppress", "delete"): ChangeKind.DELETE,
    ("delete", "restore"): ChangeKind.RESTORE,
    ("delete", "revision"): ChangeKind.VISIBILITY,
    ("suppress", "revision"): ChangeKind.VISIBILITY,
    ("delete", "event"): ChangeKind.VISIBILITY,  # what a log says about the page
    ("suppress", "event"): ChangeKind.VISIBILITY,
}
_TYPES = {
    "edit": ChangeKind.EDIT,
    "new": ChangeKind.NEW,
    "categorize": ChangeKind.CATEGORY,
}


def change_kind(type_: str, log_type: str | None, log_action: str | None) -> ChangeKind:
    """Return what a line of recent changes is about."""
    if type_ == "log":
        return _LOGS.get((log_type or "", log_action or ""), ChangeKind.OTHER)
    return _TYPES.get(type_, ChangeKind.OTHER)


def user_kind(
    name: str | None, *, is_bot: bool, our_names: Collection[str]
) -> UserKind:
    """Return who made a change, by the name and the flag that the wiki gives."""
    if name is not None and name in our_names:
        return UserKind.OURS
    if is_bot:
        return UserKind.BOT
    if name is None:
        return UserKind.HIDDEN
    if _TEMPORARY.match(name):
        return UserKind.TEMPORARY
    return UserKind.ADDRESS if _is_address(name) else UserKind.REGISTERED


def _is_address(name: str) -> bool:
    if ":" not in name and "." not in name:  # at most, in names: a failure costs more
        return False
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


_PROPERTIES = "title|ids|user|timestamp|flags|comment|loginfo"
# No text changes in the other types, and they are nearly half.
_TYPES_LISTED = "edit|new|log"
_MOST_PARTS = 100_000  # three months of the busiest wiki


class _Entry(BaseModel):
    type: Name
    rcid: Number
    timestamp: AwareDatetime
    title: Title = ""  # a log can hide which page it is about
    ns: Namespace = 0
    pageid: Number = 0
    revid: Number = 0
    old_revid: Number = 0
    user: Name | None = None
    bot: bool = False
    minor: bool = False
    comment: Comment = ""
    logtype: Name | None = None
    logaction: Name | None = None
    logparams: Any = None


class _When(BaseModel):
    timestamp: AwareDatetime


class _Move(BaseModel):
    target_title: Annotated[Title, Field(min_length=1)]


async def changes(
    api: WikiApi,
    wiki: str,
    between: tuple[datetime, datetime],
    namespaces: Collection[int],
    our_names: Collection[str],
) -> AsyncGenerator[Change, None]:
    """Yield the changes between two times, both included, oldest first.

    An entry that cannot be read is skipped, and logged.
    """
    since, until = between
    parameters = {
        "list": "recentchanges",
        "rcdir": "newer",
        "rcstart": wiki_time(since),
        "rcend": wiki_time(until + timedelta(seconds=1)),
        "rclimit": "max",
        "rcprop": _PROPERTIES,
        "rctype": _TYPES_LISTED,
        **only("rcnamespace", namespaces),
    }
    parts = answers(api, parameters, most=_MOST_PARTS)
    async with aclosing(parts):
        async for part in parts:
            for entry in part.query.recentchanges:
                change = change_of(entry, wiki, our_names)
                if isinstance(change, ValueError):
                    _complain(wiki, change)
                elif change is not None and since <= change.changed_at <= until:
                    yield change


@dataclass(frozen=True, slots=True)
class ListedEdit:
    """An edit without its page and without who made it."""

    revision_id: int
    saved_at: datetime
    comment: str
    tags: frozenset[str]


class _ListedEdit(BaseModel):
    revid: Number
    timestamp: AwareDatetime
    comment: Comment = ""
    tags: Tags = []


async def edits(
    api: WikiApi, between: tuple[datetime, datetime], namespaces: Collection[int]
) -> AsyncGenerator[ListedEdit, None]:
    """Yield people's edits between two times, both included, oldest first.

    Edits by bots, new pages and unreadable entries are left out.
    """
    since, until = between
    parameters = {
        "list": "recentchanges",
        "rcdir": "newer",
        "rcstart": wiki_time(since),
        "rcend": wiki_time(until),
        "rclimit": "max",
        "rcprop": "ids|timestamp|comment|tags",
        "rctype": "edit",
        "rcshow": "!bot",
        **only("rcnamespace", namespaces),
    }
    parts = answers(api, parameters, most=_MOST_PARTS)
    async with aclosing(parts):
        async for part in parts:
            for entry in part.query.recentchanges:
                try:
                    read = _ListedEdit.model_validate(entry)
                except ValidationError:
                    continue  # its summary is hidden, or it is not an edit
                tags = frozenset(read.tags)
                yield ListedEdit(read.revid, read.timestamp, read.comment, tags)


class _Tagged(BaseModel):
    revid: Number
    tags: Tags = []
    sha1hidden: bool = False  # as is the text


class _TaggedPage(BaseModel):
    revisions: list[_Tagged] = []


class _TaggedPages(BaseModel):
    pages: list[_TaggedPage] = []


class _TagsAnswer(Reply):
    query: _TaggedPages = _TaggedPages()


async def tags_of(
    api: WikiApi, revisions: Iterable[int]
) -> Mapping[int, frozenset[str]]:
    """Return the change tags of revisions; those gone or hidden are left out."""
    found: dict[int, frozenset[str]] = {}
    for part in in_parts(map(str, revisions)):
        parameters: Parameters = {
            "prop": "revisions",
            "revids": "|".join(part),
            "rvprop": "ids|tags|sha1",
        }
        answer = await api.call("query", _TagsAnswer, parameters)
        for page in answer.query.pages:
            found |= {
                one.revid: frozenset(one.tags)
                for one in page.revisions
                if not one.sha1hidden
            }
    return found


async def oldest_change(api: WikiApi) -> datetime | None:
    """Return the time of the oldest entry; `None` if there is none at all."""
    parameters: Parameters = {
        "list": "recentchanges",
        "rcdir": "newer",
        "rclimit": 1,
        "rcprop": "timestamp",
    }
    answer = await api.call("query", ListAnswer, parameters)
    for entry in answer.query.recentchanges[:1]:
        try:
            return _When.model_validate(entry).timestamp
        except ValidationError as error:
            raise PermanentError(
                "the wiki's oldest change has no time; ask its operators"
            ) from error
    return None


def change_of(
    entry: object, wiki: str, our_names: Collection[str]
) -> Change | ValueError | None:
    """Return the change in an entry.

    `None` if its page is hidden; an error, not raised, if it is not an entry.
    """
    try:
        read = _Entry.model_validate(entry)
        kind = change_kind(read.type, read.logtype, read.logaction)
        moved_to = (
            _Move.model_validate(read.logparams).target_title
            if kind is ChangeKind.MOVE and read.title
            else None
        )
    except ValidationError as error:
        return error
    return _change(read, wiki, kind, moved_to, our_names) if read.title else None


def _change(
    read: _Entry,
    wiki: str,
    kind: ChangeKind,
    moved_to: str | None,
    our_names: Collection[str],
) -> Change:
    is_edit = kind in (ChangeKind.EDIT, ChangeKind.NEW)
    return Change(
        kind=kind,
        wiki=wiki,
        title=read.title,
        namespace=read.ns,
        changed_at=read.timestamp,
        user=user_kind(read.user, is_bot=read.bot, our_names=our_names),
        event_id=f"{wiki}/recentchanges/{read.rcid}",
        page_id=read.pageid or None,
        # For a log entry it is the revision shown in the page's history, or none.
        revision_id=(read.revid or None) if is_edit else None,
        parent_id=(read.old_revid or None) if is_edit else None,
        moved_to=moved_to,
        is_minor=read.minor,
        comment=read.comment,
    )


def _complain(wiki: str, fault: ValueError) -> None:
    structlog.get_logger().warning(
        "a change cannot be read", wiki=wiki, why=one_line(str(fault))
    )
