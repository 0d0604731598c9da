"""What reading a page in a killable child costs, beside trafilatura called directly.

The page is made up and of ordinary size. The peer is trafilatura in the same
process, where a hostile page could not be stopped.
"""

import asyncio
import resource
import sys
import time

import trafilatura

from bot.sources.extraction import Extractor

_PARAGRAPH = (
    "<p>The clock on the customs quay was built in {year} by Ada Penrose, who had"
    " learned the trade from her father in the north, and was repaired in {later}"
    " at the town's own cost after a storm had stopped it for {n} weeks.</p>"
)
_ROUNDS = 30
_KIB = 1024


def _page(paragraphs: int) -> bytes:
    text = "".join(
        _PARAGRAPH.format(year=1700 + n, later=1800 + n, n=n) for n in range(paragraphs)
    )
    menu = (
        "<nav>" + "".join(f"<a href=/{n}>Page {n}</a>" for n in range(200)) + "</nav>"
    )
    return f"<html><title>Clock</title><body>{menu}<article>{text}</article>".encode()


async def _child_s(page: bytes) -> float:
    async with Extractor() as extractor:
        await extractor.extract(page, content_type="text/html", url="http://a.example")
        began = time.perf_counter()
        for _ in range(_ROUNDS):
            await extractor.extract(
                page, content_type="text/html", url="http://a.example"
            )
        return (time.perf_counter() - began) / _ROUNDS


def _direct_s(page: bytes) -> float:
    text = page.decode()
    trafilatura.bare_extraction(text, url="http://a.example", with_metadata=True)
    began = time.perf_counter()
    for _ in range(_ROUNDS):
        trafilatura.bare_extraction(text, url="http://a.example", with_metadata=True)
    return (time.perf_counter() - began) / _ROUNDS


def main() -> None:
    """Print wall time a page, the ratio, and the memory of this process."""
    for paragraphs in (10, 100, 1000):
        page = _page(paragraphs)
        child_s, direct_s = asyncio.run(_child_s(page)), _direct_s(page)
        sys.stdout.write(
            f"{len(page) / _KIB:7.0f} KiB: in a child {child_s * 1000:7.1f} ms,"
            f" trafilatura directly {direct_s * 1000:7.1f} ms,"
            f" ratio {child_s / direct_s:.2f}\n"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
    sys.stdout.write(f"peak memory of this process: {peak:.0f} MiB\n")
