"""What one look at a wiki shows before a write: asked for in a single request.

The page, what it is about, the stop page and the account come from one answer, so
that they belong together and are as fresh as can be. Answers are checked as they
come in. Pure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from bot.adapters.wiki_answers import Line, Page, Revision, Text
from bot.on_wiki.keys import TOKEN, Keys, Purpose, short_name
from bot.on_wiki.summaries import posts_in
from bot.posts import Post, Refusal, Refused
from bot.writing.placing import Place
from handlers.ports import TemporaryError

_Model = TypeVar("_Model", bound=BaseModel)
_TOKEN = re.compile(rf"<!-- sidenote post ({TOKEN}) -->")
# Clocks of ours and the wiki's may differ by this much.
_CLOCKS = timedelta(hours=1)
_RETRY_IN_S = 60.0
MOST_EDITS = 500  # of the bot that one answer lists


class SeenPage(Page):
    """A page; of a missing one, what kind of text it would have."""

    redirect: bool = False
    contentmodel: Line = ""

    @property
    def text(self) -> str | None:
        """Its wikitext; `None` where it is missing or hidden."""
        slot = self.revisions[0].slots.get("main") if self.revisions else None
        return slot.content if slot and not slot.texthidden else None

    @property
    def revision_id(self) -> int:
        """Its newest revision; 0 where it is missing."""
        return self.revisions[0].revid if self.revisions else 0


class _OwnEdit(BaseModel):
    revid: int
    comment: Text = ""


class _Normalized(BaseModel):
    source: Line = Field(alias="from")
    target: Line = Field(alias="to")


class _Tokens(BaseModel):
    csrftoken: str = ""


class _User(BaseModel):
    name: Line = ""
    messages: bool = False
    blockid: int | None = None
    blockpartial: bool = False
    blockreason: Line = ""


class _Deletion(BaseModel):
    title: Line = ""


class _Query(BaseModel):
    pages: list[SeenPage]
    normalized: list[_Normalized] = []
    tokens: _Tokens = _Tokens()
    userinfo: _User = _User()
    usercontribs: list[_OwnEdit] = []
    logevents: list[_Deletion] = []


class _Look(BaseModel):
    curtimestamp: datetime
    query: _Query
    # What is left unsaid of a long list: then nothing is known of older edits.
    further: dict[str, Any] = Field({}, alias="continue")


@dataclass(frozen=True, slots=True)
class Seen:
    """A look at a wiki. `revision_made` is set if the post was made already."""

    page: SeenPage
    subject: SeenPage | None
    stop: SeenPage | None
    user: _User
    token: str
    at: datetime
    was_deleted: bool
    revision_made: int | None
    is_whole: bool
    asked_on: SeenPage | None = None


def question(place: Place, stop_page: str, bot: str) -> dict[str, str]:
    """Return what to ask before a post is tried for the first time."""
    titles = [place.title, place.subject, stop_page if bot else None, place.asked_on]
    return {
        "titles": "\x1f" + "\x1f".join(title for title in titles if title),
        "prop": "info|revisions",
        "rvprop": "ids|timestamp|content",
        "rvslots": "main",
        "meta": "tokens|userinfo",
        "uiprop": "blockinfo|hasmsg",
        "curtimestamp": "1",
    }


def question_again(
    place: Place, stop_page: str, bot: str, first_tried_at: datetime
) -> dict[str, str]:
    """Return what to ask before a post is tried that may have been made."""
    since = f"{first_tried_at - _CLOCKS:%Y-%m-%dT%H:%M:%SZ}"
    return {
        **question(place, stop_page, bot),
        "list": "usercontribs|logevents",
        "ucuser": bot,
        "ucend": since,
        "uclimit": str(MOST_EDITS),
        "ucprop": "ids|title|comment|timestamp",
        "letype": "delete",
        "letitle": place.title,
        "leend": since,
        "lelimit": "1",
    }


def question_history(
    place: Place, bot: str, first_tried_at: datetime
) -> dict[str, str]:
    """Return how to ask for the bot's own revisions of a page, with their text."""
    return {
        "titles": f"\x1f{place.title}",
        "prop": "revisions",
        "rvprop": "ids|timestamp|comment|content",
        "rvslots": "main",
        "rvuser": bot,
        "rvend": f"{first_tried_at - _CLOCKS:%Y-%m-%dT%H:%M:%SZ}",
        "rvlimit": "10",
    }


def seen(
    answer: Mapping[str, Any], post: Post, place: Place, stop_page: str, keys: Keys
) -> Seen | Refused:
    """Return what an answer to `question` or `question_again` shows.

    Raises:
        TemporaryError: it is no answer to that.
    """
    look = _checked(_Look, answer)
    names = {each.source: each.target for each in look.query.normalized}
    pages = {each.title: each for each in look.query.pages}
    page = pages.get(place.title)
    if page is None:
        # The page itself is never taken by another name than the one it was given.
        why = f"the wiki does not write its title “{place.title}”"
        return Refused(Refusal.PLACE, why)

    def other(title: str | None) -> SeenPage | None:
        return pages.get(names.get(title, title)) if title else None

    return Seen(
        page=page,
        subject=other(place.subject),
        stop=other(stop_page),
        user=look.query.userinfo,
        token=look.query.tokens.csrftoken,
        at=look.curtimestamp,
        was_deleted=bool(look.query.logevents),
        revision_made=_made(look.query.usercontribs, post, keys),
        is_whole="uccontinue" not in look.further,
        asked_on=other(place.asked_on),
    )


def _made(edits: list[_OwnEdit], post: Post, keys: Keys) -> int | None:
    wanted = short_name(post.name)
    return next(
        (each.revid for each in edits if wanted in posts_in(each.comment, keys)), None
    )


class _OwnRevision(Revision):
    comment: Text = ""


class _History(BaseModel):
    revisions: list[_OwnRevision] = []


class _HistoryQuery(BaseModel):
    pages: list[_History] = []


class _HistoryAnswer(BaseModel):
    query: _HistoryQuery


def made_in_history(answer: Mapping[str, Any], post: Post, keys: Keys) -> int | None:
    """Return the revision of the bot's that holds the key, in summary or text.

    Raises:
        TemporaryError: the answer is none to `question_history`.
    """
    pages = _checked(_HistoryAnswer, answer).query.pages
    wanted = short_name(post.name)
    for each in (revision for page in pages for revision in page.revisions):
        slot = each.slots.get("main")
        text = slot.content if slot and slot.content else ""
        if wanted in posts_in(each.comment, keys) or wanted in keys_in(text, keys):
            return each.revid
    return None


def keys_in(text: str, keys: Keys) -> frozenset[str]:
    """Return the short names of the posts whose hidden keys stand in `text`."""
    found = (keys.name_in(Purpose.POST, token) for token in _TOKEN.findall(text))
    return frozenset(name for name in found if name)


def _checked(model: type[_Model], answer: Mapping[str, Any]) -> _Model:
    try:
        return model.model_validate(answer)
    except (ValidationError, RecursionError) as error:
        raise _senseless("it has another form") from error


def _senseless(why: str) -> TemporaryError:
    return TemporaryError(
        f"the wiki's answer makes no sense: {why}", retry_in_s=_RETRY_IN_S
    )
