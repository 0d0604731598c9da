"""Checks or reviews one page, from wikitext to what should be fixed.

The use cases behind `sidenote check`, `run` and `review`. They depend on no library and no
file path; they are given their tools and a clock.
"""

import asyncio
import time
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

import structlog

from bot.daemon.progress import Progress
from bot.report import PageReport
from bot.wiki.pages import (
    HiddenTextError,
    NoSuchPageError,
    NoSuchRevisionError,
    NotWikitextError,
    OtherPageError,
    WikiPage,
)
from handlers.citations import check_citations
from handlers.citations.better_sources import Policy, find_better_sources
from handlers.citations.drift import DriftPolicy, find_drift
from handlers.citations.due_checks import (
    Ageing,
    LastCheck,
    basis_of,
    divide,
    fingerprinted,
)
from handlers.citations.flags import OperatingPoints, flagged, named
from handlers.citations.model_judge import Terms, consult
from handlers.citations.model_questions import QUESTION
from handlers.documents.language import language_of_text
from handlers.edits.alignment import Changes
from handlers.edits.comparison import EditPoints, compare, traced, unconfirmed
from handlers.model import (
    Claim,
    ClaimCheck,
    Comparison,
    Consultation,
    EditKind,
    NotCompared,
    Page,
    PageId,
    Review,
    Source,
    SourceFetch,
    Trust,
)
from handlers.page import parse
from handlers.ports import (
    LanguageModel,
    PermanentError,
    RenewingReader,
    SourceReader,
    Tools,
)
from handlers.review.by_model import merged, review_by_model
from handlers.review.review import review

_MIN_LANGUAGE_CHARS = 150  # characters; of 146 articles with so many, none was mistaken
_MAX_WIKITEXT_BYTES = 4 * 1024 * 1024  # twice what MediaWiki saves


@dataclass(frozen=True, slots=True)
class Before:
    """The revision that a page is compared with.

    `wikitext` is `None` if it could not be had; `why_not` says why. `baselines` are
    those of `handlers.edits.alignment.changes_between`. `between` gives the revisions
    after it up to the one that is checked, oldest first.
    """

    id: PageId
    wikitext: str | None
    why_not: NotCompared | None = None
    baselines: Mapping[str, str] = field(default_factory=dict)
    between: Callable[[], Awaitable[Sequence[WikiPage]]] | None = None


