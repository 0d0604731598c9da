"""Reads pages in a child process, under hard limits; has both sides of the pipe.

Wikitext can be written to keep a parser busy for hours or to eat all memory. So pages
are read in a child whose processor time and memory are limited, and which is killed
when its time is up; the page is then reported, and the next one gets a new child. The
only thing a page can break is that process.

The two communicate over pipes. The child (`python -m bot.research.sweep.child`) reads
what strangers wrote, so none of its output is run or unpickled: it answers in JSON,
which must have the expected form.

The steps are those of a check of one page (`bot.daemon.check`), without those that a
sweep does not use: it does not search, ask a language model or fetch anything.
"""

import asyncio
import math
import os
import pickle
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from pydantic import BaseModel, ConfigDict, ValidationError

import bot
from bot.app.wiring.checks import open_verifier
from bot.app.wiring.sources import make_extractor, open_cached
from bot.daemon.check import parse_page
from bot.models.operating_points import shipped_points
from bot.research.sweep.rows import (
    Counts,
    Failed,
    Question,
    Rows,
    Skipped,
    SweepOrder,
    placed,
    rows_of,
)
from bot.settings import Settings
from bot.sources.extraction.extractor import LENGTH_BYTES, frame, read_frame
from bot.sources.folder import SourceFolder
from bot.sources.reliability import load_reliability
from handlers.citations import check_citations
from handlers.citations.flags import OperatingPoints, flagged
from handlers.model import (
    ClaimCheck,
    Page,
    PageId,
    Source,
    SourceFetch,
    SourceOutcome,
)
from handlers.ports import PermanentError, SourceReader, Tools, Verifier
from handlers.sources.reliability import ReliabilityLists

_MODULE = "bot.research.sweep.child"
_START_S = 120.0  # a busy machine takes a while to load the libraries
_PAGES_PER_CHILD = 5_000  # libraries keep caches; a new child has none
_WALL_PER_CPU = 12  # on a busy machine; the limit itself is on processor time
_READ_BYTES = 1024**2


class Answer(BaseModel):
    """What the child makes of a page, or why it cannot."""

    model_config = ConfigDict(extra="forbid")

    page: dict[str, Any] | None = None
    claims: list[dict[str, Any]] = []
    counts: Counts | None = None
    failed: Failed | None = None
    detail: str = ""
    cpu_s: float = 0.0  # so far, of the child and of extractors it ran that have ended
    most_bytes: int = 0  # of memory


