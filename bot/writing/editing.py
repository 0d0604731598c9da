"""How a change becomes the parameters of one edit that only takes where it was seen.

An edit names the revision it is based on and no time: then the wiki refuses it if
anything came between, our own first try included, or merges it with that where no line
was changed by both. Nothing here ever names a page by number, follows a redirect or
goes without that revision. Pure.
"""

from datetime import datetime
from hashlib import md5

from bot.records.posts import (
    Append,
    Change,
    Create,
    Post,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
)
from bot.wiki.titles import USER
from bot.writing.allowed_pages import Place
from bot.writing.preflight import SeenPage

_MOST_BYTES = 2_000_000  # of a page; MediaWiki takes 2 MiB


def edited(page: SeenPage, post: Post) -> str | Refused:
    """Return the whole page as it will be, to show it and to see that it fits."""
    text = page.text
    if text is None:
        if not page.missing:
            return Refused(Refusal.CHANGED, "the text of the page is hidden")
        whole = _begun(post.change)
    else:
        whole = _changed(text, post.change)
    if isinstance(whole, str) and len(whole.encode("utf-8", "replace")) > _MOST_BYTES:
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
        why = "there is a page of this name, and nothing is written over it"
        return Refused(Refusal.CHANGED, why)
    expected = change.expected
    if isinstance(change, ReplaceSection):
        expected = expected.rstrip()
    if not expected or text.count(expected) != 1:
        return Refused(Refusal.CHANGED, "what was to be replaced does not stand there")
    return text.replace(expected, change.text)


def edit(
    page: SeenPage, place: Place, post: Post, whole: str, *, at: datetime, token: str
) -> dict[str, str] | Refused:
    """Return the parameters of the edit.

    Args:
        page: as it was just seen.
        place: where that is.
        post: what is to be done.
        whole: the page as it will be.
        at: the wiki's time when it was seen.
        token: the account's.
    """
    change = post.change
    if isinstance(change, ReplaceStretch) and place.namespace != USER:
        return Refused(
            Refusal.PLACE, "part of a page is only replaced in a person's own space"
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
    return {
        "title": place.title,
        **content,
        **_base(page, at),
        "summary": post.summary,
        "md5": md5(text.encode(), usedforsecurity=False).hexdigest(),
        "watchlist": "nochange",
        "token": token,  # last, so that what is cut off on the way is refused
    }


def _base(page: SeenPage, at: datetime) -> dict[str, str]:
    if page.revision_id:
        return {"baserevid": str(page.revision_id), "nocreate": "1"}
    return {"createonly": "1", "starttimestamp": f"{at:%Y-%m-%dT%H:%M:%SZ}"}


def question_section(place: Place, change: ReplaceSection) -> dict[str, str]:
    """Return how to ask what the wiki itself takes for a section."""
    return {
        "titles": f"\x1f{place.title}",
        "prop": "revisions",
        "rvprop": "ids|content",
        "rvslots": "main",
        "rvsection": str(change.number),
    }
