"""Whether a page is about the subject of an article, by its words alone. Pure.

Titles of articles on events are descriptions, and headlines rarely repeat them. So the
rare words of the title count more than the common ones, and where few of them are found
the names that the article uses most speak for the page.
"""

from collections import Counter
from collections.abc import Iterable

from handlers.model import SourceText
from handlers.text.analysis import names
from handlers.text.words import Rarity, content_stems, words

_HEAD_CHARS = 6_000
# Fitted on half of the events of WikiGenBench (dev), so that few pages of other events
# pass that have much of the title; `sidenote evaluate pages` measures the other half.
_MUCH, _SOME = 0.6, 0.3  # of a title's words, weighed
_MOST_NAMES, _FEWEST_NAMES = 25, 3


class PageGate:
    """Tells pages about one subject from others; made once for an article."""

    def __init__(self, titles: Iterable[str], article: str, rarity: Rarity) -> None:
        """Take the names of the subject, and the article's plain text."""
        weighed = (
            {stem: rarity(stem) for stem in content_stems(words(title))}
            for title in titles
        )
        self._titles = [one for one in weighed if one]
        counted = Counter(
            frozenset(one.stems) for one in names(words(article), article)
        )
        self._names = [one for one, _ in counted.most_common(_MOST_NAMES)]

    def admits(self, head: frozenset[str]) -> bool:
        """Return whether a page with these words in its `head_of` is on the subject."""
        shares = (
            sum(weight for stem, weight in title.items() if stem in head)
            / sum(title.values())
            for title in self._titles
        )
        share = max(shares, default=0.0)
        if share < _SOME:
            return False
        return share >= _MUCH or (
            sum(name <= head for name in self._names) >= _FEWEST_NAMES
        )


def head_of(document: SourceText) -> frozenset[str]:
    """Return the stems of a page's headline and of the beginning of its text."""
    title = document.title or document.imprint.title or ""
    return content_stems(words(f"{title}. {document.text[:_HEAD_CHARS]}"))
