"""The history of a page: the texts of its revisions, and who saved what lately.

Wikis answer in parts of a few megabytes, and each part is passed on before the next is
requested, so a year of a busy page takes no more memory than one part.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from pydantic import BaseModel, Field

from bot.wiki.address import WikiAddress
from bot.wiki.answers import (
    Comment,
    Entry,
    ListAnswer,
    Name,
    Number,
    Slot,
    Tags,
    TextRevision,
    one_line,
)
from bot.wiki.api import MANY, Parameters, WikiApi, answers_in, title_form, wiki_time
from bot.wiki.human_edits import Revision, RevisionNote
from bot.wiki.pages import NoSuchPageError
from handlers.ports import PermanentError

_MOST_PARTS = 4_000  # at two megabytes a text, 200 revisions a part at most


class _Revision(TextRevision):
    user: Name = ""
    comment: Comment = ""
    tags: Tags = Field(default_factory=list)
    minor: bool = False


class _Page(Entry):
    revisions: list[_Revision] = Field(default_factory=list)  # type: ignore[assignment]  # of more than it was


class _Pages(BaseModel):
    pages: list[_Page] = []


class _Answer(ListAnswer):
    query: _Pages = _Pages()  # type: ignore[assignment]  # of pages that tell more


class WikiHistory:
    """Reads the histories of one wiki's pages. Redirects are followed.

    Every method raises PermanentError if the wiki will not answer, and TemporaryError
    if it cannot be reached or is busy.

    Args:
        address: of the wiki.
        user_agent: says who asks, with a way to reach them.
        timeout_s: how long one answer may take in all.
    """

    def __init__(
        self, address: WikiAddress, *, user_agent: str, timeout_s: float = 60.0
    ) -> None:
        self._wiki = address.host
        self._api = WikiApi(address, user_agent=user_agent, timeout_s=timeout_s)

    async def revision_at(self, title: str, at: datetime) -> Revision | None:
        """Return the revision current at a time; `None` if there was no page yet.

        Raises:
            NoSuchPageError: there is no page of that title now.
        """
        parameters: Parameters = {
            "rvstart": wiki_time(at),
            "rvdir": "older",
            "rvlimit": 1,
        }
        parts = self._parts(title, parameters, most=1_000_000)
        async with aclosing(parts):
            async for part in parts:
                return part[0] if part else None
        return None

    async def revisions(
        self, title: str, since: datetime, until: datetime
    ) -> AsyncGenerator[Revision, None]:
        """Yield the revision current at `since`, then all saved up to `until`.

        If the page was created later, start with its first revision. Close the
        generator after use.

        Raises:
            NoSuchPageError: there is no page of that title now.
        """
        base = await self.revision_at(title, since)
        if base is not None:
            yield base
        parameters = {
            "rvstart": wiki_time(since),
            "rvend": wiki_time(until),
            "rvdir": "newer",
            "rvlimit": "max",
        }
        parts = self._parts(title, parameters, most=_MOST_PARTS)
        async with aclosing(parts):
            async for part in parts:
                for revision in part:
                    if base is None or revision.note.revision_id != (
                        base.note.revision_id
                    ):
                        yield revision

    async def _parts(
        self, title: str, parameters: Parameters, *, most: int
    ) -> AsyncGenerator[tuple[Revision, ...], None]:
        form = title_form(title)
        if form is None:
            raise PermanentError(f"“{one_line(title)}” cannot be a title")
        whole: Parameters = {
            "prop": "revisions",
            "rvprop": "ids|timestamp|user|comment|tags|flags|content",
            "rvslots": "main",
            "titles": MANY + form,
            "redirects": 1,
            **parameters,
        }
        parts = answers_in(self._api, _Answer, whole, most=most)
        async with aclosing(parts):
            async for part in parts:
                yield tuple(map(_revision, self._page(part, title).revisions))

    def _page(self, answer: _Answer, title: str) -> _Page:
        for page in answer.query.pages:
            if page.is_there:
                return page
        raise NoSuchPageError(
            f"{self._wiki} has no page “{one_line(title)}” (or it was deleted); check"
            " its spelling"
        )


def _revision(row: _Revision) -> Revision:
    slot = row.slots.get("main", Slot())
    is_text = slot.contentmodel == "wikitext" and not slot.texthidden
    return Revision(
        RevisionNote(
            revision_id=row.revid,
            saved_at=row.timestamp,
            user=row.user,
            comment=row.comment,
            tags=tuple(row.tags),
            is_minor=row.minor,
        ),
        slot.content if is_text else None,
    )


_MOST = 20  # revisions, log entries and recent changes, each

# The levels of protection that MediaWiki knows itself; others are named by the right.
_RIGHT_OF_LEVEL: Mapping[str, str] = MappingProxyType(
    {"sysop": "editprotected", "autoconfirmed": "editsemiprotected"}
)


@dataclass(frozen=True, slots=True)
class SavedRevision:
    """One revision of a page.

    `text`, `summary` and `sha1` are `None` if the wiki hides or has lost them. `user`
    is empty and `user_id` 0 if it hides the user; an edit without an account has the
    number 0, too. `is_listed` says that the recent changes list it as an edit of this
    page by this user, which is not so for imported, restored or moved revisions.
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
    """An entry about a title in the wiki's logs; `kind` is the log."""

    log_id: int
    kind: str


