"""What else the planning of opt-ins needs from the store and from wikis."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from bot.records.dossiers import DraftOrder, StoredDraft
from bot.records.jobs import PageJob
from bot.records.spending import PagesTook
from bot.records.watches import ActiveWatch, CommunityPage, IntendedPost
from bot.wiki.pages import ListedPage, ListedUser, PageText, SiteNames


class OptInReader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does.

    Every method raises PermanentError if the wiki will not answer, and TemporaryError
    if it cannot be reached or is busy.
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
        """Return the text that a user last saved on a page; `None` if there is none."""
        ...

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return pages by the titles asked for, without those missing or hidden."""
        ...

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        """Return the titles of all pages that use a template."""
        ...

    async def members_of(
        self, category: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's pages; no namespaces means all."""
        ...

    async def subcategories_of(
        self, category: str, *, depth: int, most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's subcategories, down to a depth."""
        ...

    async def using(
        self, template: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that use a template."""
        ...

    async def created_by(
        self, user: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that a user created."""
        ...

    async def found_by(
        self, query: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that the wiki's own search finds."""
        ...

    async def watched_by(
        self, user: str, token: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the watchlist of a user who gave its token."""
        ...

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return facts about pages by the titles asked for, without missing ones."""
        ...

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        ...


class Drafts(Protocol):
    """Methods of `bot.store.Drafts`."""

    def ask(self, order: DraftOrder, now: datetime) -> None:
        """Ask for the drafts that an opt-in names, and drop its other drafts."""
        ...

    def again(self, order: DraftOrder, gone: Collection[str], now: datetime) -> None:
        """Allow drafts named in a newer revision to be made again if the page is gone."""
        ...

    def of_place(self, wiki: str, place: str) -> tuple[StoredDraft, ...]:
        """Return the drafts that an opt-in asks for."""
        ...


class Plans(Protocol):
    """A method of `bot.store.Plans`."""

    def ask(self, intended_posts: Sequence[IntendedPost], now: datetime) -> None:
        """Add plans to the queue, each once."""
        ...


class Watches(Protocol):
    """Methods of `bot.store.Watches`."""

    def keep(self, watch: ActiveWatch, jobs: Sequence[PageJob], now: datetime) -> bool:
        """Add or replace a watch, and add its jobs."""
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
        """Return all watched pages, with the pause of each between checks."""
        ...


class Communities(Protocol):
    """Methods of `bot.store.Communities`."""

    def keep(self, wiki: str, page: CommunityPage) -> None:
        """Store a page as it was read; if it has faults, only those."""
        ...

    def get(self, wiki: str) -> CommunityPage | None:
        """Return the last valid page, with the faults of a newer one."""
        ...


class Spending(Protocol):
    """A method of `bot.store.Spending`."""

    def taken(
        self, wiki: str, titles: Iterable[str], tenant: str, day: date
    ) -> PagesTook:
        """Return what pages cost; `tenant` is whose money they are checked with."""
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
        """The drafts made for people."""
        ...

    @property
    def communities(self) -> Communities:
        """What communities decided."""
        ...

    @property
    def spending(self) -> Spending:
        """What was done for pages, and its cost."""
        ...
