"""A page to what a program can find in its writing, without any model. Pure.

Each check stands in a module of its own under `checks`; here they are put together.
"""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from handlers.model import Finding, Page, Review
from handlers.review.checks.watching import words_to_watch
from handlers.review.manuscript.paragraphs import Manuscript, manuscript_of

BAR = 0.5  # a finding that is less sure is shown only to those who ask for all
_CHECKS: tuple[Callable[[Manuscript], Iterable[Finding]], ...] = (words_to_watch,)
# What a program looks at, if only in part; the other criteria need a model or a person.
JUDGED = frozenset(
    {
        *(f"ww_wtw_{number}" for number in range(1, 12)),
        "ww_cc_1",
        "n_2",
        "n_5",
    }
)
_MOST = 2_000  # findings of one page


def review(page: Page) -> Review:
    """Return all that a program finds in the writing of `page`, in its order.

    Those below `BAR` are among them. Redirects and disambiguation pages are not written
    in sentences and have none. Takes time linear in the length of the page.
    """
    if page.redirect_to or page.is_disambiguation:
        return Review(page, (), frozenset())
    found = sorted(_found(manuscript_of(page)), key=attrgetter("span.start"))
    return Review(page, tuple(found[:_MOST]), JUDGED)


def _found(manuscript: Manuscript) -> Iterator[Finding]:
    for check in _CHECKS:
        yield from check(manuscript)
