"""What a source says in the role that a value has in the claim.

"22" of "Injuries: 22" is supported by "22 people were injured" and not by "on 22
August", and contradicted by "27 were injured". So the words around a value, without the
value itself, are compared with those around every value of its sort in the source: the
rarer a word and the nearer it is to both, the more it counts. The value in the best of
these places is about the same thing.

If a page says "61 metres" and the article "200 feet", or "from 1974 to 1996" and "22
years", or "two fifths" and "40 %", arithmetic shows that they are equal. Then the claim
is judged in the source's own words. Pure.
"""

import re
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import exp
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from handlers.citations.comparison import AnalysedClaim, Stated
from handlers.citations.corpus import YEAR, Analyser, Corpus
from handlers.citations.passages import windows
from handlers.model import Claim, Passage, Span
from handlers.text.analysis import TextAnalysis, number_stem
from handlers.text.dates import Date, Time, compare_date, compare_time
from handlers.text.numbers import Agreement, Bound, Quantity, agree, without_asides
from handlers.text.words import kin

_JOINTS = frozenset("-–—\u2212:")  # the last but one is a minus sign

CELL_VALUES = "cell values in role"
PROSE_VALUES = "values in role"
ROLE_FEATURES = frozenset({CELL_VALUES, PROSE_VALUES})

# Of a claim; with more, it is a list, not a statement.
_MOST_VALUES, _MOST_WORDS = 12, 120
# Distance in words over which the weight of the words around a value falls to a third:
# in a claim, which is all about one thing, and in a source.
_REACH_OF_CLAIM, _REACH_OF_SOURCE = 6.0, 15.0
_BEFORE = 0.9  # what comes before a value counts a little more than what follows
_SENTENCE_END = 8.0  # how many words the end of a sentence or line counts as
_HEADER, _CELL, _TITLE = 1.0, 0.6, 0.1  # what a word of each weighs
_COUNTED = 2.0  # how much more the counted word counts
_SHARED_LETTERS = 5  # of two forms of a word
_MONEY_SIGNS = frozenset("$€£¥₹")
# Two values this close may be one that was rounded.
_ROUNDED = 0.15
# From here on, another value contradicts a cell: on cells of the training pairs, 93 of
# 100 that were contradicted like this were wrong, and 1 in 40 of the right ones were
# among them. In sentences only two of three were wrong, because a value calculated from
# several others looks the same; there the role is one feature among others and decides
# nothing by itself.
_SURE_FIT, _SURE_LEAD = 0.4, 0.2

_Around: TypeAlias = Mapping[str, float]
_Numbers: TypeAlias = npt.NDArray[np.float64]
_Indices: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Score:
    """Two or more numbers that a dash or colon joins, such as a result of "3–1"."""

    values: tuple[float, ...]
    first_word: int
    last_word: int


Value = Quantity | Date | Time | Score


def values_of(text: TextAnalysis) -> Iterator[Value]:
    """Yield the values of a text; numbers that a dash joins are one."""
    yield from text.dates
    yield from text.times
    for group in _joined(text):
        if len(group) == 1:
            yield group[0]
        else:
            values = tuple(one.value for one in group)
            yield Score(values, group[0].first_word, group[-1].last_word)


def _joined(text: TextAnalysis) -> Iterator[list[Quantity]]:
    """Yield runs of numbers separated only by a dash or a colon."""
    group: list[Quantity] = []
    for one in text.quantities:
        if group:
            end = text.words[group[-1].last_word].end
            between = text.text[end : text.words[one.first_word].start]
            if between.strip() not in _JOINTS:
                yield group
                group = []
        group.append(one)
    if group:
        yield group


def same(claimed: Value, stated: Value) -> bool:
    """Return whether a value of the evidence supports the claimed one."""
    match claimed, stated:
        case Quantity(), Quantity():
            return agree(claimed, stated)
        case Date(), Date():
            return compare_date(claimed, [stated]) is Agreement.STATED
        case Time(), Time():
            return compare_time(claimed, [stated]) is Agreement.STATED
        case Score(), Score():
            # From the other team's side, the score of a match is given in reverse.
            return stated.values in (claimed.values, claimed.values[::-1])
    return False


def equal(one: Value, other: Value) -> bool:
    """Return whether two values are the same one, at most in another form.

    Unlike `same` this does not ask which of the two supports the other: "at least 40"
    is another value than "40", and 3–1 another score than 1–3.
    """
    match one, other:
        case Quantity(), Quantity():
            return one.bound is other.bound and (
                (one.value, one.unit) == (other.value, other.unit)
                if one.measure == other.measure
                else bool(one.measure and other.measure)
                and agree(_exact(one), _exact(other))
            )
        case Score(), Score():
            return one.values == other.values
    return same(one, other) and same(other, one)


