"""Finds out whether an edit whose answer was lost was made.

What is visible counts, wherever it is: the key of the post in the page, in the bot's
contributions, or in the history of the page or of the title that it was moved to. A
missing key only means that nothing was made if all of that could be read and nothing
was deleted or hidden since the first try. A deletion itself may be hidden from us: so a
page that was there, and is gone with nothing told of it, parks the post. Times are the
wiki's own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from bot.records.posts import Attempt, Parked, Post, Posted, Refusal, Refused, Unclear
from bot.wiki.answers import Line, Text
from bot.wiki.keys import Keys, posts_in, short_name
from bot.writing.preflight import (
    TEXTS,
    CurrentPage,
    Preflight,
    TextsAnswer,
    checked,
    keys_in,
)

Ask = Callable[[Mapping[str, str]], dict[str, Any]]

_SERVERS = timedelta(minutes=1)  # how far the clocks of a wiki's servers may differ
_MOST_ROWS = 500  # rows of a list in one answer
_MOST_TEXTS = 50
_MOST_TITLES = 6  # successive titles of one page
_LAG_S = 5.0


class _Revision(BaseModel):
    revid: int
    parentid: int | None = None
    timestamp: datetime
    user: Line = ""
    userhidden: bool = False
    comment: Text = ""
    commenthidden: bool = False


class _History(BaseModel):
    revisions: list[_Revision] = []


class _Event(BaseModel):
    type: Line = ""
    action: Line = ""
    params: dict[str, Any] = {}

    @property
    def deletes(self) -> bool:
        """Whether a page was deleted; a restored one may lack some of its revisions."""
        return self.type == "delete" and self.action.startswith("delete")

    @property
    def restores(self) -> bool:
        """Whether deleted revisions came back, all of them or some."""
        return self.type == "delete" and self.action.startswith("restore")

    @property
    def creates(self) -> bool:
        """Whether a page was begun."""
        return self.type == "create"

    @property
    def leads_to(self) -> str:
        """The title to which revisions were moved, if any were."""
        if self.type not in {"move", "merge"}:
            return ""
        target = self.params.get("target_title") or self.params.get("dest_title")
        return target if isinstance(target, str) else ""


class _LogQuery(BaseModel):
    pages: list[_History] = []
    logevents: list[_Event] = []


class _LogAnswer(BaseModel):
    query: _LogQuery


class _DeletedRevision(BaseModel):
    revid: int
    comment: Text = ""
    commenthidden: bool = False


class _DeletedPage(BaseModel):
    deletedrevisions: list[_DeletedRevision] = []


class _DeletedQuery(BaseModel):
    pages: list[_DeletedPage] = []


class _DeletedAnswer(BaseModel):
    query: _DeletedQuery = _DeletedQuery()


@dataclass(frozen=True, slots=True)
class _PageLog:
    """What happened under one title since the first try."""

    title: str
    revisions: tuple[_Revision, ...]
    events: tuple[_Event, ...]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for one post."""

    ask: Ask
    post: Post
    bot: str
    keys: Keys
    since: datetime

    @property
    def name(self) -> str:
        """The name that the keys of the post contain."""
        return short_name(self.post.name)

    def is_signed(self, comment: str) -> bool:
        """Return whether a summary belongs to the post."""
        return self.name in posts_in(comment, self.keys)

    def is_in(self, text: str) -> bool:
        """Return whether a text contains the post."""
        return self.name in keys_in(text, self.keys)


