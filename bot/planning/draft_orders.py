"""Which drafts an opt-in comes to, and what its answer tells of each.

Anybody can edit a person's page, and a draft makes a new page under their name: so only
topics are drafted that the person's own last revision of the opt-in names. That
revision is also how they ask again: a draft whose page is gone, or was never made, is
made anew once they save the opt-in after that. Revisions are compared, no clocks.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.adapters.wiki_list_values import PageText
from bot.dossiers import IN_HAND, DraftOrder, DraftState, KeptDraft, Named
from bot.on_wiki.titles import Title
from bot.opt_in.effective import Effective, Limited
from bot.planning.opt_in_ports import OptInReader, OptInStore

_TOLD = {
    DraftState.WAITING: "being drafted; the page comes by itself",
    DraftState.DRAFTED: "being drafted; the page comes by itself",
    DraftState.POSTED: "",
    DraftState.SHOWN: "drafted, and shown in a dry run alone",
}
_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class DraftDesk:
    """Takes the orders of one wiki's opt-ins; `now` is the time."""

    wiki: str
    store: OptInStore
    reader: OptInReader
    now: datetime

    async def order(
        self, state: Effective, named: Callable[[PageText | None], frozenset[Title]]
    ) -> Effective:
        """Ask for the drafts of an opt-in in force; return it with what became of each.

        Args:
            state: what the person gets.
            named: reads the topics that the opt-in on a page names.

        Raises:
            PermanentError: the wiki will not answer.
            TemporaryError: it cannot be reached, or the store.
        """
        wiki, place, drafts = self.wiki, state.watch.place.text, self.store.drafts
        if not state.drafts:
            await self.drop(place)
            return state
        own = await self.reader.text_by(place, state.watch.watcher)
        state = _named_by_themselves(state, named(own))
        wanted = tuple(Named(each.topic.text, each.page.text) for each in state.drafts)
        revision = own.revision_id if own else 0
        order = DraftOrder(wiki, place, state.watch.watcher, wanted, revision)
        await asyncio.to_thread(drafts.ask, order, self.now)
        kept = await asyncio.to_thread(drafts.of_place, wiki, place)
        older = [each.page for each in kept if _is_asked_again(each, order)]
        if older:
            there = await self.reader.texts_of(older)
            gone = frozenset(older) - frozenset(there)
            await asyncio.to_thread(drafts.again, order, gone, self.now)
            kept = await asyncio.to_thread(drafts.of_place, wiki, place)
        return _told(state, kept)

    async def drop(self, place: str) -> None:
        """Drop the drafts of an opt-in that asks for none, or is over."""
        drafts = self.store.drafts
        kept = await asyncio.to_thread(drafts.of_place, self.wiki, place)
        if kept:
            order = DraftOrder(self.wiki, place, kept[0].watcher, ())
            await asyncio.to_thread(drafts.ask, order, self.now)


def _is_asked_again(kept: KeptDraft, order: DraftOrder) -> bool:
    """Tell whether it is settled, and the person has saved the opt-in since."""
    return kept.state not in IN_HAND and kept.asked_in < order.revision


def _named_by_themselves(state: Effective, mine: frozenset[Title]) -> Effective:
    """Leave out what somebody else wrote into the opt-in."""
    others = [each for each in state.drafts if each.topic not in mine]
    why = "somebody else wrote it here; save the page yourself if you want it"
    told = tuple(
        Limited("drafts", each.topic.text, "it is left out", why)
        for each in others[:_MOST_TOLD]
    )
    return replace(
        state,
        drafts=tuple(each for each in state.drafts if each not in others),
        limited=(*state.limited, *told),
    )


def _told(state: Effective, kept: Iterable[KeptDraft]) -> Effective:
    known = {each.page: each for each in kept}
    drafts = (
        replace(each, told=_words(known[each.page.text]))
        for each in state.drafts
        if each.page.text in known
    )
    return replace(state, drafts=tuple(drafts))


def _words(kept: KeptDraft) -> str:
    if kept.state in _TOLD:
        return _TOLD[kept.state]
    return kept.note or kept.state.value
