"""Which opt-ins of a wiki have to be read again, of all pages that carry the template.

Those in force are told of by the change feed, so the list of pages looks for new ones
and for those that have gone. All are read again now and then, for what no change of
theirs tells: members of categories, counts of edits, blocks. Each is a plan of its
own, so that one that fails keeps no other from being read.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.records.watches import PlanKind, Wish
from bot.surfaces.opt_in.community import Community
from bot.surfaces.planning.opt_in_ports import OptInReader, OptInStore
from bot.wiki.titles import USER, Namespaces

_APART_S = 0.5  # between opt-ins that are only read again


@dataclass(slots=True)
class _Known:
    """What this process knows of a wiki's list."""

    all_at: datetime
    community: Community
    revisions: dict[str, int] = field(default_factory=dict)  # of those not in force


class OptInLists:
    """Lists the opt-ins of wikis; remembers what was read, until the program ends.

    Args:
        store: keeps the watches and plans.
        reader: gives the reader of a wiki.
        bot: name of the account.
        now: the time.
        reread_s: after how long all opt-ins are read again.
    """

    def __init__(
        self,
        store: OptInStore,
        reader: Callable[[str], OptInReader],
        *,
        bot: str,
        now: Callable[[], datetime],
        reread_s: float,
    ) -> None:
        self._store = store
        self._reader = reader
        self._bot = bot
        self._now = now
        self._reread_s = reread_s
        self._known: dict[str, _Known] = {}

    async def refresh(self, wiki: str, names: Namespaces, community: Community) -> int:
        """Ask for a plan of each opt-in that has to be read; return how many.

        Raises:
            PermanentError: the wiki will not answer.
            TemporaryError: it cannot be reached, or the store.
        """
        template = names.of(USER, f"{self._bot}/watch")
        if template is None:
            return 0
        began, reader = self._now(), self._reader(wiki)
        listed = [
            title
            for title in await reader.transclusions_of(template.text)
            if is_place(names, title)
        ]
        watches = await asyncio.to_thread(self._store.watches.all, wiki)
        # The watchlist of the bot's own account is a watch, too, with no template.
        places = {each.place for each in watches if is_place(names, each.place)}
        fresh = await reader.texts_of(each for each in listed if each not in places)
        revisions = {title: page.revision_id for title, page in fresh.items()}
        known = self._known.get(wiki)
        at_once = {
            *(places - set(listed)),
            *(
                title
                for title, number in revisions.items()
                if known is None or known.revisions.get(title) != number
            ),
        }
        is_due = known is None or self._is_due(known, community, began)
        rest = {*places, *revisions} - at_once if is_due else set()
        wishes = [*_wishes(wiki, at_once, rest, began)]
        await asyncio.to_thread(self._store.plans.ask, wishes, began)
        # Remembered once the plans are kept, so that a failure forgets none.
        all_at = began if known is None or is_due else known.all_at
        self._known[wiki] = _Known(all_at, community, revisions)
        return len(wishes)

    def _is_due(self, known: _Known, community: Community, now: datetime) -> bool:
        age_s = (now - known.all_at).total_seconds()
        return age_s >= self._reread_s or known.community != community


def is_place(names: Namespaces, written: str) -> bool:
    """Return whether people can ask for notes on a page, and be answered there."""
    title = names.title(written)
    return title is not None and (title.namespace == USER or title.is_talk)


def _wishes(
    wiki: str, at_once: set[str], rest: set[str], now: datetime
) -> Iterator[Wish]:
    for title in sorted(at_once):
        yield Wish(PlanKind.OPT_INS, wiki, title, now)
    for number, title in enumerate(sorted(rest)):
        due = now + timedelta(seconds=number * _APART_S)
        yield Wish(PlanKind.OPT_INS, wiki, title, due)
