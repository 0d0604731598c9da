"""A text read once for all its cues. Pure."""

from dataclasses import dataclass

from handlers.citations.cues.dates import Date, dates, word_indices
from handlers.citations.cues.names import Name, names
from handlers.citations.cues.numbers import Quantity, quantities
from handlers.citations.cues.words import Word, content_stems, words


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a text, and the dates, quantities and names made of them."""

    text: str
    words: tuple[Word, ...]
    stems: frozenset[str]  # of content words
    dates: tuple[Date, ...]
    quantities: tuple[Quantity, ...]
    names: tuple[Name, ...]

    @property
    def content(self) -> tuple[Word, ...]:
        """Return the words that say something by themselves."""
        return tuple(word for word in self.words if word.is_content)


def read(text: str) -> Reading:
    """Read `text` for its cues."""
    found = words(text)
    dated = dates(found)
    return Reading(
        text=text,
        words=found,
        stems=content_stems(found),
        dates=dated,
        quantities=quantities(found, text, word_indices(dated)),
        names=names(found, text),
    )
