"""A wiki's page of reports: what people say is wrong with notes, and the answers.

The panel fills in a new section of the page, and the reporter saves it. Whoever looks
into it writes the answer in the section: one of three words after a comment that asks
for it. So the page itself is the public record, with a history.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import Protocol

import structlog

from bot.records.accounts import ProblemReport, ReportAnswer
from bot.store.accuracy import ProblemReports
from bot.wiki.pages import PageText
from handlers.ports import PermanentError, TemporaryError

_REPORT = re.compile(
    r"<!-- sidenote report (?P<name>[0-9a-f]{32}) note=(?P<note>[0-9A-Za-z_-]{1,64})"
    r" revision=(?P<revision>[0-9]{1,15}|-) -->",
    re.ASCII,
)
_HEADING = re.compile(r"^==[^=\n]", re.MULTILINE)
_ANSWER = re.compile(
    r"<!-- right, wrong or (?:fixed|mended) -->[\s'*]{0,9}(right|wrong|fixed|mended)\b",
    re.IGNORECASE,
)
_WORDS = {
    **{answer.value: answer for answer in ReportAnswer},
    "fixed": ReportAnswer.FIXED,
}
_MOST = 500  # reports on a page


class Reader(Protocol):
    """Reads pages of one wiki, as `bot.wiki.lists.WikiLists` does."""

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return a page; `None` if it is missing or hidden."""
        ...


def reports_page(bot: str) -> str:
    """Return the title of the page of reports."""
    return f"User:{bot}/Reports"


def reports_of(wikitext: str) -> Iterator[ProblemReport]:
    """Yield the reports of a page, each once; those after the first 500 are ignored."""
    found = list(_REPORT.finditer(wikitext))[:_MOST]
    ends = [one.start() for one in found] + [len(wikitext)]
    seen: set[str] = set()
    for one, (_, end) in zip(found, pairwise(ends), strict=True):
        if one["name"] in seen:
            continue  # somebody copied it
        seen.add(one["name"])
        heading = _HEADING.search(wikitext, one.end(), end)
        part = wikitext[one.end() : heading.start() if heading else end]
        answer = _ANSWER.search(part)
        yield ProblemReport(
            name=one["name"],
            identity=one["note"],
            revision=None if one["revision"] == "-" else int(one["revision"]),
            answer=_WORDS[answer[1].lower()] if answer else None,
        )


async def read_reports(
    store: ProblemReports,
    wikis: Iterable[str],
    reader: Callable[[str], Reader],
    bot: str,
    now: Callable[[], datetime],
) -> None:
    """Store the reports on the pages; a wiki that is down is read next time."""
    for wiki in wikis:
        try:
            page = await reader(wiki).text_of(reports_page(bot))
        except (TemporaryError, PermanentError) as error:
            why = str(error)
            structlog.get_logger().warning("reports not read", wiki=wiki, why=why)
            continue
        if page is None:
            continue
        reports = await asyncio.to_thread(lambda text: [*reports_of(text)], page.text)
        count = await asyncio.to_thread(store.keep, wiki, reports, now())
        if count:
            structlog.get_logger().info("reports of problems", wiki=wiki, new=count)
