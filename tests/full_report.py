"""A report of a page with everything on it."""

from dataclasses import replace
from datetime import UTC, date, datetime

from bot.report import PageReport
from handlers.citations import others_unread
from handlers.model import (
    BetterSources,
    ClaimCheck,
    ClaimKind,
    Origin,
    Section,
    SourceForm,
    SourceOutcome,
    Span,
    Tag,
    TagKind,
    UnattachedReason,
    UnattachedReference,
    UrlStatus,
    Verdict,
)
from tests.builders import (
    CHECKED_AT,
    ENGINE,
    citation,
    claim,
    claim_check,
    contrary,
    drift,
    evidence,
    fetch,
    page,
    recommendation,
    source,
    span_of,
    unread,
    verification,
)


def full_report(title: str = "2011 Sawyerville–Eoline tornado") -> PageReport:
    """Return a report with every verdict, outcome, tag, form and reason in it."""
    checks = _with_findings(
        _one_after_another(
            (*_lead(), *_history(), *_damage(), *_not_checked(), *_without_citation())
        )
    )
    unattached = tuple(
        UnattachedReference(reason, Span(90_000, 90_010), f'<ref name="{reason.name}">')
        for reason in UnattachedReason
    )
    subject = page(
        title,
        wikitext=" " * 100_000,
        claims=tuple(check.claim for check in checks),
        unattached=unattached,
        sections=(
            Section((), 0, Span(0, 400), Span(0, 400), 0),
            Section(("Aftermath",), 2, Span(400, 99_000), Span(415, 99_000), 400),
        ),
    )
    notes = (f"From the article “{title}” on Wikipedia, CC BY-SA 4.0.",)
    return PageReport(subject, checks, ENGINE, CHECKED_AT, 12.34, notes)


def _one_after_another(checks: tuple[ClaimCheck, ...]) -> tuple[ClaimCheck, ...]:
    placed = []
    for number, check in enumerate(checks):
        at = Span(number * 100, number * 100 + 90)
        placed.append(replace(check, claim=replace(check.claim, span=at)))
    return tuple(placed)


def _lead() -> tuple[ClaimCheck, ...]:
    infobox = claim(
        "72 miles",
        kind=ClaimKind.INFOBOX_VALUE,
        section=(),
        sentence="72 miles",
        row="path length",
    )
    clause = claim(
        "stayed on the ground for 72 miles",
        kind=ClaimKind.CLAUSE,
        section=(),
        sentence="The tornado was rated EF3, stayed on the ground for 72 miles, and "
        "lifted near Eoline.",
    )
    return claim_check(of=infobox), claim_check(of=clause)


def _history() -> tuple[ClaimCheck, ...]:
    partial = "Six people were killed and more than 60 were injured near Sawyerville"
    quote = "Several mobile homes were destroyed near Sawyerville, where six people were killed and at least 40 were injured."
    found = evidence(quote, matching=("near Sawyerville", "six people were killed"))
    survey = "Six people were killed in the county."
    at_night = "It lifted over Tuscaloosa at midnight"
    lifted = "The tornado lifted north of Eoline shortly after 6 pm."
    pdf = source(
        url="https://www.weather.gov/media/bmx/survey,part-1.pdf",
        template="cite report",
        title="Storm survey",
        pages="3–4",
    )
    archived = source(
        archive_url="https://web.archive.org/web/20110601000000/https://x.org/",
        archive_date=date(2011, 6, 1),
        url_status=UrlStatus.DEAD,
    )
    of_archive = fetch(
        archived,
        origin=Origin.ARCHIVE,
        url=archived.archive_url,
        read_at=datetime(2011, 6, 1, tzinfo=UTC),
    )
    return (
        claim_check(
            Verdict.PARTIALLY_SUPPORTED,
            claim(partial, citations=(citation(name="nws"), citation(pdf))),
            fetches=(fetch(), fetch(pdf, origin=Origin.DISK)),
            verification=verification(
                Verdict.PARTIALLY_SUPPORTED,
                found,
                evidence(survey, text=survey, matching=(), of=pdf, page=3),
                unsupported=(span_of("more than 60", partial),),
            ),
        ),
        claim_check(
            Verdict.CONTRADICTED,
            claim(
                at_night,
                citations=(citation(archived),),
                tags=(Tag(TagKind.DUBIOUS, "dubious", Span(5, 9), dated="May 2024"),),
            ),
            fetches=(of_archive,),
            verification=verification(
                Verdict.CONTRADICTED,
                evidence(lifted, of=of_archive, matching=("lifted",)),
                unsupported=(
                    span_of("Tuscaloosa", at_night),
                    span_of("midnight", at_night),
                ),
            ),
        ),
    )


