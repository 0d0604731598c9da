"""What the wiki's answer to an edit means for the post. Pure.

Each refusal that MediaWiki and its usual extensions know has one outcome. A warning
of an edit filter is a refusal, too: to send the same text again would override it.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.adapters.wiki_answers import Line
from bot.posts import NotNow, Outcome, Posted, Refusal, Refused, Unclear

_SOON_S = 2.0
_LATER_S = 60.0
_HALTED_S = 3600.0
_LONGEST_S = 3600.0

_REFUSED = {
    "spamblacklist": Refusal.SPAM,
    "spamdetected": Refusal.SPAM,
    "abusefilter-disallowed": Refusal.FILTER,
    "abusefilter-warning": Refusal.FILTER,
    "abusefilter-throttle": Refusal.FILTER,
    "hookaborted": Refusal.FILTER,
    "captcha": Refusal.CAPTCHA,
    "protectedpage": Refusal.PROTECTED,
    "protectedtitle": Refusal.PROTECTED,
    "cascadeprotected": Refusal.PROTECTED,
    "permissiondenied": Refusal.PROTECTED,
    "cantcreate": Refusal.PROTECTED,
    "nocreate-loggedin": Refusal.PROTECTED,
    "no-direct-editing": Refusal.PLACE,
    "contenttoobig": Refusal.TOO_LONG,
    "missingtitle": Refusal.GONE,
    "pagedeleted": Refusal.GONE,
    "invalidtitle": Refusal.PLACE,
    "pagecannotexist": Refusal.PLACE,
    "nosuchsection": Refusal.CHANGED,
    "sectionsnotsupported": Refusal.CHANGED,
}
# Beginnings of codes that come in many forms.
_REFUSED_KINDS = {
    "titleblacklist": Refusal.PROTECTED,
    "protected": Refusal.PROTECTED,
    "customcss": Refusal.PROTECTED,
    "customjs": Refusal.PROTECTED,
    "abusefilter": Refusal.FILTER,
}
# Somebody has to act, and until then no edit can succeed.
_HALTS = {
    "blocked": "the account is blocked",
    "autoblocked": "the account's network address is blocked",
    "writeapidenied": "the account may not edit through the API",
    "noedit": "the account may not edit",
    "assertbotfailed": "the account is no bot",
    "mwoauth-invalid-authorization": "the account's OAuth grant is not valid",
}
_FOR_NOW = {
    "maxlag": "the wiki's databases are behind",
    "readonly": "the wiki is read-only",
    "ratelimited": "the wiki wants fewer edits",
}
# Look again: another edit came between, or the session has ended.
_LOOK_AGAIN = {
    "editconflict": "the page was edited meanwhile",
    "articleexists": "the page was made meanwhile",
    "badtoken": "the session has ended",
    "assertuserfailed": "the session has ended",
    "assertnameduserfailed": "the session has ended",
    "badmd5": "the text was damaged on the way",
}


class _Error(BaseModel):
    code: Line
    info: Line = ""
    lag: float | None = None


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
        reason = _refusal(edit.code) or Refusal.UNKNOWN
        return Refused(reason, _said(edit.code or "a failure", edit.info))
    return Unclear(f"the wiki answered {edit.result!r}")


def _of_error(error: _Error) -> Outcome:
    said = _said(error.code, error.info)
    reason = _refusal(error.code)
    if error.code.startswith("internal_api_error") or error.code == "unknownerror":
        return Unclear(said)
    if error.code in _LOOK_AGAIN:
        return NotNow(_LOOK_AGAIN[error.code], _SOON_S)
    if error.code in _FOR_NOW:
        wait_s = min(max(error.lag or _LATER_S, 5.0), _LONGEST_S)
        return NotNow(f"{_FOR_NOW[error.code]} ({said})", wait_s, halts=True)
    if error.code in _HALTS:
        return NotNow(f"{_HALTS[error.code]} ({said})", _HALTED_S, halts=True)
    return Refused(reason or Refusal.UNKNOWN, said)


def _refusal(code: str) -> Refusal | None:
    for begins, reason in _REFUSED_KINDS.items():
        if code.startswith(begins):
            return _REFUSED.get(code, reason)
    return _REFUSED.get(code)


def _said(code: str, info: str) -> str:
    return f"{code}: {info}" if info else code