class PageReader(Protocol):
    """Reads pages of one wiki, as `bot.wiki.reader.WikiReader` does."""

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return the current revision of `title`.

        Raises:
            NoSuchPageError: there is no such page.
            PermanentError: it cannot be checked.
            TemporaryError: the wiki cannot be reached or is busy.
        """
        ...


@runtime_checkable
class HistoryReader(PageReader, Protocol):
    """A reader of a wiki that keeps what was saved before."""

    async def between(self, page: PageId, since: int) -> Sequence[WikiPage]:
        """Return the newest revisions of a page after `since`, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks pages with one set of tools.

    `paid_for` gives the tools' language model, charged to a page; without it, what the
    model costs is not charged to any page.
    """

    tools: Tools
    progress: Progress
    now: Callable[[], datetime]
    points: OperatingPoints = field(default_factory=OperatingPoints)
    terms: Terms = field(default_factory=Terms)
    edits: EditPoints = field(default_factory=EditPoints)
    better: Policy = field(default_factory=Policy)
    drift: DriftPolicy = field(default_factory=DriftPolicy)
    ageing: Ageing = field(default_factory=Ageing)
    paid_for: Callable[[PageId], Awaitable[LanguageModel]] | None = None

    async def check(
        self,
        wikitext: str,
        page_id: PageId,
        notes: tuple[str, ...] = (),
        *,
        last_checks: Sequence[LastCheck] = (),
        before: Before | None = None,
    ) -> PageReport:
        """Check every citation of a page and return the report, in page order.

        Args:
            wikitext: of the page.
            page_id: which page it is.
            notes: lines to add to the report.
            last_checks: results of earlier checks of its claims; claims whose result
                still holds are not checked again, and their sources are not read for them.
            before: an earlier revision, to compare this one with.

        Raises:
            PermanentError: the page is larger than any wiki saves.
        """
        page = await asyncio.to_thread(parse_page, wikitext, page_id)
        return await self.check_parsed(
            page, notes, last_checks=last_checks, before=before
        )

    async def check_parsed(
        self,
        page: Page,
        notes: tuple[str, ...] = (),
        *,
        last_checks: Sequence[LastCheck] = (),
        before: Before | None = None,
    ) -> PageReport:
        """Check the claims of a parsed page; otherwise like `check`."""
        began_s = time.monotonic()
        wiki = page.id.wiki
        basis = self._basis(wiki)
        divided = divide(page.claims, last_checks, basis, self.ageing, self.now())
        tools = self._reporting_tools()
        checks = await self._checked(page, divided.due, tools)
        checks, consultation = await self._consulted(page.id, checks)
        comparison = await self._compared(page, before, checks, tools)
        if comparison is not None:
            checks = unconfirmed(checks, comparison)
        checks = await find_drift(page, checks, tools, self.drift)
        checks = await find_better_sources(page, checks, tools, self.better)
        report = PageReport(
            page=page,
            checks=tuple(
                fingerprinted(named(flagged(check, self.points, wiki)), basis)
                for check in checks
            ),
            engine=tools.verifier.engine,
            checked_at=self.now(),
            took_s=time.monotonic() - began_s,
            notes=(*notes, *_notes(page), *_troubles(checks)),
            consultation=consultation,
            unchanged=divided.unchanged,
            comparison=comparison,
        )
        _log_checked(report)
        return report

    async def _compared(
        self,
        page: Page,
        before: Before | None,
        checks: Sequence[ClaimCheck],
        tools: Tools,
    ) -> Comparison | None:
        """Compare with an earlier revision, if there is one to compare with."""
        if before is None:
            return None
        if before.wikitext is None:
            return Comparison(before.id, not_compared=before.why_not)
        earlier = await asyncio.to_thread(parse_page, before.wikitext, before.id)
        wiki = page.id.wiki
        flags = self._flagged(checks, wiki)
        comparison = await compare(
            earlier,
            page,
            flags,
            tools=tools,
            points=self.edits,
            baselines=before.baselines,
        )
        is_noted = any(one.flag for one in comparison.checks)
        if before.between is None or not is_noted:
            return comparison
        saved = [(one.id, one.wikitext) for one in await before.between()]
        return traced(comparison, earlier, page, saved)

    async def compared(self, earlier: Page, page: Page, changes: Changes) -> Comparison:
        """Judge some changes between two revisions, without checking the page.

        Only what was put before a footnote, or stands behind another source now, is
        checked like any claim.
        """
        page = replace(page, language=_language_of(page))
        tools, wiki = self._reporting_tools(), page.id.wiki
        due = tuple(
            change.after
            for change in changes.claims
            if change.after and change.kind is not EditKind.REWORDED
        )
        checks = await self._checked(page, due, tools) if due else ()
        return await compare(
            earlier,
            page,
            self._flagged(checks, wiki),
            tools=tools,
            points=self.edits,
            changes=changes,
        )

    def _flagged(self, checks: Iterable[ClaimCheck], wiki: str) -> list[ClaimCheck]:
        """Return the checks with the flags that count for what an edit inserted.

        A sentence that somebody puts between another and its footnote borrows it.
        """
        return [flagged(one, self.points, wiki, stood_for=1) for one in checks]

    def with_ratings(self, wiki: str, sites: Mapping[str, Trust]) -> "Checker":
        """Return a checker that rates sites as the community of `wiki` does."""
        lists = self.better.lists.with_own(wiki, sites)
        return replace(self, better=replace(self.better, lists=lists))

    def without_cache(self) -> "Checker":
        """Return a checker that reads every source again, bypassing all caches."""
        sources = self.tools.sources
        if not isinstance(sources, RenewingReader):
            return self
        return replace(self, tools=replace(self.tools, sources=sources.without_cache()))

    def _basis(self, wiki: str) -> str:
        """Return what this checker's results depend on besides the claims."""
        judge, model = self.tools.verifier.engine, self.tools.language_model
        parameters = [search.name for search in self.tools.searches]
        parameters += ["archive"] if self.tools.archive else []
        parameters += [f"question {QUESTION}"] if model else []
        parameters.append(f"confirmed from {self.points.confirms_from(judge)}")
        return basis_of(
            (judge, model.engine if model else None),
            self.points.at(judge, wiki),
            parameters,
        )

    async def _checked(
        self, page: Page, due: tuple[Claim, ...], tools: Tools
    ) -> tuple[ClaimCheck, ...]:
        keys = {source.key for claim in due for source in claim.sources}
        self.progress.started(len(due), len(keys))
        checks = []
        async with aclosing(
            check_citations(replace(page, claims=due), tools)
        ) as results:
            async for check in results:
                self.progress.checked(check)
                checks.append(check)
        # They come in the order they finish; some claims begin at the same place.
        places = {id(claim): place for place, claim in enumerate(due)}
        return tuple(
            sorted(
                checks,
                key=lambda check: (check.claim.span.start, places[id(check.claim)]),
            )
        )

    def _reporting_tools(self) -> Tools:
        """Return the tools, with readers that report what they read."""
        candidates = self.tools.candidates
        known: set[str] = set()
        return replace(
            self.tools,
            sources=_Announced(self.tools.sources, self.progress, known),
            candidates=_Announced(candidates, self.progress, known)
            if candidates
            else None,
        )

    async def _consulted(
        self, page: PageId, checks: tuple[ClaimCheck, ...]
    ) -> tuple[tuple[ClaimCheck, ...], Consultation | None]:
        """Ask the language model about the claims, if there is one."""
        model = self.tools.language_model
        if model is None:
            return checks, None
        if self.paid_for is not None:
            model = await self.paid_for(page)
        consulted = await consult(
            page.title,
            checks,
            model,
            self.terms,
            flags=lambda check: flagged(check, self.points, page.wiki).flag is not None,
            planned=self.progress.asking,
            done=self.progress.asked,
        )
        return consulted.checks, consulted.consultation


