"""Builds values for tests: sensible defaults, and only what matters is named.

The wording is about the tornado of 2011 near Sawyerville, Alabama, but made up:
nothing here is a finding about a real source.
"""

from dataclasses import replace
from datetime import UTC, date, datetime

from bot.records.accounts import Tally, Voice
from bot.report import PageReport
from handlers.model import (
    CheckKind,
    Citation,
    CitationForm,
    Claim,
    ClaimCheck,
    ClaimKind,
    Contrary,
    Drift,
    Engine,
    Evidence,
    ExpectedPrecision,
    Flag,
    Origin,
    Page,
    PageId,
    Passage,
    Probabilities,
    Recommendation,
    Reliability,
    Section,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Span,
    Trust,
    Verdict,
    Verification,
)

SOURCE_TEXT = (
    "Public information statement. National Weather Service Birmingham.\n"
    "The tornado touched down in Greene County southwest of Forkland and moved "
    "northeast. Damage in this area was mostly snapped and uprooted trees. The "
    "tornado was rated EF-3 with winds of 145 mph, and it was on the ground for "
    "72 miles. Several mobile homes were destroyed near Sawyerville, where six "
    "people were killed and at least 40 were injured. The tornado lifted north of "
    "Eoline shortly after 6 pm."
)
QUOTE = (
    "The tornado was rated EF-3 with winds of 145 mph, and it was on the ground for "
    "72 miles."
)
CLAIM_TEXT = "The tornado was rated EF3 and stayed on the ground for 72 miles"
ENGINE = Engine("lexical", "1.0")
CHECKED_AT = datetime(2026, 11, 20, 12, 51, tzinfo=UTC)

_SHARES = {
    Verdict.SUPPORTED: Probabilities(0.91, 0.06, 0.02, 0.01),
    Verdict.PARTIALLY_SUPPORTED: Probabilities(0.21, 0.63, 0.13, 0.03),
    Verdict.NOT_SUPPORTED: Probabilities(0.08, 0.1, 0.78, 0.04),
    Verdict.CONTRADICTED: Probabilities(0.02, 0.11, 0.32, 0.55),
}


def span_of(part: str, text: str) -> Span:
    """Return where `part` stands in `text`; it must."""
    start = text.index(part)
    return Span(start, start + len(part))


