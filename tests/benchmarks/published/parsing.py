"""Reading wikitext, beside mwparserfromhell alone."""

from collections.abc import Callable

import mwparserfromhell

from handlers.wikitext import parse
from tests.benchmarks.published import contents
from tests.benchmarks.published.machine import cpu_s
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section


def measured(sizes: Sizes) -> list[Section]:
    """Return what reading articles takes."""
    shipped = [path.read_text("utf-8") for path in contents.shipped(sizes.articles)]
    found = [_of("shipped", "articles that ship", shipped, sizes.parsings)]
    real = contents.real(sizes.real_articles)
    if real:
        found.append(_of("real", "real articles", real, sizes.parsings))
    return found


def _of(key: str, name: str, texts: list[str], rounds: int) -> Section:
    pages = [parse(text, contents.page_id("Page")) for text in texts]
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
        f"Reading wikitext: {name}",
        "CPU milliseconds a page",
        f"n = {len(texts)} {name} of {size / len(texts) / 1024:.0f} KiB on average,"
        f" {sum(len(page.claims) for page in pages):,} claims with {citations:,} citations."
        " Ours finds sections, claims, citations and what they cite; the library only"
        " makes its tree.",
        (
            Bar("ours, to claims and sources", tuple(ours)),
            Bar("mwparserfromhell, tree only", tuple(library), is_peer=True),
        ),
    )


def _ms_a_page(work: Callable[[str], object], texts: list[str]) -> float:
    return cpu_s(lambda: [work(text) for text in texts]) * 1000 / len(texts)
