"""What the wiki's answer to an edit means for the post.

The codes are sorted by `bot.wiki.session`; one that is not there parks the
post. A warning of an edit filter is a refusal, too: to send the same text again would
override it.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.records.posts import NotNow, Outcome, Parked, Posted, Refusal, Refused, Unclear
from bot.wiki.answers import Line
from bot.wiki.session import Scope, meaning_of

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
    abusefilter: dict[str, Any] | None = None  # its own code may be any word


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
        answer: the wiki's, whatever it is.
        revision_id: what the edit was based on; 0 for a new page.
    """
    try:
        read = _Answer.model_validate(answer)
    except (ValidationError, RecursionError):
        return Unclear("the wiki's answer makes no sense")
    if read.error is not None:
        return _of_error(read.error)
    if read.edit is None:
        return Unclear("the wiki does not say what it did")
    return _of_edit(read.edit, revision_id)


def _of_edit(edit: _Edit, revision_id: int) -> Outcome:
    if edit.result == "Success":
        made = edit.newrevid or (revision_id if edit.nochange else 0)
        return Posted(made) if made else Unclear("the wiki names no revision")
    if edit.captcha is not None:
        return Refused(Refusal.CAPTCHA, "the wiki asks for a captcha")
    if edit.spamblacklist:
        return Refused(Refusal.SPAM, f"the spam blacklist refuses {edit.spamblacklist}")
    if edit.result == "Failure":
        return _of_error(_Error(code=edit.code or "failure", info=edit.info))
    return Unclear(f"the wiki answered {edit.result!r}")


def _of_error(error: _Error) -> Outcome:
    said = f"{error.code}: {error.info}" if error.info else error.code
    if error.blockinfo.blockpartial:
        return Refused(Refusal.BLOCKED, said)
    meaning = meaning_of(error.code, error.info)
    if meaning is None and error.abusefilter is not None:
        return Refused(Refusal.FILTER, said)
    if meaning is None:
        return Parked(f"the wiki’s answer is not known: {said}", Refusal.UNKNOWN)
    words = f"{meaning.words} ({said})"
    if meaning.reason is not None:
        return Refused(meaning.reason, said)
    busy_s = min(max(error.lag or _LATER_S, 5.0), _LONGEST_S)
    outcomes: dict[Scope, Outcome] = {
        Scope.ACCOUNT: NotNow(words, _HALTED_S, halts=True),
        Scope.WIKI: NotNow(words, busy_s, halts=True),
        Scope.POST: NotNow(words, _LATER_S),
        Scope.AGAIN: NotNow(meaning.words, _SOON_S),
        Scope.DOUBT: Unclear(said),
    }
    return outcomes[meaning.scope]
