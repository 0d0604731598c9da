"""Chooses the sentences that a reader is shown for a claim: those that decide it, whole.

A verdict is judged by all that the sources say, in windows of words. A reader wants the
sentence that says it, from its first word to its last and without the heading or the menu
that the page puts before it; and another sentence only where it adds something. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from handlers.citations.claim_features import Claimed
from handlers.citations.comparison import (
    Borne,
    Reader,
    Sentence,
    Stated,
    lay_beside,
    recall,
    together,
)
from handlers.citations.cues.words import STOP_WORDS
from handlers.citations.highlights import matched
from handlers.model import Evidence, Passage, Span
from handlers.page.sentences import split

_MOST = 3
_NEAR = 8  # passages, by retrieval, whose sentences are candidates
_LONGEST, _PART = 60, 45  # words of a sentence that is shown whole, and of its parts
# What a sentence is worth: weights of a conditional logit, fitted to which sentences
# annotators named for 2,024 claims (1,650 written or found beside web pages, 374 of
# WiCE's training split).
_OF_CLAIM = 4.4  # share of the claim's weight that it bears out
_BEYOND_TITLE = 4.5  # the same without what the title says
_OF_CELL = 5.0  # share of the words of a cell's headers
# Geometric mean of the first share and that of its own words which the claim has, if it
# ends as a sentence does: a headline is nearer to the point than the sentence that says it.
_TO_THE_POINT = 3.9
_NEAREST = 1.3  # it stands in the passage that retrieval found nearest
_CAPITALS = -0.9  # share of its words that begin with one
# Of the claim's weight, what another sentence has to add: of those that this adds to
# WiCE's training claims, one in three is among the sentences named.
_ADDS = 0.1

_TOKEN = re.compile(r"\S+")
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")  # noqa: RUF001  (of other scripts)
_CLAUSE_ENDS = (",", ";", ":", "–", "—", ".")
_AROUND = "-–—|•\"“”'‘’()[].,;:!?"  # noqa: RUF001
# Text that a page has glued together: a heading, or a menu, ends before a word such as
# "The" or "In". Weights of a logit fitted to 2,924 sentences of web pages with the
# headings before them and 3,795 alone. At this bias it finds the right place in a third of
# the former and cuts 7 in 200 of the latter, some of which begin with a heading, too.
_HEADING = -0.9
_AFTER_SMALL, _AFTER_NUMBER, _AFTER_STOP_WORD = 1.25, 1.3, -1.6
_SMALL_AHEAD, _SMALL_BEFORE = 1.85, -2.35  # shares of words in small letters
_AHEAD = 4  # words
_MONTH = "May"  # of the stop words, the only one that is written large in a sentence
# "… Ada Penrose Published 3 May 2011 Residents said": so many words without small letters,
# and behind them at least this share in small letters.
_RUN, _PROSE, _SURE = 5, 0.5, 9.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    sentence: Sentence
    worth: float


def proof(
    claim: Claimed,
    stated: Stated,
    read: Reader,
    first: tuple[Passage, Span] | None = None,
) -> tuple[Evidence, ...]:
    """Return what decides, the best first; each adds to those before it.

    The first one always comes: a reader can then see how far off the source is. It is
    `first`, a place in a passage, if that is given.
    """
    left = _candidates(claim, stated, read)
    if first is not None:
        chosen = [lay_beside(claim, *first, read)]
    else:
        chosen = [max(left, key=_worth_of).sentence]
    borne = chosen[0].borne
    while len(chosen) < _MOST:
        left = [one for one in left if _gain(claim, borne, one.sentence) >= _ADDS]
        if not left:
            break
        best = max(left, key=lambda one: _worth_beside(claim, borne, one))
        chosen.append(best.sentence)
        borne = together([borne, best.sentence.borne])
    return tuple(_evidence(claim, one) for one in chosen)


def _worth_of(one: _Candidate) -> float:
    return one.worth


def _worth_beside(claim: Claimed, borne: Borne, one: _Candidate) -> float:
    gain = _gain(claim, borne, one.sentence)
    return one.worth + (_OF_CLAIM + _BEYOND_TITLE) * gain


def _gain(claim: Claimed, borne: Borne, other: Sentence) -> float:
    """Return what share of the claim `other` adds to what is borne out."""
    both = together([borne, other.borne])
    return recall(claim.weights, both) - recall(claim.weights, borne)


def _evidence(claim: Claimed, one: Sentence) -> Evidence:
    start = one.passage.span.start
    return Evidence(
        passage=one.passage,
        quote=one.span.of(one.passage.text),
        span=Span(start + one.span.start, start + one.span.end),
        matched=matched(claim, one.reading, one.span.start),
        score=one.score,
    )


def _candidates(claim: Claimed, stated: Stated, read: Reader) -> list[_Candidate]:
    """Return the sentences of the nearest passages; where these overlap, once each."""
    found: dict[tuple[str, int], _Candidate] = {}
    for nearer, passage in enumerate(one.passage for one in stated.ranked[:_NEAR]):
        for span in _sentences(passage.text):
            place = passage.source_key, passage.span.start + span.start
            if place not in found:
                one = lay_beside(claim, passage, span, read)
                worth = _worth(claim, one) + _NEAREST * (nearer == 0)
                found[place] = _Candidate(one, worth)
    return list(found.values())


def _worth(claim: Claimed, one: Sentence) -> float:
    reading = one.reading
    borne = recall(claim.all_weights, one.borne)
    shared = len(reading.stems & claim.reading.stems) / max(len(reading.stems), 1)
    ends = bool(_ENDED.search(reading.text))
    capitals = sum(word.is_capitalised for word in reading.words)
    return (
        _OF_CLAIM * borne
        + _BEYOND_TITLE * recall(claim.weights, one.borne)
        + _OF_CELL * claim.is_cell * recall(claim.hints, one.borne)
        + _TO_THE_POINT * ends * sqrt(shared * borne)
        + _CAPITALS * capitals / max(len(reading.words), 1)
    )


def _sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of `text`, and the parts of those that are very long."""
    for span in split(text):
        tokens = [found.span() for found in _TOKEN.finditer(text, span.start, span.end)]
        tokens = tokens[_heading(text, tokens) :]
        limit = _PART if len(tokens) > _LONGEST else _LONGEST
        while tokens:
            size = _clause(text, tokens, limit)
            yield Span(tokens[0][0], tokens[size - 1][1])
            tokens = tokens[size:]


