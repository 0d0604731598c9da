"""Reads what is stored about pages, as the panel needs it. Everything here blocks."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.records.accounts import Reader, StoredDecision
from bot.records.watches import NoteKind
from bot.store import (
    LastPageCheck,
    RankedSuggestion,
    Store,
    StoredDiscovery,
    StoredSuggestion,
)
from bot.surfaces.feedback import Feedback
from bot.surfaces.opt_in.community import in_force
from bot.surfaces.opt_in.refusal import Refusals, kind_of
from gadget.cards.selection import CardSettings, Rank, Visibility, by_edit, rank
from handlers.edits.finding import ChangedFinding
from handlers.findings import Finding
from handlers.registry import KINDS, OF_CITATIONS


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What is stored about a page, without what is closed for everyone.

    Newer facts about living people and contentious topics are only for signed-in
    readers, and so is what the search for them left out. Findings about the wording are
    there as long as someone asks for them.
    """

    title: str
    found: tuple[StoredSuggestion, ...]
    mine: Mapping[str, StoredDecision]
    last_check: LastPageCheck | None
    is_waiting: bool
    card_settings: CardSettings
    run: StoredDiscovery | None = None  # the last search for newer facts


class StoredPages:
    """Reads from the store."""

    def __init__(
        self,
        store: Store,
        feedback: Callable[[], Feedback],
        now: Callable[[], datetime],
    ) -> None:
        self._store, self._feedback = store, feedback
        self._refusals = Refusals(store, now)

    def title_of(self, wiki: str, identity: str) -> str | None:
        """Return the title of the page that an open suggestion is about."""
        one = self._store.panel.suggestion(wiki, identity)
        is_open = one is not None and one.closed_at is None
        return one.suggestion.page.title if one is not None and is_open else None

    def version(self, wiki: str, title: str, reader: Reader | None) -> tuple[str, ...]:
        """Return a value that changes whenever the page's stored data do."""
        refused = self._refusals.of(wiki, title, reader.user if reader else "")
        community = self._store.communities.get(wiki)
        return (
            self._store.panel.version(wiki, title),
            self._store.decisions.version(wiki, title),
            str(community and (community.revision_id, community.read_at)),
            self._feedback().version,
            *sorted(self._requested(wiki, title)),
            *sorted(kind.name for kind in refused),
        )

    def card_settings(self, wiki: str) -> CardSettings:
        """Return what may be shown on a wiki."""
        community = in_force(self._store.communities.get(wiki))
        return CardSettings(wiki, community, self._feedback())

    def page(self, wiki: str, title: str, reader: Reader | None) -> StoredPage:
        """Return what is stored about a page, and a reader's decisions about it."""
        store, person = self._store, reader.user if reader else ""
        refused = self._refusals.of(wiki, title, person)
        found = tuple(
            one
            for one in self._shown_to(wiki, title, reader)
            if kind_of(one.suggestion.finding) not in refused
        )
        run = store.discoveries.last(wiki, title)
        if NoteKind.UPDATES in refused:
            run = None
        # What could not be checked, and dead links, are about citations, too.
        has_check = NoteKind.CITATIONS not in refused
        identities = [one.suggestion.identity for one in found]
        closed = store.decisions.closed(wiki, identities) if found else frozenset()
        mine: Mapping[str, StoredDecision] = {}
        if reader is not None and found:
            mine = store.decisions.of_reader(reader.key, wiki, identities)
        return StoredPage(
            title=title,
            found=tuple(one for one in found if one.suggestion.identity not in closed),
            mine=mine,
            last_check=store.panel.last_page_check(wiki, title) if has_check else None,
            is_waiting=store.panel.is_waiting(wiki, title),
            card_settings=self.card_settings(wiki),
            run=run if run and (reader or not run.is_sensitive) else None,
        )

    def _shown_to(
        self, wiki: str, title: str, reader: Reader | None
    ) -> tuple[StoredSuggestion, ...]:
        found = tuple(
            one
            for one in self._store.suggestions_of(wiki, title, all_or_none=False)
            if reader is not None or not one.suggestion.finding.facts.is_sensitive
        )
        if all(one.suggestion.finding.is_shown_unasked for one in found):
            return found
        requested = self._requested(wiki, title)
        return tuple(
            one
            for one in found
            if one.suggestion.finding.is_shown_unasked
            or one.suggestion.finding.asked_as in requested
        )

    def _requested(self, wiki: str, title: str) -> frozenset[str]:
        """Return the checks that anyone asks for on a page."""
        watches = self._store.watches.of_page(wiki, title)
        return frozenset(check.value for one in watches for check in one.checks)

    def ranked(
        self, wiki: str, titles: Collection[str], person: str = ""
    ) -> list[tuple[RankedSuggestion, Visibility]]:
        """Return what may be shown of some pages."""
        card_settings = self.card_settings(wiki)
        found = self._store.panel.ranked(wiki, titles)
        hidden = {one.title for one in found if not _kind(one).is_shown_unasked}
        requested = {title: self._requested(wiki, title) for title in hidden}
        names = [one.identity for one in found]
        closed = self._store.decisions.closed(wiki, names) if names else frozenset()
        refused = self._refusals.of_pages(wiki, {one.title for one in found}, person)
        found = tuple(
            one for one in found if kind_of(_kind(one)) not in refused[one.title]
        )
        rated = ((one, card_settings.of(one, one.section)) for one in found)
        return [
            (one, visibility)
            for one, visibility in rated
            if visibility is not Visibility.LEFT_OUT
            and one.identity not in closed
            and (
                _kind(one).is_shown_unasked
                or _kind(one).asked_as in requested[one.title]
            )
        ]

    def queued(self, reader: Reader) -> dict[Rank, str]:
        """Return the titles of the items in a reader's queue, by rank."""
        return {rank(one): one.title for one in self._waiting(reader)}

    def queued_edits(self, reader: Reader) -> dict[Rank, str]:
        """Return those of the queue's items that are about edits, the newest first.

        What a patrol of the wiki notes is for everyone.
        """
        patrolled = self._store.patrols.noted(reader.wiki)
        waiting = {
            (one.title, one.identity)
            for one in self._waiting(reader, patrolled)
            if one.kind == ChangedFinding.kind
        }
        return {
            by_edit(one.suggestion): title
            for title in sorted({title for title, _ in waiting})
            for one in self._store.suggestions_of(reader.wiki, title, all_or_none=False)
            if (title, one.suggestion.identity) in waiting
        }

    def _waiting(
        self, reader: Reader, patrolled: Collection[str] = ()
    ) -> list[RankedSuggestion]:
        """Return what a reader has not decided about, on the pages that they follow.

        What is not about a citation is in the queue only if the reader asked for it,
        whoever else did. Notes about edits of the `patrolled` pages are added.
        """
        watches = self._store.watches.of_user(reader.wiki, reader.user)
        titles = set(patrolled).union(*(watch.pages for watch in watches))
        requested = {
            (title, check.value)
            for watch in watches
            for check in watch.checks
            for title in watch.pages
        }
        requested |= {(title, ChangedFinding.asked_as) for title in patrolled}
        found = [
            one
            for one, _ in (
                self.ranked(reader.wiki, titles, reader.user) if titles else ()
            )
            if one.kind in OF_CITATIONS or (one.title, _kind(one).asked_as) in requested
        ]
        names = [one.identity for one in found]
        decided: Collection[str] = ()
        if names:
            decided = self._store.decisions.of_reader(reader.key, reader.wiki, names)
        return [one for one in found if one.identity not in decided]


def _kind(one: RankedSuggestion) -> type[Finding]:
    return KINDS[one.kind].finding
