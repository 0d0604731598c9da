"""Reads pages of a wiki at a given revision, and says clearly why it cannot.

It never writes. Titles and content are untrusted: they are kept as they are, and are
only turned into one printable line when a message shows them.
"""

from collections.abc import Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.wiki.address import parse_address
from bot.wiki.answers import Page, Query, Revision, Slot, one_line
from bot.wiki.api import WikiApi, answers
from bot.wiki.pages import (
    HiddenTextError,
    NoSuchPageError,
    NoSuchRevisionError,
    NotWikitextError,
    OtherPageError,
    WikiPage,
)
from handlers.model import PageId
from handlers.ports import PermanentError, TemporaryError

_TEXT = {
    "prop": "info|revisions",
    "rvprop": "ids|timestamp|content",
    "rvslots": "main",
}
_MAX_TITLE_BYTES = 255
_NEVER_IN_TITLES = frozenset("|<>[]{}\x7f\ufffd")
_SIMILAR = 3
MOST_BETWEEN = 20  # revisions that are read to find the one that brought a change
MOST_REVISIONS = 50  # that an ordinary account may name in one request


@dataclass(frozen=True, slots=True)
class _Found:
    """A page of an answer and the redirect that led to it, if any."""

    page: Page
    redirect_to: str | None = None
    redirected_from: str | None = None