# Why a revision that cannot be read is not compared with.
_NOT_COMPARED = MappingProxyType(
    {
        NoSuchRevisionError: NotCompared.MISSING,
        NoSuchPageError: NotCompared.MISSING,
        OtherPageError: NotCompared.OTHER_PAGE,
        HiddenTextError: NotCompared.HIDDEN,
        NotWikitextError: NotCompared.NOT_WIKITEXT,
    }
)


async def read_before(
    reader: PageReader,
    page: PageId,
    revision_id: int,
    baselines: Mapping[str, str] | None = None,
    *,
    parent_id: int | None = None,
) -> Before:
    """Return an earlier revision of a page, or why it cannot be compared with.

    Unless it is the `parent_id` of the page, several edits were made since.

    Raises:
        TemporaryError: the wiki cannot be reached or is busy.
        PermanentError: the wiki does not answer us.
    """
    try:
        read = await reader.page(page.title, revision_id)
    except tuple(_NOT_COMPARED) as error:
        why = _NOT_COMPARED[type(error)]
        return Before(replace(page, revision_id=revision_id), None, why)
    between = None
    if parent_id != revision_id and isinstance(reader, HistoryReader):
        between = partial(reader.between, page, revision_id)
    return Before(read.id, read.wikitext, baselines=baselines or {}, between=between)


def parse_page(wikitext: str, page_id: PageId) -> Page:
    """Parse a page, and reject what no wiki would have saved."""
    size = len(wikitext.encode("utf-8", "surrogatepass"))
    if size > _MAX_WIKITEXT_BYTES:
        raise PermanentError(
            f"{page_id.title} has {size:,} bytes of wikitext; MediaWiki saves at most"
            f" 2 MiB and Sidenote reads at most {_MAX_WIKITEXT_BYTES:,}"
        )
    page = parse(wikitext, page_id)
    return replace(page, language=_language_of(page))


def _language_of(page: Page) -> str | None:
    """Return the language of the claims; a few names and titles do not show it."""
    text = " ".join(claim.text for claim in page.claims)
    return language_of_text(text) if len(text) >= _MIN_LANGUAGE_CHARS else None


def citing(page: Page, keys: Collection[str]) -> Page:
    """Return the page with only the claims that cite one of these sources."""
    claims = (
        claim
        for claim in page.claims
        if any(source.key in keys for source in claim.sources)
    )
    return replace(page, claims=tuple(claims), unattached=())


def _troubles(checks: Sequence[ClaimCheck]) -> Iterator[str]:
    """Yield each reason that a search failed once, however many claims it affected."""
    lines = [
        trouble for check in checks if check.better for trouble in check.better.troubles
    ]
    yield from (
        f"Not searched everywhere: {trouble}" for trouble in dict.fromkeys(lines)
    )


def _log_checked(report: PageReport) -> None:
    page = report.page.id
    structlog.get_logger().info(
        "page checked",
        wiki=page.wiki,
        title=page.title,
        page_id=page.page_id,
        revision_id=page.revision_id,
        claims=len(report.page.claims),
        checked=len(report.checks),
        flagged=report.summary.flagged,
        doubtful=report.summary.doubtful,
        took_s=round(report.took_s, 2),
    )


