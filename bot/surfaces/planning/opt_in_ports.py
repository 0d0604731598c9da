"""What the planning of opt-ins needs of the store and of wikis, beside the rest."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from bot.records.dossiers import DraftOrder, KeptDraft
from bot.records.jobs import PageJob
from bot.records.spending import PagesTook
from bot.records.watches import ActiveWatch, CommunityPage, IntendedPost
from bot.wiki.pages import ListedPage, ListedUser, PageText, SiteNames


class OptInReader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does.

    Every method raises PermanentError where the wiki will not answer, and
    TemporaryError where it cannot be reached or is busy.
    """

    async def site_names(self) -> SiteNames:
        """Return the names of the wiki's namespaces."""
        ...

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return a page; `None` if it is missing or hidden."""
        ...

    async def text_by(self, title: str, user: str) -> PageText | None:
        """Return the text that a user saved last on a page; `None` if never."""
        ...

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return pages by the titles asked for, without those missing or hidden."""
        ...

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        """Return the titles of all pages on which a template stands."""
        ...

    async def members_of(
        self, category: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's pages; no namespaces stand for all."""
        ...

    async def subcategories_of(
        self, category: str, *, depth: int, most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's subcategories, so many levels down."""
        ...

    async def using(
        self, template: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages on which a template stands."""
        ...

    async def created_by(
        self, user: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that a user began."""
        ...

    async def found_by(
        self, query: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that the wiki's own search finds."""
        ...

    async def watched_by(
        self, user: str, token: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return what a user watches who gave their watchlist's token."""
        ...

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return what is known of pages by the titles asked for, without missing."""
        ...

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        ...


class Drafts(Protocol):
    """Verbs of `bot.store.Drafts`."""

    def ask(self, order: DraftOrder, now: datetime) -> None:
        """Ask for the drafts that an opt-in names, and no others of it."""
        ...

    def again(self, order: DraftOrder, gone: Collection[str], now: datetime) -> None:
        """Let drafts be made again that a newer revision names and whose page is gone."""
        ...

    def of_place(self, wiki: str, place: str) -> tuple[KeptDraft, ...]:
        """Return the drafts that an opt-in asks for."""
        ...


class Plans(Protocol):
    """A verb of `bot.store.Plans`."""

    def ask(self, intended_posts: Sequence[IntendedPost], now: datetime) -> None:
        """Let plans wait, each once."""
        ...


class Watches(Protocol):
    """Verbs of `bot.store.Watches`."""

    def keep(self, watch: ActiveWatch, jobs: Sequence[PageJob], now: datetime) -> bool:
        """Add or replace a watch, and put its jobs."""
        ...

    def end(self, wiki: str, place: str, now: datetime) -> ActiveWatch | None:
        """Remove a watch and return it."""
        ...

    def get(self, wiki: str, place: str) -> ActiveWatch | None:
        """Return the watch of a place."""
        ...

    def all(self, wiki: str | None = None) -> tuple[ActiveWatch, ...]:
        """Return all watches of a wiki."""
        ...

    def pauses(self) -> Mapping[tuple[str, str], float]:
        """Return all watched pages, and how long each rests."""
        ...


class Communities(Protocol):
    """Verbs of `bot.store.Communities`."""

    def keep(self, wiki: str, page: CommunityPage) -> None:
        """Keep a page as it was read; of one with faults only those."""
        ...

    def get(self, wiki: str) -> CommunityPage | None:
        """Return the last good page, beside it the faults of a newer one."""
        ...


class Spending(Protocol):
    """A verb of `bot.store.Spending`."""

    def taken(
        self, wiki: str, titles: Iterable[str], tenant: str, day: date
    ) -> PagesTook:
        """Return what pages took; `tenant` is whose money they are checked with."""
        ...


class OptInStore(Protocol):
    """The parts of `bot.store.Store` that the planning of opt-ins uses."""

    @property
    def plans(self) -> Plans:
        """What has to be planned."""
        ...

    @property
    def watches(self) -> Watches:
        """What people asked for."""
        ...

    @property
    def drafts(self) -> Drafts:
        """What is drafted for people."""
        ...

    @property
    def communities(self) -> Communities:
        """What communities decided."""
        ...

    @property
    def spending(self) -> Spending:
        """What was done for pages."""
        ...