def _exact(one: Quantity) -> Quantity:
    """Return what is compared of a quantity: 26 inches are not "more than 26 feet"."""
    return replace(one, bound=Bound.EXACT)


# --- values in their role ---


class _Sort(Enum):
    COUNT = "count"
    MONEY = "money"
    PERCENT = "percent"
    ORDINAL = "ordinal"
    DATE = "date"
    TIME = "time"
    SCORE = "score"


class _Relation(Enum):
    SAME = "same"
    OTHER = "other"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """A value of the source: `span` is its place in the text of `passage`.

    `fit` is how well the words around it match those around the claim's, in [0, 1].
    """

    passage: Passage
    span: Span
    fit: float

    @property
    def sentence(self) -> Span:
        """Return the sentence that holds it, as a place in the text of `passage`."""
        around = [
            one
            for one in windows(self.passage.text)
            if one.start <= self.span.start and self.span.end <= one.end
        ]
        return min(around, key=lambda one: one.end - one.start, default=self.span)


@dataclass(frozen=True, slots=True)
class InRole:
    """A value of the claim, and the places that fit its role best.

    `span` is its place in the claim's text. One place states the value, the other
    one a different value of its sort; either may be missing.
    """

    span: Span
    same: Place | None
    other: Place | None

    @property
    def lead(self) -> float:
        """Return how much better the claim's value fits its role than any other."""
        return _fit(self.same) - _fit(self.other)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with how far along each word is, and where its stems are."""

    analysis: TextAnalysis
    along: _Numbers
    stems: Mapping[str, Sequence[int]]
    values: Sequence[Value] = field(repr=False)


def measure_roles(claim: AnalysedClaim, stated: Stated) -> dict[str, float]:
    """Return the `ROLE_FEATURES`.

    For cells, the smallest lead of their values; for sentences, the average lead.
    """
    leads = [one.lead for one in in_role(claim, stated)]
    least = min(leads, default=0.0)
    mean = sum(leads) / len(leads) if leads else 0.0
    return {
        CELL_VALUES: least if claim.is_cell else 0.0,
        PROSE_VALUES: 0.0 if claim.is_cell else mean,
    }


def in_role(claim: AnalysedClaim, stated: Stated) -> tuple[InRole, ...]:
    """Return each value of the claim with the places that fit its role best."""
    mine = _text(claim.analysis)
    claimed = mine.values[:_MOST_VALUES]
    arounds = [_around(claim, mine, one.first_word, one.last_word) for one in claimed]
    best: dict[tuple[int, _Relation], Place] = {}
    for ranked, analysis in zip(stated.ranked, stated.passages, strict=False):
        theirs = _text(analysis)
        places = [(one.first_word, one.last_word) for one in theirs.values]
        fits = _fits(arounds, theirs, places)
        for number, value in enumerate(claimed):
            for at, other in enumerate(theirs.values):
                fit = float(fits[number, at])
                relation = _relation(claim.analysis, value, analysis, other)
                known = best.get((number, relation))
                if relation is not _Relation.NONE and (not known or fit > known.fit):
                    span = _span(analysis, other)
                    best[number, relation] = Place(ranked.passage, span, fit)
    return tuple(
        InRole(
            _span(claim.analysis, value),
            best.get((number, _Relation.SAME)),
            best.get((number, _Relation.OTHER)),
        )
        for number, value in enumerate(claimed)
    )


def stated_instead(claim: AnalysedClaim, stated: Stated) -> Place | None:
    """Return what a source clearly states in place of a cell's value, if anything."""
    if not claim.is_cell:
        return None
    sure = [
        one
        for one in in_role(claim, stated)
        if _fit(one.other) >= _SURE_FIT and -one.lead >= _SURE_LEAD
    ]
    worst = min(sure, key=lambda one: one.lead, default=None)
    return worst.other if worst else None


def are_stated(claim: AnalysedClaim, stated: Stated) -> bool:
    """Return whether the claim has values and each stands somewhere near."""
    roles = in_role(claim, stated)
    return bool(roles) and all(one.same for one in roles)


def _fit(place: Place | None) -> float:
    return place.fit if place else 0.0


def _span(text: TextAnalysis, value: Value) -> Span:
    first, last = text.words[value.first_word], text.words[value.last_word]
    return Span(first.start, last.end)


def _text(analysis: TextAnalysis) -> _Text:
    stems: dict[str, list[int]] = {}
    for at, word in enumerate(analysis.words):
        stems.setdefault(word.stem, []).append(at)
    for one in analysis.quantities:
        places = stems.setdefault(number_stem(one.value), [])
        if one.first_word not in places:
            insort(places, one.first_word)
    return _Text(
        analysis, np.array(list(_along(analysis))), stems, tuple(values_of(analysis))
    )


