"""Compares what people were shown with the most that they and their wiki want."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from bot.records.watches import ActiveWatch, ShownNote
from bot.surfaces.opt_in.community import Community
from bot.surfaces.planning.intended_post import PlanningTools
from bot.surfaces.planning.selection import Room

_DAY = timedelta(days=1)
_FOR_CHANGES = 0.4  # share of a watcher's notes; the others may be about older faults


def room_for(
    tools: PlanningTools,
    watches: Sequence[ActiveWatch],
    community: Community,
    shown: Iterable[ShownNote],
    *,
    is_own: bool,
) -> Room:
    """Return how many new notes a page may get now.

    Args:
        tools: the store and the time.
        watches: for whom they are, all of one wiki, at least one.
        community: what their wiki decided.
        shown: the notes of that page.
        is_own: whether the page is the watcher's own: there, nobody else limits how
            many notes one article may have.
    """
    now, limits = tools.now(), community.limits
    on_wiki = tools.store.shown_notes.shown_since(watches[0].wiki, since=now - _DAY)
    asked = max(_left(tools, watch, now) for watch in watches)
    wanted = max(watch.most.count for watch in watches)
    return Room(
        in_all=max(0, min(limits.notes_per_wiki - on_wiki, asked)),
        per_article=None if is_own else limits.notes_per_page,
        reserved=int(_FOR_CHANGES * min(limits.notes_per_wiki, wanted)),
        shown=Counter(each.article for each in shown if each.shown_at > now - _DAY),
    )


def _left(tools: PlanningTools, watch: ActiveWatch, now: datetime) -> int:
    since = now - timedelta(days=watch.most.per.value)
    shown = tools.store.shown_notes.shown_since(
        watch.wiki, watcher=watch.watcher, since=since
    )
    return watch.most.count - shown
