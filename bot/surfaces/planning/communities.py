"""What a wiki's community decided, read from its page and stored. Pure.

The last valid version stays in force, whatever happened to the page since: limits that
a community has set must not disappear because of a missing comma.
"""

import re
from datetime import datetime

from bot.records.watches import CommunityPage
from bot.surfaces.opt_in.community import Community, read_community
from bot.wiki.pages import PageText

_WRAPPED = re.compile(
    r"\s*<(syntaxhighlight|pre)\b[^<>]{0,100}>(?P<text>.*)</\1>\s*", re.DOTALL
)
_MOST_FAULTS = 20
_GONE = (
    "the page is missing or hidden, so its last version stays in force; to decide"
    " nothing, save {} there"
)


def to_keep(
    page: PageText | None, kept: CommunityPage | None, now: datetime
) -> CommunityPage | None:
    """Return what to store of the page; `None` if nothing about it is new.

    Args:
        page: as it is now; `None` if there is none.
        kept: what was stored before.
        now: when it was read.
    """
    if page is None:
        is_known = kept is None or not kept.text or kept.faults == (_GONE,)
        return None if is_known else CommunityPage("", 0, now, (_GONE,))
    if kept and page.revision_id < kept.revision_id:
        return None  # an older replica of the wiki's database answered
    text = _unwrapped(page)
    faults = tuple(str(each) for each in read_community(text).faults[:_MOST_FAULTS])
    fresh = CommunityPage("" if faults else text, page.revision_id, now, faults)
    return None if kept and _is_same(fresh, kept) else fresh


def in_force(kept: CommunityPage | None) -> Community:
    """Return what applies on a wiki: the defaults if its community has not decided."""
    read = read_community(kept.text).community if kept else None
    return read or Community()


def has_decided_since(kept: CommunityPage | None, at: datetime | None) -> bool:
    """Return whether a community's page was read after `at`: it may have changed."""
    return kept is not None and at is not None and kept.read_at > at


def _is_same(fresh: CommunityPage, kept: CommunityPage) -> bool:
    if fresh.faults:
        return fresh.faults == kept.faults
    return not kept.faults and fresh.revision_id == kept.revision_id


def _unwrapped(page: PageText) -> str:
    """Remove what makes JSON readable on an ordinary wiki page."""
    found = _WRAPPED.fullmatch(page.text) if page.content_model != "json" else None
    return found["text"] if found else page.text
