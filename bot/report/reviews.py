"""A review: each finding with its place, its guideline and a way to fix it. Pure."""

from dataclasses import dataclass

from bot.report.claims import page_href
from bot.report.to_html import templates
from bot.report.to_json import Json, json_document
from bot.report.to_text import laid_out, texts
from handlers.citations.quote_links import Piece, pieces
from handlers.model import Criterion, IssueKind, Review, WritingIssue
from handlers.review.criteria import BY_ID, address_of, not_among
from handlers.review.review import BAR, severity_of, without_duplicates
from handlers.review.suggestions import OF_SIZE

_OF_PAGE = frozenset(
    {IssueKind.CITATION_DENSITY, IssueKind.ONE_SIDED, IssueKind.RECENTISM}
)


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with what it points to.

    `place` is the path of its section. A finding about the whole article quotes none of
    its words: `pieces` is empty then.
    """

    number: int
    finding: WritingIssue
    pieces: tuple[Piece, ...]
    guideline_href: str
    place: tuple[str, ...]
    criteria: tuple[Criterion, ...]

    @property
    def bracketed(self) -> str:
        """The quote as text, with what is wrong in brackets."""
        return "".join(
            f"[[{one.text}]]" if one.marked else one.text for one in self.pieces
        )


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one kind, the most certain first."""

    kind: IssueKind
    findings: tuple[FindingView, ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All that is shown of a review. `hidden` counts what is below the threshold.

    `unjudged` are the criteria that nobody checked.
    """

    review: Review
    findings: tuple[FindingView, ...]
    hidden: int
    unjudged: tuple[Criterion, ...]

    @property
    def href(self) -> str | None:
        """A link to the article, in the revision that was read."""
        return page_href(self.review.page.id)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return the findings by kind, the most serious first."""
        kinds: dict[IssueKind, list[FindingView]] = {}
        for one in self.findings:
            kinds.setdefault(one.finding.kind, []).append(one)
        return tuple(Group(kind, tuple(found)) for kind, found in kinds.items())


def review_view(review: Review, *, shows_all: bool = False) -> ReviewView:
    """Return what a report shows of `review`.

    Args:
        review: what was found.
        shows_all: whether to show findings below the threshold, too.
    """
    findings = without_duplicates(review.findings)
    shown = [one for one in findings if shows_all or one.confidence >= BAR]
    shown.sort(
        key=lambda one: (-severity_of(one), -one.confidence)
    )  # otherwise in the order of the page
    gravest: dict[IssueKind, int] = {}
    for at, one in enumerate(shown):
        gravest.setdefault(one.kind, at)
    shown.sort(key=lambda one: gravest[one.kind])
    return ReviewView(
        review,
        tuple(_view(number, one) for number, one in enumerate(shown, 1)),
        len(findings) - len(shown),
        not_among(review.judged),
    )


def _view(number: int, issue: WritingIssue) -> FindingView:
    of_page = _is_of_page(issue)
    return FindingView(
        number,
        issue,
        () if of_page else pieces(issue.quote, issue.marked),
        address_of(issue.guideline),
        ("Whole article",) if of_page else issue.section or ("Lead",),
        tuple(BY_ID[one] for one in issue.criteria if one in BY_ID),
    )


def _is_of_page(issue: WritingIssue) -> bool:
    is_size = not issue.section and issue.guideline == OF_SIZE
    return issue.kind in _OF_PAGE or is_size


def render_html(view: ReviewView) -> str:
    """Return one self-contained page with all findings, by kind."""
    return (
        templates()
        .get_template("review.html")
        .render(view=view, review=view.review, page=view.review.page.id)
    )


SCHEMA_VERSION = "1.0"


def render_json(view: ReviewView) -> str:
    """Return one JSON document. Every field is there, `null` if it says nothing."""
    review = view.review
    page = review.page.id
    document = {
        "schema_version": SCHEMA_VERSION,
        "page": {
            "wiki": page.wiki,
            "title": page.title,
            "revision_id": page.revision_id,
            "href": view.href,
        },
        "findings": [_finding(one) for one in view.findings],
        "hidden": view.hidden,
        "judged": sorted(review.judged),
        "not_judged": view.unjudged,
        "troubles": review.troubles,
        "model": review.use,
    }
    return json_document(document)


def _finding(one: FindingView) -> Json:
    found = one.finding
    return {
        "number": one.number,
        "kind": found.kind.name.lower(),
        "criteria": found.criteria,
        "section": found.section,
        "start": found.span.start,
        "end": found.span.end,
        "quote": found.quote,
        "marked": found.marked,
        "message": found.message,
        "advice": found.advice,
        "guideline": found.guideline,
        "guideline_href": one.guideline_href,
        "confidence": round(found.confidence, 4),
        "source": found.source_key,
        "source_quote": found.source_quote or None,
        "engine": found.engine,
    }


_MOST_OF_A_KIND = 12  # in a terminal; the other forms list all


def render_text(view: ReviewView, *, width: int = 100, shows_all: bool = False) -> str:
    """Return the review as text that is safe to show in a terminal.

    It lists the first dozen findings of each kind; with `shows_all`, all of them.
    """
    most = None if shows_all else _MOST_OF_A_KIND
    filled = texts().get_template("review.txt").render(view=view, most=most)
    return laid_out(filled, width=width)
