"""Cuts sentences that are too long to be read or compared into windows of words.

The text of a table or of a list of figures comes without full stops: a hundred
words that speak of a dozen things. A window of it holds about as much as a sentence
does. Pure.
"""

import re
from collections.abc import Iterator

from handlers.model import Span
from handlers.page.sentences import split

LONGEST_SENTENCE = 45  # words; three in a hundred sentences of prose are longer
_WORDS = 30
_STEP = 10
_WORD = re.compile(r"\S+")


def windows(text: str) -> Iterator[Span]:
    """Yield the sentences of `text`, overlapping windows in place of a long one."""
    for sentence in split(text):
        found = list(_WORD.finditer(text, sentence.start, sentence.end))
        if len(found) <= LONGEST_SENTENCE:
            yield sentence
            continue
        for first in range(0, len(found) - _WORDS + _STEP, _STEP):
            members = found[first : first + _WORDS]
            yield Span(members[0].start(), members[-1].end())
