"""Asks a wiki for lists, and for many pages at a time; nothing is ever written.

What people asked for is found this way: which pages carry a template, what stands on
them, what is in a category. No redirect is followed: whoever asks for a page gets that
page or none.
"""

from collections.abc import AsyncGenerator, Collection, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime

from bot.adapters.wiki_address import parse_address
from bot.adapters.wiki_api import RefusedError, WikiApi
from bot.adapters.wiki_asking import MANY, Asked, answers, asked_title, in_parts, only
from bot.adapters.wiki_authors import RecentHistory, recent_history
from bot.adapters.wiki_changes import changes, oldest_change
from bot.adapters.wiki_list_answers import ListAnswer, Named, SpamAnswer
from bot.adapters.wiki_list_values import ListedPage, ListedUser, PageText, SiteNames
from bot.adapters.wiki_many import facts_of, text_by, text_of_revision, texts_of
from bot.changes import Change
from handlers.ports import PermanentError

_MOST_PARTS = 200  # of an answer about 50 pages, or of a list of 100,000
_MAX_ADDRESS_CHARS = 2_000
_NO_SUCH_ACTION = frozenset({"badvalue", "unknown_action"})


class WikiLists:
    """Asks one wiki.

    Every question raises PermanentError where the wiki will not answer it, and
    TemporaryError where it cannot be reached or is busy.

    Args:
        host: as `bot.adapters.wiki_address.parse_address` takes it.
        user_agent: says who asks, with a way to reach them.
        account: the bot's own, whose changes are told apart and whose watchlist
            can be asked for.
        watchlist_token: lets the watchlist be read without a login.
        timeout_s: how long one answer may take in all.
    """

    def __init__(
        self,
        host: str,
        *,
        user_agent: str,
        account: str = "",
        watchlist_token: str = "",
        timeout_s: float = 20.0,
    ) -> None:
        address = parse_address(host)
        self.wiki = address.host
        self._account = account
        self._token = watchlist_token
        self._api = WikiApi(address, user_agent=user_agent, timeout_s=timeout_s)

    # --- pages -----------------------------------------------------------------

    async def site_names(self) -> SiteNames:
        """Return the names of the wiki's namespaces."""
        asked = {"meta": "siteinfo", "siprop": "namespaces|namespacealiases"}
        answer = (await self._api.call("query", ListAnswer, asked)).query
        if 0 not in {each.id for each in answer.namespaces.values()}:
            raise PermanentError(f"{self.wiki} tells no namespaces; check its name")
        spaces = answer.namespaces.values()
        names = {each.alias: each.id for each in answer.namespacealiases}
        names |= {each.canonical: each.id for each in spaces}
        names |= {each.name: each.id for each in spaces}
        return SiteNames(
            local={each.id: each.name for each in spaces},
            aliases={name.lower(): number for name, number in names.items() if name},
        )

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return the current text of a page; `None` if it is missing or hidden.

        With `revision_id` it is the text of that revision, whatever its page is
        called now.
        """
        if revision_id is None:
            return (await self.texts_of([title])).get(title)
        return await text_of_revision(self._api, revision_id)

    async def text_by(self, title: str, user: str) -> PageText | None:
        """Return the text that a user saved last on a page; `None` if they never did."""
        return await text_by(self._api, title, user)

    async def recent_history(self, title: str) -> RecentHistory | None:
        """Return what was saved under a title lately, and what else befell it.

        `None` if no page can be called so.
        """
        return await recent_history(self._api, title)

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return current texts by the titles that were asked for.

        What is missing, hidden or no title is left out.
        """
        return await texts_of(self._api, titles)

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return what is known of pages by the titles that were asked for.

        What is missing or no title is left out.
        """
        return await facts_of(self._api, titles)

    # --- lists -----------------------------------------------------------------

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        """Return the titles of all pages on which a template stands.

        Raises:
            PermanentError: there are more than can be read, too: part of the list
                would look as if the others had taken it away.
        """
        asked = {"list": "embeddedin", "eititle": title, "eilimit": "max"}
        return tuple([each.title async for each in self._listed(asked)])

    async def members_of(
        self, category: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's pages, at most `most`; no subcategory's.

        Args:
            category: its title, namespace included.
            namespaces: of the pages; none means all.
            most: how many.
        """
        asked = {
            "list": "categorymembers",
            "cmtitle": category,
            "cmlimit": "max",
            "cmtype": "page",
            **only("cmnamespace", namespaces),
        }
        return await self._first(asked, most)

    async def watchlist(
        self, namespaces: Collection[int] = (), *, most: int = 10_000
    ) -> tuple[str, ...]:
        """Return what the bot's own account watches, at most `most` titles.

        A wiki lists each page together with its talk page, where `namespaces` does
        not say otherwise.

        Raises:
            PermanentError: no account or token is set, or the token is wrong, too.
        """
        if not self._account or not self._token:
            raise PermanentError(
                "the watchlist cannot be read without `bot_account` and"
                " `bot_watchlist_token`; the token stands in the account's preferences"
            )
        asked = {
            "list": "watchlistraw",
            "wrowner": self._account,
            "wrtoken": self._token,
            "wrlimit": "max",
            **only("wrnamespace", namespaces),
        }
        try:
            return await self._first(asked, most, in_body=True)
        except RefusedError as error:
            if error.code != "bad_wltoken":
                raise
            raise PermanentError(
                f"{self.wiki} does not take `bot_watchlist_token` for"
                f" {self._account}; copy it anew from the account's preferences"
            ) from error

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        asked = asked_title(name)
        if asked is None:
            return None
        parameters = {
            "list": "users",
            "ususers": asked,
            "usprop": "editcount|blockinfo",
        }
        answer = await self._api.call("query", ListAnswer, parameters)
        for user in answer.query.users[:1]:
            if not user.missing and not user.invalid and user.editcount is not None:
                is_blocked = user.blockid is not None and not user.blockpartial
                return ListedUser(user.name, user.editcount, is_blocked)
        return None

    async def rights(self, name: str) -> frozenset[str]:
        """Return what an account may do on the wiki, in the wiki's own words."""
        asked = asked_title(name)
        if asked is None:
            return frozenset()
        parameters = {"list": "users", "ususers": asked, "usprop": "rights"}
        answer = await self._api.call("query", ListAnswer, parameters)
        return frozenset(right for user in answer.query.users for right in user.rights)

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those addresses with which the wiki would save no page.

        Empty where the wiki keeps no list of them. An address that is too long to
        be asked for counts as refused.
        """
        known = frozenset(urls)
        askable = {url for url in known if 0 < len(url) <= _MAX_ADDRESS_CHARS}
        refused: set[str] = set(known - askable)
        try:
            for part in in_parts(sorted(askable)):
                refused |= await self._refused(part)
        except RefusedError as error:
            if error.code not in _NO_SUCH_ACTION:
                raise
            return frozenset()
        return frozenset(refused)

    # --- changes ---------------------------------------------------------------

    async def changes(
        self, since: datetime, until: datetime, namespaces: Collection[int] = ()
    ) -> AsyncGenerator[Change, None]:
        """Yield what was done from `since` to `until`, oldest first; close it after use.

        Both ends are included. No name of a user is kept. An entry that cannot be
        read is passed over, and told in the log; changes of categories are left out.
        """
        listed = changes(
            self._api, self.wiki, (since, until), namespaces, (self._account,)
        )
        async with aclosing(listed):
            async for change in listed:
                yield change

    async def oldest_change(self) -> datetime | None:
        """Return the time of the oldest change that the wiki still tells of."""
        return await oldest_change(self._api)

    # --- how ---------------------------------------------------------------------

    async def _listed(
        self, asked: Asked, *, in_body: bool = False
    ) -> AsyncGenerator[Named, None]:
        parts = answers(self._api, asked, most=_MOST_PARTS, in_body=in_body)
        async with aclosing(parts):
            async for part in parts:
                query = part.query
                for found in (query.embeddedin, query.categorymembers):
                    for each in found:
                        yield each
                for each in part.watchlistraw:
                    yield each

    async def _first(
        self, asked: Asked, most: int, *, in_body: bool = False
    ) -> tuple[str, ...]:
        titles: list[str] = []
        listed = self._listed(asked, in_body=in_body)
        async with aclosing(listed):
            async for each in listed:
                if len(titles) >= most:
                    break
                titles.append(each.title)
        return tuple(titles)

    async def _refused(self, urls: tuple[str, ...]) -> set[str]:
        """Return which of `urls` are refused: the wiki only says whether any is."""
        asked = {"url": MANY + MANY.join(urls)}
        answer = (
            await self._api.call("spamblacklist", SpamAnswer, asked)
        ).spamblacklist
        if answer is None:
            raise PermanentError(
                f"{self.wiki} does not say whether it refuses addresses"
            )
        if answer.result == "ok":
            return set()
        if len(urls) == 1:
            return set(urls)
        half = len(urls) // 2
        return await self._refused(urls[:half]) | await self._refused(urls[half:])
