"""What a reader sees of one claim: words, links and marks, ready to be laid out.

The HTML and the text report are laid out from the same views, so that they can
never tell different stories. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.report.advice import ADVICE, advice_for
from bot.report.evidence import EvidenceView, evidence_view
from bot.report.findings import FindingView, findings_of
from bot.report.links import claim_href
from bot.report.opinions import opinion_words
from bot.report.page_report import Standing, is_doubtful, standing_of
from bot.report.wording import (
    percent,
    provenance,
    shares_by_verdict,
)
from handlers.citations.quoting.links import host_of, safe_href, source_href
from handlers.citations.quoting.quotes import source_title
from handlers.citations.quoting.words import Piece, joined, pieces
from handlers.model import (
    Citation,
    Claim,
    ClaimCheck,
    ClaimKind,
    ExpectedPrecision,
    Flag,
    PageId,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    Tag,
    Verification,
)

# A flag is said to be one only where most such flags are right among citations as
# articles have them. Whatever else is flagged deserves a look, and no more is said of
# it. How sure the engine is of its verdict is not said: on real citations that share
# is not how often it is right.

DOUBTFUL = "Doubtful: not sure enough to be flagged."
FLAGGED = "Flagged"
WORTH_A_LOOK = "Deserves a look"
UNKNOWN = "how often such notes are right was not measured"

_MOSTLY_RIGHT = 0.8  # where one citation in ten fails


def flag_words(check: ClaimCheck) -> str:
    """Return one sentence on the flag of `check`, on its absence, or nothing."""
    if check.flag is not None:
        return _flag_words(check.flag)
    return DOUBTFUL if is_doubtful(check) else ""


def _flag_words(flag: Flag) -> str:
    expected = flag.expected
    is_right = expected is not None and expected.one_in_10 >= _MOSTLY_RIGHT
    return (
        f"{FLAGGED if is_right else WORTH_A_LOOK}:"
        f" {_expected_words(expected) if expected else UNKNOWN}."
    )


def _expected_words(expected: ExpectedPrecision) -> str:
    number = expected.right_in_100
    right = f"about {number} in 100" if number else "fewer than 1 in 10"
    return (
        f"{right} notes like this are right, where one citation in ten fails in this"
        f" way (measured on {expected.rows:,} rows: {', '.join(expected.sets)})"
    )


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source of the claim: how it is cited, and what came of reading it."""

    key: str
    title: str
    href: str | None
    unlinked: str | None  # an address that is not safe to click
    details: tuple[str, ...]  # work, date, template, pages
    outcome: SourceOutcome | None
    detail: str
    provenance: str
    read_href: str | None  # where the text came from, if elsewhere than `href`
    advice: str | None

    @property
    def is_read(self) -> bool:
        """Say whether there was text to check against."""
        return self.outcome is SourceOutcome.READ


