"""A text annotated once: its words, dates, times, quantities, names and stems.

The stems are indexed so that close relatives of one are found fast. A stem of the claim
is supported by the same stem; less so by one that is often used for it or that only has
a different ending; and by a number that rounds to it. "Joanne K. Rowling" is partly
mentioned by "Rowling", "World Health Organization" fully by "WHO". Pure.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from handlers.text.dates import (
    Date,
    Time,
    dates,
    same_times,
    time_of,
    word_indices,
)
from handlers.text.numbers import Quantity, close, quantities
from handlers.text.words import Word, content_stems, kin, stem, words

_PREFIX = 5  # letters that two stems must share to count as related
_KIN = 0.6
_RELATED = 0.6  # what a related stem ("German" for "Germany") is worth
_LONGEST_DIGITS = 15

_JOINTS = frozenset({"of", "the", "de", "la", "van", "von", "der", "du", "for"})
_LONGEST_JOINT = 2
_SHORTEST_ACRONYM = 2
_SENTENCE_ENDS = (".", "!", "?", "\n", ":", '"', "“")

_MONTHS = """
    january february march april may june july august september october november
    december
"""


class StemIndex:
    """A set of stems that remembers its answers."""

    __slots__ = ("_decimals", "_heads", "_known", "stems")

    def __init__(self, stems: frozenset[str]) -> None:
        self.stems = stems
        self._known: dict[str, float] = {}
        self._heads: dict[str, list[str]] | None = None
        self._decimals: list[str] | None = None

    def support(self, stem: str) -> float:
        """Return its support for `stem`: 1 if included, less if related, else 0."""
        if stem in self.stems:
            return 1.0
        known = self._known.get(stem)
        if known is None:
            known = self._known[stem] = self._near(stem)
        return known

    def _near(self, stem: str) -> float:
        if not kin(stem).isdisjoint(self.stems):
            return _KIN
        if stem.isalpha():
            return _RELATED if len(stem) >= _PREFIX and self._related(stem) else 0.0
        if ":" in stem:
            return float(any(time in self.stems for time in same_times(stem)))
        return float("." in stem and _is_number(stem) and self._rounded(stem))

    def _related(self, stem: str) -> bool:
        if self._heads is None:
            self._heads = {}
            for one in self.stems:
                self._heads.setdefault(one[:_PREFIX], []).append(one)
        return any(
            _only_ends_otherwise(stem, other)
            for other in self._heads.get(stem[:_PREFIX], ())
        )

    def _rounded(self, stem: str) -> bool:
        if self._decimals is None:
            self._decimals = [one for one in self.stems if _is_number(one)]
        precision, value = _precision(stem), float(stem)
        return any(
            close(value, precision, float(other), _precision(other))
            for other in self._decimals
        )


def _only_ends_otherwise(stem: str, other: str) -> bool:
    shared = min(len(stem), len(other)) - 1
    return abs(len(stem) - len(other)) <= _PREFIX and stem[:shared] == other[:shared]


def _is_number(stem: str) -> bool:
    whole, _, decimals = stem.partition(".")
    return (
        len(stem) <= _LONGEST_DIGITS
        and stem.isascii()
        and whole.isdigit()
        and (not decimals or decimals.isdigit())
    )


def _precision(stem: str) -> float:
    return float(10.0 ** -len(stem.partition(".")[2]))


# --- names ---


@dataclass(frozen=True, slots=True)
class Name:
    """A run of capitalised words; `stems` leaves out words such as "of"."""

    stems: tuple[str, ...]
    initials: str
    first_word: int
    last_word: int


def names(found: Sequence[Word], text: str) -> tuple[Name, ...]:
    """Return the names among the words `found` of `text`, in order."""
    read: list[Name] = []
    at = 0
    while at < len(found):
        if not _starts_name(found, text, at):
            at += 1
            continue
        last = _last_of_run(found, text, at)
        read.append(_name(found, at, last))
        at = last + 1
    return tuple(read)


def mentioned(name: Name, stems: Set[str]) -> float:
    """Return the share of the name that the evidence's stems contain, in [0, 1].

    An acronym counts as the whole name.
    """
    if len(name.initials) >= _SHORTEST_ACRONYM and name.initials in stems:
        return 1.0
    return sum(stem in stems for stem in name.stems) / len(name.stems)


def _starts_name(found: Sequence[Word], text: str, at: int) -> bool:
    word = found[at]
    if not word.is_capitalised or not word.is_content:
        return False
    if not _opens_sentence(text, word.start):
        return True
    # A capital at the start of a sentence means nothing unless another one follows.
    follower = found[at + 1] if at + 1 < len(found) else None
    return follower is not None and follower.is_capitalised and follower.is_content


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" ")
    return not before or before.endswith(_SENTENCE_ENDS)


def _last_of_run(found: Sequence[Word], text: str, first: int) -> int:
    last = first
    at = first + 1
    while at < len(found) and at - last <= _LONGEST_JOINT + 1:
        if _breaks(text, found[at - 1].end, found[at].start):
            break
        if found[at].is_capitalised:
            last = at
        elif found[at].lowered not in _JOINTS:
            break
        at += 1
    return last


def _breaks(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    return any(sign in between for sign in ',;:()\n"“”') or len(between) > len(". ")


def _name(found: Sequence[Word], first: int, last: int) -> Name:
    members = [word for word in found[first : last + 1] if word.is_capitalised]
    initials = "".join(word.stem[0] for word in members)
    return Name(tuple(word.stem for word in members), initials, first, last)


# --- a text read once ---


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """The words of a text, and the dates, times, quantities and names made of them.

    `stems` are those of the content words, plus "12600" for "12.6 thousand" and "april"
    for "4/27/2011".
    """

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]  # without stop words
    stems: frozenset[str]
    dates: tuple[Date, ...]
    times: tuple[Time, ...]
    quantities: tuple[Quantity, ...]
    index: StemIndex = field(compare=False, repr=False)

    @property
    def names(self) -> tuple[Name, ...]:
        """Return the names; not cached, because few texts are asked for them."""
        return names(self.words, self.text)


def analyse(text: str) -> TextAnalysis:
    """Return `text` with its words, dates, times, quantities and names."""
    found = words(text)
    dated = dates(found, text)
    timed = tuple(_times(found))
    taken = word_indices(dated) | {time.word for time in timed}
    counted = quantities(found, text, taken)
    stems = content_stems(found) | frozenset(_written_out(found, dated, counted))
    return TextAnalysis(
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
    """Yield the stems of numbers, and of dates that are written in digits."""
    for one in counted:
        yield number_stem(one.value)
    for date in dated:
        if date.month and found[date.first_word].is_number:
            yield stem(_MONTHS.split()[date.month - 1])
            yield str(date.day)
        if date.year and not date.month:
            yield str(date.year)
