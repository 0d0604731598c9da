"""Puts the measures of a claim into the words of its source.

Where a page says "61 metres" and the article "200 feet", a network of this size sees a
word and a number that the page does not have; so it does where "from 1974 to 1996" is
told as "22 years", or "two fifths" as "40 %". Which of them are equal is arithmetic, so
the claim is judged in the source's own words for them. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.citations.comparison import Reader
from handlers.citations.cues.numbers import Quantity, agree
from handlers.citations.cues.reading import Reading
from handlers.citations.cues.units import without_asides
from handlers.citations.cues.words import stem
from handlers.citations.windows import windows
from handlers.model import Claim, Passage

_YEAR = stem("years")


def converted(claim: Claim, passages: Sequence[Passage], read: Reader) -> Claim:
    """Return `claim` with each measure as a passage gives it, where only words differ.

    Of years, the two that a sentence names and that lie so far apart.

    A measure that some passage gives in the claim's own unit stays as it is. What is
    given nowhere stays, too, as does the claim itself where there is nothing to do.
    """
    mine = read(without_asides(claim.text))
    measures = [one for one in mine.quantities if one.measure or one.unit == _YEAR]
    if not measures:
        return claim
    theirs = [
        (text, other)
        for text in (read(passage.text) for passage in passages)
        for other in text.quantities
        if other.measure or other.unit == _YEAR
    ]
    changes = [
        (one, words)
        for one in measures
        for words in (
            _same_elsewhere(one, theirs)
            if one.measure
            else _from_year_to_year(one, theirs, passages, read)
        )
    ]
    text = claim.text
    for one, words in reversed(changes):
        start, end = _place(mine, one)
        text = f"{text[:start]}{words}{text[end:]}"
    return replace(claim, text=text) if changes else claim


def _from_year_to_year(
    one: Quantity,
    theirs: Sequence[tuple[Reading, Quantity]],
    passages: Sequence[Passage],
    read: Reader,
) -> Iterator[str]:
    """Yield the two years of a sentence that are so many years apart, if there are."""
    if any(other.unit == _YEAR and agree(one, other) for _, other in theirs):
        return
    for passage in passages:
        for span in windows(passage.text):
            years = {
                date.year for date in read(span.of(passage.text)).dates if date.year
            }
            for year in sorted(years):
                if one.value and year + one.value in years:
                    yield f"{year} to {year + int(one.value)}"
                    return


def _same_elsewhere(
    one: Quantity, theirs: Sequence[tuple[Reading, Quantity]]
) -> Iterator[str]:
    """Yield the words of the first equal measure; none where the unit is the same."""
    equal = [
        (text, other)
        for text, other in theirs
        if _dimension(one) == _dimension(other) and agree(one, other)
    ]
    if equal and not any(_measured_alike(one, other) for _, other in equal):
        text, other = equal[0]
        start, end = _place(text, other)
        yield text.text[start:end]


def _dimension(one: Quantity) -> str:
    return one.measure.dimension if one.measure else ""


def _measured_alike(one: Quantity, other: Quantity) -> bool:
    units = [each.measure and each.measure.name for each in (one, other)]
    return units[0] == units[1]


def _place(text: Reading, one: Quantity) -> tuple[int, int]:
    """Return where a measure begins and ends, its sign included."""
    counted = one.unit == _YEAR and one.measure is None
    end = text.words[one.last_word + counted].end
    sign = re.match(r"\s?%", text.text[end : end + 2])
    return text.words[one.first_word].start, end + (sign.end() if sign else 0)
