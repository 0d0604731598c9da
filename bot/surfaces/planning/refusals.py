"""What may be shown of a page, or done about it: each surface asks here first.

It brings together what `bot.surfaces.opt_in.refusal` needs: the page as it was last
read, the wiki's configuration page, and what a person says on pages of their own.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.records.refusals import NoteKind, PageSays
from bot.store import Store, StoredSuggestion
from bot.surfaces.opt_in.refusal import kind_of, page_says, refused
from bot.surfaces.planning.communities import in_force


@dataclass(frozen=True, slots=True)
class Refusals:
    """Asks the store; everything here blocks."""

    store: Store
    now: Callable[[], datetime]

    def of(self, wiki: str, title: str, person: str = "") -> frozenset[NoteKind]:
        """Return what is refused on a page, by its editors, its wiki or this person."""
        return self.of_pages(wiki, [title], person)[title]

    def of_pages(
        self, wiki: str, titles: Collection[str], person: str = ""
    ) -> Mapping[str, frozenset[NoteKind]]:
        """Return the same for several pages."""
        community = in_force(self.store.communities.get(wiki))
        known = self.store.refusals.of_pages(wiki, titles)
        watches = self.store.watches.of_user(wiki, person) if person else ()
        own = {kind for watch in watches for kind in watch.refuses}
        return {
            title: refused(
                community,
                title,
                known.get(title, PageSays()),
                person=person,
                of_person=own,
            )
            for title in titles
        }

    def shown(
        self,
        found: tuple[StoredSuggestion, ...],
        wiki: str,
        title: str,
        person: str = "",
        *,
        also: Collection[NoteKind] = (),
    ) -> tuple[StoredSuggestion, ...]:
        """Return those suggestions of a page whose kind is not refused.

        `also` is what is refused by the page that they would be written to.
        """
        if not found:
            return found
        kinds = self.of(wiki, title, person) | frozenset(also)
        return tuple(
            one for one in found if kind_of(one.suggestion.finding) not in kinds
        )

    def read(self, wiki: str, title: str, text: str) -> frozenset[NoteKind]:
        """Store what a page says now; return what is refused there."""
        self.store.refusals.keep(wiki, title, page_says(text), self.now())
        return self.of(wiki, title)
