"""Asks a wiki for lists, and for many pages at a time; never writes.

This finds what people asked for: which pages have a template, what is on them, what is
in a category. Redirects are not followed: a request for a page gets that page or none.
"""

from collections.abc import AsyncGenerator, Collection, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime

from bot.records.changes import Change
from bot.wiki.address import parse_address
from bot.wiki.answers import (
    Entry,
    ListAnswer,
    NamedPage,
    Slot,
    SpamAnswer,
)
from bot.wiki.api import (
    MANY,
    Parameters,
    RefusedError,
    WikiApi,
    answers,
    in_parts,
    only,
    title_form,
)
from bot.wiki.changes import ListedEdit, changes, edits, oldest_change, tags_of
from bot.wiki.history import RecentHistory, recent_history
from bot.wiki.pages import (
    ARTICLE,
    AccountStanding,
    ListedPage,
    ListedUser,
    Namespaces,
    PageText,
    PendingPage,
    namespaces,
)
from handlers.ports import PermanentError

_TEXT: Parameters = {
    "prop": "info|revisions",
    "rvprop": "ids|timestamp|content",
    "rvslots": "main",
}
_FACTS: Parameters = {
    "prop": "info|categories|templates",
    "cllimit": "max",
    "tllimit": "max",
    "tlnamespace": 10,
}
_MOST_PARTS = 200  # of an answer about 50 pages, or of a list of 100,000
_MAX_ADDRESS_CHARS = 2_000
_ESTABLISHED = "autoconfirmed"  # the right; groups differ from wiki to wiki
_NO_SUCH_ACTION = frozenset({"badvalue", "unknown_action"})


class TokenRefusedError(PermanentError):
    """A wiki no longer accepts a watchlist's token: its owner has changed it."""


