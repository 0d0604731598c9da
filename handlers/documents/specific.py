"""How much that is specific and new to an article a sentence of a page says. Pure.

What an editor looks for is a day, a number or a name that the article lacks, early on
the page and in its author's own words. Likeness to the article finds the opposite: the
sentences that announce the subject.
"""

import re
from calendar import day_name, month_name
from collections.abc import Iterable

from handlers.documents.prose import Sentence
from handlers.text.dates import dates
from handlers.text.words import Word, content_stems, words

# Set by reading what came out on the fitted half of WikiGenBench's dev events.
_OF_NAME, _MOST_NAMES = 1.0, 3
_OF_NUMBER, _MOST_NUMBERS = 1.0, 2
_OF_DAY = 1.5
_LEAST_TOLD, _LEAST = 1.5, 2.2  # by itself, and with its place and its form
_OF_TITLE = 1.5  # for a sentence with the whole title, which can be read by itself
_LATER, _LATEST = 0.08, 25  # for each sentence before it, and the most that count
_OF_QUOTE = 2.0
_OF_CALENDARS = frozenset(one.stem for one in words(" ".join((*month_name, *day_name))))
_QUOTE = re.compile(r"[“\"«„][^”\"»]{12,}")


class Known:
    """What an article names; made once for many pages."""

    def __init__(self, titles: Iterable[str], article: str) -> None:
        """Take the names of the subject, and the article's plain text."""
        found = words(article)
        self._stems = frozenset(one.stem for one in found)
        self._names = (
            frozenset(
                one.stem for one in found if one.is_capitalised and one.is_content
            )
            - _OF_CALENDARS
        )
        self._days = {(one.month, one.day) for one in dates(found) if one.day}
        self._titles = [stems for one in titles if (stems := content_stems(words(one)))]

    def tells(self, text: str) -> float:
        """Return how much a sentence says that the article lacks.

        0 if that is little, or if it names nothing that the article names, too.
        """
        found = words(text)
        if not any(self._is_shared(one) for one in found[1:]):
            return 0.0
        new = [one for one in found[1:] if self._is_new(one)]
        names = {one.stem for one in new if one.is_capitalised}
        numbers = {one.stem for one in new if one.is_number}
        has_day = any(
            one.day and one.month and (one.month, one.day) not in self._days
            for one in dates(found)
        )
        told = (
            _OF_NAME * min(len(names), _MOST_NAMES)
            + _OF_NUMBER * min(len(numbers), _MOST_NUMBERS)
            + _OF_DAY * has_day
        )
        return told if told >= _LEAST_TOLD else 0.0

    def best(self, found: Iterable[Sentence]) -> list[tuple[float, Sentence]]:
        """Return the sentences of a page that tell something, the best first."""
        scored = [
            (told + self._around(one.text, at), one)
            for at, one in enumerate(found)
            if (told := self.tells(one.text))
        ]
        enough = (each for each in scored if each[0] >= _LEAST)
        return sorted(enough, key=lambda each: -each[0])

    def _around(self, text: str, at: int) -> float:
        """Return what the place and the form of a sentence add to what it tells."""
        stems = content_stems(words(text))
        share = max((len(one & stems) / len(one) for one in self._titles), default=0.0)
        late, is_quoted = min(at, _LATEST), _QUOTE.search(text) is not None
        return _OF_TITLE * share - _LATER * late - _OF_QUOTE * is_quoted

    def _is_shared(self, one: Word) -> bool:
        is_name = one.is_capitalised and one.stem in self._names
        return is_name or any(one.stem in stems for stems in self._titles)

    def _is_new(self, one: Word) -> bool:
        return one.is_content and one.stem not in self._stems
