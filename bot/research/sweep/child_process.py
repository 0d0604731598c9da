"""The child process of a sweep: reads one page after another, under hard limits.

Started as `python -m bot.research.sweep.child_process` by a worker, which tells it what to do
on standard input. What a page can break is this process and nothing else.
"""

import asyncio
import math
import os
import pickle
import resource
import sys
from contextlib import AsyncExitStack
from typing import BinaryIO

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.sources import make_extractor, open_kept
from bot.models.operating_points import shipped_points
from bot.research.sweep.frames import READY, Answer, answer, answer_frame, read_question
from bot.research.sweep.portions import SweepOrder
from bot.research.sweep.reading import Desk, FirstOf, read_page
from bot.research.sweep.rows import Rows
from bot.settings import Settings
from bot.sources.extraction.extractor import frame, read_frame
from bot.sources.folder import SourceFolder
from bot.sources.reliability import load_reliability
from handlers.citations.flagging import OperatingPoints
from handlers.model import PageId
from handlers.ports import SourceReader

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


if __name__ == "__main__":
    main()
