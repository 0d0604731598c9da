"""Reading wikitext, beside mwparserfromhell alone."""

import gc
from collections.abc import Callable

import mwparserfromhell

from handlers.page import parse
from tests.benchmarks.published import contents
from tests.benchmarks.published.machine import cpu_s
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section


def measured(sizes: Sizes) -> list[Section]:
    """Return what reading articles takes."""
    shipped = [path.read_text("utf-8") for path in contents.shipped(sizes.articles)]
    which = f"{len(shipped)} articles that ship"
    found = [_of("shipped", which, shipped, sizes.parsings)]
    real = contents.real(sizes.real_articles)
    if real:
        found.append(_of("real", contents.told_of_real(real), real, sizes.parsings))
    return found


def _of(key: str, name: str, texts: list[str], rounds: int) -> Section:
    pages = [parse(text, contents.page_id("Page")) for text in texts]
    for text in texts:
        mwparserfromhell.parse(text)  # has its turn before any clock runs, like ours
    citations = sum(len(claim.citations) for page in pages for claim in page.claims)
    ours: list[float] = []
    library: list[float] = []
    for _ in range(rounds):
        ours.append(
            _ms_a_page(lambda text: parse(text, contents.page_id("Page")), texts)
        )
        library.append(_ms_a_page(mwparserfromhell.parse, texts))
    size = sum(len(text.encode()) for text in texts)
    return Comparison(
        f"parsing-{key}",
        f"Reading wikitext: {key} articles",
        "CPU milliseconds a page",
        f"n = {name}, of {size / len(texts) / 1024:.0f} KiB on average,"
        f" {sum(len(page.claims) for page in pages):,} claims with {citations:,} citations."
        " Ours finds sections, claims, citations and what they cite; the library only"
        " makes its tree. Nothing was left out.",
        "CPU time of reading all of them, one after the other, divided by their number;"
        " no tree outlives its page.",
        (
            Bar("ours, to claims and sources", tuple(ours)),
            Bar("mwparserfromhell, tree only", tuple(library), is_peer=True),
        ),
    )


def _ms_a_page(work: Callable[[str], object], texts: list[str]) -> float:
    gc.collect()  # what the other left is not for this one to clean up

    def all_of_them() -> None:
        for text in texts:
            work(text)

    return cpu_s(all_of_them) * 1000 / len(texts)
