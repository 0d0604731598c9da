"""What one check of a wiki shows before a write, and what forbids the write.

The page, what it is about, the stop page and the account come from one answer to a
single request, so that they belong together and are as fresh as possible. Answers are
validated as they come in. Pure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from bot.records.posts import NotNow, Refusal, Refused
from bot.surfaces.opt_in.refusal import PROGRAM, exclusion
from bot.wiki.answers import Line, Page, Text
from bot.wiki.keys import TOKEN, Keys, Purpose
from bot.writing.allowed_pages import Place, is_allowed
from handlers.ports import TemporaryError

_Model = TypeVar("_Model", bound=BaseModel)
_TOKEN = re.compile(rf"<!-- sidenote post ({TOKEN}) -->")
_RETRY_IN_S = 60.0
MOST_EDITS = 500  # of the bot, in one answer


class CurrentPage(Page):
    """A page; for a missing one, what kind of text it would have."""

    redirect: bool = False
    contentmodel: Line = ""

    @property
    def text(self) -> str | None:
        """Its wikitext; `None` if it is missing or hidden."""
        slot = self.revisions[0].slots.get("main") if self.revisions else None
        return slot.content if slot and not slot.texthidden else None

    @property
    def revision_id(self) -> int:
        """Its newest revision; 0 if it is missing."""
        return self.revisions[0].revid if self.revisions else 0

    @property
    def user(self) -> str:
        """Who made its newest revision; empty if it is missing."""
        return self.revisions[0].user if self.revisions else ""


TEXTS = {"prop": "revisions", "rvprop": "ids|content", "rvslots": "main"}
"""What to ask for the texts of revisions; `TextsAnswer` reads the answer."""


class _Texts(BaseModel):
    pages: list[CurrentPage] = []


class TextsAnswer(BaseModel):
    """An answer with the texts of revisions."""

    query: _Texts = _Texts()


class OwnEdit(BaseModel):
    """One of the bot's own edits."""

    revid: int
    comment: Text = ""


class _Normalized(BaseModel):
    source: Line = Field(alias="from")
    target: Line = Field(alias="to")


class _Tokens(BaseModel):
    csrftoken: str = ""


class _User(BaseModel):
    name: Line = ""
    anon: bool = False
    rights: frozenset[str] = frozenset()
    blockid: int | None = None
    blockpartial: bool = False
    blockreason: Line = ""


class _Query(BaseModel):
    pages: list[CurrentPage]
    normalized: list[_Normalized] = []
    tokens: _Tokens = _Tokens()
    userinfo: _User = _User()
    usercontribs: list[OwnEdit] = []


class _Answer(BaseModel):
    curtimestamp: datetime
    query: _Query


@dataclass(frozen=True, slots=True)
class Preflight:
    """What one check of a wiki shows.

    `contributions` are the bot's, newest first, if asked for.
    """

    page: CurrentPage
    subject: CurrentPage | None
    stop: CurrentPage | None
    user: _User
    token: str
    at: datetime
    contributions: tuple[OwnEdit, ...] = ()
    requested_on: CurrentPage | None = None


def question(place: Place, stop_page: str, bot: str) -> dict[str, str]:
    """Return what to ask before a post is tried for the first time."""
    titles = [
        place.title,
        place.subject,
        stop_page if bot else None,
        place.requested_on,
    ]
    return {
        "titles": "\x1f" + "\x1f".join(title for title in titles if title),
        "prop": "info|revisions",
        "rvprop": "ids|timestamp|user|content",
        "rvslots": "main",
        "meta": "tokens|userinfo",
        "uiprop": "blockinfo|rights",
        "curtimestamp": "1",
    }


def question_again(place: Place, stop_page: str, bot: str) -> dict[str, str]:
    """Return what to ask before retrying a post that may have been made."""
    return {
        **question(place, stop_page, bot),
        "list": "usercontribs",
        "ucuser": bot,
        "uclimit": str(MOST_EDITS),
        "ucprop": "ids|comment",
    }


