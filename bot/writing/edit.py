"""An edit bound to the revision it was planned for, and what the wiki's answer means.

An edit names the revision it is based on and no time. So if anything came in between,
including our own first try, the wiki refuses the edit, or merges it if no line was
changed by both. Nothing here ever names a page by number, follows a redirect or omits
that revision.

The error codes of an answer are sorted by `bot.wiki.answers`; an unknown code parks the
post. A warning of an edit filter is also a refusal: sending the same text again would
override it. Pure.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import md5
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.records.posts import (
    Append,
    Change,
    Create,
    NotNow,
    Outcome,
    Parked,
    Post,
    Posted,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
    Unclear,
)
from bot.wiki.answers import Line, Scope, meaning_of
from bot.wiki.pages import USER
from bot.writing.allowed_pages import Place
from bot.writing.preflight import TEXTS, CurrentPage

MOST_BYTES = 2_000_000  # of a page; MediaWiki takes 2 MiB


def edited(page: CurrentPage, post: Post) -> str | Refused:
    """Return the whole page as it will be, to show it and to check that it fits."""
    text = page.text
    if text is None:
        if not page.missing:
            return Refused(Refusal.CHANGED, "the text of the page is hidden")
        whole = _begun(post.change)
    else:
        whole = _changed(text, post.change)
    if isinstance(whole, str) and len(whole.encode("utf-8", "replace")) > MOST_BYTES:
        return Refused(Refusal.TOO_LONG, "the page would have more than 2 MB")
    return whole


def _begun(change: Change) -> str | Refused:
    if isinstance(change, Append):
        return change.text.lstrip("\n")
    if isinstance(change, Create):
        return change.text
    return Refused(Refusal.GONE, "the page is missing, so nothing can be replaced")


def _changed(text: str, change: Change) -> str | Refused:
    if isinstance(change, Append):
        return text + change.text
    if isinstance(change, Create):
        why = "a page of this name exists, and it is not overwritten"
        return Refused(Refusal.CHANGED, why)
    expected = change.expected
    if isinstance(change, ReplaceSection):
        expected = expected.rstrip()
    if not expected or text.count(expected) != 1:
        return Refused(Refusal.CHANGED, "what was to be replaced is not there")
    return text.replace(expected, change.text)


def edit(
    page: CurrentPage,
    place: Place,
    post: Post,
    whole: str,
    *,
    at: datetime,
    token: str,
    tag: str = "",
) -> dict[str, str] | Refused:
    """Return the parameters of the edit.

    Args:
        page: as it was just read.
        place: where the page is.
        post: the post to make.
        whole: the page as it will be.
        at: the wiki's time when it was read.
        token: the account's.
        tag: the change tag for the edit, if any.
    """
    change = post.change
    if isinstance(change, ReplaceStretch) and place.namespace != USER:
        return Refused(
            Refusal.PLACE, "part of a page is only replaced in a user's own space"
        )
    if isinstance(change, Append):
        text = change.text if page.revision_id else whole
        content = {"appendtext": text}
    elif isinstance(change, ReplaceSection):
        text = change.text
        content = {"section": str(change.number), "text": text}
    else:
        text = whole
        content = {"text": text}
    if place.namespace == USER:
        # The bot flag hides it from watchlists; on talk pages everyone should see the
        # edit.
        content["bot"] = "1"
    if tag:
        content["tags"] = tag
    return bound(
        place.title,
        content,
        text,
        summary=post.summary,
        base=page.revision_id,
        at=at,
        token=token,
    )


def bound(
    title: str,
    content: Mapping[str, str],
    text: str,
    *,
    summary: str,
    base: int,
    at: datetime,
    token: str,
) -> dict[str, str]:
    """Return the parameters of an edit of `text`, bound to the revision `base`.

    A new page (`base` is 0) is only created if there is none.
    """
    seen = (
        {"baserevid": str(base), "nocreate": "1"}
        if base
        else {"createonly": "1", "starttimestamp": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    )
    return {
        "title": title,
        **content,
        **seen,
        "summary": summary,
        "md5": md5(text.encode(), usedforsecurity=False).hexdigest(),
        "watchlist": "nochange",
        "token": token,  # last, so that a truncated request is refused
    }


def question_section(place: Place, change: ReplaceSection) -> dict[str, str]:
    """Return the question which text the wiki itself takes for a section."""
    return {
        "titles": f"\x1f{place.title}",
        **TEXTS,
        "rvsection": str(change.number),
    }


_SOON_S = 2.0
_LATER_S = 60.0
_HALTED_S = 3600.0
_LONGEST_S = 3600.0


class _Block(BaseModel):
    blockpartial: bool = False


class _Error(BaseModel):
    code: Line
    info: Line = ""
    lag: float | None = None
    blockinfo: _Block = _Block()
    abusefilter: dict[str, Any] | None = None  # a filter's own code may be any word


class _Edit(BaseModel):
    result: Line
    newrevid: int | None = None
    oldrevid: int | None = None
    nochange: bool = False
    captcha: dict[str, Any] | None = None
    code: Line = ""
    info: Line = ""
    spamblacklist: Line = ""


class _Answer(BaseModel):
    error: _Error | None = None
    edit: _Edit | None = None


def outcome(answer: Mapping[str, Any], revision_id: int) -> Outcome:
    """Return what became of an edit.

    Args:
        answer: the wiki's answer, whatever it is.
        revision_id: what the edit was based on; 0 for a new page.
    """
    try:
        read = _Answer.model_validate(answer)
    except (ValidationError, RecursionError):
        return Unclear("the wiki's answer is not valid")
    if read.error is not None:
        return _of_error(read.error)
    if read.edit is None:
        return Unclear("the wiki does not say what it did")
    return _of_edit(read.edit, revision_id)


def _of_edit(edit: _Edit, revision_id: int) -> Outcome:
    if edit.result == "Success":
        made = edit.newrevid or (revision_id if edit.nochange else 0)
        return Posted(made) if made else Unclear("the wiki gives no revision")
    if edit.captcha is not None:
        return _of_error(_Error(code="captcha"))
    if edit.spamblacklist:
        return Refused(Refusal.SPAM, f"the spam blacklist refuses {edit.spamblacklist}")
    if edit.result == "Failure":
        return _of_error(_Error(code=edit.code or "failure", info=edit.info))
    return Unclear(f"the wiki answered {edit.result!r}")


def _of_error(error: _Error) -> Outcome:
    detail = f"{error.code}: {error.info}" if error.info else error.code
    if error.blockinfo.blockpartial:
        return Refused(Refusal.BLOCKED, detail)
    meaning = meaning_of(error.code, error.info)
    if meaning is None and error.abusefilter is not None:
        return Refused(Refusal.FILTER, detail)
    if meaning is None:
        return Parked(f"the wiki’s answer is unknown: {detail}", Refusal.UNKNOWN)
    words = f"{meaning.words} ({detail})"
    if meaning.reason is not None:
        return Refused(meaning.reason, detail)
    busy_s = min(max(error.lag or _LATER_S, 5.0), _LONGEST_S)
    outcomes: dict[Scope, Outcome] = {
        Scope.ACCOUNT: NotNow(words, _HALTED_S, halts=True),
        Scope.WIKI: NotNow(words, busy_s, halts=True),
        Scope.POST: NotNow(words, _LATER_S),
        Scope.AGAIN: NotNow(meaning.words, _SOON_S),
        Scope.DOUBT: Unclear(detail),
    }
    return outcomes[meaning.scope]
