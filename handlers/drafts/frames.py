"""Finds what the pages of a site have in common: menus, notices, teasers. Pure.

By it no two pages are copies of one another, and nobody quotes it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlsplit

_RUN = 6  # words: so many in a row are seldom the same by chance
_PAGES = 3  # of a site
_WORD = re.compile(r"\w+")
_MOSTLY = 0.5  # of a sentence's runs


def runs(text: str) -> Iterator[int]:
    """Yield all runs of six words of a text, as numbers that tell them apart."""
    found = _WORD.findall(text.casefold())
    for first in range(len(found) - _RUN + 1):
        yield hash(tuple(found[first : first + _RUN]))


def site_of(address: str) -> str:
    """Return the host of an address; "" where it has none."""
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:  # "http://[": no host, and no matter
        return ""


def frames(pages: Iterable[tuple[str, frozenset[int]]]) -> Mapping[str, frozenset[int]]:
    """Return, by site, the runs that at least three different pages of it have.

    Args:
        pages: the site of each ("" for none) and its runs. Pages that have all the
            same runs count once: they are copies, no frame.
    """
    different: dict[str, set[frozenset[int]]] = {}
    for site, its in pages:
        if site:
            different.setdefault(site, set()).add(its)
    return {
        site: frozenset(
            run
            for run, times in Counter(run for one in sets for run in one).items()
            if times >= _PAGES
        )
        for site, sets in different.items()
    }


def is_of_frame(text: str, frame: frozenset[int]) -> bool:
    """Tell whether most of a sentence is of its site's frame."""
    its = list(runs(text)) if frame else []
    return bool(its) and sum(one in frame for one in its) >= _MOSTLY * len(its)
