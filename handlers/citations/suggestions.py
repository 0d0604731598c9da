"""What is worth keeping of a page's checks, under a stable identity.

A footnote's number changes with every edit above it, so it identifies nothing:
the identity is the page, the claim's words and what is cited. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from handlers.citations.beside import absent_names, chars_read, near
from handlers.citations.drift import with_archive_read
from handlers.citations.flags import LEAST_THRESHOLD
from handlers.citations.quote_links import quoted
from handlers.citations.tags import Help, TagFinding, copy_of_dead, help_for
from handlers.findings import (
    CitationFinding,
    Details,
    Remedy,
    RemedyKind,
    SourceFinding,
    Suggestion,
    identity_hash,
)
from handlers.model import (
    CheckKind,
    Claim,
    ClaimCheck,
    Evidence,
    Flag,
    Page,
    PageId,
    Span,
    TagKind,
    Verdict,
)
from handlers.page.prose import normalised
from handlers.sources.templates import archive_address

_MOST_QUOTES = 3
_MOST_NAMES = 2
_SAYS_SO = frozenset({TagKind.FAILED_VERIFICATION, TagKind.DUBIOUS})


class _Clause(NamedTuple):
    """The last known clause among sentences with the same words."""

    before: int  # how many such sentences come before
    end: int  # where it ends in the sentence
    place: int  # where it ends on the page


_NO_CLAUSE = _Clause(-1, 1 << 30, 0)


def suggestions_of(page: Page, checks: Iterable[ClaimCheck]) -> tuple[Suggestion, ...]:
    """Return one suggestion for each claim that its sources do not fully support.

    Claims that could not be checked give none, whatever else was found for them; nor do
    those that editors have marked themselves. But if editors ask for a source and one
    was found, it is offered; and if something settles what editors have tagged, that is
    said. If the page makes the same claim from the same sources twice, the first one
    counts, but a flagged one before one that is not.
    """
    found: dict[str, Suggestion] = {}
    before = occurrences(page.claims)
    for check in checks:
        occurrence = before.get(check.claim.span, 0)
        suggestion = _offer(page, check, occurrence)
        if suggestion is None and _fails(check):
            suggestion = _suggestion(page, check, occurrence)
        if suggestion is None:
            suggestion = _of_tag(page, check, occurrence)
        if suggestion is None:
            continue
        known = found.setdefault(suggestion.identity, suggestion)
        if suggestion.flag and not known.flag:
            found[suggestion.identity] = suggestion
    return tuple(found.values())


def is_marked(claim: Claim) -> bool:
    """Return whether the page itself says that this is not so, or not in the source."""
    return any(tag.kind in _SAYS_SO for tag in claim.tags)


def wants_source(claim: Claim) -> bool:
    """Return whether the page itself asks for a source."""
    return any(tag.kind is TagKind.CITATION_NEEDED for tag in claim.tags)


def identity_of(page: PageId, claim: Claim, kind: str = "") -> str:
    """Return the hash that names a finding about `claim` in every revision.

    What settles its tags is a separate finding, of the `kind` of `TagFinding`.
    """
    keys = sorted(claim.source_keys)
    return identity_hash(page, normalised(claim.text), *keys, *filter(None, (kind,)))


def occurrences(claims: Iterable[Claim]) -> Mapping[Span, int]:
    """Return how many sentences with the same words come before each claim's own.

    Claims are identified by their span, and come in the order of the page. Clauses of
    one sentence share its words without being another sentence.
    """
    found: dict[Span, int] = {}
    last: dict[str, _Clause] = {}
    for claim in claims:
        known = last.get(claim.sentence, _NO_CLAUSE)
        start = claim.sentence.find(claim.text, known.end)
        before = known.before
        if start < 0:
            start = max(claim.sentence.find(claim.text), 0)
            before += claim.span.start >= known.place  # else it contains the clause
        end = start + max(len(claim.text), 1)
        last[claim.sentence] = _Clause(before, end, claim.span.end)
        found[claim.span] = before
    return found


def _fails(check: ClaimCheck) -> bool:
    return check.verdict not in {None, Verdict.SUPPORTED} and not is_marked(check.claim)


def _offer(page: Page, check: ClaimCheck, occurrence: int) -> Suggestion | None:
    """Return the source that was found for a claim that has none that could be read."""
    found = check.better.recommendation if check.better else None
    is_wanted = check.verdict is None and wants_source(check.claim)
    if found is None or not is_wanted:
        return None
    return Suggestion(
        identity=identity_of(page.id, check.claim),
        page=page.id,
        claim=check.claim.text,
        section=check.claim.section,
        source_keys=check.claim.source_keys,
        finding=SourceFinding(),
        probability=found.probability,
        quote=None,
        quote_url=None,
        engine=found.engine,
        place=check.claim.span.start,
        remedies=tuple(_remedies(check)),
        details=Details(sentence=check.claim.sentence, occurrence=occurrence),
    )


def _of_tag(page: Page, check: ClaimCheck, occurrence: int) -> Suggestion | None:
    """Return what settles a tag of the claim."""
    helped = help_for(check)
    if helped is None:
        return None
    finding, probability = helped
    claim, found, better = check.claim, check.verification, check.better
    details = Details(claim.sentence, (), occurrence, _cell(claim))
    engine = found.engine if found else None
    if finding.help is Help.OTHER_SOURCE and better and better.recommendation:
        engine = better.recommendation.engine
    elif found and finding.help is not Help.ARCHIVED_COPY:
        details = _details(check, found.evidence, occurrence)
    if engine is None:
        return None
    quote = next(iter(details.quotes), None)
    return Suggestion(
        identity=identity_of(page.id, claim, TagFinding.kind),
        page=page.id,
        claim=claim.text,
        section=claim.section,
        source_keys=claim.source_keys,
        finding=finding,
        probability=probability,
        quote=quote.quote if quote else None,
        quote_url=quote.href if quote else None,
        engine=engine,
        flag=Flag(CheckKind.TAGGED, probability, min(probability, LEAST_THRESHOLD)),
        place=claim.span.start,
        remedies=tuple(_remedies(check)),
        details=details,
    )


def _suggestion(page: Page, check: ClaimCheck, occurrence: int) -> Suggestion:
    verification, verdict = check.verification, check.verdict
    if verification is None or verdict is None:
        raise ValueError("a claim without a verdict suggests nothing")
    evidence = near(page.id.title, check)
    best = evidence[0] if evidence else None
    read = check.copies.get(best.passage.source_key) if best else None
    return Suggestion(
        identity=identity_of(page.id, check.claim),
        page=page.id,
        claim=check.claim.text,
        section=check.claim.section,
        source_keys=check.claim.source_keys,
        finding=CitationFinding(
            verdict,
            verification.unsupported,
            absent_names(page.id.title, check)[:_MOST_NAMES],
            0 if evidence else chars_read(check),
        ),
        probability=verification.probabilities.of(verdict),
        quote=best.quote if best else None,
        quote_url=read.url if read else None,
        engine=verification.engine,
        flag=check.flag,
        place=check.claim.span.start,
        remedies=tuple(_remedies(check)),
        details=_details(check, evidence, occurrence),
    )


def _details(
    check: ClaimCheck, evidence: Sequence[Evidence], occurrence: int
) -> Details:
    fetches = check.copies
    return Details(
        sentence=check.claim.sentence,
        cell=_cell(check.claim),
        quotes=tuple(
            quoted(one, fetches.get(one.passage.source_key))
            for one in evidence[:_MOST_QUOTES]
        ),
        occurrence=occurrence,
    )


def _cell(claim: Claim) -> tuple[str, ...]:
    return tuple(name for name in (claim.row, claim.column) if name)


def _remedies(check: ClaimCheck) -> Iterator[Remedy]:
    drift, better, copy = check.drift, check.better, copy_of_dead(check)
    found = check.verification
    if copy is not None and found is not None and found.evidence:
        yield Remedy(
            kind=RemedyKind.ARCHIVED_COPY,
            address=archive_address(copy),
            citation=with_archive_read(copy),
            quote=found.evidence[0].quote,
            probability=found.probabilities.supported,
        )
    if drift is not None:
        yield Remedy(
            kind=RemedyKind.ARCHIVED_COPY,
            address=drift.archive_url,
            citation=drift.template or None,
            quote=drift.evidence.quote,
            probability=drift.probability,
        )
    other = better.recommendation if better else None
    if other is not None:
        yield Remedy(
            kind=RemedyKind.OTHER_SOURCE,
            address=other.fetch.url or other.fetch.source.key,
            citation=other.template or None,
            quote=other.evidence.quote,
            probability=other.probability,
        )