def _clause(text: str, tokens: Sequence[tuple[int, int]], limit: int) -> int:
    """Return how many of the tokens to take: to the last end of a clause, if there is one."""
    if len(tokens) <= limit:
        return len(tokens)
    ends = (
        at
        for at in range(limit, limit // 2, -1)
        if text.endswith(_CLAUSE_ENDS, 0, tokens[at - 1][1])
    )
    return next(ends, limit)


def _heading(text: str, tokens: Sequence[tuple[int, int]]) -> int:
    """Return how many tokens of a sentence are a heading or menu glued to it."""
    words = [text[start:end].strip(_AROUND) for start, end in tokens]
    small = [word[:1].islower() for word in words]
    scores = [(0.0, 0)]
    count = run = 0  # of the words before: in small letters; since the last such
    for at in range(1, len(words) - _AHEAD):
        count += small[at - 1]
        run = 0 if small[at - 1] else run + 1
        if not words[at][:1].isupper():
            continue
        ahead = sum(small[at + 1 : at + 1 + _AHEAD]) / _AHEAD
        before = words[at - 1]
        if words[at].lower() in STOP_WORDS and words[at] != _MONTH:
            is_stop_word = before.lower() in STOP_WORDS
            score = (
                _HEADING
                + _AFTER_SMALL * (small[at - 1] and not is_stop_word)
                + _AFTER_NUMBER * before[:1].isdigit()
                + _AFTER_STOP_WORD * is_stop_word
                + _SMALL_AHEAD * ahead
                + _SMALL_BEFORE * count / at
            )
            scores.append((score, at))
        elif run >= _RUN and ahead >= _PROSE and _is_imprint(text, tokens[at - 1]):
            scores.append((_SURE, at))
    return max(scores)[1]


def _is_imprint(text: str, token: tuple[int, int]) -> bool:
    """Tell what a line of names and days ends with: a number, a town, a dash."""
    raw = text[slice(*token)]
    word = raw.strip(_AROUND)
    if raw.endswith((",", "(", "&")):
        return False
    return word[:1].isdigit() or not word or (len(word) > 1 and word.isupper())
