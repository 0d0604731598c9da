"""A text read once for all its cues. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handlers.citations.cues.clock import Time, time_of
from handlers.citations.cues.dates import Date, dates, word_indices
from handlers.citations.cues.names import Name, names
from handlers.citations.cues.numbers import Quantity, quantities
from handlers.citations.cues.stems import StemIndex
from handlers.citations.cues.words import Word, content_stems, stem, words

_MONTHS = """
    january february march april may june july august september october november
    december
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a text, and the dates, times, quantities and names made of them.

    `stems` are those of the content words, and with them "12600" of "12.6 thousand"
    and "april" of "4/27/2011".
    """

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]  # the words that say something by themselves
    stems: frozenset[str]
    dates: tuple[Date, ...]
    times: tuple[Time, ...]
    quantities: tuple[Quantity, ...]
    index: StemIndex = field(compare=False, repr=False)

    @property
    def names(self) -> tuple[Name, ...]:
        """Return the names; they are looked for each time, for few texts are asked."""
        return names(self.words, self.text)


def read(text: str) -> Reading:
    """Read `text` for its cues."""
    found = words(text)
    dated = dates(found)
    timed = tuple(_times(found))
    taken = word_indices(dated) | {time.word for time in timed}
    counted = quantities(found, text, taken)
    stems = content_stems(found) | frozenset(_written_out(found, dated, counted))
    return Reading(
        text=text,
        words=found,
        content=tuple(word for word in found if word.is_content),
        stems=stems,
        dates=dated,
        times=timed,
        quantities=counted,
        index=StemIndex(stems),
    )


def number_stem(value: float) -> str:
    """Return the stem of a number, however it was written."""
    return str(int(value)) if value == int(value) else f"{value:.10g}"


def _times(found: Sequence[Word]) -> Iterator[Time]:
    for at, word in enumerate(found):
        time = time_of(word.stem, at) if word.is_time else None
        if time is not None:
            yield time


def _written_out(
    found: Sequence[Word], dated: Sequence[Date], counted: Sequence[Quantity]
) -> Iterator[str]:
    """Yield what numbers and dates of several words or of digits alone stand for."""
    for one in counted:
        yield number_stem(one.value)
    for date in dated:
        if date.month and found[date.first_word].is_number:
            yield stem(_MONTHS.split()[date.month - 1])
            yield str(date.day)