def source(**changes: object) -> Source:
    """Return a web page cited with a template."""
    default = Source(
        form=SourceForm.TEMPLATE,
        raw="{{cite web|url=https://www.weather.gov/bmx/event_04272011sawyerville}}",
        template="cite web",
        url="https://www.weather.gov/bmx/event_04272011sawyerville",
        access_date=date(2011, 5, 12),
        title="Sawyerville–Eoline Tornado, April 27, 2011",
        work="National Weather Service",
        published="6 May 2011",
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def citation(*sources: Source, **changes: object) -> Citation:
    """Return a `<ref>` that leads to `sources`, by default to `source()`."""
    default = Citation(CitationForm.REF, Span(0, 5), sources or (source(),))
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def claim(text: str = CLAIM_TEXT, **changes: object) -> Claim:
    """Return a sentence with one citation, in a section of its own."""
    default = Claim(
        text=text,
        kind=ClaimKind.SENTENCE,
        span=Span(0, len(text)),
        section=("Meteorological history",),
        context="",
        sentence=f"{text}.",
        citations=(citation(),),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def fetch(of: Source | None = None, **changes: object) -> SourceFetch:
    """Return `of`, read live."""
    cited = of or source()
    default = SourceFetch(
        source=cited,
        outcome=SourceOutcome.READ,
        detail="read",
        origin=Origin.LIVE,
        url=cited.url,
        read_at=CHECKED_AT,
        http_status=200,
        content_sha256="ab" * 32,
        document=SourceText(
            text=SOURCE_TEXT,
            title="Sawyerville-Eoline EF-3 Tornado",
            site="weather.gov",
            language="en",
        ),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def unread(
    outcome: SourceOutcome, detail: str = "", of: Source | None = None
) -> SourceFetch:
    """Return `of` as a source that could not be read."""
    return SourceFetch(of or source(), outcome, detail or f"it is {outcome.value}")


def evidence(
    quote: str = QUOTE,
    *,
    text: str = SOURCE_TEXT,
    matching: tuple[str, ...] = ("tornado was rated", "on the ground for 72 miles"),
    of: Source | SourceFetch | None = None,
    page: int | None = None,
    score: float = 7.5,
) -> Evidence:
    """Return `quote` as evidence in one passage, which is all of `text`."""
    passage = Passage((of or source()).key, text, Span(0, len(text)), page)
    matched = tuple(span_of(words, text) for words in matching)
    return Evidence(passage, quote, span_of(quote, text), matched, score)


def verification(
    verdict: Verdict = Verdict.SUPPORTED, *found: Evidence, **changes: object
) -> Verification:
    """Return what the verifier says, with one piece of evidence by default."""
    default = Verification(
        verdict=verdict,
        probabilities=_SHARES[verdict],
        evidence=found or (evidence(),),
        unsupported=(),
        engine=ENGINE,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def flag(**changes: object) -> Flag:
    """Return a flag; nine in ten like it are right where one claim in ten fails."""
    expected = ExpectedPrecision(0.9, 0.7, "dev.jsonl.gz", ("natural",), 1200)
    default = Flag(CheckKind.NOT_FULLY_SUPPORTED, 0.94, 0.8, expected)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def claim_check(
    verdict: Verdict | None = Verdict.SUPPORTED,
    of: Claim | None = None,
    **changes: object,
) -> ClaimCheck:
    """Return a checked claim, with its source read and a verification to match.

    A verdict against it comes with a flag.
    """
    found = verification(verdict) if verdict else None
    due = flag() if verdict not in {None, Verdict.SUPPORTED} else None
    default = ClaimCheck(of or claim(), (fetch(),), verdict, found, flag=due)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def unchecked(outcome: SourceOutcome, of: Claim | None = None) -> ClaimCheck:
    """Return a claim that could not be checked because of `outcome`."""
    return claim_check(None, of, fetches=(unread(outcome),))


def page(title: str = "2011 Sawyerville–Eoline tornado", **changes: object) -> Page:
    """Return a page at a known revision, with a lead of no words."""
    default = Page(
        id=PageId(
            wiki="en.wikipedia.org",
            title=title,
            page_id=31_000_000,
            revision_id=1_234_567_890,
            revised_at=datetime(2026, 10, 2, 8, 30, tzinfo=UTC),
        ),
        wikitext="",
        sections=(Section((), 0, Span(0, 0), Span(0, 0), 0),),
        claims=(),
        unattached=(),
        tags=(),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def page_report(*checks: ClaimCheck, **changes: object) -> PageReport:
    """Return the report of a page with `checks`."""
    claims = tuple(check.claim for check in checks)
    subject = page(claims=claims, wikitext=" " * 10_000)  # that all spans lie in
    default = PageReport(subject, checks, ENGINE, CHECKED_AT, took_s=3.2)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


FOUND = SourceFetch(
    source=Source(
        SourceForm.URL, "https://news.example/1", url="https://news.example/1"
    ),
    outcome=SourceOutcome.READ,
    detail="read",
    origin=Origin.LIVE,
    url="https://news.example/1",
    read_at=CHECKED_AT,
    document=SourceText("The mayor spoke at noon. The town was rebuilt.", "The news"),
)


def recommendation(**changes: object) -> Recommendation:
    """Return a better source, found by a search of a folder."""
    default = Recommendation(
        fetch=FOUND,
        evidence=evidence(
            "The town was rebuilt.",
            text="The mayor spoke at noon. The town was rebuilt.",
            matching=("town was rebuilt",),
            of=FOUND.source,
        ),
        probability=0.93,
        present=0.08,
        template="{{cite news |url=https://news.example/1 |title=The news |access-date=2026-11-20}}",
        reliability=Reliability(Trust.MIXED, "Read the discussion first.", "WP:NEWS"),
        search="folder",
        engine=ENGINE,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def contrary() -> Contrary:
    """Return a source that says otherwise."""
    best = recommendation()
    return Contrary(
        best.fetch, best.evidence, 0.84, Reliability(Trust.UNLISTED, "Judge."), "web"
    )


def drift(**changes: object) -> Drift:
    """Return a page that said the claim when it was cited."""
    copy = "https://web.archive.org/web/20110520000000/https://www.weather.gov/bmx"
    archived = fetch(
        origin=Origin.ARCHIVE, url=copy, read_at=datetime(2011, 5, 20, tzinfo=UTC)
    )
    default = Drift(
        archived=archived,
        evidence=evidence(),
        probability=0.91,
        present=0.12,
        cited_on=date(2011, 5, 12),
        archive_url=copy,
        template=f"{{{{cite web |url=https://www.weather.gov/bmx |archive-url={copy} |archive-date=2011-05-20 |url-status=deviated}}}}",
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def tally(
    wiki: str, kind: CheckKind, right: tuple[float, ...], wrong: tuple[float, ...]
) -> Tally:
    """Return what readers decided, each on a suggestion of their own."""
    voices = [Voice(chance, is_right=True) for chance in right]
    voices += [Voice(chance, is_right=False) for chance in wrong]
    return Tally(wiki, ENGINE, kind, right, wrong, tuple(voices))
