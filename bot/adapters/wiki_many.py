"""Reads many pages of a wiki in few requests. No redirect is followed.

A long answer comes in parts, each with some of what is asked of some of the pages.
"""

from collections.abc import Iterable, Mapping
from contextlib import aclosing

from bot.adapters.wiki_answers import Slot
from bot.adapters.wiki_api import WikiApi
from bot.adapters.wiki_asking import MANY, Asked, answers, asked_title, in_parts
from bot.adapters.wiki_list_answers import Entry, Named, TextRevision
from bot.adapters.wiki_list_values import ListedPage, PageText

_TEXT: Asked = {
    "prop": "info|revisions",
    "rvprop": "ids|timestamp|content",
    "rvslots": "main",
}
_FACTS: Asked = {
    "prop": "info|categories|templates",
    "cllimit": "max",
    "tllimit": "max",
    "tlnamespace": 10,
}
_MOST_PARTS = 200  # of an answer about 50 pages


async def text_of_revision(api: WikiApi, revision_id: int) -> PageText | None:
    """Return a revision's text; `None` if it is missing or hidden."""
    pages: dict[str, Entry] = {}
    await _gather(api, {**_TEXT, "revids": revision_id}, pages)
    return next((text for page in pages.values() if (text := _text(page))), None)


async def text_by(api: WikiApi, title: str, user: str) -> PageText | None:
    """Return the text that a user saved last on a page; `None` if they never did."""
    form = asked_title(title)
    if form is None:
        return None
    pages: dict[str, Entry] = {}
    asked = {**_TEXT, "titles": MANY + form, "rvuser": user, "rvlimit": 1}
    parts = answers(api, asked, most=1)
    async with aclosing(parts):
        async for part in parts:
            pages |= {page.title: page for page in part.query.pages}
            break  # more parts have only older revisions
    return next((text for page in pages.values() if (text := _text(page))), None)


async def texts_of(api: WikiApi, titles: Iterable[str]) -> Mapping[str, PageText]:
    """Return current texts by the titles that were asked for."""
    found = await _pages(api, titles, _TEXT)
    texts = ((asked, _text(page)) for asked, page in found.items())
    return {asked: text for asked, text in texts if text is not None}


async def facts_of(api: WikiApi, titles: Iterable[str]) -> Mapping[str, ListedPage]:
    """Return what is known of pages by the titles that were asked for."""
    found = await _pages(api, titles, _FACTS)
    return {asked: _facts(page) for asked, page in found.items()}


async def _pages(api: WikiApi, titles: Iterable[str], what: Asked) -> dict[str, Entry]:
    """Return pages that are there, by the titles that were asked for."""
    forms = {asked: asked_title(asked) for asked in dict.fromkeys(titles)}
    pages: dict[str, Entry] = {}
    written: dict[str, str] = {}
    for part in in_parts(form for form in forms.values() if form is not None):
        asked = {**what, "titles": MANY + MANY.join(part)}
        written |= await _gather(api, asked, pages)
    found = (
        (asked, pages.get(written.get(form or "", form or "")))
        for asked, form in forms.items()
    )
    return {asked: page for asked, page in found if page and page.is_there}


async def _gather(
    api: WikiApi, asked: Asked, pages: dict[str, Entry]
) -> dict[str, str]:
    """Add the pages of an answer, its parts put together; return who is called how."""
    written: dict[str, str] = {}
    parts = answers(api, asked, most=_MOST_PARTS)
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


def _text(page: Entry) -> PageText | None:
    revision = page.revisions[0] if page.revisions else None
    slot = revision.slots.get("main", Slot()) if revision else Slot()
    if not page.is_there or revision is None or slot.content is None or slot.texthidden:
        return None
    return _page_text(page, revision, slot.content, slot.contentmodel)


def _page_text(
    page: Entry, revision: TextRevision, content: str, model: str
) -> PageText:
    return PageText(
        title=page.title,
        namespace=page.ns,
        page_id=page.pageid or 0,
        revision_id=revision.revid,
        text=content,
        content_model=model,
        is_redirect=page.redirect,
        revised_at=revision.timestamp,
    )


def _facts(page: Entry) -> ListedPage:
    return ListedPage(
        title=page.title,
        namespace=page.ns,
        categories=frozenset(_name(each) for each in page.categories),
        templates=frozenset(_name(each) for each in page.templates),
        is_redirect=page.redirect,
        revision_id=page.lastrevid,
    )


def _name(page: Named) -> str:
    """Return a title without its namespace, which all of these have."""
    return page.title.partition(":")[2]
