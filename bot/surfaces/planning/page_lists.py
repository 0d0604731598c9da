"""Looks up the lists of pages that an opt-in names, and estimates what they cost.

Each list is counted before its pages are watched. A list that cannot be read, such as a
watchlist whose token was withdrawn, is left out with the reason shown, and the others
apply. If a service is merely down, the whole opt-in is tried again later, so that no
page is dropped because of that.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from bot.surfaces.messages import message
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.effective import CountedList, Effective, Limited, Round
from bot.surfaces.opt_in.watch import ListKind, PageList
from bot.surfaces.planning.posts import Reader
from bot.wiki.pages import Namespaces
from handlers.model import Message
from handlers.ports import PermanentError

_MOST_COUNTED = 2_000  # pages of one list
_MOST_CATEGORIES = 200  # below one category


class PageTools(Protocol):
    """Lists kept elsewhere, as `bot.search.services.page_lists` reads them."""

    async def petscan(self, wiki: str, number: str) -> tuple[str, ...]:
        """Return the titles that a saved query finds."""
        ...

    async def pagepile(self, wiki: str, number: str) -> tuple[str, ...]:
        """Return the titles in a PagePile."""
        ...


@dataclass(frozen=True, slots=True)
class ListRules:
    """The rules for looking up lists.

    `tokens` are watchlist tokens that people gave to the operator, by user. A page is
    expected to take `page_s` seconds, and `page_money` returns what a language model
    cost for one.
    """

    tools: PageTools | None = None
    tokens: Mapping[str, str] = field(default_factory=dict)
    page_s: float = 60.0
    page_money: Callable[[], Decimal] = Decimal


@dataclass(frozen=True, slots=True)
class ResolvedList:
    """The pages of all lists, how many each has, and what was left out."""

    titles: tuple[str, ...]
    counted: tuple[CountedList, ...]
    limited: tuple[Limited, ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """Looks up the lists of one opt-in."""

    wiki: str
    state: Effective
    community: Community
    names: Namespaces
    reader: Reader
    rules: ListRules

    async def resolve(self) -> ResolvedList:
        """Return the pages of its categories and lists.

        Raises:
            PermanentError: the wiki will not answer.
            TemporaryError: it cannot be reached, or a service that has a list.
        """
        if not self.community.namespaces:
            return ResolvedList((), (), ())
        titles: dict[str, None] = {}
        counted, limited = [], []
        for category in self.state.categories:
            found = await self._members(category.text)
            counted.append(self._counted("categories", category.text, found))
            titles |= dict.fromkeys(found)
        for one in self.state.lists:
            try:
                found = self._here(await self._pages(one))
            except PermanentError as error:
                limited.append(_left_out(one, error))
                continue
            counted.append(self._counted(one.kind.value, one.name, found))
            titles |= dict.fromkeys(found)
        return ResolvedList(tuple(titles), tuple(counted), tuple(limited))

    @property
    def _most(self) -> int:
        """How many pages of a list to ask for: one over the limit, to notice more."""
        return max(_MOST_COUNTED, self.community.limits.pages) + 1

    async def _members(self, category: str) -> tuple[str, ...]:
        below: tuple[str, ...] = ()
        if self.state.watch.depth:
            below = await self.reader.subcategories_of(
                category, depth=self.state.watch.depth, most=_MOST_CATEGORIES
            )
        found: dict[str, None] = {}
        for each in (category, *below):
            left = self._most - len(found)
            if left <= 0:
                break
            found |= dict.fromkeys(
                await self.reader.members_of(
                    each, namespaces=self.community.namespaces, most=left
                )
            )
        return tuple(found)

    def _pages(self, one: PageList) -> Awaitable[tuple[str, ...]]:
        user, spaces, most = (
            self.state.watch.watcher,
            self.community.namespaces,
            self._most,
        )
        match one.kind:
            case ListKind.PETSCAN | ListKind.PAGEPILE:
                return self._listed_elsewhere(one)
            case ListKind.WIKIPROJECT:
                talk = [number + 1 for number in spaces if number % 2 == 0]
                return self.reader.using(one.name, namespaces=talk, most=most)
            case ListKind.SEARCH:
                return self.reader.found_by(one.name, namespaces=spaces, most=most)
            case ListKind.CREATED:
                return self.reader.created_by(user, namespaces=spaces, most=most)
            case ListKind.WATCHLIST:
                return self._watched(user)

    async def _listed_elsewhere(self, one: PageList) -> tuple[str, ...]:
        tools = self.rules.tools
        if tools is None:
            raise PermanentError("the bot's operator has switched that off")
        ask = tools.petscan if one.kind is ListKind.PETSCAN else tools.pagepile
        return await ask(self.wiki, one.name)

    async def _watched(self, user: str) -> tuple[str, ...]:
        token = self.rules.tokens.get(user)
        if token is None:
            raise _NoTokenError("its token is not known")
        return await self.reader.watched_by(
            user, token, namespaces=self.community.namespaces, most=self._most
        )

    def _here(self, titles: Iterable[str]) -> tuple[str, ...]:
        """Return the pages to check; a talk page means the page it is about."""
        found: dict[str, None] = {}
        for written in titles:
            title = self.names.title(written)
            subject = self.names.subject_of(title) if title else None
            if subject and subject.namespace in self.community.namespaces:
                found[subject.text] = None
        return tuple(found)

    def _counted(
        self, parameter: str, name: str, found: tuple[str, ...]
    ) -> CountedList:
        has_more = len(found) >= self._most
        return CountedList(parameter, name, len(found) - has_more, has_more)


class _NoTokenError(PermanentError):
    """The operator has no token for a person's watchlist."""


def _left_out(one: PageList, error: PermanentError) -> Limited:
    given = message("given-left-out")
    return Limited(one.kind.value, one.name or "yes", given, (_reason(one, error),))


def _reason(one: PageList, error: PermanentError) -> Message:
    if isinstance(error, _NoTokenError):
        return message("reason-no-token")
    if one.kind is ListKind.WATCHLIST:
        return message("reason-token-refused")
    # A service's message about a list is only known in its own words.
    return message("reason-list", str(error)[:200])


def round_of(pages: int, rules: ListRules) -> Round:
    """Return roughly what it takes to check so many pages once."""
    return Round(pages, pages * rules.page_s, pages * rules.page_money())
