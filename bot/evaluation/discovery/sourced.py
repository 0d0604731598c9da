"""Which sentences of an article a page of its event speaks of.

WiNELL counts only people's edits that bring a source (§4.1), for what nobody has written
about cannot be found. WikiGenBench does not say where a sentence comes from, so words
decide, and no model: a sentence *has a source* if 60 % of its content words (at least
four, the title's left out), all of its numbers among them, stand within 60 words of a
page. A page that repeats the sentence word for word is a copy of the article, or quoted
in full, and is no source (`copies`); nor is a page on a site that the wiki does not
accept as one.

The rule favours sentences that keep the words of their source, which are easier to find.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from bot.evaluation.discovery.copies import is_copy
from bot.evaluation.events import FoundPage
from handlers.citations.cues.words import Word, content_stems, words

_SHARE = 0.6  # of the content words
_FEWEST = 4
_WINDOW = 60  # words
_LONGEST_CHARS = 60_000  # of a page


Accepts: TypeAlias = Callable[[str], bool]  # an address of a page, as a source


class Sources:
    """The pages of one event, searched for what its article says."""

    def __init__(
        self, pages: Sequence[FoundPage], title: str, accepts: Accepts
    ) -> None:
        """Take the pages in once; the words of `title` tell nothing."""
        self._pages = [
            (page.text, [word.stem for word in words(page.text[:_LONGEST_CHARS])])
            for page in pages
            if accepts(page.address)
        ]
        self._known = content_stems(words(title))

    def speak_of(self, sentence: str, said: Sequence[Word]) -> bool:
        """Tell whether a page holds what a sentence says; `said` are its words."""
        stems = content_stems(said) - self._known
        numbers = {word.stem for word in said if word.is_number} & stems
        needed = max(_FEWEST, _SHARE * len(stems))
        return any(
            _most_together(page, stems, numbers) >= needed
            and not is_copy(text, [sentence])
            for text, page in self._pages
        )


def _most_together(
    page: Sequence[str], stems: frozenset[str], numbers: set[str]
) -> int:
    """Return how many of the stems stand close together; 0 without all the numbers."""
    places = [(at, stem) for at, stem in enumerate(page) if stem in stems]
    inside: Counter[str] = Counter()
    most = first = 0
    for at, stem in places:
        inside[stem] += 1
        while at - places[first][0] > _WINDOW:
            gone = places[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            first += 1
        if numbers <= inside.keys():
            most = max(most, len(inside))
    return most
