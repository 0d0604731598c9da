"""What a review found, as all forms of its report show it."""

from dataclasses import dataclass
from itertools import pairwise

from bot.report.links import page_href
from handlers.model import Criterion, Finding, FindingKind, Review, Span
from handlers.review.criteria import BY_ID, not_among
from handlers.review.guidelines import address_of
from handlers.review.reviewing import BAR
from handlers.review.suggestions import OF_SIZE

_OF_PAGE = frozenset(
    {FindingKind.CITATION_DENSITY, FindingKind.ONE_SIDED, FindingKind.RECENTISM}
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a quote; `is_marked` where it is at fault."""

    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with what it points to.

    `place` is the way to its section. What is said of the whole article shows no words
    of it: `pieces` is empty then.
    """

    number: int
    finding: Finding
    pieces: tuple[Piece, ...]
    guideline_href: str
    place: tuple[str, ...]
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one kind, in the order of the page."""

    kind: FindingKind
    findings: tuple[FindingView, ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All of a review that is shown. `hidden` counts what is below the bar.

    `unjudged` are the criteria that nobody looked at.
    """

    review: Review
    findings: tuple[FindingView, ...]
    hidden: int
    unjudged: tuple[Criterion, ...]

    @property
    def href(self) -> str | None:
        """Where the article is, in the revision that was read."""
        return page_href(self.review.page.id)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return the findings by kind; kinds come as the page first shows them."""
        kinds: dict[FindingKind, list[FindingView]] = {}
        for one in self.findings:
            kinds.setdefault(one.finding.kind, []).append(one)
        return tuple(Group(kind, tuple(found)) for kind, found in kinds.items())


def review_view(review: Review, *, shows_all: bool = False) -> ReviewView:
    """Return what a report shows of `review`.

    Args:
        review: what was found.
        shows_all: whether findings below the bar are shown, too.
    """
    shown = [one for one in review.findings if shows_all or one.confidence >= BAR]
    kinds = list(dict.fromkeys(one.kind for one in shown))
    shown.sort(key=lambda one: kinds.index(one.kind))  # else as on the page
    return ReviewView(
        review,
        tuple(_view(number, one) for number, one in enumerate(shown, 1)),
        len(review.findings) - len(shown),
        not_among(review.judged),
    )


def _view(number: int, finding: Finding) -> FindingView:
    of_page = _is_of_page(finding)
    return FindingView(
        number,
        finding,
        () if of_page else _pieces(finding.quote, finding.marked),
        address_of(finding.guideline),
        ("Whole article",) if of_page else finding.section or ("Lead",),
        tuple(BY_ID[one] for one in finding.criteria if one in BY_ID),
    )


def _is_of_page(finding: Finding) -> bool:
    is_size = not finding.section and finding.guideline == OF_SIZE
    return finding.kind in _OF_PAGE or is_size


def _pieces(text: str, marked: tuple[Span, ...]) -> tuple[Piece, ...]:
    cuts = [0, *(at for one in marked for at in (one.start, one.end)), len(text)]
    found = [
        Piece(text[start:end], is_marked=bool(number % 2))
        for number, (start, end) in enumerate(pairwise(cuts))
    ]
    return tuple(one for one in found if one.text)