class PageChild:
    """Reads pages in a child that is started when needed, and again after a crash."""

    def __init__(self, order: SweepOrder) -> None:
        self._order = order
        self._process: subprocess.Popen[bytes] | None = None
        self._pages = 0
        self._cpu_before_s = 0.0  # of children that ended
        self._cpu_s = 0.0
        self.most_bytes = 0

    @property
    def cpu_s(self) -> float:
        return self._cpu_before_s + self._cpu_s

    def ask(self, question: Question) -> Answer:
        """Return what the child makes of a page, or how it failed."""
        process = self._ready()
        self._pages += 1
        try:
            answer = self._answer_to(process, question)
        except TimeoutError:
            self.close()
            return Answer(failed=Failed.TOO_LONG, detail=self._limit())
        except (OSError, EOFError, ValueError):
            return self._died(process)
        if answer.failed is Failed.MEMORY or self._pages >= _PAGES_PER_CHILD:
            self.close()
        return answer

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._cpu_before_s, self._cpu_s, self._pages = self.cpu_s, 0.0, 0
        process.kill()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                cast(IO[bytes], stream).close()
        process.wait()

    def _answer_to(
        self, process: subprocess.Popen[bytes], question: Question
    ) -> Answer:
        stdin = cast(IO[bytes], process.stdin)
        stdin.write(frame(pickle.dumps(question)))
        stdin.flush()
        until = time.monotonic() + self._order.page_s * _WALL_PER_CPU
        payload = _receive(process, until)
        try:
            answer = Answer.model_validate_json(payload)
        except ValidationError as error:
            raise ValueError("not an answer") from error
        self._cpu_s = answer.cpu_s
        self.most_bytes = max(self.most_bytes, answer.most_bytes)
        return answer

    def _died(self, process: subprocess.Popen[bytes]) -> Answer:
        process.kill()
        code = process.wait()
        self.close()
        if code == -signal.SIGXCPU:
            return Answer(failed=Failed.TOO_LONG, detail=self._limit())
        return Answer(failed=Failed.CRASHED, detail="the child that read it ended")

    def _limit(self) -> str:
        return f"it was stopped after {self._order.page_s:g} s of processor time"

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = self._begun()
        return self._process

    def _begun(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - this program itself
            (sys.executable, "-P", "-m", _MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # only the parent handles Ctrl-C
        )
        try:
            stdin = cast(IO[bytes], process.stdin)
            stdin.write(frame(pickle.dumps(self._order)))
            stdin.flush()
            if _receive(process, time.monotonic() + _START_S) != READY:
                raise ValueError("it says something else")
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            process.kill()
            process.communicate()
            raise PermanentError(
                f"the child that reads pages cannot be started ({error}); try"
                " `sidenote check --file` on a page to see why"
            ) from error
        return process


def _receive(process: subprocess.Popen[bytes], until: float) -> bytes:
    size = int.from_bytes(_exactly(process, LENGTH_BYTES, until), "big")
    if size > MAX_ANSWER_BYTES:
        raise ValueError(f"an answer of {size} bytes")
    return _exactly(process, size, until)


def _exactly(process: subprocess.Popen[bytes], size: int, until: float) -> bytes:
    handle = cast(IO[bytes], process.stdout).fileno()
    parts, left = [], size
    while left:
        ready, _, _ = select.select(
            [handle], [], [], max(0.0, until - time.monotonic())
        )
        if not ready:
            raise TimeoutError("it took too long")
        part = os.read(handle, min(left, _READ_BYTES))
        if not part:
            raise EOFError("it ended without an answer")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _environment() -> dict[str, str]:
    """Return all that a child needs to know: where this code is."""
    root = Path(bot.__file__).parents[1]
    return {"PYTHONPATH": str(root), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}


MAX_ANSWER_BYTES = 256 * 1024**2
READY = b"ready"


async def answer(
    question: Question, read: Callable[[str, PageId], Awaitable[Rows]]
) -> Answer:
    """Read a page; any error becomes part of the answer."""
    try:
        rows = await read(question.wikitext, question.page)
    except PermanentError as error:
        return Answer(failed=Failed.TOO_LARGE, detail=str(error))
    except MemoryError:
        return Answer(failed=Failed.MEMORY, detail="it was stopped")
    except Exception as error:  # noqa: BLE001 - one page must not end a sweep
        detail = f"{type(error).__name__}: {error}"[:300]
        return Answer(failed=Failed.FAULT, detail=detail)
    return Answer(page=rows.page, claims=list(rows.claims), counts=rows.counts)


# Of address space; the libraries map much more than they use.
_MAX_BYTES = 4_000_000_000


def main() -> None:
    """Answer questions from standard input until it ends."""
    replies = _claim_stdout()
    content = read_frame(sys.stdin.buffer)
    if content is None:
        return
    order = pickle.loads(content)  # noqa: S301 - written by the worker that started us
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
        while payload := read_frame(sys.stdin.buffer):
            question = pickle.loads(payload)  # noqa: S301 - as the order
            assert isinstance(question, Question)  # noqa: S101 - narrows the type
            _limit_processor_time(order.page_s)
            given: Answer = await answer(question, read)
            given.cpu_s = time.process_time()
            used = resource.getrusage(resource.RUSAGE_SELF)
            given.most_bytes = used.ru_maxrss * 1024
            _write(replies, frame(given.model_dump_json().encode()))


@dataclass(frozen=True, slots=True)
class Desk:
    """What a page is read with; without `sources`, claims are only ranked."""

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
            readers.append(open_cached(settings, extractor))
    return Desk(
        open_verifier(settings),
        OperatingPoints(shipped_points(), settings.operating_points),
        load_reliability(),
        FirstOf(tuple(readers)) if readers else None,
        order.wanted.redirects,
    )


def _limit_processor_time(page_s: float) -> None:
    """Let the next page use `page_s` more; beyond that the kernel kills the child."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(used.ru_utime + used.ru_stime + page_s)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _claim_stdout() -> BinaryIO:
    """Reserve the pipe to the parent for answers; what libraries print is discarded."""
    pipe = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return os.fdopen(pipe, "wb")


def _write(replies: BinaryIO, payload: bytes) -> None:
    replies.write(payload)
    replies.flush()


_NOT_AT_HAND = "no folder of sources and no cache was given"


async def read_page(wikitext: str, page_id: PageId, desk: Desk) -> Rows:
    """Return what the tables keep of a page."""
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
            fetches = tuple(
                SourceFetch(source, SourceOutcome.NOT_IN_FOLDER, _NOT_AT_HAND)
                for source in claim.sources
            )
            yield ClaimCheck(claim, fetches, verdict=None, verification=None)
        return
    tools = Tools(desk.sources, desk.verifier)
    async with aclosing(check_citations(page, tools)) as checks:
        async for check in checks:
            yield flagged(check, desk.points, page.id.wiki)


@dataclass(frozen=True, slots=True)
class FirstOf:
    """A `SourceReader` of several: the first that has a source's text returns it."""

    readers: tuple[SourceReader, ...]

    async def read(self, source: Source) -> SourceFetch:
        fetches = []
        for reader in self.readers:
            fetch = await reader.read(source)
            if fetch.outcome is SourceOutcome.READ:
                return fetch
            fetches.append(fetch)
        return fetches[0]


if __name__ == "__main__":
    main()