def _along(text: TextAnalysis) -> Iterator[float]:
    way, end = 0.0, 0
    for word in text.words:
        between = text.text[end : word.start]
        ends = "\n" in between or (
            len(between) > 1 and any(sign in between for sign in ".!?")
        )
        way += 1 + _SENTENCE_END * ends + ("," in between or "(" in between)
        end = word.end
        yield way


def _around(claim: AnalysedClaim, text: _Text, first: int, last: int) -> _Around:
    """Return how much each word around words of the claim says about their role."""
    counted = {
        one.unit
        for one in text.values
        if isinstance(one, Quantity) and one.first_word == first
    }
    own = set(claim.required[first : last + 1])
    start, end = text.along[first], text.along[last]
    found: dict[str, float] = {}
    for at, stem in enumerate(claim.required[:_MOST_WORDS]):
        if not stem or stem in own:
            continue
        way = max(start - text.along[at], text.along[at] - end)
        weight = claim.all_weights[stem] * exp(-way / _REACH_OF_CLAIM)
        weight *= _TITLE if stem in claim.title else 1.0
        weight *= _COUNTED if stem in counted else 1.0
        found[stem] = max(weight, found.get(stem, 0.0))
    around = _with_headers(claim, found)
    return {stem: weight for stem, weight in around.items() if stem not in own}


def _with_headers(claim: AnalysedClaim, around: Mapping[str, float]) -> _Around:
    if not claim.is_cell:
        return around
    found = {stem: weight * _CELL for stem, weight in around.items()}
    for stem, weight in claim.hints.items():
        own = weight * (_TITLE if stem in claim.title else _HEADER)
        found[stem] = max(own, found.get(stem, 0.0))
    return found


def _fits(
    arounds: Sequence[_Around], text: _Text, places: Sequence[tuple[int, int]]
) -> _Numbers:
    """Return what share of each of `arounds` is found around each of the places.

    A place is the indices of its first and last word.
    """
    stems = sorted({stem for around in arounds for stem in around})
    if not stems or not places:
        return np.zeros((len(arounds), len(places)))
    weights = np.array([[one.get(stem, 0.0) for stem in stems] for one in arounds])
    totals = weights.sum(axis=1, keepdims=True)
    weights = np.divide(weights, totals, out=weights, where=totals > 0)
    firsts, lasts = np.array(places).T
    near = np.array([_nearness(stem, text, firsts, lasts) for stem in stems])
    return np.asarray(weights @ near, dtype=np.float64)


def _nearness(stem: str, text: _Text, firsts: _Indices, lasts: _Indices) -> _Numbers:
    """Return how near the stem is to each place: 1 next to it, 0 if absent."""
    support, found = _held(stem, text)
    if not found:
        return np.zeros(len(firsts))
    at = np.array(found)
    before = np.searchsorted(at, firsts, side="left") - 1
    after = np.searchsorted(at, lasts, side="right")
    ways_back = text.along[firsts] - text.along[at[before]]
    ways_on = text.along[at[np.minimum(after, len(at) - 1)]] - text.along[lasts]
    ways = np.minimum(
        np.where(before >= 0, _BEFORE * ways_back, np.inf),
        np.where(after < len(at), ways_on, np.inf),
    )
    near = np.exp(-np.maximum(ways - 1, 0.0) / _REACH_OF_SOURCE)
    return np.asarray(support * near, dtype=np.float64)


def _held(stem: str, text: _Text) -> tuple[float, Sequence[int]]:
    """Return how well a text matches the stem, and the indices of its words."""
    if stem in text.stems:
        return 1.0, text.stems[stem]
    support = text.analysis.index.support(stem)
    return support, sorted(_kindred(stem, text)) if support else ()


def _kindred(stem: str, text: _Text) -> Iterator[int]:
    """Yield the places of stems related to this one."""
    near = kin(stem)
    for other, places in text.stems.items():
        if other in near or other[:_SHARED_LETTERS] == stem[:_SHARED_LETTERS]:
            yield from places


def _relation(
    mine: TextAnalysis, one: Value, theirs: TextAnalysis, other: Value
) -> _Relation:
    if same(one, other) or _leaves_out(one, other):
        return _Relation.SAME
    rivals = _sort(mine, one) is _sort(theirs, other) and _exclude(one, other)
    return _Relation.OTHER if rivals else _Relation.NONE


def _sort(text: TextAnalysis, value: Value) -> _Sort:
    match value:
        case Date():
            return _Sort.DATE
        case Time():
            return _Sort.TIME
        case Score():
            return _Sort.SCORE
        case Quantity(unit="percent"):
            return _Sort.PERCENT
        case Quantity(unit="ordinal"):
            return _Sort.ORDINAL
    start = text.words[value.first_word].start
    signed = text.text[max(0, start - 1) : start] in _MONEY_SIGNS
    return _Sort.MONEY if signed else _Sort.COUNT


