"""Reads what a page said over a time: its revisions with their text, oldest first.

Wikis answer in parts of some megabytes, and a part is given on before the next is
asked for, so that a year of a busy page takes no more memory than one part.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from bot.wiki.address import WikiAddress
from bot.wiki.answers import Slot, one_line
from bot.wiki.api import WikiApi
from bot.wiki.asking import MANY, Asked, answers_in, asked_title, wiki_time
from bot.wiki.list_answers import Entry, ListAnswer, Name, TextRevision
from bot.wiki.page import NoSuchPageError
from handlers.ports import PermanentError
from handlers.updates.human_edits import Revision, RevisionNote

_MOST_PARTS = 4_000  # at two megabytes a text, 200 revisions a part at most
_MAX_COMMENT = 1_000  # characters; MediaWiki keeps 500
_MOST_TAGS = 50


def _clipped(text: str) -> str:
    return text[:_MAX_COMMENT].encode("utf-8", "replace").decode()


class _Revision(TextRevision):
    user: Name = ""
    comment: Annotated[str, AfterValidator(_clipped)] = ""
    tags: list[Name] = Field([], max_length=_MOST_TAGS)
    minor: bool = False


class _Page(Entry):
    revisions: list[_Revision] = Field(default_factory=list)  # type: ignore[assignment]  # of more than it was


class _Pages(BaseModel):
    pages: list[_Page] = []


class _Answer(ListAnswer):
    query: _Pages = _Pages()  # type: ignore[assignment]  # of pages that tell more


class WikiHistory:
    """Reads the histories of one wiki's pages. Redirects are followed.

    Every question raises PermanentError where the wiki will not answer it, and
    TemporaryError where it cannot be reached or is busy.

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
        """Return the revision that stood at a time; `None` if there was no page yet.

        Raises:
            NoSuchPageError: there is no page of that title now.
        """
        asked: Asked = {"rvstart": wiki_time(at), "rvdir": "older", "rvlimit": 1}
        parts = self._parts(title, asked, most=1_000_000)
        async with aclosing(parts):
            async for part in parts:
                return part[0] if part else None
        return None

    async def revisions(
        self, title: str, since: datetime, until: datetime
    ) -> AsyncGenerator[Revision, None]:
        """Yield what stood at `since`, then all that was saved up to `until`.

        Of a page that was made later, the first is its first revision. Close the
        generator after use.

        Raises:
            NoSuchPageError: there is no page of that title now.
        """
        base = await self.revision_at(title, since)
        if base is not None:
            yield base
        asked = {
            "rvstart": wiki_time(since),
            "rvend": wiki_time(until),
            "rvdir": "newer",
            "rvlimit": "max",
        }
        parts = self._parts(title, asked, most=_MOST_PARTS)
        async with aclosing(parts):
            async for part in parts:
                for revision in part:
                    if base is None or revision.note.revision_id != (
                        base.note.revision_id
                    ):
                        yield revision

    async def _parts(
        self, title: str, asked: Asked, *, most: int
    ) -> AsyncGenerator[tuple[Revision, ...], None]:
        form = asked_title(title)
        if form is None:
            raise PermanentError(f"“{one_line(title)}” cannot be a title")
        whole: Asked = {
            "prop": "revisions",
            "rvprop": "ids|timestamp|user|comment|tags|flags|content",
            "rvslots": "main",
            "titles": MANY + form,
            "redirects": 1,
            **asked,
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


def _revision(told: _Revision) -> Revision:
    slot = told.slots.get("main", Slot())
    is_text = slot.contentmodel == "wikitext" and not slot.texthidden
    return Revision(
        RevisionNote(
            revision_id=told.revid,
            saved_at=told.timestamp,
            user=told.user,
            comment=told.comment,
            tags=tuple(told.tags),
            is_minor=told.minor,
        ),
        slot.content if is_text else None,
    )
