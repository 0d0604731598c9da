"""Pages that have a hidden sentence word for word, or nearly: copies of the article.

Mirrors and compilers of Wikipedia are among what a search engine returns. A run that
reads them finds what was hidden without any discovery, so what they give is told apart.
A page counts as a copy if it shares ten words in a row with a hidden sentence, words in
quotation marks left out, for article and page may well quote the same speech.
"""

import re
from collections.abc import Iterator, Sequence

RUN = 10  # words
_QUOTED = re.compile(r"[“\"][^”\"\n]*[”\"]")
_WORD = re.compile(r"\w+")


def is_copy(text: str, hidden: Sequence[str]) -> bool:
    """Tell whether a page repeats one of the hidden sentences."""
    runs = {
        run
        for sentence in hidden
        for piece in _QUOTED.split(sentence)
        for run in _runs(piece)
    }
    return bool(runs) and not runs.isdisjoint(_runs(text))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    found = [one[0].casefold() for one in _WORD.finditer(text)]
    return zip(*(found[at:] for at in range(RUN)), strict=False)
