"""Checks a model's statement of a fact against the words that it quotes. Pure.

Numbers and dates stand in the quote or its surroundings, or follow by adding or
subtracting two; names stand in the document, for the model says who "he" is. The
verification model judges the sense.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from handlers.citations.cues import clock, dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.dates import Date, word_indices
from handlers.citations.cues.names import Name
from handlers.citations.cues.numbers import Quantity
from handlers.citations.cues.reading import Reading, read
from handlers.model import CandidateUpdate, DateBasis, Subject
from handlers.ports import Verifier
from handlers.updates.entailing import judged

_LONGEST = 400  # characters of a fact
_SHORTEST = 12
MARKUP = re.compile(r"\{\{|\}\}|\[\[|\]\]|</?\w|https?:|www\.|\\n|`|^[#*:;|=]")
_LEAST_SUPPORTED = 0.3
_CARRIED = 300  # characters before a quote that may say whom "he" means
_HELD = 0.6  # how far a word of a name must be held: the same, or one of its kin
_MOST_CHARS = 40_000  # of a document in which a name may stand
_MOST_SUMMED = 12  # numbers of a quote, each two of which may be added


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a statement: how surely it is borne out, or what is wrong."""

    borne_out: float
    fault: str | None = None


async def checked(
    fact: str, candidate: CandidateUpdate, subject: Subject, verifier: Verifier
) -> Checked:
    """Return whether the quote of `candidate` bears out a model's words for it.

    Args:
        fact: in the model's words.
        candidate: with its quote, found in the document.
        subject: whose names need no source.
        verifier: judges the sense.
    """
    fault = _shape(fact) or _details(fact, candidate, subject)
    if fault is not None:
        return Checked(0.0, fault)
    title, document = subject.page.id.title, candidate.reading.document
    premises = [carried(candidate)]
    if document and document.title:
        premises.append(document.title)
    likely = await judged(verifier, title, fact, premises)
    if likely.supported + likely.partially_supported < likely.contradicted:
        return Checked(likely.supported, "the quote says otherwise")
    if likely.supported < _LEAST_SUPPORTED:
        told = f"only {likely.supported:.0%} sure that the quote says so"
        return Checked(likely.supported, told)
    return Checked(likely.supported)


def _shape(fact: str) -> str | None:
    if not _SHORTEST <= len(fact) <= _LONGEST:
        return "it is too short or too long for one fact"
    if MARKUP.search(fact):
        return "it holds markup or an address"
    return None


def _details(fact: str, candidate: CandidateUpdate, subject: Subject) -> str | None:
    """Return what the fact says beyond the document, in a few words."""
    document = candidate.reading.document
    title = "\n".join((*subject.names, (document.title if document else "") or ""))
    near = read(f"{title}\n{carried(candidate)}")
    claimed, quoted = read(fact), read(candidate.evidence.quote)
    if not all(_is_dated(one, near, candidate) for one in claimed.dates):
        return "it names another day than the quote"
    if not all(
        _is_counted(one, near.quantities) or _follows(one, quoted.quantities)
        for one in claimed.quantities
    ) or _is_timed_otherwise(claimed, near):
        return "it names a number that the quote does not"
    around = _around(title, document.text[:_MOST_CHARS] if document else "")
    if not all(is_named(one, claimed, around) for one in claimed.names):
        return "it names somebody or something that the document does not"
    return None


def number_beyond(fact: Reading, quote: Reading) -> bool:
    """Tell whether a text counts otherwise, or more exactly, than what it quotes."""
    is_counted = all(_is_counted(one, quote.quantities) for one in fact.quantities)
    return not is_counted or _is_timed_otherwise(fact, quote)


def number_beyond_quote(fact: str, quote: str) -> bool:
    """Return `number_beyond` of two texts."""
    return number_beyond(read(fact), read(quote))


def _is_counted(one: Quantity, stated: Sequence[Quantity]) -> bool:
    return any(
        numbers.agree(one, other) and one.precision >= other.precision
        for other in stated
    )


def _follows(one: Quantity, stated: Sequence[Quantity]) -> bool:
    """Tell whether a number is the sum of two others, or what is between them."""
    return any(
        one.value in (first.value + second.value, abs(first.value - second.value))
        for first, second in combinations(stated[:_MOST_SUMMED], 2)
    )


def _is_timed_otherwise(fact: Reading, quote: Reading) -> bool:
    stated = [clock.agreement(one, quote.times) for one in fact.times]
    return any(one is not Agreement.STATED for one in stated)


def _is_dated(one: Date, near: Reading, candidate: CandidateUpdate) -> bool:
    """Tell whether a date is given nearby, or its year by the day of the page.

    "On 14 May", on a page of 2023, is 14 May 2023; and "on Tuesday" is the day that was
    counted from the page's.
    """
    if dates.agreement(one, near.dates) is Agreement.STATED:
        return True
    day = candidate.dated
    years = {each.year for each in near.dates if each.year}
    if day:
        years.add(day.year)
    if one.month and one.year in years:
        parts = [(each.month, each.day) for each in near.dates if not each.year]
        if (one.month, one.day) in parts:
            return True
    if day is None or (one.day and candidate.basis is not DateBasis.TEXT):
        return False
    given = ((one.year, day.year), (one.month, day.month), (one.day, day.day))
    return all(mine is None or mine == its for mine, its in given)


def is_named(name: Name, fact: Reading, around: Reading) -> bool:
    """Tell whether a name of `fact` stands in `around`, in this form or a kindred one.

    A date that stands before the name is none of it.
    """
    if name.initials in around.stems:
        return True
    dated = word_indices(fact.dates)
    stems = {
        word.stem
        for at, word in enumerate(fact.words[: name.last_word + 1])
        if at >= name.first_word and at not in dated and word.stem in name.stems
    }
    return all(around.index.support(stem) >= _HELD for stem in stems)


@lru_cache(maxsize=4)  # a document's facts are checked one after the other
def _around(title: str, text: str) -> Reading:
    """Return where the names of a fact may come from."""
    return read(f"{title}\n{text}")


def carried(candidate: CandidateUpdate) -> str:
    """Return the quote with the end of what stands before it on its page."""
    document = candidate.reading.document
    span = candidate.evidence.span
    start = max(0, span.start - _CARRIED)
    before = document.text[start : span.start] if document else ""
    return f"{before.partition(' ')[2] if start else before}{candidate.evidence.quote}"
