"""Looks at a page's writing where one of its watchers asked for `writing`.

It is part of a worker's look: a review needs the text and what was read of its sources,
and takes a second at most. Where nobody asks, nothing is found, so that what was told before is closed.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace

import structlog

from bot.records.watches import Check
from bot.report import PageReport
from bot.store import Store
from handlers.model import Suggestion
from handlers.review.review import review
from handlers.review.suggestions import Wording, chosen, is_read, suggestions_of
from handlers.updates.subject import statements_of


@dataclass(frozen=True, slots=True)
class Written:
    """What is to be told of a page's writing, and whether that is told already."""

    found: tuple[Suggestion, ...]
    is_known: bool


async def look_at_writing(store: Store, report: PageReport) -> Written | None:
    """Return what is to be told of a page; `None` where that could not be found out.

    Its words are compared with those sources that were read for the report.

    Raises:
        TemporaryError, PermanentError: as the store does.
    """
    return await asyncio.to_thread(_look, store, report)


def _look(store: Store, report: PageReport) -> Written | None:
    wiki, title = report.page.id.wiki, report.page.id.title
    told = {
        one.suggestion.identity: one.suggestion
        for one in store.suggestions_of(wiki, title, all_or_none=False)
        if one.suggestion.details.writing is not None
    }
    watches = store.watches.of_page(wiki, title)
    is_asked = any(Check.WRITING in one.checks for one in watches)
    if not is_asked or not is_read(wiki):
        return Written((), not told)
    try:
        found = _found(report, told.values())
    except Exception:  # noqa: BLE001 - its citations are told of all the same
        structlog.get_logger().exception("fault while reviewing a page")
        return None
    closed = store.decisions.closed(wiki, [one.identity for one in found])
    telling = chosen(found, told.keys(), closed)
    return Written(telling, told.keys() == {one.identity for one in telling})


def _found(report: PageReport, told: Iterable[Suggestion]) -> list[Suggestion]:
    """Return what a review finds, and what it could not find again without sources."""
    page, sources = report.page, _sources(report)
    found = suggestions_of(page, review(page, sources))
    known = {one.identity for one in found}
    unread = [
        one
        for one in told
        if one.source_keys
        and one.identity not in known
        and sources.keys().isdisjoint(one.source_keys)
    ]
    wording = Wording(page, statements_of(page)) if unread else None
    stood = [wording.find(one) for one in unread] if wording else []
    return [*found, *(replace(one, page=page.id) for one in stood if one)]


def _sources(report: PageReport) -> dict[str, str]:
    return {
        reading.source.key: reading.document.text
        for check in report.checks
        for reading in check.readings
        if reading.document is not None
    }
