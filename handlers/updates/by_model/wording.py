"""Checks a model's statement of a fact against the words that it quotes. Pure.

Numbers stand in the quote or its surroundings, or follow by adding or subtracting two;
dates and names stand in the document, for the model says who "he" is and when "Tuesday"
was. The verification model judges the sense.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import combinations

from handlers.citations.dates import Date, compare_date, compare_time, word_indices
from handlers.citations.numbers import Agreement, Quantity, agree
from handlers.citations.reading import Name, Reading, read
from handlers.model import CandidateUpdate, Subject
from handlers.ports import TextEncoder, Verifier
from handlers.updates.entailment import judged

_LONGEST = 400  # characters of a fact
_SHORTEST = 12
MARKUP = re.compile(r"\{\{|\}\}|\[\[|\]\]|</?\w|https?:|www\.|\\n|`|^[#*:;|=]")
SIGNS = re.compile(r"[{}<>^\\|=]")  # no sentence of an article has them
_LEAST_SUPPORTED = 0.3
# Cosine of a fact and its quote: of 37 facts that a careful reader took from pages of four
# events of WikiGenBench all but one have 0.49 and more (that one quotes a line of a table).
_LEAST_ALIKE = 0.45
_CARRIED = 300  # characters before a quote that may say whom "he" means
_HELD = 0.6  # how far a word of a name must be held: the same, or one of its kin
_MOST_CHARS = 40_000  # of a document in which a name may stand
_DIGITS = re.compile(r"\d[\d.,\u00a0\u202f]*\d|\d")
_SET_APART = re.compile(r"[,\u00a0\u202f]")  # 225,486 and 2,25,486
_WEEK = 7  # days before that of the page which "on Tuesday" may mean
_RANK = "ordinal"
_MOST_SUMMED = 12  # numbers of a quote, each two of which may be added


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a statement: how surely it is borne out, or what is wrong."""

    borne_out: float
    fault: str | None = None


async def checked(
    fact: str,
    candidate: CandidateUpdate,
    subject: Subject,
    verifier: Verifier,
    encoder: TextEncoder,
) -> Checked:
    """Return whether the quote of `candidate` bears out a model's words for it.

    Args:
        fact: in the model's words.
        candidate: with its quote, found in the document.
        subject: whose names need no source.
        verifier: judges the sense.
        encoder: tells a fact that has nothing to do with its quote.
    """
    fault = _shape(fact) or _details(fact, candidate, subject)
    if fault is not None:
        return Checked(0.0, fault)
    quote = candidate.evidence.quote
    [[alike]] = await encoder.likeness([fact], [quote])
    if alike < _LEAST_ALIKE:
        return Checked(0.0, "its quote speaks of something else")
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
    if MARKUP.search(fact) or SIGNS.search(fact):
        return "it holds markup or an address"
    return None


def _details(fact: str, candidate: CandidateUpdate, subject: Subject) -> str | None:
    """Return what the fact says beyond the document, in a few words."""
    document = candidate.reading.document
    title = "\n".join((*subject.names, (document.title if document else "") or ""))
    around = _read(f"{title}\n{document.text[:_MOST_CHARS] if document else ''}")
    near = read(f"{title}\n{carried(candidate)}")
    claimed, quoted = read(fact), read(candidate.evidence.quote)
    if not all(
        _is_dated(one, quoted, near, around, candidate) for one in claimed.dates
    ):
        return "it names another day than the document"
    ranks = _read("\n".join(one.text for one in subject.statements)[:_MOST_CHARS])
    if not all(
        _is_counted(one, near.quantities)
        or _is_written(one, near.text)
        or _follows(one, quoted.quantities)
        or (one.unit == _RANK and _is_counted(one, ranks.quantities))
        for one in claimed.quantities
    ) or _is_timed_otherwise(claimed, near):
        return "it names a number that the quote does not"
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
        agree(one, other) and one.precision >= other.precision for other in stated
    )


def _is_written(one: Quantity, text: str) -> bool:
    """Tell whether a text has the digits of a number, however they are set apart."""
    digits = {_SET_APART.sub("", found) for found in _DIGITS.findall(text)}
    return f"{one.value:.12g}" in digits


def _follows(one: Quantity, stated: Sequence[Quantity]) -> bool:
    """Tell whether a number is the sum of two others, or what is between them."""
    return any(
        one.value in (first.value + second.value, abs(first.value - second.value))
        for first, second in combinations(stated[:_MOST_SUMMED], 2)
    )


def _is_timed_otherwise(fact: Reading, quote: Reading) -> bool:
    stated = [compare_time(one, quote.times) for one in fact.times]
    return any(one is not Agreement.STATED for one in stated)


def _is_dated(
    one: Date,
    quoted: Reading,
    near: Reading,
    around: Reading,
    candidate: CandidateUpdate,
) -> bool:
    """Tell whether a date is given nearby, or a full one anywhere in the document.

    "On 14 May", on a page of 2023, is 14 May 2023; "on Tuesday" is a day that the
    document names elsewhere where the quote has none, or one of the week before it.
    """
    is_told = any(each.day and each.month for each in quoted.dates)
    given = () if one.day is None or is_told else around.dates
    known = quoted.dates if one.day and is_told else (*near.dates, *given)
    if compare_date(one, known) is Agreement.STATED:
        return True
    day = candidate.dated
    years = {each.year for each in around.dates if each.year}
    if one.month and one.year in years | ({day.year} if day else set()):
        parts = [(each.month, each.day) for each in near.dates if not each.year]
        if (one.month, one.day) in parts:
            return True
    if one.day is None and one.month is None:
        full = {each.year for each in around.dates if each.day and each.month}
        return one.year in full or (day is not None and one.year == day.year)
    if day is None or is_told:
        return False
    told = (one.year, one.month, one.day)
    days = (day - timedelta(days=back) for back in range(_WEEK + 1))
    return any(
        all(
            mine in (None, its)
            for mine, its in zip(told, (each.year, each.month, each.day), strict=True)
        )
        for each in days
    )


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
        if len(word.stem) > 1  # "U.S."
    }
    return all(around.index.support(stem) >= _HELD for stem in stems)


@lru_cache(maxsize=4)  # a document's facts are checked one after the other
def _read(text: str) -> Reading:
    return read(text)


def carried(candidate: CandidateUpdate) -> str:
    """Return the quote with the end of what stands before it on its page."""
    document = candidate.reading.document
    span = candidate.evidence.span
    start = max(0, span.start - _CARRIED)
    before = document.text[start : span.start] if document else ""
    return f"{before.partition(' ')[2] if start else before}{candidate.evidence.quote}"