def reconciled(
    tried: Attempt, state: Preflight, bot: str, keys: Keys, *, ask: Ask
) -> Posted | Refused | Parked | Unclear | None:
    """Return what became of earlier tries of a post; `None` if they made nothing.

    The revision is 0 if the post is on the page with no sign of when it came there.

    Raises:
        PermanentError, TemporaryError: as `ask` does.
    """
    assert tried.first_tried_at is not None  # noqa: S101 - narrows the type
    search = _Search(ask, tried.post, bot, keys, tried.first_tried_at - _SERVERS)
    made = next(
        (each.revid for each in state.contributions if search.is_signed(each.comment)),
        None,
    )
    page = state.page
    if search.is_in(page.text or ""):
        return Posted(made or (page.revision_id if page.user == bot else 0))
    if made is not None:
        return Posted(made)
    page_logs = tuple(_page_logs(search, page.title))
    return (
        _found(search, page_logs)
        or _gone(search, page_logs, state)
        or _doubt(search, page_logs, page)
        or _untold(search, page_logs, tried)
    )


def already_on_page(
    page: CurrentPage, post: Post, bot: str, keys: Keys
) -> Posted | None:
    """Return a post already on the page before its first try: the store is old."""
    if short_name(post.name) not in keys_in(page.text or "", keys):
        return None
    return Posted(page.revision_id if page.user == bot else 0)


def _page_logs(search: _Search, title: str) -> Iterator[_PageLog]:
    """Yield what happened to the page, under all titles that it had."""
    titles = [title]
    for known in range(_MOST_TITLES):
        if known == len(titles):
            return
        page_log = _page_log(search, titles[known])
        for event in page_log.events:
            if event.leads_to and event.leads_to not in titles:
                titles.append(event.leads_to)
        yield page_log


def _page_log(search: _Search, title: str) -> _PageLog:
    since = f"{search.since:%Y-%m-%dT%H:%M:%SZ}"
    answer = search.ask(
        {
            "titles": f"\x1f{title}",
            "prop": "revisions",
            "rvprop": "ids|timestamp|user|comment",
            "rvend": since,
            "rvlimit": str(_MOST_ROWS),
            "list": "logevents",
            "letitle": title,
            "leend": since,
            "leprop": "type|details|timestamp",
            "lelimit": str(_MOST_ROWS),
        }
    )
    query = checked(_LogAnswer, answer).query
    revisions = tuple(each for page in query.pages for each in page.revisions)
    is_whole = "continue" not in answer  # long lists are cut at their oldest entries
    return _PageLog(title, revisions, tuple(query.logevents), is_whole)


def _found(search: _Search, page_logs: tuple[_PageLog, ...]) -> Posted | Parked | None:
    """Return the revision with the key, or that it may be hidden."""
    ours = [
        each
        for page_log in page_logs
        for each in page_log.revisions
        if each.userhidden or each.user == search.bot
    ]
    for each in ours:
        if search.is_signed(each.comment):
            return Posted(each.revid)
    odd = [each for each in ours if _is_odd(search, each)]
    texts = _texts(search, odd)
    for each in sorted(odd, key=lambda one: one.revid):
        if search.is_in(texts.get(each.revid) or ""):
            return Posted(0 if each.userhidden else each.revid)
    # If the text of the post contains its key, a text without the key is another's.
    shows_text = search.is_in(search.post.change.text)
    hidden = [
        each
        for each in odd
        if each.commenthidden and not (shows_text and texts.get(each.revid) is not None)
    ]
    if hidden:
        why = f"revision {hidden[0].revid} is hidden, and may be this post"
        return Parked(why, Refusal.UNCLEAR)
    return None


def _is_odd(search: _Search, revision: _Revision) -> bool:
    """Return whether only the text of a revision can show which post it was."""
    if revision.commenthidden:
        return True
    return not revision.userhidden and not posts_in(revision.comment, search.keys)


def _texts(search: _Search, revisions: list[_Revision]) -> dict[int, str | None]:
    """Return the texts of revisions; `None` for hidden ones."""
    if not revisions:
        return {}
    numbers = [str(each.revid) for each in revisions[:_MOST_TEXTS]]
    answer = search.ask({"revids": "|".join(numbers), **TEXTS})
    return {
        each.revid: slot.content if slot and not slot.texthidden else None
        for page in checked(TextsAnswer, answer).query.pages
        for each in page.revisions
        for slot in (each.slots.get("main"),)
    }


