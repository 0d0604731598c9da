"""Tells who saved the newest revision of a page, and what stands in it.

That is how somebody can prove who they are to whom they told no password. No redirect
is followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, Field

from bot.adapters.wiki_answers import Reply, Slot
from bot.adapters.wiki_api import WikiApi
from bot.adapters.wiki_asking import MANY, asked_title
from bot.adapters.wiki_list_answers import Entry, Name, Number, TextRevision


@dataclass(frozen=True, slots=True)
class LastEdit:
    """The newest revision of a page.

    `text_before` is what stood there before it, "" where nothing did, `None` where the
    wiki hides it. `user` is empty and `user_id` 0 where the wiki hides who it was; an
    edit without an account has the number 0, too.
    """

    title: str
    text: str
    text_before: str | None
    user: str
    user_id: int
    saved_at: datetime
    is_redirect: bool


class _Revision(TextRevision):
    user: Name = ""
    userid: Number = 0


class _Page(Entry):
    revisions: list[_Revision] = Field(default_factory=list)  # type: ignore[assignment]  # of more than it was


class _Pages(BaseModel):
    pages: list[_Page] = []


class _Answer(Reply):
    query: _Pages = _Pages()


async def last_edit(api: WikiApi, title: str) -> LastEdit | None:
    """Return the newest revision of a page; `None` if it is missing or hidden."""
    form = asked_title(title)
    if form is None:
        return None
    asked = {
        "titles": MANY + form,
        "prop": "info|revisions",
        "rvprop": "ids|timestamp|user|userid|content",
        "rvslots": "main",
        "rvlimit": "2",
    }
    answer = await api.call("query", _Answer, asked)
    page = answer.query.pages[0] if answer.query.pages else None
    if page is None or not page.is_there or not page.revisions:
        return None
    revision = page.revisions[0]
    slot = revision.slots.get("main", Slot())
    if slot.content is None or slot.texthidden:
        return None
    return LastEdit(
        title=page.title,
        text=slot.content,
        text_before=_text_before(page.revisions[1:]),
        user=revision.user,
        user_id=revision.userid,
        saved_at=revision.timestamp,
        is_redirect=page.redirect,
    )


def _text_before(older: Sequence[_Revision]) -> str | None:
    if not older:
        return ""
    slot = older[0].slots.get("main", Slot())
    return None if slot.texthidden else slot.content
