"""What a reader sees of one checked page, for every form that is laid out. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.report.claims import ClaimView, claim_view
from bot.report.links import page_href, section_at
from bot.report.notes import Note, notes_of
from bot.report.page_report import ClaimState, PageReport, Summary
from handlers.model import Page
from handlers.registry import OF_CITATIONS

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

    @property
    def flagged(self) -> tuple[tuple[Note, str | None], ...]:
        """The notes that are certain enough to be shown unasked."""
        return tuple(one for one in self.notes if one[0].is_flagged)

    @property
    def doubtful(self) -> tuple[tuple[Note, str | None], ...]:
        """The notes that are not."""
        return tuple(one for one in self.notes if not one[0].is_flagged)


def article_views(reports: Sequence[PageReport]) -> tuple[ArticleView, ...]:
    """Return what a reader sees of each report; the anchors are those of one file."""
    return tuple(_article(f"a{number}", one) for number, one in enumerate(reports, 1))


def totals(reports: Sequence[PageReport]) -> dict[ClaimState, int]:
    """Return the number of claims of all reports in every state, zeros included."""
    counts = [report.summary.standings for report in reports]
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
        first={entry.view.standing: entry.anchor for entry in reversed(entries)},
        obstacles=_obstacles(summary),
        unattached=_unattached(page),
    )


def _notes(
    report: PageReport, entries: Sequence[Entry]
) -> Iterator[tuple[Note, str | None]]:
    """Yield what needs attention: each note, with the anchor of its claim below."""
    starts = (check.claim.span.start for check in report.in_order)
    anchors = dict(zip(starts, (entry.anchor for entry in entries), strict=True))
    for note in notes_of(report):
        is_about_claim = note.kind in OF_CITATIONS
        yield note, anchors.get(note.place) if is_about_claim else None


def _obstacles(summary: Summary) -> tuple[tuple[str, int], ...]:
    named = {one.value: number for one, number in summary.could_not_check.items()}
    named["citation leads to no source"] = summary.without_source
    named["read, but no verdict"] = summary.undecided
    return tuple((name, number) for name, number in named.items() if number)


def _unattached(page: Page) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    return tuple(
        (one.reason.value, section_at(page.sections, one.span.start), one.raw)
        for one in page.unattached
    )
