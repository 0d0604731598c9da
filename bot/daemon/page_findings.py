"""Finds on a checked page what is about no citation, as far as its watchers ask for it.

It is part of a worker's check. The registry says which kinds there are and who finds them;
here is what handlers cannot know: who asks, what is told of the page already, and what
the wiki's community set. Of a kind that nobody asks for nothing is found, so that what was
told of it before is closed.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from bot.report import PageReport
from bot.store import Store
from bot.surfaces.planning.communities import in_force
from handlers.findings import Suggestion
from handlers.registry import (
    Checked,
    PageNow,
    found_by,
    kinds_asked,
    kinds_of_pages,
)


@dataclass(frozen=True, slots=True)
class PageFindings:
    """What is to be told of a page, by kind, and whether all that is told already.

    A kind of which nothing could be found out is missing.
    """

    found: Mapping[str, tuple[Suggestion, ...]]
    is_known: bool


async def page_findings(store: Store, report: PageReport) -> PageFindings:
    """Return what is to be told of a page beside its citations.

    Raises:
        TemporaryError, PermanentError: as the store does.
    """
    return await asyncio.to_thread(_find, store, report)


def _find(store: Store, report: PageReport) -> PageFindings:
    wiki, title = report.page.id.wiki, report.page.id.title
    kept = store.suggestions_of(wiki, title, all_or_none=False)
    known = tuple(one.suggestion for one in kept)
    asked = kinds_asked(
        {
            check.value
            for watch in store.watches.of_page(wiki, title)
            for check in watch.checks
        }
    )
    checked = Checked(
        PageNow(report.page),
        report.checks,
        today=report.checked_at.date(),
        settings=in_force(store.communities.get(wiki)).findings,
        open=known,
        closed=lambda names: store.decisions.closed(wiki, names),
    )
    found: dict[str, tuple[Suggestion, ...]] = {}
    for kind in sorted(kinds_of_pages()):
        try:
            found[kind] = found_by(kind, checked) if kind in asked else ()
        except Exception:  # noqa: BLE001 - the rest is told all the same
            structlog.get_logger().exception(
                "fault while looking for findings", kind=kind
            )
    before = {one.identity for one in known if one.kind in found}
    after = {one.identity for some in found.values() for one in some}
    return PageFindings(found, before == after)