class WikiReader:
    """Reads the pages of one wiki.

    Args:
        host: "en.wikipedia.org", an address such as "https://en.wikipedia.org",
            or "127.0.0.1:8180".
        user_agent: says who asks, with a way to reach them.
        timeout_s: how long one answer may take in all.
    """

    def __init__(
        self,
        host: str,
        *,
        user_agent: str,
        timeout_s: float = 20.0,
    ) -> None:
        address = parse_address(host)
        self._wiki = address.host
        self._api = WikiApi(address, user_agent=user_agent, timeout_s=timeout_s)

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return the current revision of `title`, or the given revision.

        A redirect is followed unless a revision is given. With a revision the title may
        be empty; if it is not, the revision must be one of that page.

        Raises:
            NoSuchPageError: there is no such page.
            PermanentError: there is no such revision or wiki, or its text is hidden
                or not wikitext; the message says what to do.
            TemporaryError: the wiki cannot be reached or is busy.
        """
        if title or revision_id is None:
            _require_title(title)
        if revision_id is None:
            return self._wiki_page(await self._current(title))
        return self._wiki_page(await self._pinned(title, revision_id))

    async def between(self, page: PageId, since: int) -> tuple[WikiPage, ...]:
        """Return the newest revisions of a page after `since`, oldest first.

        At most `MOST_BETWEEN`; those whose text is hidden or lost are left out. `page`
        is the newest of them.

        Raises:
            TemporaryError: the wiki cannot be reached or is busy.
            PermanentError: the wiki does not answer us.
        """
        answer = await self._api.query(
            pageids=page.page_id or 0,
            rvstartid=page.revision_id or 0,
            rvendid=since,
            rvlimit=MOST_BETWEEN,
            **_TEXT,
        )
        found = [
            self._wiki_page(_Found(one.model_copy(update={"revisions": [revision]})))
            for one in answer.query.pages
            for revision in reversed(one.revisions)
            if revision.revid != since and _is_text(revision)
        ]
        return tuple(found)

    async def revisions(
        self, numbers: Collection[int]
    ) -> Mapping[int, WikiPage | PermanentError]:
        """Return revisions of any pages by their numbers, or why one cannot be read.

        At most `MOST_REVISIONS`, in one request if the wiki can give them at once.

        Raises:
            TemporaryError: the wiki cannot be reached or is busy.
            PermanentError: the wiki does not answer us.
        """
        found: dict[int, WikiPage | PermanentError] = {
            number: NoSuchRevisionError(f"{self._wiki} has no revision {number}")
            for number in numbers
        }
        named = "|".join(map(str, sorted(numbers)))
        parts = answers(self._api, {**_TEXT, "revids": named}, most=MOST_REVISIONS + 1)
        async with aclosing(parts):
            async for part in parts:
                for entry in part.query.pages:
                    for one in entry.revisions:
                        revision = Revision(
                            revid=one.revid, timestamp=one.timestamp, slots=one.slots
                        )
                        page = Page(
                            title=entry.title,
                            pageid=entry.pageid,
                            ns=entry.ns,
                            revisions=[revision],
                        )
                        found[one.revid] = self._page_or_why(page)
        return found

    def _page_or_why(self, page: Page) -> WikiPage | PermanentError:
        try:
            return self._wiki_page(_Found(page))
        except PermanentError as error:
            return error

    async def _current(self, title: str) -> _Found:
        answer = await self._api.query(titles=title, redirects=1, **_TEXT)
        found = self._found(title, answer.query)
        if found.page.missing:
            raise await self._missing(title, found)
        return found

    async def _pinned(self, title: str, revision_id: int) -> _Found:
        answer = await self._api.query(revids=revision_id, **_TEXT)
        if not answer.query.pages or answer.query.pages[0].missing:
            raise NoSuchRevisionError(
                f"{self._wiki} has no revision {revision_id}, or its page was deleted;"
                " check the number, or leave it out for the current text"
            )
        page = answer.query.pages[0]
        if not title or _folded(title) == _folded(page.title):
            return _Found(page)
        requested = self._found(
            title, (await self._api.query(titles=title, redirects=1)).query
        )
        if requested.page.pageid != page.pageid:
            raise OtherPageError(
                f"revision {revision_id} of {self._wiki} belongs to {_quoted(page.title)},"
                f" not to {_quoted(title)}; check the number or the title"
            )
        return _Found(page, requested.redirect_to, requested.redirected_from)

    def _found(self, title: str, query: Query) -> _Found:
        """Return the one page of an answer; it may be missing, but not invalid."""
        if query.interwiki:
            raise PermanentError(
                f"{_quoted(title)} is on another wiki, not on {self._wiki}"
                f" ({query.interwiki[0].iw}); name that wiki and the title there"
            )
        if query.redirects and not query.pages:
            raise PermanentError(
                f"{_quoted(title)} redirects in a circle on {self._wiki}; give the title"
                " of the article itself"
            )
        if len(query.pages) != 1:
            raise PermanentError(f"{self._wiki} has no page {_quoted(title)}")
        [page] = query.pages
        if page.invalid:
            why = page.invalidreason or "it is not a title"
            raise PermanentError(f"{_quoted(title)} cannot be a title: {why}")
        if page.special:
            raise PermanentError(
                f"{_quoted(title)} is generated by the wiki and has no wikitext; give"
                " the title of an article"
            )
        if not query.redirects:
            return _Found(page)
        last = query.redirects[-1]
        target = f"{last.target}#{last.fragment}" if last.fragment else last.target
        return _Found(page, target, query.redirects[0].source)

    async def _missing(self, title: str, found: _Found) -> NoSuchPageError:
        if found.redirected_from:
            return NoSuchPageError(
                f"{_quoted(title)} redirects to {_quoted(found.page.title)}, which does"
                f" not exist on {self._wiki}"
            )
        similar = await self._similar(title)
        hint = (
            f"; did you mean {' or '.join(map(_quoted, similar))}?" if similar else ""
        )
        return NoSuchPageError(
            f"{self._wiki} has no page {_quoted(title)} (or it was deleted)"
            f"{hint or '; check its spelling'}"
        )

    async def _similar(self, title: str) -> list[str]:
        """Return up to three titles like `title`; none if search is off or fails."""
        # A whole title finds what full-text search finds; its beginning finds other
        # endings.
        for beginning in (title, title[: max(3, len(title) // 3)]):
            try:
                answer = await self._api.query(
                    list="prefixsearch|search",
                    pssearch=beginning,
                    pslimit=20,
                    srsearch=title,
                    srlimit=5,
                )
            except (PermanentError, TemporaryError):
                return []
            if similar := _nearest(title, answer.query):
                return similar
        return []

    def _wiki_page(self, found: _Found) -> WikiPage:
        page = found.page
        revision = page.revisions[0] if page.revisions else Revision(revid=0)
        return WikiPage(
            id=PageId(
                wiki=self._wiki,
                title=page.title,
                page_id=page.pageid,
                revision_id=revision.revid,
                revised_at=revision.timestamp,
            ),
            wikitext=self._text(page, revision),
            redirect_to=found.redirect_to,
            redirected_from=found.redirected_from,
            notes=tuple(_notes(found)),
            parent_id=revision.parentid or None,
        )

    def _text(self, page: Page, revision: Revision) -> str:
        slot = revision.slots.get("main", Slot())
        named = f"revision {revision.revid} of {_quoted(page.title)}"
        if slot.texthidden:
            raise HiddenTextError(
                f"the text of {named} was hidden by {self._wiki}; choose another revision"
            )
        if slot.content is None:
            raise NoSuchRevisionError(f"{self._wiki} has lost the text of {named}")
        if slot.contentmodel != "wikitext":
            raise NotWikitextError(
                f"{_quoted(page.title)} is {slot.contentmodel}, not wikitext, and has no"
                " citations to check; give the title of an article"
            )
        return slot.content


def _is_text(revision: Revision) -> bool:
    slot = revision.slots.get("main", Slot())
    is_there = slot.content is not None and not slot.texthidden
    return is_there and slot.contentmodel == "wikitext"


def _notes(found: _Found) -> list[str]:
    notes = []
    if found.redirected_from and found.redirect_to:
        notes.append(
            f"{_quoted(found.redirected_from)} redirects to"
            f" {_quoted(found.redirect_to)}; that page was read."
        )
    if found.page.ns != 0:
        kind = found.page.title.partition(":")[0]
        notes.append(f"This is not an article but a page of the namespace “{kind}”.")
    return notes


def _require_title(title: str) -> None:
    """Reject what would not reach the API as one title."""
    if not title.strip(" _"):
        raise PermanentError("no title was given; write the title of an article")
    try:
        size = len(title.encode())
    except UnicodeEncodeError:
        size = 0
    if size > _MAX_TITLE_BYTES:
        raise PermanentError(
            f"{_quoted(title[:40])}… is too long for a title ({size} bytes; a wiki takes"
            f" {_MAX_TITLE_BYTES})"
        )
    if not size or not title.isprintable() or _NEVER_IN_TITLES & set(title):
        raise PermanentError(
            f"{_quoted(title)} cannot be a title: it has characters that no title may"
            " have (| < > [ ] { } or control characters)"
        )


def _nearest(title: str, query: Query) -> list[str]:
    hits = [*query.prefixsearch, *query.search]
    titles = dict.fromkeys(hit.title for hit in hits)
    wanted = _folded(title)

    def likeness(other: str) -> float:
        return SequenceMatcher(None, wanted, _folded(other)).ratio()

    return sorted(titles, key=likeness, reverse=True)[:_SIMILAR]


def _folded(title: str) -> str:
    words = " ".join(title.partition("#")[0].replace("_", " ").split())
    return words[:1].upper() + words[1:]


def _quoted(text: str) -> str:
    return f"“{one_line(text)}”"
