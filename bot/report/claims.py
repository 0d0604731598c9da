"""What a reader sees of a checked page and its claims, ready for layout.

Words, links and marks of each claim, what else was found for it (an older copy, a
better source, another side) and what a language model said about it, in fixed sentences
written by people: no words of the model itself are in a report. All forms are laid out
from the same views, so that they cannot contradict each other. Pure.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby
from urllib.parse import quote

from bot.report.comparison import ComparisonView, comparison_view
from bot.report.notes import MOST_SHOWN, Note, certainty_of, more, notes_of
from bot.report.page_report import (
    ATTENTION,
    ClaimState,
    PageReport,
    Summary,
    claim_state,
    is_doubtful,
)
from bot.report.words import (
    ADVICE,
    advice_for,
    counted,
    duration,
    moment,
    percent,
    provenance,
    shortened,
)
from handlers.citations.beside import chars_read, near, unshared
from handlers.citations.quote_links import (
    Piece,
    QuoteInPlace,
    host_of,
    joined,
    pieces,
    quote_href,
    quote_in_place,
    quote_page,
    safe_href,
    source_href,
    source_title,
    with_fragment,
)
from handlers.citations.unsure import nothing_near
from handlers.model import (
    Citation,
    Claim,
    ClaimCheck,
    ClaimKind,
    Consultation,
    Contrary,
    Drift,
    Evidence,
    ModelFailure,
    ModelUse,
    Opinion,
    Page,
    PageId,
    Recommendation,
    Reliability,
    Section,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    Span,
    Tag,
)
from handlers.registry import OF_CLAIMS

_CONCLUSIVE_WORDS = 3
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII | re.IGNORECASE)


def page_href(page: PageId) -> str | None:
    """Return the permanent link of the revision, or of the page if that is unknown."""
    if not _HOST.fullmatch(page.wiki):
        return None
    if page.revision_id is not None:
        return f"https://{page.wiki}/w/index.php?oldid={page.revision_id}"
    title = quote(page.title.replace(" ", "_"), safe="/:(),", errors="replace")
    return f"https://{page.wiki}/wiki/{title}"


def shortcut_href(page: PageId, shortcut: str | None) -> str | None:
    """Return where `shortcut` leads on the wiki of `page`."""
    if not shortcut or not _HOST.fullmatch(page.wiki):
        return None
    return f"https://{page.wiki}/wiki/{quote(shortcut, safe=':/', errors='replace')}"


def claim_href(claim: Claim, page: PageId) -> str | None:
    """Return the address of the claim's words in the revision that was checked.

    One or two words, as in a table, could be found anywhere on the page, so the link
    for such a claim leads only to the page.
    """
    href = page_href(page)
    if href is None or len(claim.text.split()) < _CONCLUSIVE_WORDS:
        return href
    return with_fragment(href, claim.text)


def section_at(sections: tuple[Section, ...], offset: int) -> tuple[str, ...]:
    """Return the path of the section that contains `offset`."""
    within = (one for one in sections if one.span.start <= offset < one.span.end)
    return next((section.path for section in within), ())


class Mark(Enum):
    """What the marked words of a quote are, in a few words."""

    SHARED = "also in the claim"
    BESIDES = "not in the claim"


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A quote with its surroundings, and a link to it."""

    place: QuoteInPlace
    mark: Mark
    href: str | None
    page: int | None
    source_key: str
    source: str
    provenance: str
    language: str | None


def evidence_view(evidence: Evidence, fetch: SourceFetch | None) -> EvidenceView:
    """Return what a reader sees of `evidence`, found in what `fetch` read."""
    document = fetch.document if fetch else None
    return EvidenceView(
        place=quote_in_place(evidence),
        mark=Mark.SHARED,
        href=quote_href(evidence, fetch) if fetch else None,
        page=quote_page(evidence, fetch),
        source_key=fetch.source.key if fetch else evidence.passage.source_key,
        source=source_title(fetch.source, fetch)
        if fetch
        else evidence.passage.source_key,
        provenance=provenance(fetch) if fetch else "",
        language=document.language if document else None,
    )


