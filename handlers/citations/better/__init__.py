"""SIDE's second half: for a claim whose citation fails, a source that supports it.

For each such claim: ask every search, read the best of what they found, verify
each against the claim, and recommend the one that supports it, if it does so
clearly better than what the article cites. Where none does and one says otherwise,
both sides are shown. Pure; it awaits only its tools.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from handlers.citations.better.candidates import (
    Candidate,
    Searched,
    allotted,
    search,
)
from handlers.citations.better.judging import Judged, judge
from handlers.citations.better.policy import Policy
from handlers.citations.better.template import fill
from handlers.model import (
    BetterSources,
    ClaimCheck,
    Contrary,
    Page,
    Recommendation,
    TagKind,
    Verdict,
)
from handlers.ports import Tools

# Most urgent first: what a source contradicts, then what none supports.
_URGENCY = (
    Verdict.CONTRADICTED,
    Verdict.NOT_SUPPORTED,
    Verdict.PARTIALLY_SUPPORTED,
    None,
    Verdict.SUPPORTED,
)
_READ_AT_ONCE = 4


async def find_better_sources(
    page: Page, checks: Sequence[ClaimCheck], tools: Tools, policy: Policy
) -> tuple[ClaimCheck, ...]:
    """Return `checks` in their order, those that need it with what a search found.

    Those for which there was no room say so among their troubles.
    """
    if not tools.searches:
        return tuple(checks)
    in_need = sorted(filter(_needs_better, checks), key=_urgency)
    needy = in_need[: policy.claims_per_page]
    waiting = in_need[len(needy) :]
    # One after the other: services of the web have a pace, and refuse who crowds them.
    found = [await search(page, one.claim, tools.searches, policy) for one in needy]
    room = asyncio.Semaphore(_READ_AT_ONCE)

    async def judged(
        check: ClaimCheck, chosen: tuple[Candidate, ...]
    ) -> tuple[Judged, ...]:
        async with room:
            read = [judge(page, check, one, tools, policy) for one in chosen]
            return tuple(one for one in await asyncio.gather(*read) if one)

    read = await asyncio.gather(*map(judged, needy, allotted(found, policy)))
    better = {
        id(check): _concluded(check, one, sources, page.id.wiki, policy)
        for check, one, sources in zip(needy, found, read, strict=True)
    }
    better |= {id(check): _waits(len(needy)) for check in waiting}
    return tuple(
        replace(check, better=better[id(check)]) if id(check) in better else check
        for check in checks
    )


def _needs_better(check: ClaimCheck) -> bool:
    """Whether its citation fails or could not be read, or its tag asks for one."""
    tagged = any(tag.kind is TagKind.CITATION_NEEDED for tag in check.claim.tags)
    return check.verdict is not Verdict.SUPPORTED or tagged


def _waits(searched: int) -> BetterSources:
    told = f"{searched} claims are searched for at a look at a page; others wait"
    return BetterSources(None, None, candidates_read=0, troubles=(told,))


def _urgency(check: ClaimCheck) -> int:
    return _URGENCY.index(check.verdict)


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
    needed = policy.needed(present)
    fit = [
        one
        for one in judged
        if one.verification.verdict is Verdict.SUPPORTED and _supports(one) >= needed
    ]
    if not fit:
        return None
    best = max(fit, key=_supports)
    return Recommendation(
        reading=best.reading,
        evidence=best.evidence,
        probability=_supports(best),
        present=present,
        template=fill(best.reading, wiki),
        reliability=best.reliability,
        search=best.candidate.search,
        engine=best.verification.engine,
    )


def _contrary(
    judged: Sequence[Judged], check: ClaimCheck, policy: Policy
) -> Contrary | None:
    """Return the surest contradiction, where no source was found that supports it."""
    supported = check.verdict is Verdict.SUPPORTED
    fit = [
        one
        for one in judged
        if one.verification.verdict is Verdict.CONTRADICTED
        and _contradicts(one) >= policy.least
    ]
    if supported or not fit or any(map(_is_support, judged)):
        return None
    best = max(fit, key=_contradicts)
    return Contrary(
        reading=best.reading,
        evidence=best.evidence,
        probability=_contradicts(best),
        reliability=best.reliability,
        search=best.candidate.search,
    )


def _supports(one: Judged) -> float:
    return one.verification.probabilities.supported


def _contradicts(one: Judged) -> float:
    return one.verification.probabilities.contradicted


def _is_support(one: Judged) -> bool:
    return one.verification.verdict is Verdict.SUPPORTED