def _exclude(one: Value, other: Value) -> bool:
    """Return whether two different values of a sort cannot both be right in a role."""
    match one, other:
        case Quantity(), Quantity():
            return _measure_alike(one, other) and not _may_agree(one, other)
        case Date(), Date():
            return _dates_exclude(one, other)
    return True


def _measure_alike(one: Quantity, other: Quantity) -> bool:
    if one.measure is None or other.measure is None:
        return one.measure is other.measure
    return one.measure.dimension == other.measure.dimension


def _may_agree(one: Quantity, other: Quantity) -> bool:
    """Return whether a bound or a rounding allows both."""
    if Bound.ABOUT in {one.bound, other.bound}:
        return abs(one.value - other.value) <= _ROUNDED * abs(one.value)
    return (one.bound is Bound.FLOOR and other.value > one.value) or (
        one.bound is Bound.CEILING and other.value < one.value
    )


def _leaves_out(one: Value, other: Value) -> bool:
    """Return whether two dates of a month differ only in what one of them leaves out."""
    return (
        isinstance(one, Date)
        and isinstance(other, Date)
        and one.month is not None
        and one.month == other.month
        and all(
            mine == theirs or None in (mine, theirs)
            for mine, theirs in ((one.year, other.year), (one.day, other.day))
        )
    )


def _dates_exclude(one: Date, other: Date) -> bool:
    """Return whether a part that both give differs; a bare year rivals no day."""
    pairs = (
        (one.year, other.year),
        (one.month, other.month),
        (one.day, other.day),
    )
    return bool(one.month) == bool(other.month) and any(
        mine != theirs
        for mine, theirs in pairs
        if mine is not None and theirs is not None
    )


# --- measures in the source's own words ---


def converted(claim: Claim, corpus: Corpus, analyse: Analyser) -> Claim:
    """Return `claim` with each measure as a passage gives it, where only words differ.

    A number of years becomes the two years of a sentence that are that far apart.

    A measure that some passage gives in the claim's own unit stays as it is, and so
    does one that is given nowhere. If there is nothing to change, `claim` itself is
    returned.
    """
    mine = analyse(without_asides(claim.text))
    measures = [one for one in mine.quantities if one.measure or one.unit == YEAR]
    changes = [
        (one, words)
        for one in measures
        for words in (
            _same_elsewhere(one, corpus, analyse, is_plain=not _has_fraction(mine, one))
            if one.measure
            else _from_year_to_year(one, corpus, analyse)
        )
    ]
    text = claim.text
    for one, words in reversed(changes):
        start, end = _place(mine, one)
        text = f"{text[:start]}{words}{text[end:]}"
    return replace(claim, text=text) if changes else claim


def _from_year_to_year(
    one: Quantity, corpus: Corpus, analyse: Analyser
) -> Iterator[str]:
    """Yield the two years of a sentence that are this many years apart, if any."""
    stated = (other for _, other in corpus.measures.get("", ()))
    if any(other.unit == YEAR and agree(one, other) for other in stated):
        return
    found = corpus.years_apart(analyse).get(one.value)
    if found:
        yield f"{found[0]} to {found[1]}"


def _same_elsewhere(
    one: Quantity, corpus: Corpus, analyse: Analyser, *, is_plain: bool
) -> Iterator[str]:
    """Yield the words of the first equal measure.

    None if the unit is the same, unless the claim's number is not plain: no network
    knows that 2½ is 2.5.
    """
    equal = [
        (passage, other)
        for passage, other in corpus.measures.get(_dimension(one), ())
        if agree(one, other)
    ]
    alike = any(_measured_alike(one, other) for _, other in equal)
    if equal and not (alike and is_plain):
        passage, other = equal[0]
        text = analyse(passage.text)
        start, end = _place(text, other)
        yield text.text[start:end]


def _has_fraction(text: TextAnalysis, one: Quantity) -> bool:
    """Return whether it is written with a sign such as "½"."""
    return any(
        word.text.isnumeric() and not word.text.isdecimal()
        for word in text.words[one.first_word : one.last_word + 1]
    )


def _dimension(one: Quantity) -> str:
    return one.measure.dimension if one.measure else ""


def _measured_alike(one: Quantity, other: Quantity) -> bool:
    units = [each.measure and each.measure.name for each in (one, other)]
    return units[0] == units[1]


def _place(text: TextAnalysis, one: Quantity) -> tuple[int, int]:
    """Return where a measure begins and ends, its sign included."""
    counted = one.unit == YEAR and one.measure is None
    end = text.words[one.last_word + counted].end
    sign = re.match(r"\s?%", text.text[end : end + 2])
    start = text.words[one.first_word].start
    minus = re.search(r"(?:[-\u2212]|\bminus )$", text.text[:start])
    if minus and one.value < 0:
        start = minus.start()
    return start, end + (sign.end() if sign else 0)
