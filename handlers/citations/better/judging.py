"""Reads a candidate and lets the verifier judge the claim by it alone.

A candidate that turns out to be what the claim cites, or to lead to a site that
the wiki does not accept, drops out here: only the reading shows where an address
leads. Pure; awaits only its tools.
"""

from dataclasses import dataclass

from handlers.citations.addresses import normal_key
from handlers.citations.better.candidates import Candidate, cited_keys
from handlers.citations.better.policy import Policy
from handlers.citations.languages import readable
from handlers.citations.passages import cut_beside
from handlers.model import (
    ClaimCheck,
    Evidence,
    Page,
    Reliability,
    Source,
    SourceForm,
    SourceReading,
    SourceText,
    Verification,
)
from handlers.ports import Tools


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate that was read, what it says on the claim, and its best quote."""

    candidate: Candidate
    reading: SourceReading
    reliability: Reliability  # of where the address led
    verification: Verification
    evidence: Evidence


async def judge(
    page: Page, check: ClaimCheck, candidate: Candidate, tools: Tools, policy: Policy
) -> Judged | None:
    """Return what the candidate says, or `None` where it says nothing of use."""
    source = Source(SourceForm.URL, raw=candidate.address, url=candidate.address)
    reading = readable(await (tools.candidates or tools.sources).read(source))
    document = reading.document
    if document is None or _is_cited(reading, document, check):
        return None
    landed = policy.lists.of(reading.url or candidate.address, page.id.wiki)
    if not landed.trust.may_be_recommended:
        return None
    passages = await cut_beside(document, source.key)
    if not passages:
        return None
    found = await tools.verifier.verify(page.id.title, check.claim, passages)
    evidence = quoted(found, document)
    if evidence is None:
        return None
    return Judged(candidate, reading, landed, found, evidence)


def quoted(found: Verification, document: SourceText) -> Evidence | None:
    """Return the best evidence whose quote stands in the document where it says."""
    return next(
        (
            one
            for one in found.evidence
            if one.quote.strip() and one.span.of(document.text) == one.quote
        ),
        None,
    )


def _is_cited(reading: SourceReading, document: SourceText, check: ClaimCheck) -> bool:
    """Tell by where it led, by its DOI and by its text whether the claim cites it."""
    names = [normal_key(reading.url or "")]
    if document.imprint.doi:
        names.append(normal_key(f"doi:{document.imprint.doi}"))
    cited = cited_keys(check.claim) | {
        normal_key(one.url) for one in check.readings if one.url
    }
    return any(name in cited for name in names) or any(
        one.document is not None and one.document.text == document.text
        for one in check.readings
    )