@dataclass(frozen=True, slots=True)
class Share:
    """The probability of one verdict."""

    standing: Standing
    percent: str
    weight: int  # in thousandths, for drawing


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim as a reader meets it.

    `before` and `after` are the rest of its sentence. `headline` says what the
    evidence is to the verdict. Without a verdict there are no shares and no words
    are marked, even where the verifier had an opinion on a part of the sources.
    """

    standing: Standing
    kind: ClaimKind
    place: str  # row and column of a table, parameter of an infobox
    before: str
    words: tuple[Piece, ...]
    after: str
    href: str | None  # to these words in the article
    tags: tuple[Tag, ...]
    sources: tuple[SourceView, ...]
    problems: tuple[str, ...]
    shares: tuple[Share, ...]  # what the engine gives each verdict
    headline: str
    evidence: tuple[EvidenceView, ...]
    advice: tuple[str, ...]
    is_flagged: bool
    flag: str  # why it is put before people, or that it is merely doubtful
    opinion: str  # what a language model had to do with it
    findings: tuple[FindingView, ...]  # what a search and the archive brought to light

    @property
    def text(self) -> str:
        """Return the words of the claim alone."""
        return "".join(piece.text for piece in self.words)


_HEADLINES: Mapping[Standing, str] = {
    Standing.SUPPORTED: "Evidence",
    Standing.PARTIALLY_SUPPORTED: "What the source says",
    Standing.CONTRADICTED: "What the source says",
    Standing.NOT_SUPPORTED: "Closest passage found",
    Standing.COULD_NOT_CHECK: "Closest passage in what was read",
}


def claim_view(check: ClaimCheck, page: PageId) -> ClaimView:
    """Return what a reader sees of `check`, a claim of `page`."""
    claim, found = check.claim, check.verification
    before, after = _rest_of_sentence(claim)
    standing = standing_of(check)
    shares = _shares(found) if check.verdict and found else ()
    return ClaimView(
        standing=standing,
        kind=claim.kind,
        place=_place(claim),
        before=before,
        words=_claim_words(claim, found if shares else None),
        after=after,
        href=claim_href(claim, page),
        tags=claim.tags,
        sources=_sources(check),
        problems=tuple(one.problem for one in claim.citations if one.problem),
        shares=shares,
        headline=_HEADLINES.get(standing, ""),
        evidence=_evidence(check, found) if found else (),
        advice=advice_for(check),
        is_flagged=check.flag is not None,
        flag=flag_words(check),
        opinion=opinion_words(check),
        findings=tuple(findings_of(check, page)),
    )


def _claim_words(claim: Claim, found: Verification | None) -> tuple[Piece, ...]:
    marked = joined(claim.text, found.unsupported) if found else ()
    return pieces(claim.text, marked)


def _rest_of_sentence(claim: Claim) -> tuple[str, str]:
    if not claim.text:
        return "", ""
    before, found, after = claim.sentence.partition(claim.text)
    return (before, after) if found else ("", "")


def _place(claim: Claim) -> str:
    if claim.kind is ClaimKind.INFOBOX_VALUE and claim.row:
        return f"infobox, {claim.row}"
    named = (("row", claim.row), ("column", claim.column))
    return ", ".join(f"{name} {value}" for name, value in named if value)


def _shares(found: Verification) -> tuple[Share, ...]:
    return tuple(
        Share(Standing(one.value), percent(share), round(share * 1000))
        for one, share in shares_by_verdict(found.probabilities)
    )


# --- sources ----------------------------------------------------------------


def _sources(check: ClaimCheck) -> tuple[SourceView, ...]:
    readings = {reading.source.key: reading for reading in check.readings}
    cited: dict[str, SourceView] = {}
    for citation in check.claim.citations:
        for source in citation.sources:
            view = _source(source, citation, readings.get(source.key))
            cited.setdefault(source.key, view)
    extra = {
        key: _source(reading.source, None, reading)
        for key, reading in readings.items()
        if key not in cited
    }
    return (*cited.values(), *extra.values())


def _source(
    source: Source, citation: Citation | None, reading: SourceReading | None
) -> SourceView:
    href = source_href(source)
    outcome = reading.outcome if reading else None
    unread = outcome is not None and outcome is not SourceOutcome.READ
    read_href = safe_href(reading.url) if reading else None
    return SourceView(
        key=source.key,
        title=source_title(source, reading),
        href=href,
        unlinked=None if href else source.url or source.archive_url,
        details=_details(source, citation),
        outcome=outcome,
        detail=reading.detail if reading else "",
        provenance=provenance(reading) if reading else "",
        read_href=None if read_href == href else read_href,
        advice=ADVICE[outcome] if outcome and unread else None,
    )


def _details(source: Source, citation: Citation | None) -> tuple[str, ...]:
    pages = (citation.pages if citation else None) or source.pages
    form = source.template if source.form is SourceForm.TEMPLATE else source.form.value
    host = host_of(source.url)
    details = (
        "; ".join(source.authors),
        source.work,
        host if host != source.work else None,
        source.published,
        f"p. {pages}" if pages else None,
        f"ISBN {source.isbn}" if source.isbn else None,
        form,
    )
    return tuple(one for one in details if one)


# --- evidence ---------------------------------------------------------------


def _evidence(check: ClaimCheck, found: Verification) -> tuple[EvidenceView, ...]:
    readings = {reading.source.key: reading for reading in check.readings}
    return tuple(
        evidence_view(one, readings.get(one.passage.source_key))
        for one in found.evidence
    )