def _damage() -> tuple[ClaimCheck, ...]:
    text = "The mayor declared a state of emergency on the following morning"
    cell = claim(
        "EF4",
        kind=ClaimKind.TABLE_CELL,
        section=("Damage", "By county"),
        sentence="EF4",
        row="Bibb County",
        column="Rating",
    )
    return (
        claim_check(
            Verdict.NOT_SUPPORTED,
            claim(
                text,
                section=("Damage",),
                tags=(
                    Tag(TagKind.FAILED_VERIFICATION, "failed verification", Span(1, 2)),
                ),
            ),
            verification=verification(
                Verdict.NOT_SUPPORTED,
                evidence("Damage in this area was mostly snapped and uprooted trees."),
                unsupported=(span_of("mayor declared a state of emergency", text),),
            ),
        ),
        claim_check(Verdict.NOT_SUPPORTED, cell),
    )


def _not_checked() -> tuple[ClaimCheck, ...]:
    details = {
        SourceOutcome.REFUSED: "the server answered 403",
        SourceOutcome.GONE: "the server answered 404",
        SourceOutcome.OFFLINE: "a book: ISBN 978-0-306-40615-7",
    }
    stuck = tuple(
        claim_check(
            None,
            claim(
                f"Claim number {number} rests on a source that was not read",
                section=("Aftermath",),
                citations=(citation(name=outcome.name.lower()),),
            ),
            fetches=(unread(outcome, details.get(outcome, "")),),
        )
        for number, outcome in enumerate(SourceOutcome)
        if outcome is not SourceOutcome.READ
    )
    lost = citation(sources=(), problem="no reference is named “smith”", name="smith")
    nowhere = claim(
        "This citation leads nowhere", section=("Aftermath",), citations=(lost,)
    )
    silent = claim(
        "The source was read and there is still no verdict", section=("Aftermath",)
    )
    return (
        *stuck,
        claim_check(None, nowhere, fetches=()),
        claim_check(None, silent),
        _to_compare(),
        _half_read(),
    )


def _to_compare() -> ClaimCheck:
    said = claim(
        "Some forty people were injured near Sawyerville", section=("Aftermath",)
    )
    there = "At least 40 people were injured, most of them near Sawyerville."
    return claim_check(
        None,
        said,
        fetches=(fetch(),),
        verification=verification(
            Verdict.SUPPORTED,
            evidence(there, text=there, matching=()),
        ),
    )


def _half_read() -> ClaimCheck:
    book = source(
        form=SourceForm.TEXT,
        raw="Smith, p. 4",
        template=None,
        url=None,
        title=None,
        isbn="978-0-306-40615-7",
        authors=("Jane Smith", "Ali Öz"),
    )
    return claim_check(
        None,
        claim(
            "Two sources stand behind this, and only one of them was read",
            section=("Aftermath",),
            citations=(citation(source(), book),),
        ),
        fetches=(fetch(), unread(SourceOutcome.OFFLINE, of=book)),
        verification=verification(Verdict.NOT_SUPPORTED),
        advice=others_unread(1, 2),
    )


def _with_findings(checks: tuple[ClaimCheck, ...]) -> tuple[ClaimCheck, ...]:
    """Add every kind of finding to the first claims that fail."""
    nothing = BetterSources(None, None, 3, ("folder: it is broken",))
    found = iter(
        (
            (BetterSources(recommendation(), None, 5), None),
            (BetterSources(None, contrary(), 5), None),
            (BetterSources(recommendation(present=None), None, 1), drift()),
            (nothing, drift(template=None, cited_on=None)),
        )
    )
    added = []
    for check in checks:
        fails = check.verdict not in {None, Verdict.SUPPORTED}
        better, changed = next(found, (None, None)) if fails else (None, None)
        added.append(replace(check, better=better, drift=changed))
    return tuple(added)


def _without_citation() -> tuple[ClaimCheck, ...]:
    needed = Tag(TagKind.CITATION_NEEDED, "citation needed", Span(3, 4), "May 2024")
    bare = claim(
        "The town was rebuilt within two years",
        section=("Aftermath",),
        citations=(),
        tags=(needed,),
    )
    return (claim_check(None, bare, fetches=()),)
