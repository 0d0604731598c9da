"""Asks every search for a claim, and chooses what of its answers is worth reading.

What cannot be recommended is not read: a page that the claim already cites, under
whatever address, and a page of a site that the wiki does not accept. Pure; awaits
only its tools.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.citations.addresses import keys_of, normal_key
from handlers.citations.better.policy import Policy
from handlers.model import Claim, ClaimKind, Finds, Found, Page, Query, Reliability
from handlers.ports import PermanentError, Search, TemporaryError

# Reciprocal rank fusion: how little the first places of a list are preferred
# (Cormack et al. 2009 found 60 to serve everywhere).
_FUSION = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may speak of a claim, with how its site is regarded."""

    key: str  # what all spellings of its address have in common
    address: str
    search: str
    reliability: Reliability


@dataclass(frozen=True, slots=True)
class Searched:
    """The candidates for one claim, best first, and the searches that failed."""

    candidates: tuple[Candidate, ...]
    troubles: tuple[str, ...]


def queries(page: Page, claim: Claim) -> tuple[Query, ...]:
    """Return what to ask: the claim, and its sentence where that says more.

    A cell says nothing without its headers.
    """
    headers = " ".join(part for part in (claim.row, claim.column) if part)
    words = f"{headers} {claim.text}" if headers else claim.text
    texts = [words]
    if claim.kind is ClaimKind.CLAUSE and claim.sentence:
        texts.append(claim.sentence)
    return tuple(
        Query(text, page.id.title, claim.section, claim.context)
        for text in dict.fromkeys(text.strip() for text in texts)
        if text
    )


async def search(
    page: Page, claim: Claim, searches: Sequence[Search], policy: Policy
) -> Searched:
    """Ask all `searches` at once; one that fails does not stop the others."""
    asked = [(one, query) for one in searches for query in queries(page, claim)]
    answers = await asyncio.gather(
        *(_ask(one, query, policy.found_per_search) for one, query in asked)
    )
    troubles = dict.fromkeys(told for one in answers for told in _failures(one))
    candidates = _acceptable(_merged(answers), claim, page.id.wiki, policy)
    return Searched(tuple(candidates), tuple(troubles))


def allotted(
    searched: Sequence[Searched], policy: Policy
) -> tuple[tuple[Candidate, ...], ...]:
    """Share the page's budget out: every claim's first candidates before its next.

    A page that several claims could use is read once and costs once.
    """
    chosen: list[list[Candidate]] = [[] for _ in searched]
    paid: set[str] = set()
    for rank in range(policy.per_claim):
        for mine, one in zip(chosen, searched, strict=True):
            if rank >= len(one.candidates):
                continue
            candidate = one.candidates[rank]
            if candidate.key in paid or len(paid) < policy.per_page:
                paid.add(candidate.key)
                mine.append(candidate)
    return tuple(map(tuple, chosen))


async def _ask(one: Search, query: Query, limit: int) -> Sequence[Found]:
    try:
        return await one.search(query, limit=limit)
    except (PermanentError, TemporaryError) as error:
        return Finds((), (f"{_name(one)}: {error}",))


def _failures(answer: Sequence[Found]) -> tuple[str, ...]:
    """Return what kept a search from finding anything.

    One that found something has been asked, whatever it could not cover.
    """
    return answer.troubles if isinstance(answer, Finds) and not answer else ()


def _name(one: Search) -> str:
    """Return what the search is called; one that is broken may not even know that."""
    try:
        return one.name
    except (PermanentError, TemporaryError):
        return "a search"


def _merged(lists: Sequence[Sequence[Found]]) -> Iterator[Found]:
    """Yield each page once, best first by the sum of its reciprocal ranks."""
    merits: dict[str, float] = {}
    first: dict[str, Found] = {}
    for found in lists:
        for rank, one in enumerate(found, start=1):
            key = normal_key(one.address)
            first.setdefault(key, one)
            merits[key] = merits.get(key, 0.0) + 1 / (_FUSION + rank)
    yield from (first[key] for key in sorted(first, key=lambda key: -merits[key]))


def _acceptable(
    found: Iterator[Found], claim: Claim, wiki: str, policy: Policy
) -> Iterator[Candidate]:
    cited = cited_keys(claim)
    for one in found:
        key = normal_key(one.address)
        reliability = policy.lists.of(one.address, wiki)
        if key not in cited and reliability.trust.may_be_recommended:
            yield Candidate(key, one.address, one.search, reliability)


def cited_keys(claim: Claim) -> frozenset[str]:
    """Return all that names what the claim cites: addresses, archives, identifiers."""
    return frozenset(key for source in claim.sources for key in keys_of(source))