def _notes(page: Page) -> tuple[str, ...]:
    if page.redirect_to:
        return (f"This page is a redirect to “{page.redirect_to}”; check that page.",)
    if page.is_disambiguation:
        return ("This is a disambiguation page; its entries need no citations.",)
    if not page.claims:
        return ("No citation was found on this page, so there was nothing to check.",)
    return ()


@dataclass(frozen=True, slots=True)
class _Announced:
    """A source reader that reports each source once, when it reads it."""

    sources: SourceReader
    progress: Progress
    known: set[str]  # keys of sources

    async def read(self, source: Source) -> SourceFetch:
        if source.key in self.known:
            return await self.sources.read(source)
        self.known.add(source.key)
        place = _place(source)
        self.progress.reading(place)
        fetch = await self.sources.read(source)
        self.progress.read(place)
        return fetch


def _place(source: Source) -> str:
    try:
        host = urlsplit(source.url or source.archive_url or "").hostname
    except ValueError:
        host = None
    return host or source.title or source.key[:60]


_MOST_SOURCES = 200  # of a page that are read for a review
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews pages with the tools it was given.

    Without `sources` nothing is compared with what it cites; without `language_model`
    only what a program can see is checked, and the review says what was not.
    """

    sources: SourceReader | None = None
    language_model: LanguageModel | None = None

    async def review(
        self,
        wikitext: str,
        page_id: PageId,
        *,
        today: date | None = None,
        footnotes_lost: bool = False,
    ) -> Review:
        """Return all findings about a page.

        Args:
            wikitext: of the page.
            page_id: which page it is.
            today: without it no forecast is known to be over.
            footnotes_lost: the text came without the footnotes that the article may
                have.

        Raises:
            PermanentError: the page is larger than any wiki saves, or it is a redirect
                or a disambiguation page, which are not written in sentences.
        """
        page = parse_page(wikitext, page_id)
        _require_article(page)
        texts, unread = await self._texts(page)
        found = await asyncio.to_thread(
            review, page, texts, today=today, footnotes_lost=footnotes_lost
        )
        if unread:
            lost = f"{unread} of {unread + len(texts)} cited sources could not be read,"
            lost += " and were not compared with the article's words."
            found = replace(found, troubles=(*found.troubles, lost))
        if self.language_model is not None:
            found = await _with_model(found, self.language_model)
        structlog.get_logger().info(
            "page reviewed",
            wiki=page_id.wiki,
            title=page_id.title,
            findings=len(found.findings),
            criteria=len(found.judged),
        )
        return found

    async def _texts(self, page: Page) -> tuple[Mapping[str, str], int]:
        """Return the texts of cited sources by their key, and how many had no text."""
        if self.sources is None:
            return {}, 0
        cited = {
            source.copy: source for claim in page.claims for source in claim.sources
        }
        listed: Sequence[Source] = list(cited.values())[:_MOST_SOURCES]
        gate = asyncio.Semaphore(_AT_ONCE)
        read = await asyncio.gather(
            *(_text(self.sources, source, gate) for source in listed)
        )
        texts: dict[str, dict[str, None]] = {}
        for source, text in zip(listed, read, strict=True):
            if text:  # of each copy of an address, once
                texts.setdefault(source.key, {})[text] = None
        keys = {source.key for source in listed}
        joined = {key: "\n".join(copies) for key, copies in texts.items()}
        return joined, len(keys) - len(joined)


def _require_article(page: Page) -> None:
    if page.redirect_to:
        raise PermanentError(
            f"{page.id.title} is a redirect; review “{page.redirect_to}” instead"
        )
    if page.is_disambiguation:
        raise PermanentError(
            f"{page.id.title} is a disambiguation page, which is not written in sentences"
        )


async def _text(reader: SourceReader, source: Source, gate: asyncio.Semaphore) -> str:
    async with gate:
        fetch = await reader.read(source)
    return fetch.document.text if fetch.document else ""


async def _with_model(found: Review, model: LanguageModel) -> Review:
    judged = await review_by_model(found.page, model)
    findings = sorted(
        merged((*found.findings, *judged.findings)),
        key=attrgetter("span.start", "span.end"),
    )
    return replace(
        found,
        findings=tuple(findings),
        judged=found.judged | judged.judged,
        troubles=(*found.troubles, *judged.troubles),
        use=found.use + judged.use,
    )
