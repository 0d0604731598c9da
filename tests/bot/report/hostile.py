"""A report in which everything that a page or a source can say is a payload."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle, repeat

from bot.report import PageReport
from handlers.model import (
    BetterSources,
    ClaimCheck,
    Engine,
    Message,
    Opinion,
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
    fetch,
    page,
    recommendation,
    source,
    verification,
)

_FIELDS = 20  # of a claim that are filled, at least


def report_full_of(payloads: Sequence[str]) -> PageReport:
    """Return a report with one claim per payload, which fills every field of it."""
    return _report(
        payloads,
        [_check(number, repeat(one)) for number, one in enumerate(payloads)],
    )


def report_sharing(payloads: Sequence[str]) -> PageReport:
    """Return a report that has every payload, a field of a claim for each.

    The fields of its last claim hold tame words.
    """
    words = cycle(payloads)
    last = len(payloads) // _FIELDS + 1
    checks = [_check(number, words) for number in range(last)]
    tame = (f"tame words {number}" for number in count())
    return _report(payloads, [*checks, _check(last, tame)])


def _report(payloads: Sequence[str], checks: Sequence[ClaimCheck]) -> PageReport:
    first = payloads[0]
    subject = page(
        first,
        wikitext=" " * 10_000,
        claims=tuple(check.claim for check in checks),
        redirect_to=first,
        unattached=tuple(
            UnattachedReference(UnattachedReason.EMPTY, Span(0, 1), payload)
            for payload in payloads[:200]
        ),
    )
    return PageReport(
        subject, tuple(checks), Engine(first, first), CHECKED_AT, 1.0, (first,)
    )


def _check(number: int, words: Iterator[str]) -> ClaimCheck:
    cited = source(
        raw=next(words),
        template=next(words),
        url=next(words),
        archive_url=next(words),
        title=next(words),
        work=next(words),
        pages=next(words),
        published=next(words),
        authors=(next(words),),
        isbn=next(words),
    )
    stated = next(words)
    statement = claim(
        stated,
        span=Span(number, number + 1),
        sentence=f"{stated}{stated}",
        section=(next(words), next(words)),
        citations=(citation(cited, pages=next(words), problem=next(words)),),
        tags=(Tag(TagKind.OTHER, next(words), Span(0, 1), next(words)),),
        row=next(words),
        column=next(words),
    )
    quoted = next(words)
    found = verification(
        Verdict.PARTIALLY_SUPPORTED,
        evidence(
            quoted,
            text=f"{quoted} {quoted}",
            matching=(quoted[: len(quoted) // 2],),
            of=cited,
        ),
        unsupported=(Span(0, len(stated) // 2),),
    )
    read = fetch(cited, url=next(words), detail=next(words))
    regarded = Reliability(Trust.UNLISTED, next(words), next(words))
    better = recommendation(
        fetch=read,
        evidence=found.evidence[0],
        template=next(words),
        reliability=regarded,
        search=next(words),
    )
    advice = Message("", next(words))
    check = ClaimCheck(statement, (read,), found.verdict, found, advice)
    # What a model quotes is shown, however far its words are from the claim's.
    engine = Engine(next(words), next(words))
    opinion = Opinion(engine, engine, found.verdict, found.verdict, None)
    better_sources = BetterSources(better, None, 1, (next(words),))
    return replace(check, better=better_sources, opinion=opinion)
