"""A report in which everything that a page or a source can say is a payload."""

from collections.abc import Sequence
from dataclasses import replace

from bot.report import PageReport
from handlers.model import (
    BetterSources,
    ClaimCheck,
    Engine,
    Reliability,
    Span,
    Tag,
    TagKind,
    Trust,
    UnattachedReason,
    UnattachedReference,
    Verdict,
)
from tests.builders import (
    CHECKED_AT,
    citation,
    claim,
    evidence,
    page,
    reading,
    recommendation,
    source,
    verification,
)


def report_full_of(payloads: Sequence[str]) -> PageReport:
    """Return a report with one claim per payload, which fills every field of it."""
    checks = tuple(_check(number, payload) for number, payload in enumerate(payloads))
    first = payloads[0]
    subject = page(
        first,
        claims=tuple(check.claim for check in checks),
        redirect_to=first,
        unattached=tuple(
            UnattachedReference(UnattachedReason.EMPTY, Span(0, 1), payload)
            for payload in payloads[:200]
        ),
    )
    return PageReport(subject, checks, Engine(first, first), CHECKED_AT, 1.0, (first,))


def _check(number: int, payload: str) -> ClaimCheck:
    cited = source(
        raw=payload,
        template=payload,
        url=payload,
        archive_url=payload,
        title=payload,
        work=payload,
        pages=payload,
        published=payload,
        authors=(payload,),
        isbn=payload,
    )
    words = claim(
        payload,
        span=Span(number, number + 1),
        sentence=f"{payload}{payload}",
        section=(payload, payload),
        citations=(citation(cited, pages=payload, problem=payload),),
        tags=(Tag(TagKind.OTHER, payload, Span(0, 1), payload),),
        row=payload,
        column=payload,
    )
    found = verification(
        Verdict.PARTIALLY_SUPPORTED,
        evidence(
            payload,
            text=f"{payload} {payload}",
            matching=(payload[: len(payload) // 2],),
            of=cited,
        ),
        unsupported=(Span(0, len(payload) // 2),),
    )
    read = reading(cited, url=payload, detail=payload)
    regarded = Reliability(Trust.UNLISTED, payload, payload)
    better = recommendation(
        reading=read,
        evidence=found.evidence[0],
        template=payload,
        reliability=regarded,
        search=payload,
    )
    check = ClaimCheck(words, (read,), found.verdict, found, advice=payload)
    return replace(check, better=BetterSources(better, None, 1, (payload,)))