class WikiLists:
    """Asks one wiki.

    Every method raises PermanentError if the wiki will not answer, and TemporaryError
    if it cannot be reached or is busy.

    Args:
        host: as `bot.wiki.address.parse_address` takes it.
        user_agent: says who asks, with a way to reach them.
        account: the bot's own, whose changes are marked as ours and whose watchlist can
            be read.
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

    async def namespaces(self) -> Namespaces:
        """Return the wiki's namespaces."""
        parameters = {"meta": "siteinfo", "siprop": "namespaces|namespacealiases"}
        answer = (await self._api.call("query", ListAnswer, parameters)).query
        spaces = answer.namespaces.values()
        if 0 not in {each.id for each in spaces}:
            raise PermanentError(f"{self.wiki} gives no namespaces; check its name")
        aliases = {each.alias: each.id for each in answer.namespacealiases}
        aliases |= {each.canonical: each.id for each in spaces}
        return namespaces(
            {each.id: each.name for each in spaces},
            {name: number for name, number in aliases.items() if name},
        )

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return the current text of a page; `None` if it is missing or hidden.

        With `revision_id`, return the text of that revision, whatever its page's title
        is now.
        """
        if revision_id is None:
            return (await self.texts_of([title])).get(title)
        pages: dict[str, Entry] = {}
        await self._gather({**_TEXT, "revids": revision_id}, pages)
        return _first_text(pages.values())

    async def text_by(self, title: str, user: str) -> PageText | None:
        """Return the text a user last saved on a page; `None` if they never did."""
        form = title_form(title)
        if form is None:
            return None
        parameters = {**_TEXT, "titles": MANY + form, "rvuser": user, "rvlimit": 1}
        parts = answers(self._api, parameters, most=1)
        async with aclosing(parts):
            async for part in parts:  # more parts have only older revisions
                return _first_text(part.query.pages)
        return None

    async def recent_history(self, title: str) -> RecentHistory | None:
        """Return what was saved under a title lately, and what else happened to it.

        `None` if it is not a valid title.
        """
        return await recent_history(self._api, title)

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return current texts by the requested titles.

        Missing and hidden pages and invalid titles are left out.
        """
        found = await self._pages(titles, _TEXT)
        texts = ((title, _text(page)) for title, page in found.items())
        return {title: text for title, text in texts if text is not None}

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return what is known of pages, by the requested titles.

        Missing pages and invalid titles are left out.
        """
        found = await self._pages(titles, _FACTS)
        return {
            title: ListedPage(
                title=page.title,
                namespace=page.ns,
                categories=frozenset(map(_name, page.categories)),
                templates=frozenset(map(_name, page.templates)),
                is_redirect=page.redirect,
                revision_id=page.lastrevid,
            )
            for title, page in found.items()
        }

    # --- lists -----------------------------------------------------------------

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        """Return the titles of all pages that have a template.

        Raises:
            PermanentError: also if there are more than can be read: with part of the
                list it would look as if the others had removed it.
        """
        parameters = {"list": "embeddedin", "eititle": title, "eilimit": "max"}
        return tuple([each.title async for each in self._listed(parameters)])

    async def members_of(
        self, category: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's pages, at most `most`; no subcategory's.

        Args:
            category: its title, namespace included.
            namespaces: of the pages; none means all.
            most: how many.
        """
        parameters = {
            "list": "categorymembers",
            "cmtitle": category,
            "cmlimit": "max",
            "cmtype": "page",
            **only("cmnamespace", namespaces),
        }
        return await self._first(parameters, most)

    async def subcategories_of(
        self, category: str, *, depth: int, most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's subcategories, at most `most`, nearest first.

        A category that contains itself is named once.

        Args:
            category: its title, namespace included.
            depth: how many levels; 1 for direct subcategories.
            most: how many.
        """
        found: dict[str, None] = {category: None}
        level = [category]
        for _ in range(depth):
            below: list[str] = []
            for each in level:
                left = most + 1 - len(found)
                if left <= 0:
                    break
                parameters: Parameters = {
                    "list": "categorymembers",
                    "cmtitle": each,
                    "cmlimit": "max",
                    "cmtype": "subcat",
                }
                for title in await self._first(parameters, left):
                    if title not in found and len(found) <= most:
                        found[title] = None
                        below.append(title)
            level = below
        return tuple(found)[1:]

    async def using(
        self, template: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that have a template, at most `most`."""
        parameters = {
            "list": "embeddedin",
            "eititle": template,
            "eilimit": "max",
            **only("einamespace", namespaces),
        }
        return await self._first(parameters, most)

    async def created_by(
        self, user: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that a user created, the newest first."""
        parameters = {
            "list": "usercontribs",
            "ucuser": user,
            "ucshow": "new",
            "ucprop": "title",
            "uclimit": "max",
            **only("ucnamespace", namespaces),
        }
        return await self._first(parameters, most)

    async def found_by(
        self, query: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that the wiki's own search finds, the best first."""
        parameters = {
            "list": "search",
            "srsearch": query,
            "srprop": "",
            "srinfo": "",
            "srlimit": "max",
            **only("srnamespace", namespaces),
        }
        return await self._first(parameters, most)

    async def pending(self, most: int) -> tuple[PendingPage, ...] | None:
        """Return articles with edits that wait for review, those last edited first.

        `None` if the wiki has no reviews: then it does not know the list, and warns.
        """
        parameters: Parameters = {
            "list": "oldreviewedpages",
            "orlimit": most,
            "ornamespace": ARTICLE,
            "ordir": "older",
        }
        answer = await self._api.call("query", ListAnswer, parameters)
        if answer.query.oldreviewedpages is None:
            return None
        return tuple(
            PendingPage(one.title, one.stable_revid, one.revid, one.pending_since)
            for one in answer.query.oldreviewedpages
        )

    async def watched_by(
        self, user: str, token: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return what a user who gave their watchlist's token watches.

        Raises:
            PermanentError: also if the wiki does not accept the token (any more).
        """
        parameters = {
            "list": "watchlistraw",
            "wrowner": user,
            "wrtoken": token,
            "wrlimit": "max",
            **only("wrnamespace", namespaces),
        }
        return await self._first(parameters, most, in_body=True)

    async def watchlist(
        self, namespaces: Collection[int] = (), *, most: int = 10_000
    ) -> tuple[str, ...]:
        """Return what the bot's own account watches, at most `most` titles.

        A wiki lists each page together with its talk page, unless `namespaces` says
        otherwise.

        Raises:
            PermanentError: also if no account or token is set, or the token is wrong.
        """
        if not self._account or not self._token:
            raise PermanentError(
                "the watchlist cannot be read without `bot_account` and"
                " `bot_watchlist_token`; the token is in the account's preferences"
            )
        try:
            return await self.watched_by(
                self._account, self._token, namespaces=namespaces, most=most
            )
        except RefusedError as error:
            if error.code != "bad_wltoken":
                raise
            raise TokenRefusedError(
                f"{self.wiki} does not accept `bot_watchlist_token` for"
                f" {self._account}; copy it again from the account's preferences"
            ) from error

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        form = title_form(name)
        if form is None:
            return None
        parameters = {
            "list": "users",
            "ususers": form,
            "usprop": "editcount|blockinfo",
        }
        answer = await self._api.call("query", ListAnswer, parameters)
        for user in answer.query.users[:1]:
            if not user.missing and not user.invalid and user.editcount is not None:
                is_blocked = user.blockid is not None and not user.blockpartial
                last = await self._last_edit_at(user.name)
                return ListedUser(user.name, user.editcount, is_blocked, last)
        return None

    async def _last_edit_at(self, name: str) -> datetime | None:
        parameters: dict[str, str | int] = {
            "list": "usercontribs",
            "ucuser": name,
            "uclimit": 1,
            "ucprop": "timestamp",
        }
        answer = await self._api.call("query", ListAnswer, parameters)
        return next((edit.timestamp for edit in answer.query.usercontribs), None)

    async def rights(self, name: str) -> frozenset[str]:
        """Return what an account may do on the wiki, in the wiki's own words."""
        form = title_form(name)
        if form is None:
            return frozenset()
        parameters = {"list": "users", "ususers": form, "usprop": "rights"}
        answer = await self._api.call("query", ListAnswer, parameters)
        return frozenset(right for user in answer.query.users for right in user.rights)

    async def standing(self, name: str) -> AccountStanding | None:
        """Return what the wiki says of an account now; `None` if there is none."""
        form = title_form(name)
        if form is None:
            return None
        parameters = {
            "list": "users",
            "ususers": form,
            "usprop": "blockinfo|rights|centralids",
            # Wikis that share no accounts do not know it, and answer the rest.
            "meta": "globaluserinfo",
            "guiuser": form,
        }
        query = (await self._api.call("query", ListAnswer, parameters)).query
        for user in query.users[:1]:
            if user.missing or user.invalid or user.userid is None:
                return None
            return AccountStanding(
                name=user.name,
                number=user.userid,
                central_numbers=frozenset(user.centralids.values()) - {0},
                is_blocked=user.blockid is not None and not user.blockpartial,
                is_locked=query.globaluserinfo.locked,
                is_established=_ESTABLISHED in user.rights,
            )
        return None

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those addresses that would make the wiki reject an edit.

        Empty if the wiki has no such list. An address too long to ask about counts as
        rejected.
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

    def changes(
        self, since: datetime, until: datetime, namespaces: Collection[int] = ()
    ) -> AsyncGenerator[Change, None]:
        """Give the changes from `since` to `until`, oldest first; close it after use.

        Both ends are included. No name of a user is kept. An entry that cannot be read
        is skipped and logged; category changes are left out.
        """
        between = since, until
        return changes(self._api, self.wiki, between, namespaces, (self._account,))

    def edits(
        self, since: datetime, until: datetime, namespaces: Collection[int] = ()
    ) -> AsyncGenerator[ListedEdit, None]:
        """Give people's edits from `since` to `until`; close it after use."""
        return edits(self._api, (since, until), namespaces)

    async def tags_of(self, revisions: Iterable[int]) -> Mapping[int, frozenset[str]]:
        """Return the change tags of revisions; those gone or hidden are left out."""
        return await tags_of(self._api, revisions)

    async def oldest_change(self) -> datetime | None:
        """Return the time of the oldest change that the wiki still lists."""
        return await oldest_change(self._api)

    # --- how ---------------------------------------------------------------------

    async def _pages(self, titles: Iterable[str], what: Parameters) -> dict[str, Entry]:
        """Return existing pages by the requested titles."""
        forms = {title: title_form(title) for title in dict.fromkeys(titles)}
        pages: dict[str, Entry] = {}
        written: dict[str, str] = {}
        for part in in_parts(form for form in forms.values() if form is not None):
            parameters = {**what, "titles": MANY + MANY.join(part)}
            written |= await self._gather(parameters, pages)
        found = (
            (title, pages.get(written.get(form or "", form or "")))
            for title, form in forms.items()
        )
        return {title: page for title, page in found if page and page.is_there}

    async def _gather(
        self, parameters: Parameters, pages: dict[str, Entry]
    ) -> dict[str, str]:
        """Add the pages of an answer, merging its parts; return titles' final forms.

        Each part has some of what is asked of some of the pages.
        """
        written: dict[str, str] = {}
        parts = answers(self._api, parameters, most=_MOST_PARTS)
        async with aclosing(parts):
            async for part in parts:
                written |= {one.source: one.target for one in part.query.normalized}
                for page in part.query.pages:
                    known = pages.setdefault(page.title, page)
                    if known is not page:
                        known.categories += page.categories
                        known.templates += page.templates
                        known.revisions += page.revisions
        return written

    async def _listed(
        self, parameters: Parameters, *, in_body: bool = False
    ) -> AsyncGenerator[NamedPage, None]:
        parts = answers(self._api, parameters, most=_MOST_PARTS, in_body=in_body)
        async with aclosing(parts):
            async for part in parts:
                query = part.query
                for found in (
                    query.embeddedin,
                    query.categorymembers,
                    query.usercontribs,
                    query.search,
                ):
                    for each in found:
                        yield each
                for each in part.watchlistraw:
                    yield each

    async def _first(
        self, parameters: Parameters, most: int, *, in_body: bool = False
    ) -> tuple[str, ...]:
        titles: list[str] = []
        listed = self._listed(parameters, in_body=in_body)
        async with aclosing(listed):
            async for each in listed:
                if len(titles) >= most:
                    break
                titles.append(each.title)
        return tuple(titles)

    async def _refused(self, urls: tuple[str, ...]) -> set[str]:
        """Return which of `urls` are rejected: the wiki only says whether any is."""
        parameters = {"url": MANY + MANY.join(urls)}
        answer = (
            await self._api.call("spamblacklist", SpamAnswer, parameters)
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


def _first_text(pages: Iterable[Entry]) -> PageText | None:
    return next(filter(None, map(_text, pages)), None)


def _text(page: Entry) -> PageText | None:
    revision = page.revisions[0] if page.revisions else None
    slot = revision.slots.get("main", Slot()) if revision else Slot()
    if not page.is_there or revision is None or slot.content is None or slot.texthidden:
        return None
    return PageText(
        title=page.title,
        namespace=page.ns,
        page_id=page.pageid or 0,
        revision_id=revision.revid,
        text=slot.content,
        content_model=slot.contentmodel,
        is_redirect=page.redirect,
        revised_at=revision.timestamp,
    )


def _name(page: NamedPage) -> str:
    """Return a title without its namespace, which all of these have."""
    return page.title.partition(":")[2]
