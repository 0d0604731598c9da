"""Checks claims against texts that people supply in place of a source.

The result is shown only to the person who supplied the text: none of it becomes a
suggestion, and the text is deleted as soon as it has been read. So no language model
sees it either, since its provider and its cache of answers are outside our control.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from bot.daemon.check import Checker, PageReader, citing, parse_page
from bot.daemon.runner import Runner
from bot.records.accounts import (
    RefusedError,
    SuppliedQuote,
    SuppliedResult,
    SuppliedText,
)
from bot.records.tasks import BackOff, Lease, TaskKind, Work
from bot.report.words import clean
from bot.sources.extraction import TextExtractor
from bot.store import Store
from bot.surfaces.messages import message, to_note
from handlers.citations.quote_links import quoted
from handlers.model import Claim, ClaimCheck, Origin, Source, SourceFetch
from handlers.ports import PermanentError, SourceReader, Tools
from handlers.sources.addresses import keys_of, normal_key


def cited_as(claims: Iterable[Claim], name: str) -> frozenset[str]:
    """Return the keys of the sources that are cited as `name`.

    Args:
        claims: of the page.
        name: of a `<ref>`, or an address, a DOI or another identifier that is cited.
    """
    wanted = name.strip()
    address = normal_key(wanted)
    citations = [citation for claim in claims for citation in claim.citations]
    by_name = [one.sources for one in citations if one.name == wanted]
    by_address = [
        [source for source in one.sources if address in keys_of(source)]
        for one in citations
    ]
    return frozenset(source.key for some in (*by_name, *by_address) for source in some)


@dataclass(frozen=True, slots=True)
class SuppliedSources:
    """A `SourceReader` that knows some sources from `bodies`, by their keys.

    Everything else is read by `sources`. The type of a body (text, HTML or PDF) is
    detected from its content.
    """

    sources: SourceReader
    extractor: TextExtractor
    bodies: Mapping[str, bytes]
    supplied_at: datetime

    async def read(self, source: Source) -> SourceFetch:
        """Return what was supplied for `source`, else what the reader returns."""
        body = self.bodies.get(source.key)
        if body is None:
            return await self.sources.read(source)
        url = source.url or source.archive_url or ""
        found = await self.extractor.extract(body, content_type=None, url=url)
        return SourceFetch(
            source=source,
            outcome=found.outcome,
            detail=found.detail,
            origin=Origin.SUPPLIED if found.document else None,
            url=source.url or source.archive_url,
            read_at=self.supplied_at,
            content_sha256=hashlib.sha256(body).hexdigest(),
            document=found.document,
        )


_SOON = BackOff(first_s=2.0, most_s=10.0)  # a person waits
_MOST_QUOTES = 2
_MOST_RESULTS = 50
_KEY_CHARS = 1_999  # as cards have keys
_MOST_DETAIL_CHARS = 400


@dataclass(frozen=True, slots=True)
class SuppliedChecks:
    """Reads one text after another. `wiki` gives the reader of a wiki by its host."""

    name: str
    store: Store
    wiki: Callable[[str], PageReader]
    checker: Checker
    extractor: TextExtractor
    now: Callable[[], datetime]
    draw: Callable[[], float]

    @property
    def runner(self) -> Runner:
        """The queue of texts."""
        works = {TaskKind.SUPPLIED: Work(self._read, _SOON)}
        return Runner(self.name, self.store.tasks, works, self.now, self.draw)

    async def _read(self, held: Lease[SuppliedText]) -> None:
        problem: str | None = None
        results: tuple[SuppliedResult, ...] = ()
        try:
            results = await self._results(held.task)
        except RefusedError as error:
            problem = to_note(error.reason)
        except PermanentError as error:
            problem = str(error)
        await asyncio.to_thread(
            self.store.supplied.answer, held, results, self.now(), problem
        )

    async def _results(self, text: SuppliedText) -> tuple[SuppliedResult, ...]:
        """Return what the text says about each claim that cites its source.

        Raises:
            RefusedError: there is no such claim, or no text in what was supplied.
            PermanentError: there is no such page.
            TemporaryError: the wiki is unavailable.
        """
        page = await self.wiki(text.wiki).page(text.title)
        parsed = await asyncio.to_thread(parse_page, page.wikitext, page.id)
        keys = {
            source.key
            for claim in parsed.claims
            for source in claim.sources
            if clean(source.key)[:_KEY_CHARS] == text.source_key
        }
        if not keys:
            raise RefusedError(message("refusal-not-cited"))
        sources = SuppliedSources(
            self.checker.tools.sources,
            self.extractor,
            dict.fromkeys(keys, text.body or b""),
            text.supplied_at,
        )
        tools = Tools(sources, self.checker.tools.verifier)
        checker = replace(self.checker, tools=tools)
        report = await checker.check_parsed(citing(parsed, keys))
        _require_read(report.checks)
        return tuple(_result(one) for one in report.in_order[:_MOST_RESULTS])


def _require_read(checks: tuple[ClaimCheck, ...]) -> None:
    supplied = [
        fetch
        for check in checks
        for fetch in check.fetches
        if fetch.content_sha256 is not None and fetch.http_status is None
    ]
    if any(fetch.origin is Origin.SUPPLIED for fetch in supplied):
        return
    why = supplied[0].detail if supplied else "it contains no text"
    detail = f"The text could not be read: {why}."[:_MOST_DETAIL_CHARS]
    raise RefusedError(replace(message("refusal-text-unread"), english=detail))


def _result(check: ClaimCheck) -> SuppliedResult:
    evidence = check.verification.evidence if check.verification else ()
    fetches = check.copies
    quotes = (
        quoted(one, fetches.get(one.passage.source_key))
        for one in evidence[:_MOST_QUOTES]
    )
    return SuppliedResult(
        claim=clean(check.claim.text),
        verdict=check.verdict,
        quotes=tuple(
            SuppliedQuote(
                clean(one.quote), clean(one.before), clean(one.after), one.page
            )
            for one in quotes
        ),
    )