def preflight(
    answer: Mapping[str, Any], place: Place, stop_page: str
) -> Preflight | Refused:
    """Return what an answer to `question` or `question_again` shows.

    Raises:
        TemporaryError: it is not an answer to that.
    """
    state = checked(_Answer, answer)
    names = {each.source: each.target for each in state.query.normalized}
    pages = {each.title: each for each in state.query.pages}
    page = pages.get(place.title)
    if page is None:
        # The page is only accepted under exactly the name that was asked for.
        why = f"the wiki gives it another title than “{place.title}”"
        return Refused(Refusal.PLACE, why)

    def other(title: str | None) -> CurrentPage | None:
        return pages.get(names.get(title, title)) if title else None

    return Preflight(
        page=page,
        subject=other(place.subject),
        stop=other(stop_page),
        user=state.query.userinfo,
        token=state.query.tokens.csrftoken,
        at=state.curtimestamp,
        contributions=tuple(state.query.usercontribs),
        requested_on=other(place.requested_on),
    )


def keys_in(text: str, keys: Keys) -> frozenset[str]:
    """Return the short names of the posts whose hidden keys are in `text`."""
    found = (keys.name_in(Purpose.POST, token) for token in _TOKEN.findall(text))
    return frozenset(name for name in found if name)


def checked(model: type[_Model], answer: Mapping[str, Any]) -> _Model:
    """Return an answer of the wiki as a value.

    Raises:
        TemporaryError: it has another form.
    """
    try:
        return model.model_validate(answer)
    except (ValidationError, RecursionError) as error:
        raise TemporaryError(
            "the wiki's answer is not valid: it has another form",
            retry_in_s=_RETRY_IN_S,
        ) from error


GO = "run"
"""The whole text of a task's stop page while the task may write."""

_STOPPED_S = 300.0
_HALTED_S = 3600.0


def by_page(where: Place, state: Preflight) -> Refused | None:
    """Return what forbids writing to the page itself."""
    page = state.page
    if page.invalid or page.special:
        return Refused(Refusal.PLACE, f"“{where.title}” is not a page")
    if page.ns != where.namespace or not is_allowed(page.ns):
        return Refused(
            Refusal.PLACE,
            "the wiki says that it is neither a talk page nor a user page",
        )
    if page.redirect:
        return Refused(Refusal.PLACE, f"“{where.title}” is a redirect")
    if page.contentmodel != "wikitext":
        return Refused(Refusal.PLACE, f"“{where.title}” is not wikitext")
    return None


def by_people(state: Preflight) -> Refused | NotNow | None:
    """Return who has stopped the bot, if anyone has.

    A message on its talk page is for its operator to answer, and does not stop it.
    """
    text = state.stop.text if state.stop and not state.stop.redirect else None
    if text != GO:
        why = f"the stop page of the task does not say “{GO}”"
        return NotNow(why, _STOPPED_S)
    if state.user.blockid is not None and not state.user.blockpartial:
        why = f"the account is blocked: {state.user.blockreason}"
        return NotNow(why, _HALTED_S, halts=True)
    rights = state.user.rights
    if rights and not state.user.anon and "edit" not in rights:
        why = (
            "the account may not edit: it lacks the right, or its login lacks the grant"
        )
        return NotNow(why, _HALTED_S, halts=True)
    return None


def by_exclusion(state: Preflight, bot: str) -> Refused | None:
    """Return which page keeps bots away, if any: the page itself, or what it is about.

    The page on which a person asked for the post may also do so for a while; then the
    post is not wanted now.
    """
    pages = (
        (state.page, Refusal.EXCLUDED),
        (state.subject, Refusal.EXCLUDED),
        (state.requested_on, Refusal.UNWANTED),
    )
    for page, reason in pages:
        if page is None or page.text is None:
            continue
        found = exclusion(page.text, bot, task=PROGRAM)
        if not found.may_write:
            return Refused(reason, f"“{page.title}”: {found.reason}")
    return None
