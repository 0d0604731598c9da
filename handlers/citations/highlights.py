"""Marks words: those of a source that bear a claim out, those of a claim left over.

Pure.
"""

from collections.abc import Iterator, Sequence

from handlers.citations.claim_features import Claimed
from handlers.citations.comparison import Sentence, Stated, recall, together
from handlers.citations.cues import clock, dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.clock import Time
from handlers.citations.cues.dates import Date
from handlers.citations.cues.light import is_light
from handlers.citations.cues.numbers import Quantity
from handlers.citations.cues.reading import Reading
from handlers.citations.cues.words import Word
from handlers.model import Span

# A reader puts several sentences together to bear out a long claim: one, and another
# one for each so many words with content.
_WORDS_PER_SENTENCE = 10
_HALF = 0.5


def matched(claim: Claimed, sentence: Reading, offset: int) -> tuple[Span, ...]:
    """Return the content words of `sentence` that also stand in the claim.

    Args:
        claim: the claim.
        sentence: part of a passage.
        offset: where the sentence starts in the text that the spans point into.
    """
    return tuple(
        Span(offset + word.start, offset + word.end)
        for word in sentence.content
        if word.stem in claim.reading.stems
    )


def unsupported(claim: Claimed, stated: Stated) -> tuple[Span, ...]:
    """Return the stretches of the claim that the nearest sentences do not bear out.

    The subject of the article needs no proof. Words such as "of" and "the" have
    none of their own: they go with the unsupported words around them. A stretch
    starts and ends with words that a reader would look for. On WiCE's marked
    subclaims, which measured these choices, whole passages in place of sentences
    let too much pass, and one sentence for any claim too little.
    """
    left_over = _left_over(claim, _nearest(claim, stated))
    return tuple(
        Span(members[0].start, members[-1].end)
        for members in map(_trimmed, _stretches(claim.reading, left_over))
        if members
    )


def _nearest(claim: Claimed, stated: Stated) -> list[Sentence]:
    """Return the best sentence, and those that add most to what it bears out."""
    chosen = [stated.best]
    borne = stated.best.borne
    for _ in range(len(claim.reading.content) // _WORDS_PER_SENTENCE):
        borne, following = max(
            ((together([borne, each.borne]), each) for each in stated.sentences),
            key=lambda pair: recall(claim.all_weights, pair[0]),
        )
        chosen.append(following)
    return chosen


def _left_over(claim: Claimed, near: Sequence[Sentence]) -> list[bool]:
    """Tell for each word of the claim whether it found no support."""
    borne = together([each.borne for each in near])
    agreed = _agreed(claim.reading, [each.reading for each in near])
    alone = [
        bool(stem)
        and at not in agreed
        and stem not in claim.title
        and borne[stem] < _HALF
        for at, stem in enumerate(claim.asked)
    ]
    for one in claim.reading.quantities:
        alone[one.first_word : one.last_word + 1] = [
            alone[one.first_word]
        ] * one.word_count
    return alone


def _agreed(claim: Reading, near: Sequence[Reading]) -> frozenset[int]:
    """Return the indices of words in numbers, dates and times written otherwise."""
    stated_numbers = [one for each in near for one in each.quantities]
    stated_dates = [one for each in near for one in each.dates]
    stated_times = [one for each in near for one in each.times]
    compared: list[tuple[Quantity | Date | Time, Agreement]] = [
        *((one, numbers.agreement(one, stated_numbers)) for one in claim.quantities),
        *((one, dates.agreement(one, stated_dates)) for one in claim.dates),
        *((one, clock.agreement(one, stated_times)) for one in claim.times),
    ]
    return frozenset(
        at
        for one, found in compared
        for at in range(one.first_word, one.last_word + 1)
        if found is Agreement.STATED
    )


def _stretches(claim: Reading, left_over: Sequence[bool]) -> Iterator[list[Word]]:
    """Yield runs of unsupported words, bridged by words without content."""
    run: list[Word] = []
    for word, alone in zip(claim.words, left_over, strict=True):
        if alone:
            run.append(word)
        elif word.is_content and run:
            yield run
            run = []
    if run:
        yield run


def _trimmed(run: Sequence[Word]) -> Sequence[Word]:
    telling = [at for at, word in enumerate(run) if not is_light(word)]
    return run[telling[0] : telling[-1] + 1] if telling else ()
