"""Small documents that make parsers run for hours or eat all memory.

Each is read as the daemon reads a source, in a child process of its own, whose
largest memory the kernel keeps. What the parent grows by is measured, too, and after
each bomb an ordinary page has to be read.
"""

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

import psutil

from bot.sources.extraction import Extraction, Extractor
from handlers.model import SourceOutcome
from tests.hardening.figures import Figures, measured

MEBIBYTE = 1024**2
MOST_OF_A_CHILD = 256 * MEBIBYTE
MOST_OF_THE_PARENT = 24 * MEBIBYTE  # a body of 20 MB is handed on; G6 says 20 for less
_BESIDES_S = 3.0  # to hand the document over and to end a child, on a busy machine
_URL = "https://a.example/page"
_SENTENCE = b"The flood reached the second step of the town hall and stayed there. "
_PAGE = b"<html><body><article><p>" + _SENTENCE * 9 + b"</p></article></body></html>"
_LINK = b"<<a href='x'>"

Bomb = tuple[str, bytes, str]


def own_bombs() -> Iterator[Bomb]:
    """Yield bombs that need no file."""
    attributes = b" ".join(b"a%d=1" % n for n in range(100_000))
    yield "100,000 attributes", b"<p " + attributes + b">hello", "text/html"
    yield "100,000 levels", b"<div>" * 100_000 + _SENTENCE * 20, "text/html"
    yield "300 levels", b"<div>" * 300 + _SENTENCE * 20, "text/html"
    yield "1,600,000 paragraphs", b"<p>hello</p>" * 1_600_000, "text/html"
    yield "1,000,000 cells", b"<table>" + b"<tr><td>a" * 1_000_000, "text/html"
    yield "4,000,000 entities", b"<p>" + b"&amp;" * 4_000_000, "text/html"
    yield "2,000,000 comments", b"<!--a-->" * 2_000_000, "text/html"
    yield "500,000 open formats", b"<b><i>" * 250_000 + b"x", "text/html"
    yield "300,000 torn tags", _LINK * 300_000, "text/html"
    yield "2,000,000 elements of XML", _xml(b"<b>x</b>" * 2_000_000), "application/xml"
    yield "100,000 levels of XML", _xml(b"<b>" * 100_000), "application/xml"
    yield "a billion laughs", _laughs(), "application/xml"
    yield "a megabyte of blanks", b"<p>a" + b" " * MEBIBYTE + b"b</p>", "text/html"


def _xml(inside: bytes) -> bytes:
    return b"<?xml version='1.0'?><a>" + inside + b"</a>"


def _laughs() -> bytes:
    lines = [b'<!ENTITY l0 "lol">']
    lines += [
        b'<!ENTITY l%d "' % n + b"&l%d;" % (n - 1) * 10 + b'">' for n in range(1, 12)
    ]
    kind = b"<!DOCTYPE a [" + b"".join(lines) + b"]>"
    return b"<?xml version='1.0'?>" + kind + b"<a>&l11;</a>"


def shared_bombs(folder: Path) -> Iterator[Bomb]:
    """Yield the bombs of the project's collection, and those it says how to make."""
    for file in sorted((folder / "pdf-bombs").glob("*.pdf")):
        yield file.name, file.read_bytes(), "application/pdf"
    noise = random.Random(8).randbytes(15 * MEBIBYTE)
    yield "15 MB of noise", b"%PDF-1.7\n" + noise, "application/pdf"
    objects = b"".join(b"%d 0 obj<<>>endobj\n" % n for n in range(600_000))
    yield "600,000 empty objects", b"%PDF-1.7\n" + objects, "application/pdf"
    kids = b"<</Type/Pages/Count 9/Kids[" + b"3 0 R " * 1_000_000 + b"]>>"
    pages = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj"
    yield "1,000,000 kids", pages + kids + b"endobj\n", "application/pdf"
    for one in json.loads((folder / "parser-bombs/bombs.json").read_text())["html"]:
        times = one["repeat"] if isinstance(one["repeat"], int) else one["repeat"][-1]
        unit = one["unit"].encode()
        yield f"{one['unit'][:20]} x {times:,}", b"<p>hello" + unit * times, "text/html"


async def try_bombs(bombs: Iterator[Bomb], timeout_s: float = 10.0) -> Figures:
    """Read each of `bombs` in a child of its own."""
    with measured("G6", "bombs for parsers") as figures:
        largest, slowest = (0, ""), (0.0, "")
        for name, body, kind in bombs:
            figures.tried += 1
            async with Extractor(children=1, timeout_s=timeout_s) as extractor:
                await _read(extractor, _PAGE, "text/html")  # its child has started now
                began_s = asyncio.get_running_loop().time()
                at_first = psutil.Process().memory_info().rss
                found, peak = await _read(extractor, body, kind)
                took_s = asyncio.get_running_loop().time() - began_s
                grown = psutil.Process().memory_info().rss - at_first
                after, _ = await _read(extractor, _PAGE, "text/html")
            if after.outcome is not SourceOutcome.READ:
                figures.fault(f"after {name}, a page is {after.outcome.name}")
            if peak > MOST_OF_A_CHILD or grown > MOST_OF_THE_PARENT:
                figures.fault(f"{name}: child {peak:,}, parent +{grown:,} bytes")
            if took_s > timeout_s + _BESIDES_S:
                figures.fault(f"{name}: {took_s:.1f} s")
            if not found.detail:
                figures.fault(f"{name}: no word about it")
            largest = max(largest, (peak, name))
            slowest = max(slowest, (took_s, name))
        figures.notes = [
            f"largest child {largest[0] / MEBIBYTE:.0f} MiB ({largest[1]})",
            f"longest {slowest[0]:.1f} s ({slowest[1]})",
        ]
    return figures


async def _read(extractor: Extractor, body: bytes, kind: str) -> tuple[Extraction, int]:
    """Return what came of it, and the largest memory of the child in bytes."""
    reading = asyncio.ensure_future(
        extractor.extract(body, content_type=kind, url=_URL)
    )
    peak = 0
    while not reading.done():
        peak = max([peak, *_peaks()])
        await asyncio.wait([reading], timeout=0.01)
    return await reading, max([peak, *_peaks()])


def _peaks() -> Iterator[int]:
    for child in psutil.Process().children():
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{child.pid}/status").read_text()
            for line in status.splitlines():
                if line.startswith("VmHWM"):
                    yield int(line.split()[1]) * 1024