class IssueKind(Enum):
    """What was found."""

    DRIFT = "drift"
    BETTER = "better source"
    CONTRARY = "contrary source"


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding as a reader sees it, in this order."""

    kind: IssueKind
    heading: str
    sentence: str
    evidence: EvidenceView
    reliability: str  # how the wiki rates the source; "" if it was not asked
    shortcut: str | None  # of the discussion
    shortcut_href: str | None
    template: str | None  # wikitext to copy
    template_label: str
    address: str | None  # to copy, if there is no template


def findings_of(check: ClaimCheck, page: PageId) -> Iterator[FindingView]:
    """Yield what was found for the claim of `check`, the simplest remedy first."""
    if check.drift is not None:
        yield _drift(check.drift)
    better = check.better
    if better is not None and better.recommendation is not None:
        yield _recommendation(better.recommendation, check, page)
    if better is not None and better.contrary is not None:
        yield _contrary(better.contrary, check, page)


def _drift(drift: Drift) -> FindingView:
    captured, template = drift.archived.read_at, drift.template
    copy = (
        f"the copy archived on {captured:%Y-%m-%d}" if captured else "its archived copy"
    )
    cited = f" It was cited on {drift.cited_on.isoformat()}." if drift.cited_on else ""
    return FindingView(
        kind=IssueKind.DRIFT,
        heading="The page said this when it was cited",
        sentence=f"Support for the claim: {percent(drift.probability)} by {copy},"
        f" {percent(drift.present)} by today’s page.{cited}",
        evidence=evidence_view(drift.evidence, drift.archived),
        reliability="",
        shortcut=None,
        shortcut_href=None,
        template=template,
        template_label="The citation with its archived copy"
        if template
        else "The archived copy, to add to the citation",
        address=None if template else safe_href(drift.archive_url),
    )


def _recommendation(
    found: Recommendation, check: ClaimCheck, page: PageId
) -> FindingView:
    return FindingView(
        kind=IssueKind.BETTER,
        heading="Another source supports this",
        sentence=f"Support for the claim: {percent(found.probability)} by this source;"
        f" {_present(found, check)}.",
        evidence=evidence_view(found.evidence, found.fetch),
        reliability=_regarded(found.reliability),
        shortcut=found.reliability.shortcut,
        shortcut_href=_discussed(found.reliability, page),
        template=found.template,
        template_label="A citation, filled in from the page",
        address=None,
    )


def _regarded(found: Reliability) -> str:
    """Return how a source is rated, and by whom."""
    return f"{found.note} ({found.named_by})" if found.named_by else found.note


def _present(found: Recommendation, check: ClaimCheck) -> str:
    if found.present is not None:
        return f"{percent(found.present)} by what is cited now"
    if claim_state(check) is ClaimState.NO_CITATION:
        return "nothing is cited now"
    return "what is cited now could not be read"


def _contrary(found: Contrary, check: ClaimCheck, page: PageId) -> FindingView:
    has_own_side = bool(check.verification and check.verification.evidence)
    above = "; what the cited source says is above" if has_own_side else ""
    return FindingView(
        kind=IssueKind.CONTRARY,
        heading="The other side: a source that says otherwise",
        sentence="No source was found that supports the claim, and this one contradicts"
        f" it ({percent(found.probability)}){above}.",
        evidence=evidence_view(found.evidence, found.fetch),
        reliability=_regarded(found.reliability),
        shortcut=found.reliability.shortcut,
        shortcut_href=_discussed(found.reliability, page),
        template=None,
        template_label="",
        address=None,
    )


def _discussed(reliability: Reliability, page: PageId) -> str | None:
    return shortcut_href(page, reliability.shortcut)


_UNANSWERED = frozenset(
    {ModelFailure.OUT_OF_BUDGET, ModelFailure.OUT_OF_REACH, ModelFailure.UNUSABLE}
)
_MOST_OF_A_NAME = 60


def opinion_words(check: ClaimCheck) -> str:
    """Return what a language model contributed to `check`, or nothing."""
    opinion = check.opinion
    if opinion is None:
        return ""
    name = f"the language model {_name(opinion.engine.version)}"
    if opinion.failure in _UNANSWERED:
        return f"Not answered by {name}: {opinion.failure.value}."
    if opinion.failure is not None:
        return f"Asked {name}; its answer does not count: {opinion.failure.value}."
    return f"Asked {name}{_counting(opinion)}."


def consultation_lines(consultation: Consultation) -> Iterator[str]:
    """Yield lines about what asking a language model about a page cost and gave."""
    name = f"Language model {_name(consultation.engine.version)}"
    if not consultation.asked:
        yield f"{name}: not asked, because no source of a claim could be read."
        return
    settled = f"{consultation.counted} of {counted(consultation.asked, 'claim')}"
    yield f"{name}: its answer counts for {settled}; {_took(consultation.use)}."
    if consultation.use.calls:
        yield f"{name}: {_took(consultation.expected)} expected."
    for line in consultation.stopped:
        yield f"{name} stopped: {line}."


def _counting(opinion: Opinion) -> str:
    verdict = (
        opinion.verdict.value if opinion.verdict else "that the source is unusable"
    )
    if opinion.before is None:
        return f", which says {verdict}; the verifier could not judge it"
    if opinion.verdict is opinion.before:
        return f", which agrees with the verifier: {verdict}"
    return f", which says {verdict}; the verifier alone says {opinion.before.value}"


def expectation_line(claims: int, expected: ModelUse) -> str:
    """Say what asking a language model will take, before it is asked."""
    return (
        f"The language model is asked about {counted(claims, 'claim')}: about"
        f" {_took(expected)}."
    )


def _took(use: ModelUse) -> str:
    parts = [
        counted(use.calls, "call"),
        f"{use.input_tokens:,} tokens in",
        f"{use.output_tokens:,} out",
    ]
    if use.remembered:
        parts.insert(1, f"{counted(use.remembered, 'answer')} from the cache")
    if use.cost:
        parts.append(f"cost {use.cost:.4f}")
    return ", ".join(parts)


def _name(version: str) -> str:
    return shortened(version, _MOST_OF_A_NAME)


def flag_words(check: ClaimCheck) -> str:
    """Return how certain it is that the claim of `check` fails, or nothing.

    How certain the engine is of its verdict is not shown: on real citations that share
    is not how often it is right.
    """
    if check.flag is None and not is_doubtful(check):
        return ""
    return f"{certainty_of(check.flag)}."


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source of the claim: how it is cited, and the result of fetching it."""

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
        """Return whether there was text to check against."""
        return self.outcome is SourceOutcome.READ


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim as a reader sees it.

    `before` and `after` are the rest of its sentence. Words are marked where support is
    missing for them; beside a passage that a person compares, those that it lacks.
    `nothing_near` is said instead of evidence where what was read is about something
    else.
    """

    state: ClaimState
    kind: ClaimKind
    place: str  # row and column of a table, parameter of an infobox
    before: str
    words: tuple[Piece, ...]
    after: str
    href: str | None  # to these words in the article
    tags: tuple[Tag, ...]
    sources: tuple[SourceView, ...]
    problems: tuple[str, ...]
    has_verdict: bool
    evidence: tuple[EvidenceView, ...]
    nothing_near: str
    advice: tuple[str, ...]
    is_flagged: bool
    flag: str  # why it is shown to people, or that it is merely doubtful
    opinion: str  # what a language model contributed
    findings: tuple[FindingView, ...]  # what a search and the archive turned up

    @property
    def text(self) -> str:
        """Return only the words of the claim."""
        return "".join(piece.text for piece in self.words)


def claim_view(check: ClaimCheck, page: PageId) -> ClaimView:
    """Return what a reader sees of `check`, a claim of `page`."""
    claim, found = check.claim, check.verification
    before, after = _rest_of_sentence(claim)
    state = claim_state(check)
    evidence = found.evidence if state is ClaimState.SUPPORTED and found else None
    if evidence is None:
        evidence = near(page.title, check)
    is_compared = state is ClaimState.TO_COMPARE
    lacking: tuple[Span, ...] = ()
    besides: tuple[Span, ...] = ()
    if is_compared and evidence:
        lacking, besides = unshared(claim.text, evidence[0].quote)
    elif state in ATTENTION and found:
        lacking = found.unsupported
    return ClaimView(
        state=state,
        kind=claim.kind,
        place=_place(claim),
        before=before,
        words=pieces(claim.text, joined(claim.text, lacking)),
        after=after,
        href=claim_href(claim, page),
        tags=claim.tags,
        sources=_sources(check),
        problems=tuple(one.problem for one in claim.citations if one.problem),
        has_verdict=check.verdict is not None,
        evidence=_evidence(check, evidence, besides if is_compared else None),
        nothing_near=str(nothing_near(chars_read(check)))
        if found and not evidence and not check.advice
        else "",
        advice=advice_for(check),
        is_flagged=check.flag is not None,
        flag=flag_words(check),
        opinion=opinion_words(check),
        findings=tuple(findings_of(check, page)),
    )


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


def _sources(check: ClaimCheck) -> tuple[SourceView, ...]:
    fetches = {fetch.source.copy: fetch for fetch in reversed(check.fetches)}
    # The same copy may be cited twice, and is read once.
    by_key = {fetch.source.key: fetch for fetch in reversed(check.fetches)}
    cited: dict[tuple[str, ...], SourceView] = {}
    for citation in check.claim.citations:
        for source in citation.sources:
            fetch = fetches.pop(source.copy, None) or by_key.get(source.key)
            if source.copy not in cited:
                cited[source.copy] = _source(source, citation, fetch)
    extra = (_source(fetch.source, None, fetch) for fetch in fetches.values())
    return (*cited.values(), *extra)


def _source(
    source: Source, citation: Citation | None, fetch: SourceFetch | None
) -> SourceView:
    href = source_href(source)
    outcome = fetch.outcome if fetch else None
    unread = outcome is not None and outcome is not SourceOutcome.READ
    read_href = safe_href(fetch.url) if fetch else None
    return SourceView(
        key=source.key,
        title=source_title(source, fetch),
        href=href,
        unlinked=None if href else source.url or source.archive_url,
        details=_details(source, citation),
        outcome=outcome,
        detail=fetch.detail if fetch else "",
        provenance=provenance(fetch) if fetch else "",
        read_href=None if read_href == href else read_href,
        advice=str(ADVICE[outcome]) if outcome and unread else None,
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


def _evidence(
    check: ClaimCheck, evidence: Sequence[Evidence], besides: Sequence[Span] | None
) -> tuple[EvidenceView, ...]:
    """Return passages; in the first, `besides` are marked if there is something to compare."""
    fetches = check.copies
    views = [
        evidence_view(one, fetches.get(one.passage.source_key)) for one in evidence
    ]
    if views and besides is not None:
        place = views[0].place
        words = "".join(piece.text for piece in place.quote)
        place = replace(place, quote=pieces(words, besides))
        views[0] = replace(views[0], place=place, mark=Mark.BESIDES)
    return tuple(views)


_WIKI_LANGUAGE = re.compile(r"([a-z]{2,3})\.(?:m\.)?wiki[a-z]+\.org", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """A claim with its place in the file."""

    anchor: str
    view: ClaimView


@dataclass(frozen=True, slots=True)
class ArticleView:
    """One report with everything that is shown of it."""

    anchor: str
    report: PageReport
    summary: Summary
    href: str | None
    language: str | None
    sections: tuple[tuple[tuple[str, ...], tuple[Entry, ...]], ...]
    notes: tuple[tuple[Note, str | None], ...]  # each with the anchor of its claim
    first: dict[ClaimState, str]  # the anchor of the first claim in each state
    obstacles: tuple[tuple[str, int], ...]
    unattached: tuple[tuple[str, tuple[str, ...], str], ...]  # reason, section, raw
    comparison: ComparisonView | None  # with an earlier revision

    @property
    def flagged(self) -> tuple[tuple[Note, str | None], ...]:
        """The notes that are certain enough to be shown unasked."""
        return tuple(one for one in self.notes if one[0].is_flagged)

    @property
    def doubtful(self) -> tuple[tuple[Note, str | None], ...]:
        """The notes that are not."""
        return tuple(
            one
            for one in self.notes
            if not one[0].is_flagged and not one[0].is_question
        )

    @property
    def to_compare(self) -> tuple[tuple[Note, str | None], ...]:
        """What a person has to compare, with what is most likely to fail first."""
        return tuple(one for one in self.notes if one[0].is_question)


def article_views(reports: Sequence[PageReport]) -> tuple[ArticleView, ...]:
    """Return what a reader sees of each report; the anchors are those of one file."""
    return tuple(_article(f"a{number}", one) for number, one in enumerate(reports, 1))


def totals(reports: Sequence[PageReport]) -> dict[ClaimState, int]:
    """Return the number of claims of all reports in every state, zeros included."""
    counts = [report.summary.states for report in reports]
    return {one: sum(each[one] for each in counts) for one in ClaimState}


def _article(anchor: str, report: PageReport) -> ArticleView:
    page, summary, checks = report.page, report.summary, report.in_order
    entries = [
        Entry(f"{anchor}-c{number}", claim_view(check, page.id))
        for number, check in enumerate(checks, 1)
    ]
    sections = groupby(
        zip(checks, entries, strict=True), key=lambda pair: pair[0].claim.section
    )
    language = _WIKI_LANGUAGE.fullmatch(page.id.wiki)
    return ArticleView(
        anchor=anchor,
        report=report,
        summary=summary,
        href=page_href(page.id),
        language=language.group(1) if language else None,
        sections=tuple(
            (path, tuple(entry for _, entry in pairs)) for path, pairs in sections
        ),
        notes=tuple(_notes(report, entries)),
        first={entry.view.state: entry.anchor for entry in reversed(entries)},
        obstacles=_obstacles(summary),
        unattached=_unattached(page),
        comparison=comparison_view(report.comparison) if report.comparison else None,
    )


def _notes(
    report: PageReport, entries: Sequence[Entry]
) -> Iterator[tuple[Note, str | None]]:
    """Yield what needs attention: each note, with the anchor of its claim below."""
    starts = (check.claim.span.start for check in report.in_order)
    anchors = dict(zip(starts, (entry.anchor for entry in entries), strict=True))
    for note in notes_of(report):
        is_about_claim = note.kind in OF_CLAIMS
        yield note, anchors.get(note.place) if is_about_claim else None


def _obstacles(summary: Summary) -> tuple[tuple[str, int], ...]:
    named = {one.value: number for one, number in summary.could_not_check.items()}
    named["citation leads to no source"] = summary.without_source
    named["read, but of no use"] = summary.undecided
    return tuple((name, number) for name, number in named.items() if number)


def _unattached(page: Page) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    return tuple(
        (one.reason.value, section_at(page.sections, one.span.start), one.raw)
        for one in page.unattached
    )


FILTERS: Mapping[str, Callable[..., object]] = {
    "consultation_lines": consultation_lines,
    "counted": counted,
    "duration": duration,
    "moment": moment,
    "page_href": page_href,
    "percent": percent,
    "safe_href": safe_href,
}
"""What templates of every form call by these names."""

NAMES: Mapping[str, object] = {
    "ClaimState": ClaimState,
    "Mark": Mark,
    "MOST_SHOWN": MOST_SHOWN,
    "more": more,
}
"""What they know beside their values."""
