"""SIDE's second half: for a claim whose citation fails, a source that supports it.

For each such claim: ask every search, read the best of what they found, verify each
against the claim, and recommend one that supports it, if it does so clearly better than
what the article cites. If none does and one contradicts the claim, both sides are
shown. Pages that cannot be recommended are not read: those that the claim already
cites, under any address, and those of sites that the wiki does not accept. Only reading
shows where an address leads, so this is checked again afterwards. Pure; it awaits only
its tools.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from handlers.citations.passages import cut_beside, readable
from handlers.citations.tags import goes_first, has_tag, wants_other_source
from handlers.model import (
    BetterSources,
    Claim,
    ClaimCheck,
    ClaimKind,
    Contrary,
    Evidence,
    Found,
    Page,
    Query,
    Recommendation,
    Reliability,
    SearchResults,
    Source,
    SourceFetch,
    SourceForm,
    SourceText,
    TagKind,
    Verdict,
    Verification,
)
from handlers.ports import PermanentError, Search, TemporaryError, Tools
from handlers.sources.addresses import keys_of, normal_key
from handlers.sources.reliability import ReliabilityLists
from handlers.sources.templates import fill

# Reciprocal rank fusion: how little the first places of a list are preferred (Cormack
# et al. 2009 found that 60 works well everywhere).
_FUSION = 60

# Most urgent first, after what editors have tagged: what a source contradicts, then
# what no source supports.
_URGENCY = (
    Verdict.CONTRADICTED,
    Verdict.NOT_SUPPORTED,
    Verdict.PARTIALLY_SUPPORTED,
    None,
    Verdict.SUPPORTED,
)
_READ_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of one search for better sources; probabilities are from 0 to 1."""

    margin: float = 0.2  # by which a source must beat the present citation
    least: float = 0.5  # probability of support; with less, a source is not shown
    claims_per_page: int | None = None  # that are searched for; `None` is no limit
    per_claim: int = 5  # candidates read
    per_page: int = 60  # candidates read for all its claims
    found_per_search: int = 10
    lists: ReliabilityLists = field(default_factory=lambda: ReliabilityLists(()))

    def needed(self, present: float | None) -> float:
        """Return how probable a source's support must be to recommend the source.

        `present` is that of the present citation; `None` where none was read.
        """
        return max(self.least, (present or 0.0) + self.margin)


# --- candidates ---


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be about a claim, and how its site is regarded."""

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
    """Return what to ask: the claim, and its sentence if that says more.

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
    pairs = [(one, query) for one in searches for query in queries(page, claim)]
    answers = await asyncio.gather(
        *(_ask(one, query, policy.found_per_search) for one, query in pairs)
    )
    troubles = dict.fromkeys(trouble for one in answers for trouble in _failures(one))
    candidates = _acceptable(_merged(answers), claim, page.id.wiki, policy)
    return Searched(tuple(candidates), tuple(troubles))


def allotted(
    searched: Sequence[Searched], policy: Policy
) -> tuple[tuple[Candidate, ...], ...]:
    """Share out the page's budget: every claim's best candidate, then the second ones.

    A page that several claims could use is read once and counts once.
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
        return SearchResults((), (f"{_name(one)}: {error}",))


def _failures(answer: Sequence[Found]) -> tuple[str, ...]:
    """Return what kept a search from finding anything.

    A search that found something counts as asked, even if some of it failed.
    """
    return answer.troubles if isinstance(answer, SearchResults) and not answer else ()


def _name(one: Search) -> str:
    """Return the search's name; a broken search may not even know that."""
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
    """Return all keys of what the claim cites: addresses, archives, identifiers."""
    return frozenset(key for source in claim.sources for key in keys_of(source))


