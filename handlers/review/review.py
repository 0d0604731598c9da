"""Finds what a program can find in a page's writing, without any model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from operator import attrgetter
from types import MappingProxyType

from handlers.citations.flags import language_of
from handlers.documents.language import language_of_text
from handlers.model import IssueKind, Page, Review, WritingIssue
from handlers.review.manuscript import Manuscript, manuscript_of
from handlers.review.rules import WATCHES
from handlers.review.shape import headings, lead_length, sizes
from handlers.review.sources import (
    close_paraphrase,
    empty_citations,
    one_sided,
    unsourced,
)
from handlers.review.voice import words_to_watch

# The criteria that a program checks, if only in part; the others need a model or a
# person.
_JUDGED_ANYWHERE = frozenset({"ww_ls_1", "bc_5", "bc_7", "n_7"})
JUDGED = (
    _JUDGED_ANYWHERE
    | {"ww_ls_4", "ww_ls_5"}
    | {each for one in WATCHES for each in one.criteria}
)
_MOST = 2_000  # findings of one page: the most certain ones, wherever they are


def review(
    page: Page,
    sources: Mapping[str, str] | None = None,
    *,
    today: date | None = None,
    footnotes_lost: bool = False,
) -> Review:
    """Return all that a program finds in the writing of `page`, in page order.

    Redirects and disambiguation pages have none,
    because they are not written in sentences. Of pages that are not in English only
    sizes, the lead's length and the spread of sources are checked. Takes time linear in
    the length of the page.

    Args:
        page: an article or a draft.
        sources: the texts of cited sources by key, as far as they were read; the
            article's words are searched for in them.
        today: without it no forecast is known to be over.
        footnotes_lost: the text came without the footnotes that the article may have.
            Then nothing is said about missing ones, and every statement is assumed to
            have a source.
    """
    if page.redirect_to or page.is_disambiguation:
        return Review(page, (), frozenset())
    manuscript = manuscript_of(page, footnotes_lost=footnotes_lost)
    english = is_english(manuscript)
    found = [
        *lead_length(manuscript),
        *sizes(manuscript),
        *one_sided(manuscript),
        *empty_citations(manuscript),
    ]
    if english:
        found += words_to_watch(manuscript, today)
        found += unsourced(manuscript)
        found += headings(manuscript)
    found += close_paraphrase(manuscript, sources) if sources else ()
    found = sorted(found, key=attrgetter("confidence"), reverse=True)[:_MOST]
    found.sort(key=attrgetter("span.start", "span.end"))
    return Review(
        page,
        tuple(found),
        JUDGED if english else _JUDGED_ANYWHERE,
        tuple(_troubles(english=english, footnotes_lost=footnotes_lost)),
    )


# How badly a fault misleads readers, or puts the writer at risk: copied words are
# worst, then claims without a source, and style is least. What Good Articles have as
# often as generated ones (editorializing, loaded words for "said", weasel words,
# relative time; `sidenote evaluate review`, 437 pairs) counts least.
_SEVERITY: Mapping[IssueKind, int] = MappingProxyType(
    {
        IssueKind.CLOSE_PARAPHRASE: 4,
        IssueKind.EMPTY_CITATION: 3,
        IssueKind.UNSOURCED: 3,
        IssueKind.CITATION_DENSITY: 3,
        IssueKind.ONE_SIDED: 3,
        IssueKind.LABEL: 3,
        IssueKind.PAST_FORECAST: 3,
        IssueKind.DOUBT: 2,
        IssueKind.ESSAY: 2,
        IssueKind.PUFFERY: 2,
        IssueKind.MODEL: 2,
    }
)
_LEAST_SEVERE = 1


def severity_of(finding: WritingIssue) -> int:
    """Return how serious a finding is, 1 to 4; reports show the most serious first."""
    return _SEVERITY.get(finding.kind, _LEAST_SEVERE)


def without_duplicates(findings: Sequence[WritingIssue]) -> tuple[WritingIssue, ...]:
    """Return findings without duplicates of one kind about the same words.

    The most certain one is kept, with the criteria of all, in the place of the first.
    """
    distinct: dict[tuple[IssueKind, str, str, tuple[str, ...]], WritingIssue] = {}
    for one in findings:
        where = one.section if not one.marked else ()
        key = (one.kind, one.quote, one.message, where)
        other = distinct.get(key)
        if other is None:
            distinct[key] = one
            continue
        criteria = tuple(dict.fromkeys((*other.criteria, *one.criteria)))
        surest = max(other, one, key=lambda each: each.confidence)
        distinct[key] = replace(surest, span=other.span, criteria=criteria)
    return tuple(distinct.values())


def _troubles(*, english: bool, footnotes_lost: bool) -> Iterator[str]:
    if not english:
        yield "The wording of a page is reviewed only in English."
    if footnotes_lost:
        yield (
            "The text has no footnotes: whether its statements have sources was not"
            " checked."
        )


_SAMPLE_CHARS = 6_000


def is_english(manuscript: Manuscript) -> bool:
    """Return whether a page seems to be in English, by its words or else its wiki."""
    text = "\n".join(one.prose.text for one in manuscript.paragraphs)[:_SAMPLE_CHARS]
    language = language_of_text(text) or language_of(manuscript.page.id.wiki)
    return language in (None, "", "en", "simple")
