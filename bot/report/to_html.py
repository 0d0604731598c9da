"""Renders reports as one self-contained HTML file.

No scripts, no requests: filters are radio buttons and style rules. Everything from a
page or a source goes through Jinja's autoescaping, and every address through
`safe_href`. The templates of all other reports are created here, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bot.report.claims import ClaimView, claim_view, consultation_lines
from bot.report.links import page_href, section_at
from bot.report.notes import MOST_SHOWN, Note, more, notes_of
from bot.report.page_report import ClaimState, PageReport, Summary
from bot.report.words import (
    MEANINGS,
    clean,
    counted,
    duration,
    moment,
    percent,
    shortened,
)
from handlers.citations.quote_links import safe_href
from handlers.model import PageId, SourceOutcome
from handlers.registry import OF_CITATIONS

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.ASCII | re.IGNORECASE)


@cache
def templates(*packages: str) -> Environment:
    """Return the templates; all values put into them are escaped and cleaned.

    Templates of `packages`, by name, take precedence over those of the reports.
    Compiling a template takes longer than filling it in for a page, so each is compiled
    once.
    """
    loaders = [PackageLoader(package) for package in (*packages, "bot.report")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_clean,
    )
    environment.filters.update(
        counted=counted,
        duration=duration,
        language=_language,
        moment=moment,
        percent=percent,
        safe_href=safe_href,
        shortened=shortened,
        slug=_slug,
        consultation_lines=consultation_lines,
    )
    environment.globals.update(
        MEANINGS=MEANINGS,
        MOST_SHOWN=MOST_SHOWN,
        more=more,
        Outcome=SourceOutcome,
        ClaimState=ClaimState,
    )
    return environment


def _clean(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value)
    return value


def _slug(standing: ClaimState) -> str:
    return standing.value.replace(" ", "-")


def _language(tag: str | None) -> str | None:
    """Return `tag` if it has the form of a language tag."""
    return tag if tag and _LANGUAGE.fullmatch(tag) else None


_WIKI_LANGUAGE = re.compile(r"([a-z]{2,3})\.(?:m\.)?wiki[a-z]+\.org", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A claim with its place in the file."""

    anchor: str
    view: ClaimView


@dataclass(frozen=True, slots=True)
class _Article:
    """One report with everything that its part of the file shows."""

    anchor: str
    report: PageReport
    summary: Summary
    href: str | None
    language: str | None
    sections: tuple[tuple[tuple[str, ...], tuple[_Entry, ...]], ...]
    notes: tuple[tuple[Note, str | None], ...]  # each with the anchor of its claim
    first: dict[ClaimState, str]  # the anchor of the first claim in each state
    obstacles: tuple[tuple[str, int], ...]
    unattached: tuple[tuple[str, tuple[str, ...], str], ...]  # reason, section, raw

    @property
    def flagged(self) -> int:
        """How many notes are certain enough to be shown unasked."""
        return sum(note.is_flagged for note, _ in self.notes)

    @property
    def doubtful(self) -> int:
        """How many are not."""
        return len(self.notes) - self.flagged


def render_html(reports: Sequence[PageReport]) -> str:
    """Return one self-contained HTML document that shows all of `reports`."""
    articles = [_article(f"a{number}", one) for number, one in enumerate(reports, 1)]
    totals = {
        standing: sum(one.summary.standings[standing] for one in articles)
        for standing in ClaimState
    }
    return (
        templates().get_template("report.html").render(articles=articles, totals=totals)
    )


def _article(anchor: str, report: PageReport) -> _Article:
    page, summary = report.page, report.summary
    entries = [
        _Entry(f"{anchor}-c{number}", claim_view(check, page.id))
        for number, check in enumerate(report.in_order, 1)
    ]
    sections = groupby(
        zip(report.in_order, entries, strict=True),
        key=lambda pair: pair[0].claim.section,
    )
    return _Article(
        anchor=anchor,
        report=report,
        summary=summary,
        href=page_href(page.id),
        language=_wiki_language(page.id),
        sections=tuple(
            (path, tuple(entry for _, entry in pairs)) for path, pairs in sections
        ),
        notes=tuple(_notes(report, entries)),
        first=_firsts(entries),
        obstacles=_obstacles(summary),
        unattached=tuple(
            (one.reason.value, section_at(page.sections, one.span.start), one.raw)
            for one in page.unattached
        ),
    )


def _wiki_language(page: PageId) -> str | None:
    found = _WIKI_LANGUAGE.fullmatch(page.wiki)
    return found.group(1) if found else None


def _notes(
    report: PageReport, entries: Sequence[_Entry]
) -> Iterator[tuple[Note, str | None]]:
    """Yield what needs attention: each note, with the anchor of its claim below."""
    starts = (check.claim.span.start for check in report.in_order)
    anchors = dict(zip(starts, (entry.anchor for entry in entries), strict=True))
    for note in notes_of(report):
        is_about_claim = note.kind in OF_CITATIONS
        yield note, anchors.get(note.place) if is_about_claim else None


def _firsts(entries: Sequence[_Entry]) -> dict[ClaimState, str]:
    return {entry.view.standing: entry.anchor for entry in reversed(entries)}


def _obstacles(summary: Summary) -> tuple[tuple[str, int], ...]:
    named = {one.value: number for one, number in summary.could_not_check.items()}
    named["citation leads to no source"] = summary.without_source
    named["read, but no verdict"] = summary.undecided
    return tuple((name, number) for name, number in named.items() if number)