# --- fetching and judging a candidate ---


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate that was read, what it says about the claim, and its best quote."""

    candidate: Candidate
    fetch: SourceFetch
    reliability: Reliability  # of the page that the address led to
    verification: Verification
    evidence: Evidence


async def judge_candidate(
    page: Page, check: ClaimCheck, candidate: Candidate, tools: Tools, policy: Policy
) -> Judged | None:
    """Return what the candidate says, or `None` if that is of no use."""
    source = Source(SourceForm.URL, raw=candidate.address, url=candidate.address)
    found = await (tools.candidates or tools.sources).read(source)
    fetch = readable(found, page.id.wiki, page.language)
    document = fetch.document
    if document is None or _is_cited(fetch, document, check):
        return None
    landed = policy.lists.of(fetch.url or candidate.address, page.id.wiki)
    if not landed.trust.may_be_recommended:
        return None
    passages = await cut_beside(document, source.key)
    if not passages:
        return None
    judged = await tools.verifier.verify(page.id.title, check.claim, passages)
    evidence = best_evidence(judged, document)
    if evidence is None:
        return None
    return Judged(candidate, fetch, landed, judged, evidence)


def _on_one_line(text: str) -> str:
    return text.replace("\n", " ")


def best_evidence(found: Verification, document: SourceText) -> Evidence | None:
    """Return the best evidence whose quote is in the document at its stated place.

    Line breaks do not count: `cut` leaves out those that only the layout makes.
    """
    return next(
        (
            one
            for one in found.evidence
            if one.quote.strip()
            and _on_one_line(one.span.of(document.text)) == _on_one_line(one.quote)
        ),
        None,
    )


def _is_cited(fetch: SourceFetch, document: SourceText, check: ClaimCheck) -> bool:
    """Return whether the claim cites it, by final address, by DOI or by text."""
    names = [normal_key(fetch.url or "")]
    if document.imprint.doi:
        names.append(normal_key(f"doi:{document.imprint.doi}"))
    cited = cited_keys(check.claim) | {
        normal_key(one.url) for one in check.fetches if one.url
    }
    return any(name in cited for name in names) or any(
        one.document is not None and one.document.text == document.text
        for one in check.fetches
    )


# --- the best for each claim ---


async def find_better_sources(
    page: Page, checks: Sequence[ClaimCheck], tools: Tools, policy: Policy
) -> tuple[ClaimCheck, ...]:
    """Return `checks` in order, adding what a search found to those that need it.

    Those beyond the page's limit say so in their troubles.
    """
    if not tools.searches:
        return tuple(checks)
    in_need = sorted(filter(_needs_better, checks), key=_urgency)
    unsupported = in_need[: policy.claims_per_page]
    waiting = in_need[len(unsupported) :]
    # One at a time: web services limit the request rate and refuse clients that exceed
    # it.
    found = [
        await search(page, one.claim, tools.searches, policy) for one in unsupported
    ]
    room = asyncio.Semaphore(_READ_AT_ONCE)

    async def judged(
        check: ClaimCheck, chosen: tuple[Candidate, ...]
    ) -> tuple[Judged, ...]:
        async with room:
            read = [judge_candidate(page, check, one, tools, policy) for one in chosen]
            return tuple(one for one in await asyncio.gather(*read) if one)

    read = await asyncio.gather(*map(judged, unsupported, allotted(found, policy)))
    better = {
        id(check): _concluded(check, one, sources, page.id.wiki, policy)
        for check, one, sources in zip(unsupported, found, read, strict=True)
    }
    better |= {id(check): _waits(len(unsupported)) for check in waiting}
    return tuple(
        replace(check, better=better[id(check)]) if id(check) in better else check
        for check in checks
    )


def _needs_better(check: ClaimCheck) -> bool:
    """Whether its citation fails or could not be read, or its tag asks for one.

    A claim that is not known in all its words is not searched for by the rest of them.
    """
    if check.claim.missing:
        return False
    return check.verdict is not Verdict.SUPPORTED or wants_other_source(check.claim)


def _waits(searched: int) -> BetterSources:
    message = (
        f"{searched} claims are searched for in one check of a page; the others wait"
    )
    return BetterSources(None, None, candidates_read=0, troubles=(message,))


def _urgency(check: ClaimCheck) -> tuple[bool, int]:
    return not goes_first(check.claim), _URGENCY.index(check.verdict)


def _concluded(
    check: ClaimCheck,
    found: Searched,
    judged: Sequence[Judged],
    wiki: str,
    policy: Policy,
) -> BetterSources:
    recommendation = _recommendation(judged, check, wiki, policy)
    return BetterSources(
        recommendation=recommendation,
        contrary=None if recommendation else _contrary(judged, check, policy),
        candidates_read=len(judged),
        troubles=found.troubles,
    )


def _recommendation(
    judged: Sequence[Judged], check: ClaimCheck, wiki: str, policy: Policy
) -> Recommendation | None:
    present = check.verification.probabilities.supported if check.verification else None
    # Editors who ask for a better source already know what the present one says.
    is_wanted = has_tag(check.claim, TagKind.BETTER_SOURCE_NEEDED)
    needed = policy.needed(None if is_wanted else present)
    fit = [
        one
        for one in judged
        if one.verification.verdict is Verdict.SUPPORTED and _supports(one) >= needed
    ]
    if not fit:
        return None
    best = max(fit, key=_supports)
    return Recommendation(
        fetch=best.fetch,
        evidence=best.evidence,
        probability=_supports(best),
        present=present,
        template=fill(best.fetch, wiki),
        reliability=best.reliability,
        search=best.candidate.search,
        engine=best.verification.engine,
    )


def _contrary(
    judged: Sequence[Judged], check: ClaimCheck, policy: Policy
) -> Contrary | None:
    """Return the most certain contradiction, for when no source supports the claim."""
    is_supported = check.verdict is Verdict.SUPPORTED
    fit = [
        one
        for one in judged
        if one.verification.verdict is Verdict.CONTRADICTED
        and _contradicts(one) >= policy.least
    ]
    if (
        is_supported
        or not fit
        or any(one.verification.verdict is Verdict.SUPPORTED for one in judged)
    ):
        return None
    best = max(fit, key=_contradicts)
    return Contrary(
        fetch=best.fetch,
        evidence=best.evidence,
        probability=_contradicts(best),
        reliability=best.reliability,
        search=best.candidate.search,
    )


def _supports(one: Judged) -> float:
    return one.verification.probabilities.supported


def _contradicts(one: Judged) -> float:
    return one.verification.probabilities.contradicted
