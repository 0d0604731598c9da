"""Checks a model's statement of a fact against the words that it quotes. Pure.

The verification model judges the sense; numbers, dates and names are compared one by
one beside it, for there a model is most often led astray, and a reader misled.
"""

import re
from dataclasses import dataclass

from handlers.citations.claim_features import prepare
from handlers.citations.comparison import bear_out, recall
from handlers.citations.cues import clock, dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.dates import Date, word_indices
from handlers.citations.cues.names import Name
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import Reading, read
from handlers.model import CandidateUpdate, DateBasis, Setback, Subject
from handlers.ports import Verifier
from handlers.updates.entailing import claim_of, entails

_LONGEST = 400  # characters of a fact
_SHORTEST = 12
MARKUP = re.compile(r"\{\{|\}\}|\[\[|\]\]|</?\w|https?:|www\.|\\n|`|^[#*:;|=]")
_ALL_WORDS_ALIKE = Rarity(documents=1, floor=1, frequencies={})
# How much of a fact its quote must bear out. Of supported claims beside short evidence,
# nine in ten reach this (VitaminC dev, 585 rows: 90 %), and of claims beside another
# claim's evidence three in a hundred.
_LEAST_RECALL = 0.4
_CARRIED = 300  # characters before a quote that may say whom "he" means
_HELD = 0.6  # how far a word of a name must be held: the same, or one of its kin


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
    least: float,
) -> Checked:
    """Return whether the quote of `candidate` bears out a model's words for it.

    Args:
        fact: in the model's words.
        candidate: with its quote, found in the document.
        subject: whose names need no source.
        verifier: judges the sense.
        least: the probability that it must find.
    """
    fault = _shape(fact) or _details(fact, candidate, subject)
    if fault is not None:
        return Checked(0.0, fault)
    title = subject.page.id.title
    likely = await entails(verifier, title, fact, [_carried(candidate)])
    if likely < least:
        return Checked(likely, f"only {likely:.0%} sure that the quote says so")
    return Checked(likely)


def _shape(fact: str) -> str | None:
    if not _SHORTEST <= len(fact) <= _LONGEST:
        return "it is too short or too long for one fact"
    if MARKUP.search(fact):
        return "it holds markup or an address"
    return None


def _details(fact: str, candidate: CandidateUpdate, subject: Subject) -> str | None:
    """Return what the fact says beyond the quote, in a few words."""
    said = read(candidate.evidence.quote)
    claimed = read(fact)
    if not all(_is_dated(one, said, candidate) for one in claimed.dates):
        return "it names another day than the quote"
    if number_beyond(claimed, said):
        return "it names a number that the quote does not"
    around = read(_around(candidate, subject))
    if not all(is_named(one, claimed, around) for one in claimed.names):
        return "it names somebody or something that the quote does not"
    prepared = prepare(claim_of(fact), subject.page.id.title, _ALL_WORDS_ALIKE, read)
    if recall(prepared.weights, bear_out(prepared.stems, said)) < _LEAST_RECALL:
        return Setback.QUOTE_ELSEWHERE.value
    if _differs(claimed, said):
        return Setback.QUOTE_DIFFERS.value
    return None


def _differs(fact: Reading, quote: Reading) -> bool:
    found = [
        *(numbers.agreement(one, quote.quantities) for one in fact.quantities),
        *(dates.agreement(one, quote.dates) for one in fact.dates),
        *(clock.agreement(one, quote.times) for one in fact.times),
    ]
    return Agreement.DIFFERENT in found


def number_beyond(fact: Reading, quote: Reading) -> bool:
    """Tell whether a text counts otherwise, or more exactly, than what it quotes."""
    if not all(
        any(
            numbers.agree(one, other) and one.precision >= other.precision
            for other in quote.quantities
        )
        for one in fact.quantities
    ):
        return True
    stated = [clock.agreement(one, quote.times) for one in fact.times]
    return any(one is not Agreement.STATED for one in stated)


def _is_dated(one: Date, quote: Reading, candidate: CandidateUpdate) -> bool:
    """Tell whether the quote gives a date, or its page the day it counts from."""
    if dates.agreement(one, quote.dates) is Agreement.STATED:
        return True
    day = candidate.dated
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


def _around(candidate: CandidateUpdate, subject: Subject) -> str:
    """Return where the names of a fact may come from: the page, and the subject."""
    document = candidate.reading.document
    title = document.title if document else None
    parts = (*subject.names, title or "", _carried(candidate))
    return "\n".join(parts)


def _carried(candidate: CandidateUpdate) -> str:
    """Return the quote with the end of what stands before it on its page."""
    document = candidate.reading.document
    span = candidate.evidence.span
    start = max(0, span.start - _CARRIED)
    before = document.text[start : span.start] if document else ""
    return f"{before.partition(' ')[2] if start else before}{candidate.evidence.quote}"
