"""Reads what is kept of pages, as the panel needs it. Everything here blocks."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.records.accounts import KeptDecision, Reader
from bot.records.watches import Check, StandingWatch
from bot.store import KeptDiscovery, KeptSuggestion, PageLook, RankedSuggestion, Store
from bot.surfaces.feedback import Steering
from bot.surfaces.planning.communities import in_force
from gadget.cards.selection import Rank, Standing, Taste, rank


@dataclass(frozen=True, slots=True)
class KeptPage:
    """What is kept of a page, without what is closed for everyone.

    Newer facts about living people and contentious topics are for those who are signed
    in, and so is what was found and left out of them. What is found about the wording is
    there as long as somebody asks for it.
    """

    title: str
    found: tuple[KeptSuggestion, ...]
    mine: Mapping[str, KeptDecision]
    look: PageLook | None
    is_waiting: bool
    taste: Taste
    run: KeptDiscovery | None = None  # the last search for newer facts


class Shelf:
    """Reads from the store."""

    def __init__(self, store: Store, steering: Callable[[], Steering]) -> None:
        self._store, self._steering = store, steering

    def title_of(self, wiki: str, identity: str) -> str | None:
        """Return the title of the page that an open suggestion is about."""
        one = self._store.panel.suggestion(wiki, identity)
        is_open = one is not None and one.closed_at is None
        return one.suggestion.page.title if one is not None and is_open else None

    def version(self, wiki: str, title: str) -> tuple[str, ...]:
        """Return what changes whenever what is kept of a page does."""
        community = self._store.communities.get(wiki)
        return (
            self._store.panel.version(wiki, title),
            self._store.decisions.version(wiki, title),
            str(community and (community.revision_id, community.read_at)),
            self._steering().version,
            str(self._is_writing_asked(wiki, title)),
        )

    def taste(self, wiki: str) -> Taste:
        """Return what is to be shown on a wiki."""
        community = in_force(self._store.communities.get(wiki))
        return Taste(wiki, community, self._steering())

    def page(self, wiki: str, title: str, reader: Reader | None) -> KeptPage:
        """Return what is kept of a page, and what a reader decided about it."""
        store = self._store
        found = self._told(wiki, title, reader)
        run = store.discoveries.last(wiki, title)
        identities = [one.suggestion.identity for one in found]
        closed = store.decisions.closed(wiki, identities) if found else frozenset()
        mine: Mapping[str, KeptDecision] = {}
        if reader is not None and found:
            mine = store.decisions.of_reader(reader.key, wiki, identities)
        return KeptPage(
            title=title,
            found=tuple(one for one in found if one.suggestion.identity not in closed),
            mine=mine,
            look=store.panel.last_look(wiki, title),
            is_waiting=store.panel.is_waiting(wiki, title),
            taste=self.taste(wiki),
            run=run if run and (reader or not run.is_sensitive) else None,
        )

    def _told(
        self, wiki: str, title: str, reader: Reader | None
    ) -> tuple[KeptSuggestion, ...]:
        found = tuple(
            one
            for one in self._store.suggestions_of(wiki, title, all_or_none=False)
            if reader is not None or not _is_sensitive(one)
        )
        is_writing = [one.suggestion.details.writing is not None for one in found]
        if not any(is_writing) or self._is_writing_asked(wiki, title):
            return found
        kept = zip(found, is_writing, strict=True)
        return tuple(one for one, is_left_out in kept if not is_left_out)

    def _is_writing_asked(self, wiki: str, title: str) -> bool:
        watches = self._store.watches.of_page(wiki, title)
        return any(Check.WRITING in one.checks for one in watches)

    def ranked(
        self, wiki: str, titles: Collection[str]
    ) -> list[tuple[RankedSuggestion, Standing]]:
        """Return what may be shown of some pages."""
        taste, found = self.taste(wiki), self._store.panel.ranked(wiki, titles)
        written = {one.title for one in found if one.is_writing}
        unasked = {name for name in written if not self._is_writing_asked(wiki, name)}
        names = [one.identity for one in found]
        closed = self._store.decisions.closed(wiki, names) if names else frozenset()
        standing = ((one, taste.of(one, one.section)) for one in found)
        return [
            (one, as_what)
            for one, as_what in standing
            if as_what is not Standing.LEFT_OUT
            and one.identity not in closed
            and not (one.is_writing and one.title in unasked)
        ]

    def queued(self, reader: Reader) -> dict[Rank, str]:
        """Return the titles of what waits for a reader, by rank.

        Newer facts, and what is found about the wording, wait only where the reader
        asked for them, whoever else did.
        """
        watches = self._store.watches.of_user(reader.wiki, reader.user)
        titles = {title for watch in watches for title in watch.pages}
        with_updates = _watched(watches, Check.UPDATES)
        with_writing = _watched(watches, Check.WRITING)
        found = [
            (one, standing)
            for one, standing in (self.ranked(reader.wiki, titles) if titles else ())
            if (not one.is_update or one.title in with_updates)
            and (not one.is_writing or one.title in with_writing)
        ]
        names = [one.identity for one, _ in found]
        decided: Collection[str] = ()
        if names:
            decided = self._store.decisions.of_reader(reader.key, reader.wiki, names)
        return {
            rank(standing, one.verdict, one.flag, one.probability, one.identity): (
                one.title
            )
            for one, standing in found
            if one.identity not in decided
        }


def _watched(watches: Iterable[StandingWatch], check: Check) -> set[str]:
    return {title for one in watches if check in one.checks for title in one.pages}


def _is_sensitive(kept: KeptSuggestion) -> bool:
    update = kept.suggestion.details.update
    return update is not None and update.is_sensitive
