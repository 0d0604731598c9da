"""Puts what a source without a search of its own holds into an order for a query. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from bot.search.services.results import Hit
from bot.search.services.wording import title_of
from handlers.citations.cues.words import content_stems, words
from handlers.model import Query

_TITLE = 0.6  # of a score; the rest is the claim's other words


def share_of(query: Query, text: str) -> float:
    """Return how much of a query's words `text` has, from 0 to 1, its title first."""
    there = content_stems(words(text))
    title = content_stems(words(title_of(query)))
    claim = content_stems(words(query.claim)) - title
    in_title = len(title & there) / len(title) if title else 0.0
    in_claim = len(claim & there) / len(claim) if claim else in_title
    return _TITLE * in_title + (1 - _TITLE) * in_claim


def names_title(query: Query, text: str) -> bool:
    """Tell whether all words of the article's title stand in `text`."""
    title = content_stems(words(title_of(query)))
    return bool(title) and title <= content_stems(words(text))


def by_fit(query: Query, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return hits that are about the query's article, the best fitting first.

    Their excerpts begin with its title: they are known to be about it though they do
    not name it, and whoever reads them must know, too. Equals stay as they were.
    """
    title = title_of(query)
    named = (replace(hit, excerpt=f"{title}: {hit.excerpt}") for hit in hits)
    return tuple(
        sorted(named, key=lambda hit: -share_of(query, f"{hit.title} {hit.excerpt}"))
    )