def _gone(
    search: _Search, page_logs: tuple[_PageLog, ...], state: Preflight
) -> Posted | Refused | None:
    """Return what a deletion since the first try means."""
    titles = [each.title for each in page_logs if any(e.deletes for e in each.events)]
    for title in titles:
        if "deletedhistory" in state.user.rights:
            made = _deleted(search, title)
            if isinstance(made, int):
                return Posted(made)
            if made:
                continue
        why = f"“{title}” was deleted after this post may have been made"
        return Refused(Refusal.DELETED, why)
    return None


def _deleted(search: _Search, title: str) -> int | str | None:
    """Return the post's deleted revision; "none" if surely none; `None` if unknown."""
    answer = search.ask(
        {
            "titles": f"\x1f{title}",
            "prop": "deletedrevisions",
            "drvprop": "ids|comment",
            "drvuser": search.bot,
            "drvend": f"{search.since:%Y-%m-%dT%H:%M:%SZ}",
            "drvlimit": str(_MOST_ROWS),
        }
    )
    pages = checked(_DeletedAnswer, answer).query.pages
    gone = [each for page in pages for each in page.deletedrevisions]
    for each in gone:
        if search.is_signed(each.comment):
            return each.revid
    is_clear = "continue" not in answer and not any(one.commenthidden for one in gone)
    return "none" if is_clear else None


def _doubt(
    search: _Search, page_logs: tuple[_PageLog, ...], page: CurrentPage
) -> Unclear | None:
    """Return why a missing key does not yet show that nothing was made."""
    if not all(each.is_whole for each in page_logs) or len(page_logs) == _MOST_TITLES:
        return Unclear("the page has changed too much to see whether it was made")
    here = page_logs[0].revisions
    newest = page.revisions[0] if page.revisions else None
    is_new = newest and newest.timestamp and newest.timestamp >= search.since
    if newest and is_new and newest.revid not in {each.revid for each in here}:
        return Unclear("the wiki's history is behind its pages", _LAG_S)
    return None


def _untold(
    search: _Search, page_logs: tuple[_PageLog, ...], tried: Attempt
) -> Parked | None:
    """Return that the page went, and the post perhaps with it, with nothing told of it.

    That is how it looks to us when oversighters delete a page. The revision that the
    page had at the first try is nowhere then; if there was no page, the wiki's log still
    tells that one was begun since.
    """
    events = [event for each in page_logs for event in each.events]
    if any(event.deletes for event in events):
        return None  # it is told, and was looked into
    base, first = tried.first_base, page_logs[0]
    begun = sum(event.creates for event in first.events)
    is_begun = any(each.parentid == 0 for each in first.revisions)
    is_moved = any(event.leads_to for event in events)
    if any(event.restores for event in events):
        why = "parts of the page were restored, and nothing tells of its deletion"
    elif base and not _is_there(search, base):
        why = f"the page’s revision {base} is gone, and nothing tells of its deletion"
    elif not base and begun > is_begun and not is_moved:
        why = f"“{first.title}” was begun since, and nothing tells what became of it"
    elif not (base or begun or is_moved) and _is_anothers(search, first, tried):
        why = "the page was created since, and no log says whether there was one before"
    else:
        return None
    return Parked(why, Refusal.UNCLEAR)


def _is_anothers(search: _Search, page_log: _PageLog, tried: Attempt) -> bool:
    """Return whether somebody else began the page after the first try."""
    return any(
        each.parentid == 0
        and tried.first_tried_at is not None
        and each.timestamp > tried.first_tried_at
        and each.user != search.bot
        for each in page_log.revisions
    )


def _is_there(search: _Search, revision: int) -> bool:
    """Return whether a page has this revision, under whatever title."""
    answer = search.ask(
        {"revids": str(revision), "prop": "revisions", "rvprop": "ids|timestamp"}
    )
    pages = checked(_LogAnswer, answer).query.pages
    return any(each.revid == revision for page in pages for each in page.revisions)
