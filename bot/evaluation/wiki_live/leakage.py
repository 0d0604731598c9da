"""Tells which statements cite the very article that a system was to write. Pure.

The task forbids Wikipedia; the paper filters statements that cite the article itself
before it measures coverage, and reports how many there were (§5.2.4). Here the article
of that title in another language and copies on known mirrors count as well, by the
title in their address. Wikis with texts of their own, such as those of fans, do not.
"""

import re
from urllib.parse import unquote, urlsplit

from handlers.citations.addresses import host_of

_WIKIPEDIA = re.compile(r"(?:^|\.)wikipedia\.org$")
_NO_LETTERS = re.compile(r"[\W_]+")

# Sites that show copies of Wikipedia's articles under their titles, from the English
# Wikipedia's list of mirrors and forks.
_COPIES = frozenset(
    [
        "alchetron.com",
        "dbpedia.org",
        "en-academic.com",
        "encyclopedia.thefreedictionary.com",
        "everipedia.org",
        "infogalactic.com",
        "justapedia.org",
        "kiddle.co",
        "wiki2.org",
        "wikimili.com",
        "wikitia.com",
        "wikiwand.com",
        "wikizero.com",
    ]
)


def is_wikipedia(address: str) -> bool:
    """Tell whether an address is on Wikipedia, in any language."""
    return bool(_WIKIPEDIA.search(_host(address)))


def is_leak(address: str, title: str) -> bool:
    """Tell whether an address is that of the article, or of a copy of it."""
    if not is_wikipedia(address) and not _is_copy(_host(address)):
        return False
    return _folded(title) in {_folded(one) for one in _named(address)}


def _is_copy(host: str) -> bool:
    parts = host.split(".")
    return any(".".join(parts[at:]) in _COPIES for at in range(len(parts)))


def _named(address: str) -> list[str]:
    """Return what in an address may be a title: the end of its path, and its query."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return []
    path = unquote(parts.path).rstrip("/")
    after_wiki = path.split("/wiki/", 1)[-1]
    query = [unquote(one.split("=", 1)[-1]) for one in parts.query.split("&")]
    return [after_wiki, path.rsplit("/", 1)[-1].removesuffix(".html"), *query]


def _folded(title: str) -> str:
    return _NO_LETTERS.sub(" ", title.replace("_", " ")).strip().casefold()


def _host(address: str) -> str:
    try:
        return host_of(address) or ""
    except ValueError:
        return ""
