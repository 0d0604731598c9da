"""A review: each finding with its place, its guideline and a way to fix it. Pure."""

from dataclasses import dataclass
from itertools import count

from bot.report.claims import page_href
from bot.report.to_html import templates
from bot.report.to_json import Json, json_document
from bot.report.to_text import laid_out, texts
from handlers.citations.quote_links import Piece, pieces
from handlers.model import Criterion, Review, WritingIssue
from handlers.review.criteria import BY_ID, address_of, not_among
from handlers.review.review import severity_of, without_duplicates


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
    def starred(self) -> str:
        """The quote as text, with what is wrong between stars."""
        return "".join(
            f"*{one.text}*" if one.marked else one.text for one in self.pieces
        )

    @property
    def in_short(self) -> str:
        """The words at fault, or else what it says of its place, and where that is."""
        if self.finding.is_of_page:
            return self.finding.message
        marked = ", ".join(f"“{one.text}”" for one in self.pieces if one.marked)
        return f"{marked} ({self.place[-1]})" if marked else self.place[-1]


@dataclass(frozen=True, slots=True)
class Rule:
    """The findings of one rule, in the order of the page."""

    findings: tuple[FindingView, ...]

    @property
    def first(self) -> WritingIssue:
        """Return the first finding, which speaks for all of them."""
        return self.findings[0].finding


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All that is shown of a review; `unjudged` are the criteria that nobody checked."""

    review: Review
    rules: tuple[Rule, ...]
    unjudged: tuple[Criterion, ...]

    @property
    def findings(self) -> tuple[FindingView, ...]:
        """Return the findings of all rules, in their order."""
        return tuple(each for one in self.rules for each in one.findings)

    @property
    def href(self) -> str | None:
        """A link to the article, in the revision that was read."""
        return page_href(self.review.page.id)

    @property
    def not_checked(self) -> str:
        """Return in words what was not checked, or only in part."""
        judged = {BY_ID[one].group for one in self.review.judged if one in BY_ID}
        groups = dict.fromkeys(one.group for one in self.unjudged)
        none = ", ".join(one for one in groups if one not in judged)
        part = ", ".join(one for one in groups if one in judged)
        return "; only in part: ".join(one for one in (none, part) if one)


def review_view(review: Review) -> ReviewView:
    """Return what a report shows of `review`, the most serious rule first."""
    by_rule: dict[tuple[str, ...], list[WritingIssue]] = {}
    for one in without_duplicates(review.findings):
        key = (one.kind.name, one.guideline, one.advice)
        by_rule.setdefault(key, []).append(one)
    ordered = sorted(
        by_rule.values(),
        key=lambda its: (-severity_of(its[0]), -max(one.confidence for one in its)),
    )
    numbers = count(1)
    rules = (Rule(tuple(_view(next(numbers), one) for one in its)) for its in ordered)
    return ReviewView(review, tuple(rules), not_among(review.judged))


def _view(number: int, issue: WritingIssue) -> FindingView:
    of_page = issue.is_of_page
    return FindingView(
        number,
        issue,
        () if of_page else pieces(issue.quote, issue.marked),
        address_of(issue.guideline),
        ("Whole article",) if of_page else issue.section or ("Lead",),
        tuple(BY_ID[one] for one in issue.criteria if one in BY_ID),
    )


def render_html(view: ReviewView) -> str:
    """Return one self-contained page with all findings, by kind."""
    return (
        templates()
        .get_template("review.html")
        .render(view=view, review=view.review, page=view.review.page.id)
    )


SCHEMA_VERSION = "2.0"


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


_FIRST = 3  # places of a rule in a terminal; the other forms list all


def render_text(view: ReviewView, *, width: int = 100, shows_all: bool = False) -> str:
    """Return the review as text that is safe to show in a terminal.

    It has a line for each rule with its first places; with `shows_all`, every place.
    """
    template = texts().get_template("review.txt")
    filled = template.render(view=view, first=_FIRST, shows_all=shows_all)
    return laid_out(filled, width=width)
