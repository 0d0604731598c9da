"""Reading a page beside mwparserfromhell's parse of it, and growth on hostile input.

CPU time, not wall time. The library is run on the bombs at a size it survives.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mwparserfromhell

from handlers.model import PageId
from handlers.page import parse
from handlers.page.references import find_references
from handlers.page.scan import scan
from tests.wikitext_bombs import BOMBS

_ARTICLES = "wikitext_articles/text"
_SHARED = Path(__file__).parents[3] / "shared" / "data"
_SMALL, _LARGE = 2_000, 20_000  # repetitions
_LIBRARY_SMALL, _LIBRARY_LARGE = 30, 300
_PAGE = PageId("en.wikipedia.org", "Benchmark")


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU time of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def growth(work: Callable[[str], object], small: str, large: str) -> float:
    """Return how many times longer `large` takes than `small`; the best of three."""
    small_s = min(cpu_s(lambda: work(small)) for _ in range(3))
    large_s = min(cpu_s(lambda: work(large)) for _ in range(3))
    return large_s / max(small_s, 1e-6)


def _read(wikitext: str) -> object:
    return parse(wikitext, _PAGE)


def _measure_articles() -> None:
    folder = Path(os.environ.get("SIDENOTE_SHARED_DATA", _SHARED)) / _ARTICLES
    if not folder.exists():
        sys.stdout.write("real articles: not here (set SIDENOTE_SHARED_DATA)\n")
        return
    texts = [path.read_bytes().decode() for path in sorted(folder.iterdir())]
    stages = dict.fromkeys(("scan", "references", "whole page", "library"), 0.0)
    for text in texts:
        found = scan(text)
        stages["scan"] += cpu_s(lambda text=text: scan(text))
        stages["references"] += cpu_s(lambda found=found: find_references(found))
        stages["whole page"] += cpu_s(lambda text=text: _read(text))
        stages["library"] += cpu_s(lambda text=text: mwparserfromhell.parse(text))
    sys.stdout.write(
        f"{len(texts)} real articles, {sum(map(len, texts)) / 1e6:.1f} M characters\n"
    )
    for stage, took_s in stages.items():
        ratio = took_s / stages["library"]
        sys.stdout.write(f"  {stage:28}{took_s:7.2f} s  {ratio:6.3f} of the library\n")


def _measure_bombs() -> None:
    sys.stdout.write("growth of CPU time at ten times the input (linear is 10)\n")
    for name, bomb in BOMBS.items():
        ours = growth(_read, bomb(_SMALL), bomb(_LARGE))
        theirs = growth(
            mwparserfromhell.parse, bomb(_LIBRARY_SMALL), bomb(_LIBRARY_LARGE)
        )
        sys.stdout.write(f"  {name:36}{ours:6.1f}   library {theirs:6.1f}\n")


def main() -> None:
    """Print the ratios."""
    _measure_articles()
    _measure_bombs()