@dataclass(frozen=True, slots=True)
class RecentHistory:
    """The newest revisions of a page and log entries of its title, newest first.

    There are no revisions if there is no page. `has_older` and `has_older_log` say that
    there are more that were not read. `rights` are those needed to save the page.
    """

    title: str
    is_redirect: bool
    revisions: tuple[SavedRevision, ...]
    has_older: bool
    log: tuple[LogEntry, ...]
    has_older_log: bool
    rights: frozenset[str]


class _AuthorsRevision(TextRevision):
    user: Name = ""
    userid: Number = 0
    sha1: str | None = None
    comment: str = ""
    commenthidden: bool = False
    tags: list[str] = Field(default_factory=list)


class _Protection(BaseModel):
    type: str
    level: str


class _AuthorsPage(Entry):
    revisions: list[_AuthorsRevision] = Field(default_factory=list)  # type: ignore[assignment]  # of more than it was
    protection: list[_Protection] = Field(default_factory=list)


class _Logged(BaseModel):
    logid: Number
    type: str


class _Changed(BaseModel):
    title: str = ""
    user: str = ""
    revid: Number = 0


class _Lists(BaseModel):
    pages: list[_AuthorsPage] = []
    logevents: list[_Logged] = []
    recentchanges: list[_Changed] = []


class _AuthorsAnswer(ListAnswer):
    query: _Lists = _Lists()  # type: ignore[assignment]  # of pages that tell more


async def recent_history(api: WikiApi, title: str) -> RecentHistory | None:
    """Return the recent history of a title; `None` if it is not a valid title.

    With this, people can prove who they are without giving us a password. What an edit
    proves depends on what was there before, and on how the edit was made. Redirects are
    not followed.
    """
    form = title_form(title)
    if form is None:
        return None
    parameters: Parameters = {
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
    answer = await api.call("query", _AuthorsAnswer, parameters)
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
        has_older="rvcontinue" in answer.continuation,
        log=tuple(LogEntry(one.logid, one.type) for one in answer.query.logevents),
        has_older_log="lecontinue" in answer.continuation,
        rights=_rights(page),
    )


def _saved(row: _AuthorsRevision, listed: set[tuple[int, str]]) -> SavedRevision:
    slot = row.slots.get("main", Slot())
    return SavedRevision(
        revision_id=row.revid,
        user=row.user,
        user_id=row.userid,
        text=None if slot.texthidden else slot.content,
        summary=None if row.commenthidden else row.comment,
        sha1=row.sha1,
        tags=frozenset(row.tags),
        is_listed=(row.revid, row.user) in listed,
    )


def _rights(page: _AuthorsPage) -> frozenset[str]:
    kind = "edit" if page.is_there else "create"
    levels = {each.level for each in page.protection if each.type == kind}
    return frozenset(_RIGHT_OF_LEVEL.get(level, level) for level in levels)
