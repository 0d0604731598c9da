"""The child process: reads one document after another, under hard limits.

Started as `python -m bot.sources.extraction.worker MAX_MEMORY_BYTES CPU_S`. A document
can break only this process: it holds no secret, its memory and processor time are
limited by the kernel, and its parent kills it. Documents share the process one after
another, so a document that took over the parser could corrupt the texts of later ones,
but nothing else.
"""

import math
import os
import resource
import sys
from typing import BinaryIO

from bot.sources.extraction.extractor import (
    READY,
    Request,
    frame,
    read_plain,
    read_request,
)
from bot.sources.extraction.html import read_html, read_xml
from bot.sources.extraction.sniff import Kind
from bot.sources.extraction.text import Extraction
from handlers.model import SourceOutcome

_MAX_OPEN_FILES = 32


def main() -> None:
    """Serve requests from standard input until it ends."""
    max_memory_bytes, cpu_s = int(sys.argv[1]), float(sys.argv[2])
    replies = _claim_stdout()
    _limit_for_good(max_memory_bytes)
    _reply(replies, READY)
    _silence_stderr()
    while request := read_request(sys.stdin.buffer):
        _limit_processor_time(cpu_s)
        _reply(replies, _extract(*request).to_json())


def _extract(request: Request, body: bytes) -> Extraction:
    try:
        return _read(request, body)
    except MemoryError:
        return _failed("reading it takes more memory than is allowed")
    except Exception as error:  # noqa: BLE001 - parsers raise anything on hostile bytes
        return _failed(f"the text extractor failed ({type(error).__name__})")


def _read(request: Request, body: bytes) -> Extraction:
    kind, content_type = Kind(request.kind), request.content_type
    if kind is Kind.PDF:
        from bot.sources.extraction.pdf import read_pdf  # noqa: PLC0415 - slow to import

        return read_pdf(body)
    if kind is Kind.XML:
        return read_xml(body, content_type=content_type)
    if kind is Kind.TEXT:
        return read_plain(body, content_type=content_type)
    return read_html(body, content_type=content_type, url=request.url)


def _failed(detail: str) -> Extraction:
    return Extraction(SourceOutcome.INCOMPLETE, detail)


def _claim_stdout() -> BinaryIO:
    """Keep the pipe to the parent for replies; what libraries print is discarded."""
    pipe = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return os.fdopen(pipe, "wb")


def _silence_stderr() -> None:
    os.dup2(1, 2)  # until here it showed why a start failed


def _limit_for_good(max_memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (max_memory_bytes, max_memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_OPEN_FILES, _MAX_OPEN_FILES))


def _limit_processor_time(cpu_s: float) -> None:
    """Let the next document use `cpu_s` more; beyond that the kernel kills it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(used.ru_utime + used.ru_stime + cpu_s) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _reply(replies: BinaryIO, payload: bytes) -> None:
    replies.write(frame(payload))
    replies.flush()


if __name__ == "__main__":
    main()
