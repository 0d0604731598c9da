"""Where the sentence that decides a claim gives one of its values otherwise.

A network that has read both finds "93 feet" and "93 metres" alike: nearly all words
agree. Arithmetic does not. So after the judge has spoken, each value of the claim is
compared with those of the sentences about the same thing, and a claim that one of them
gives another value is not supported. And where a sentence gives two values of which the
claim's is made ("642 votes to 598" is "a majority of 44"), the judge reads the claim with
those two, because it cannot calculate either. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from handlers.citations.comparison import AnalysedClaim, Sentence, Stated, recall
from handlers.model import Claim, Passage, Probabilities, Span
from handlers.text.analysis import TextAnalysis
from handlers.text.dates import Date, Time, compare_date
from handlers.text.difference import (
    DURATIONS,
    Differing,
    Reason,
    Sort,
    differing,
    says,
    sort_of,
)
from handlers.text.numbers import BOUND_WORDS, Agreement, Bound, Quantity
from handlers.text.words import negations, stem

_MOST_VALUES = 12  # of a claim; with more, it is a list
_MOST_SENTENCES = 6
_LEAST_ALIKE = {
    Reason.UNIT: 0.5,
    Reason.SCALE: 0.5,
    Reason.SIGN: 0.5,
    Reason.BOUND: 0.5,
    Reason.COUNTED: 0.7,
    Reason.VALUE: 0.6,
    Reason.DATE: 0.75,
}
_IF_NOT_DENIED = frozenset({Reason.VALUE, Reason.DATE, Reason.BOUND})
_REFUTED = 0.85


@dataclass(frozen=True, slots=True)
class Clash:
    """A value of the claim, and the sentence that gives another one.

    `sentence` is a place in the text of `passage`; `alike` is the share of the claim's
    other words that it has, by their weight.
    """

    differing: Differing
    passage: Passage
    sentence: Span
    alike: float


def clash(claim: AnalysedClaim, stated: Stated) -> Clash | None:
    """Return what refutes the claim, if a sentence about the same thing does.

    A value that any near passage states, in whatever unit, is never refuted.
    """
    found = [
        one
        for one in clashes(claim, stated)
        if one.alike >= _LEAST_ALIKE[one.differing.reason]
    ]
    return max(found, key=lambda one: one.alike, default=None)


def clashes(claim: AnalysedClaim, stated: Stated) -> list[Clash]:
    """Return all values that the sentences nearest to the claim give otherwise."""
    mine = claim.analysis
    if len(mine.quantities) + len(mine.dates) > _MOST_VALUES:
        return []
    missing = {one for one in mine.quantities if not _is_stated(mine, one, stated)}
    missing_dates = {one for one in mine.dates if not _is_dated(one, stated)}
    if not missing and not missing_dates:
        return []
    return [
        Clash(one, sentence.passage, sentence.span, _alike(claim, sentence))
        for sentence in stated.sentences[:_MOST_SENTENCES]
        for one in differing(mine, sentence.analysis)
        if one.claimed in missing or one.claimed in missing_dates
        if one.reason not in _IF_NOT_DENIED
        or _denials(mine) == _denials(sentence.analysis)
    ]


def refuted(likely: Probabilities) -> Probabilities:
    """Return `likely` of a claim that a sentence refutes."""
    contradicted = max(likely.contradicted, _REFUTED)
    rest = (1 - contradicted) / max(1 - likely.contradicted, 1e-9)
    return Probabilities(
        supported=likely.supported * rest,
        partially_supported=likely.partially_supported * rest,
        not_supported=likely.not_supported * rest,
        contradicted=contradicted,
    )


def _is_stated(mine: TextAnalysis, one: Quantity, stated: Stated) -> bool:
    return any(
        says(mine, one, text, other)
        for text in stated.passages
        for other in text.quantities
    )


def _denials(text: TextAnalysis) -> int:
    """Count the negations but for those of bounds, as in "no more than four"."""
    of_bounds = sum(
        negations(text.words[max(0, one.first_word - BOUND_WORDS) : one.first_word])
        for one in text.quantities
        if one.bound in {Bound.FLOOR, Bound.CEILING}
    )
    return negations(text.words) - of_bounds


def _is_dated(one: Date, stated: Stated) -> bool:
    dates = [other for text in stated.passages for other in text.dates]
    return compare_date(one, dates) is Agreement.STATED


def _alike(claim: AnalysedClaim, sentence: Sentence) -> float:
    """Return what share of the claim's words, its values left out, it supports."""
    units = {one.unit for one in claim.analysis.quantities if one.currency}
    of_values = units.union(DURATIONS)
    weights = {
        one: weight
        for one, weight in claim.all_weights.items()
        if one not in of_values and not any(char.isdecimal() for char in one)
    }
    return recall(weights, sentence.support)


# --- values that are made of others ---

_LEAST_MADE = 10  # of two numbers; smaller ones are made by chance
_ALIKE_MADE = 0.4
_NEAR_BOUND = 1.25  # "more than 20 years" are not 30
_MINUTE, _HOUR, _YEAR = (stem(name) for name in ("minute", "hour", "year"))
_MINUTES = {_MINUTE: 1, _HOUR: 60}
_LIKE_A_TIME = re.compile(r"(?:[01]?\d|2[0-3])\.[0-5]\d")
_SHARE_OF_HOUR = 100
_WORDS_OF_BOUND = 2


