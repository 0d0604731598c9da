"""The child process of a sweep: reads one page after another, under hard limits.

Started as `python -m bot.research.sweep.child_process` by a worker, which tells it what
to do on standard input. What a page can break is this process and nothing else.

The steps are those of a check of one page (`bot.daemon.check`), less what a sweep has no
use for: nothing is searched for, no language model is asked, and nothing is fetched.
"""

import asyncio
import math
import os
import pickle
import resource
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import BinaryIO

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.sources import make_extractor, open_kept
from bot.daemon.check import parse_page
from bot.models.operating_points import shipped_points
from bot.research.sweep.child import READY, Answer, answer, answer_frame, read_question
from bot.research.sweep.rows import Counts, Rows, Skipped, SweepOrder, placed, rows_of
from bot.settings import Settings
from bot.sources.extraction.extractor import frame, read_frame
from bot.sources.folder import SourceFolder
from bot.sources.reliability import load_reliability
from handlers.citations import check_citations
from handlers.citations.flags import OperatingPoints, flagged
from handlers.citations.reliability import ReliabilityLists
from handlers.model import (
    ClaimCheck,
    Page,
    PageId,
    Source,
    SourceOutcome,
    SourceReading,
)
from handlers.ports import SourceReader, Tools, Verifier

_MAX_BYTES = (
    4_000_000_000  # of address space; the libraries map much that they never use
)


def main() -> None:
    """Answer questions from standard input until it ends."""
    replies = _claim_stdout()
    told = read_frame(sys.stdin.buffer)
    if told is None:
        return
    order = pickle.loads(told)  # noqa: S301 - written by the worker that started us
    assert isinstance(order, SweepOrder)  # noqa: S101 - narrows the type
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asyncio.run(_serve(order, replies))


async def _serve(order: SweepOrder, replies: BinaryIO) -> None:
    async with AsyncExitStack() as opened:
        desk = await _desk(order, opened)

        async def read(wikitext: str, page: PageId) -> Rows:
            return await read_page(wikitext, page, desk)

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, hard))
        _write(replies, frame(READY))
        while question := read_question(sys.stdin.buffer):
            _limit_processor_time(order.page_s)
            told: Answer = await answer(question, read)
            used = resource.getrusage(resource.RUSAGE_SELF)
            _write(replies, answer_frame(told, used.ru_maxrss * 1024))


@dataclass(frozen=True, slots=True)
class Desk:
    """What a page is read with; without `sources` claims are only put into an order."""

    verifier: Verifier
    points: OperatingPoints
    lists: ReliabilityLists
    sources: SourceReader | None = None
    redirects: bool = False


async def _desk(order: SweepOrder, opened: AsyncExitStack) -> Desk:
    settings = Settings.model_construct(**order.settings)
    readers: list[SourceReader] = []
    if order.sources or order.uses_cache:
        extractor = await opened.enter_async_context(make_extractor(settings))
        if order.sources:
            most = settings.source_max_bytes
            readers.append(SourceFolder(order.sources, extractor, max_bytes=most))
        if order.uses_cache:
            readers.append(open_kept(settings, extractor))
    return Desk(
        open_verifier(settings),
        OperatingPoints(shipped_points(), settings.operating_points),
        load_reliability(),
        FirstOf(tuple(readers)) if readers else None,
        order.wanted.redirects,
    )


def _limit_processor_time(page_s: float) -> None:
    """Let the next page use `page_s` more; the kernel ends what goes on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(used.ru_utime + used.ru_stime + page_s)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _claim_stdout() -> BinaryIO:
    """Keep the pipe to the owner for answers; what libraries print goes nowhere."""
    pipe = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return os.fdopen(pipe, "wb")


def _write(replies: BinaryIO, payload: bytes) -> None:
    replies.write(payload)
    replies.flush()


_NOT_AT_HAND = "no folder of sources and no cache was given"


async def read_page(wikitext: str, page_id: PageId, desk: Desk) -> Rows:
    """Return what the tables keep of a page.

    Raises:
        PermanentError: the page is larger than any wiki saves.
    """
    page = parse_page(wikitext, page_id)
    if page.redirect_to and not desk.redirects:
        counts = Counts()
        counts.skip(Skipped.REDIRECT)
        return Rows(placed(page_id), counts=counts)
    checks = [check async for check in _checks(page, desk)]
    order = {id(claim): place for place, claim in enumerate(page.claims)}
    checks.sort(key=lambda check: order[id(check.claim)])
    return rows_of(page, checks, desk.lists)


async def _checks(page: Page, desk: Desk) -> AsyncIterator[ClaimCheck]:
    if desk.sources is None:
        for claim in page.claims:
            readings = tuple(
                SourceReading(source, SourceOutcome.NOT_IN_FOLDER, _NOT_AT_HAND)
                for source in claim.sources
            )
            yield ClaimCheck(claim, readings, verdict=None, verification=None)
        return
    tools = Tools(desk.sources, desk.verifier)
    async with aclosing(check_citations(page, tools)) as checks:
        async for check in checks:
            yield flagged(check, desk.points, page.id.wiki)


@dataclass(frozen=True, slots=True)
class FirstOf:
    """A `SourceReader` of several: the first that has the text of a source gives it."""

    readers: tuple[SourceReader, ...]

    async def read(self, source: Source) -> SourceReading:
        """Return the first text there is, else what the first reader says."""
        readings = []
        for reader in self.readers:
            reading = await reader.read(source)
            if reading.outcome is SourceOutcome.READ:
                return reading
            readings.append(reading)
        return readings[0]


if __name__ == "__main__":
    main()
