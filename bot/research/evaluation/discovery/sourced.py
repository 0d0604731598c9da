"""Which sentences of an article a page of its event speaks of.

WiNELL counts only people's edits that bring a source (§4.1), for what nobody has written
about cannot be found. WikiGenBench does not say where a sentence comes from, so words
decide, and no model: a sentence *has a source* if half of its content words (at least
four, the title's left out), all of its numbers among them, stand in one sentence of a
page or in two neighbours; tables and menus are no sentences. A page that repeats the sentence word for word is a copy of the article, or quoted
in full, and is no source (`copies`); nor is a page on a site that the wiki does not
accept as one.

The rule favours sentences that keep the words of their source, which are easier to find.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from bot.research.evaluation.discovery.copies import is_copy
from bot.research.evaluation.events import FoundPage
from handlers.citations.cues.words import Word, content_stems, words
from handlers.page.sentences import split

_SHARE = 0.5  # of the content words
_FEWEST = 4
_FEWEST_WORDS, _MOST_WORDS = 5, 80  # of a sentence that is no line of a list or menu
_ENDS = '.!?"”’)'
_LONGEST_CHARS = 60_000  # of a page


Accepts: TypeAlias = Callable[[str], bool]  # an address of a page, as a source


class Sources:
    """The pages of one event, searched for what its article says."""

    def __init__(
        self, pages: Sequence[FoundPage], title: str, accepts: Accepts
    ) -> None:
        """Take the pages in once; the words of `title` tell nothing."""
        self._pages = [
            (page.text, tuple(_places(page.text)))
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
            any(numbers <= place and len(stems & place) >= needed for place in places)
            and not is_copy(text, [sentence])
            for text, places in self._pages
        )


def prose_of(text: str) -> list[str]:
    """Return the sentences of a page; where tables and lists stand, an empty one."""
    found = [place.of(text) for place in split(text[:_LONGEST_CHARS])]
    return [
        one
        if one[-1] in _ENDS and _FEWEST_WORDS <= len(one.split()) <= _MOST_WORDS
        else ""
        for one in found
    ]


def _places(text: str) -> Iterator[frozenset[str]]:
    """Yield what each sentence and its neighbour say."""
    said = [content_stems(words(one)) for one in prose_of(text)]
    for at, stems in enumerate(said):
        if stems:
            yield stems | (said[at + 1] if at + 1 < len(said) else frozenset())