@dataclass(frozen=True, slots=True)
class Computed:
    """A claim whose values a sentence does not give, but makes up.

    `claim` has the two values of the sentence in place of its own. `results` are the
    words of the sentence from the first to the second of them, with what they come to
    in the words of the claim.
    """

    claim: Claim
    results: tuple[tuple[str, str], ...]

    def told(self, evidence: str) -> str:
        """Return `evidence` with each result put behind the values it comes from."""
        for values, result in self.results:
            evidence = evidence.replace(values, f"{values} ({result})", 1)
        return evidence


@dataclass(frozen=True, slots=True)
class _Made:
    """Two values of a text, and how a claim would put them."""

    first: Span
    last: Span
    words: str


def computed(claim: Claim, claimed: AnalysedClaim, stated: Stated) -> Computed | None:
    """Return the claim in the values that its own are made of, if a near sentence has them.

    Args:
        claim: its text is that of `claimed`, but for what is in parentheses.
        claimed: the same, read.
        stated: what is near to it.
    """
    mine, text = claimed.analysis, claim.text
    results: list[tuple[str, str]] = []
    for one in reversed(mine.quantities):
        found = next(_made(one, claimed, stated), None)
        if found and not _is_stated(mine, one, stated):
            source, made = found
            place = _place(mine, one)
            values = source.text[made.first.start : made.last.end]
            # With the word before: the judge reads "after six minutes" better.
            before = max(0, one.first_word - 1)
            start = min(place.start, mine.words[before].start)
            results.append((values, claim.text[start : place.end]))
            text = f"{text[: place.start]}{made.words}{text[place.end :]}"
    return Computed(replace(claim, text=text), tuple(results)) if results else None


def _place(mine: TextAnalysis, one: Quantity) -> Span:
    """Return where a quantity is, with its bound and the time that it counts."""
    first, last = one.first_word, one.last_word
    if one.bound is not Bound.EXACT and one.unit == _YEAR:
        first = max(0, first - _WORDS_OF_BOUND)
    if one.measure is None and one.unit in {*_MINUTES, _YEAR}:
        last += 1
    return Span(mine.words[first].start, mine.words[last].end)


def _made(
    one: Quantity, claim: AnalysedClaim, stated: Stated
) -> Iterator[tuple[TextAnalysis, _Made]]:
    for sentence in stated.sentences[:_MOST_SENTENCES]:
        if _alike(claim, sentence) >= _ALIKE_MADE:
            text = sentence.analysis
            for made in (
                *_of_two(claim.analysis, one, text),
                *_of_times(one, text),
                *_of_years(one, text),
            ):
                yield text, made


def _of_two(mine: TextAnalysis, one: Quantity, text: TextAnalysis) -> Iterator[_Made]:
    """Yield the two numbers of a sentence of which the value is the sum or difference."""
    sort = sort_of(mine, one)
    if one.value < _LEAST_MADE or one.bound is not Bound.EXACT or sort is Sort.ORDINAL:
        return
    for a, b in combinations(text.quantities, 2):
        units = {one.unit, a.unit, b.unit} - {""}
        sorts = {sort_of(text, a), sort_of(text, b)}
        if len(units) > 1 or sorts.isdisjoint({sort, Sort.COUNT}):
            continue
        joint = {a.value + b.value: "and", abs(a.value - b.value): "against"}
        if one.value in joint:
            first, last = _words(text, a), _words(text, b)
            words = f"{first.of(text.text)} {joint[one.value]} {last.of(text.text)}"
            yield _Made(first, last, words)


def _words(text: TextAnalysis, one: Quantity | Date | Time) -> Span:
    return Span(text.words[one.first_word].start, text.words[one.last_word].end)


def _of_times(one: Quantity, text: TextAnalysis) -> Iterator[_Made]:
    """Yield two times of day that are so many minutes or hours apart."""
    if one.measure or one.unit not in _MINUTES:
        return
    times = [(time.minute, _words(text, time)) for time in text.times]
    for number in text.quantities:
        place = _words(text, number)
        if not number.unit and _LIKE_A_TIME.fullmatch(place.of(text.text)):
            hour, hundredths = divmod(
                round(number.value * _SHARE_OF_HOUR), _SHARE_OF_HOUR
            )
            times.append((hour * _MINUTES[_HOUR] + hundredths, place))
    for (begins, first), (ends, last) in combinations(times, 2):
        if ends - begins == one.value * _MINUTES[one.unit]:
            yield _Made(first, last, f"{first.of(text.text)} to {last.of(text.text)}")


def _of_years(one: Quantity, text: TextAnalysis) -> Iterator[_Made]:
    """Yield two years that are a little more, or less, than so many years apart."""
    if one.unit != _YEAR or one.bound is Bound.EXACT:
        return
    least = one.value / (1 if one.bound is Bound.FLOOR else _NEAR_BOUND)
    most = one.value * (1 if one.bound is Bound.CEILING else _NEAR_BOUND)
    dates = [date for date in text.dates if date.year]
    for first, last in combinations(dates, 2):
        if least <= (last.year or 0) - (first.year or 0) <= most:
            yield _Made(
                _words(text, first), _words(text, last), f"{first.year} to {last.year}"
            )
