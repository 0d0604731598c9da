"""The pair of values in which a claim and a quote differ, if it is just one. Pure.

A reader sees at once what is wrong in "22 in the article, 27 in the source". It is only
given if it is unambiguous: one value of the claim that the quote does not have, and one
value of the quote, of the same thing, that the claim does not have.
"""

import re

from handlers.text.analysis import TextAnalysis, analyse
from handlers.text.dates import Date
from handlers.text.numbers import Bound, Quantity, agree

_SCORE = re.compile(r"(?<![\w–-])(\d{1,3})[–-](\d{1,3})(?![\w–-])")


def difference(claim: str, quote: str) -> tuple[str, str] | None:
    """Return the claim's value and the quote's, as each writes it."""
    mine, theirs = analyse(claim), analyse(quote)
    return (
        _of_quantities(mine, theirs)
        or _of_dates(mine, theirs)
        or _of_scores(claim, quote)
    )


def _of_quantities(mine: TextAnalysis, theirs: TextAnalysis) -> tuple[str, str] | None:
    claimed = [
        one
        for one in mine.quantities
        if not any(agree(one, other) for other in theirs.quantities)
    ]
    stated = [
        one
        for one in theirs.quantities
        if not any(agree(other, one) for other in mine.quantities)
    ]
    pairs = {
        (_as_written(mine, one), _as_written(theirs, other))
        for one in claimed
        for other in stated
        if one.unit and one.unit == other.unit and one.measure == other.measure
    }
    return pairs.pop() if len(pairs) == 1 else None


def _of_dates(mine: TextAnalysis, theirs: TextAnalysis) -> tuple[str, str] | None:
    claimed, stated = _with_year(mine), _with_year(theirs)
    if len(claimed) != 1 or len(stated) != 1:
        return None
    [one], [other] = claimed, stated
    is_other = bool(one.year and other.year) and (
        one.year != other.year or _are_other_days(one, other)
    )
    return (_as_written(mine, one), _as_written(theirs, other)) if is_other else None


def _are_other_days(one: Date, other: Date) -> bool:
    if not (one.day and other.day and one.bound is other.bound is Bound.EXACT):
        return False
    return (one.month, one.day) != (other.month, other.day)


def _of_scores(claim: str, quote: str) -> tuple[str, str] | None:
    """Return two scores that share one side, which shows that the match is the same."""
    claimed, stated = list(_SCORE.finditer(claim)), list(_SCORE.finditer(quote))
    near = {
        (one[0], other[0])
        for one in claimed
        for other in stated
        if (one[1] == other[1]) != (one[2] == other[2])
    }
    same = {one.groups() for one in claimed} & {one.groups() for one in stated}
    return near.pop() if len(near) == 1 and not same else None


def _with_year(text: TextAnalysis) -> list[Date]:
    return [one for one in text.dates if one.year]


def _as_written(text: TextAnalysis, value: Quantity | Date) -> str:
    first, last = text.words[value.first_word], text.words[value.last_word]
    return text.text[first.start : last.end]
