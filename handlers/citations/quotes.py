"""The sentences that a reader is shown for a claim, and the words marked in them.

A verdict is based on all that the sources say, in windows of words. A reader wants the
whole sentence that says it, without a heading or menu that the page puts before it, and
another sentence only if it adds something. A quote from a language model only counts if
it is found in its source: a model may make it up, or be talked into an answer by the
page it reads. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from math import sqrt
from unicodedata import normalize

from handlers.citations.comparison import (
    AnalysedClaim,
    Sentence,
    Stated,
    StemSupport,
    combined,
    compare_sentence,
    recall,
)
from handlers.citations.corpus import Analyser
from handlers.model import Evidence, Passage, Span
from handlers.page.sentences import split
from handlers.text.analysis import TextAnalysis
from handlers.text.dates import Date, Time, compare_date, compare_time
from handlers.text.numbers import Agreement, Quantity, compare_quantity
from handlers.text.words import STOP_WORDS, Word

_MOST = 3
_NEAR = 8  # nearest passages, whose sentences are candidates
_LONGEST, _PART = 60, 45  # words of a sentence shown whole; of parts of others
# How good a sentence is as a quote: weights of a conditional logit, fitted to the
# sentences that annotators named for 2,024 claims (1,650 written or found beside web
# pages, 374 of WiCE's training split).
_OF_CLAIM = 4.4  # share of the claim's weight that it supports
_WITHOUT_TITLE = 4.5  # the same without what the title says
_OF_CELL = 5.0  # share of the words of a cell's headers
# Geometric mean of the first share and the share of the sentence's own words that are
# in the claim, if it ends as a sentence does: otherwise a headline would beat the
# sentence that says it.
_TO_THE_POINT = 3.9
_NEAREST = 1.3  # it is in the passage that retrieval found nearest
_CAPITALS = -0.9  # share of its words that are capitalised
# Share of the claim's weight that another sentence must add. Of the sentences this adds
# for WiCE's training claims, annotators named one in three.
_ADDS = 0.1

_TOKEN = re.compile(r"\S+")
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")  # noqa: RUF001  (of other scripts)
_CLAUSE_ENDS = (",", ";", ":", "–", "—", ".")
_AROUND = "-–—|•\"“”'‘’()[].,;:!?"  # noqa: RUF001
# Where a heading or menu that is glued to a sentence ends: before a word such as "The"
# or "In". Weights of a logit fitted to 2,924 sentences of web pages with the headings
# before them and 3,795 without. At this bias it finds the right place in a third of the
# former and cuts 7 in 200 of the latter, some of which also begin with a heading.
_HEADING = -0.9
_AFTER_SMALL, _AFTER_NUMBER, _AFTER_STOP_WORD = 1.25, 1.3, -1.6
_SMALL_AHEAD, _SMALL_BEFORE = 1.85, -2.35  # shares of words in small letters
_AHEAD = 4  # words
_MONTH = "May"  # the only stop word that is capitalised within a sentence
# "… Ada Penrose Published 3 May 2011 Residents said": this many words in a row that are
# not in lower case, followed by at least this share of words that are.
_RUN, _PROSE, _SURE = 5, 0.5, 9.0

# A reader puts several sentences together to support a long claim: one, plus one for
# each so many content words.
_WORDS_PER_SENTENCE = 10
_HALF = 0.5

_LIST_NUMBER = re.compile(r"\d{1,3}[.)]")
_LONGEST_QUOTE = 700  # characters; a longer one says nothing about where to look
_MOST_PLACES = 50
_REMEMBERED_TEXTS = 8
# Typography that models and people change without noticing; one character each.
_ALIKE = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb"
    "\u2010\u2011\u2012\u2013\u2014\u2212",
    "'" * 4 + '"' * 6 + "-" * 6,
)
# White space and invisible characters; character references that a page shows
# literally; letters whose accent is a separate character.
_FOLDED = re.compile(
    r"(?:[\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|&nbsp;)+"
    r"|&(?:\#\d{1,6}|\#[xX][0-9a-fA-F]{1,5}|[a-zA-Z]{2,8});"
    r"|\w[\u0300-\u036f]{1,4}"
)
_MARKS_AROUND = "\"' "


@dataclass(frozen=True, slots=True)
class _Candidate:
    sentence: Sentence
    worth: float


def proof(
    claim: AnalysedClaim,
    stated: Stated,
    analyse: Analyser,
    first: tuple[Passage, Span] | None = None,
) -> tuple[Evidence, ...]:
    """Return the sentences that decide, best first; each adds to those before it.

    There is always a first one, so that a reader can see how far off the source is. It
    is `first`, a place in a passage, if that is given.
    """
    left = _candidates(claim, stated, analyse)
    if first is not None:
        chosen = [compare_sentence(claim, *first, analyse)]
    else:
        chosen = [max(left, key=lambda one: one.worth).sentence]
    support = chosen[0].support
    while len(chosen) < _MOST:
        left = [one for one in left if _gain(claim, support, one.sentence) >= _ADDS]
        if not left:
            break
        best = max(left, key=lambda one: _worth_beside(claim, support, one))
        chosen.append(best.sentence)
        support = combined([support, best.sentence.support])
    return tuple(_evidence(claim, one) for one in chosen)


def _worth_beside(claim: AnalysedClaim, support: StemSupport, one: _Candidate) -> float:
    gain = _gain(claim, support, one.sentence)
    return one.worth + (_OF_CLAIM + _WITHOUT_TITLE) * gain


def _gain(claim: AnalysedClaim, support: StemSupport, other: Sentence) -> float:
    """Return what share of the claim `other` adds to what is supported."""
    both = combined([support, other.support])
    return recall(claim.weights, both) - recall(claim.weights, support)


def _evidence(claim: AnalysedClaim, one: Sentence) -> Evidence:
    start = one.passage.span.start
    return Evidence(
        passage=one.passage,
        quote=one.span.of(one.passage.text),
        span=Span(start + one.span.start, start + one.span.end),
        matched=matched(claim, one.analysis, one.span.start),
        score=one.score,
    )


def _candidates(
    claim: AnalysedClaim, stated: Stated, analyse: Analyser
) -> list[_Candidate]:
    """Return the sentences of the nearest passages; where these overlap, once each."""
    found: dict[tuple[str, int], _Candidate] = {}
    for nearer, passage in enumerate(one.passage for one in stated.ranked[:_NEAR]):
        for span in _sentences(passage.text):
            place = passage.source_key, passage.span.start + span.start
            if place not in found:
                one = compare_sentence(claim, passage, span, analyse)
                worth = _worth(claim, one) + _NEAREST * (nearer == 0)
                found[place] = _Candidate(one, worth)
    whole = [one for one in found.values() if not _is_bare(one, claim)]
    return whole or list(found.values())


def _is_bare(one: _Candidate, claim: AnalysedClaim) -> bool:
    """Return whether it says nothing: a number of a list, or one word for a sentence.

    A cell may say just "27", but not "27.".
    """
    analysis = one.sentence.analysis
    if claim.is_cell:
        return bool(_LIST_NUMBER.fullmatch(analysis.text))
    return len(analysis.words) <= 1


def _worth(claim: AnalysedClaim, one: Sentence) -> float:
    analysis = one.analysis
    support = recall(claim.all_weights, one.support)
    shared = len(analysis.stems & claim.analysis.stems) / max(len(analysis.stems), 1)
    ends = bool(_ENDED.search(analysis.text))
    capitals = sum(word.is_capitalised for word in analysis.words)
    return (
        _OF_CLAIM * support
        + _WITHOUT_TITLE * recall(claim.weights, one.support)
        + _OF_CELL * claim.is_cell * recall(claim.hints, one.support)
        + _TO_THE_POINT * ends * sqrt(shared * support)
        + _CAPITALS * capitals / max(len(analysis.words), 1)
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
    count = run = 0  # words so far: in lower case; since the last of those
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
    """Return whether a token may end a line of names and dates: number, town, dash."""
    raw = text[slice(*token)]
    word = raw.strip(_AROUND)
    if raw.endswith((",", "(", "&")):
        return False
    return word[:1].isdigit() or not word or (len(word) > 1 and word.isupper())


# --- marked words ---


def matched(
    claim: AnalysedClaim, sentence: TextAnalysis, offset: int
) -> tuple[Span, ...]:
    """Return the content words of `sentence` that are also in the claim.

    Args:
        claim: the claim.
        sentence: part of a passage.
        offset: where the sentence starts in the text that the spans point into.
    """
    return tuple(
        Span(offset + word.start, offset + word.end)
        for word in sentence.content
        if word.stem in claim.analysis.stems
    )


def unsupported(claim: AnalysedClaim, stated: Stated) -> tuple[Span, ...]:
    """Return the stretches of the claim that the nearest sentences do not support.

    The subject of the article needs no support. Words such as "of" and "the" are not
    looked up: they are marked with the unsupported words around them. On WiCE's marked
    subclaims, where these choices were measured, whole passages instead of sentences
    let too much pass, and a single sentence for every claim too little.
    """
    left_over = _left_over(claim, _nearest(claim, stated))
    return tuple(
        Span(members[0].start, members[-1].end)
        for members in _stretches(claim.analysis, left_over)
    )


def _nearest(claim: AnalysedClaim, stated: Stated) -> list[Sentence]:
    """Return the best sentence, and those that add most to what it supports."""
    chosen = [stated.best]
    support = stated.best.support
    for _ in range(len(claim.analysis.content) // _WORDS_PER_SENTENCE):
        support, following = max(
            ((combined([support, each.support]), each) for each in stated.sentences),
            key=lambda pair: recall(claim.all_weights, pair[0]),
        )
        chosen.append(following)
    return chosen


def _left_over(claim: AnalysedClaim, near: Sequence[Sentence]) -> list[bool]:
    """Return for each word of the claim whether it has no support."""
    support = combined([each.support for each in near])
    agreed = _agreed(claim.analysis, [each.analysis for each in near])
    alone = [
        bool(stem)
        and at not in agreed
        and stem not in claim.title
        and support[stem] < _HALF
        for at, stem in enumerate(claim.required)
    ]
    for one in claim.analysis.quantities:
        alone[one.first_word : one.last_word + 1] = [
            alone[one.first_word]
        ] * one.word_count
    return alone


def _agreed(claim: TextAnalysis, near: Sequence[TextAnalysis]) -> frozenset[int]:
    """Return the indices of words in numbers, dates and times that are supported."""
    stated_numbers = [one for each in near for one in each.quantities]
    stated_dates = [one for each in near for one in each.dates]
    stated_times = [one for each in near for one in each.times]
    compared: list[tuple[Quantity | Date | Time, Agreement]] = [
        *((one, compare_quantity(one, stated_numbers)) for one in claim.quantities),
        *((one, compare_date(one, stated_dates)) for one in claim.dates),
        *((one, compare_time(one, stated_times)) for one in claim.times),
    ]
    return frozenset(
        at
        for one, found in compared
        for at in range(one.first_word, one.last_word + 1)
        if found is Agreement.STATED
    )


def _stretches(claim: TextAnalysis, left_over: Sequence[bool]) -> Iterator[list[Word]]:
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


# --- a quote found again ---


def find_quote(quote: str, text: str) -> Span | None:
    """Return where `quote` occurs in `text`, white space and typography folded.

    Whole words only: "killed 1" does not occur in "killed 12".
    """
    if len(quote) > _LONGEST_QUOTE:
        return None
    folded = _folded(text)
    for wanted in dict.fromkeys((_fold(quote), _fold(quote).strip(_MARKS_AROUND))):
        for at in _places(wanted, folded.text):
            return Span(folded.origin(at), folded.end(at + len(wanted) - 1))
    return None


def passage_around(quote: Span, passages: Sequence[Passage]) -> Passage | None:
    """Return the passage with the most text on both sides of `quote`, if any has it."""
    holding = [
        one
        for one in passages
        if one.span.start <= quote.start and quote.end <= one.span.end
    ]
    return max(
        holding,
        key=lambda one: min(quote.start - one.span.start, one.span.end - quote.end),
        default=None,
    )


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text with its white space folded, and a map back to the original.

    From `starts[i]` in the folded text on, characters come from `origins[i]` to `ends[i]`.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    ends: tuple[int, ...]

    def origin(self, at: int) -> int:
        which = bisect_right(self.starts, at) - 1
        return self.origins[which] + at - self.starts[which]

    def end(self, at: int) -> int:
        """Return where the character at `at` ends in the original."""
        following = bisect_right(self.starts, at)
        is_last = following == len(self.starts) or self.starts[following] == at + 1
        return self.ends[following - 1] if is_last else self.origin(at) + 1


@lru_cache(maxsize=_REMEMBERED_TEXTS)
def _folded(text: str) -> _Folded:
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    ends: list[int] = []
    length = 0
    for start, end, piece in _pieces(text):
        starts.append(length)
        origins.append(start)
        ends.append(end)
        pieces.append(piece)
        length += len(piece)
    whole = "".join(pieces).translate(_ALIKE)
    return _Folded(whole, tuple(starts), tuple(origins), tuple(ends))


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield places and their folded text: runs of plain characters, and what is between.

    A gap of only invisible characters, such as a soft hyphen, is no gap.
    """
    at = 0
    for found in _FOLDED.finditer(text):
        if found.start() > at:
            yield at, found.start(), text[at : found.start()]
        piece = normalize("NFC", unescape(found.group()))
        if piece[0].isspace() or not piece.strip().isprintable():
            piece = " " if any(char.isspace() for char in piece) else ""
        if piece:
            yield found.start(), found.end(), piece
        at = found.end()
    if at < len(text):
        yield at, len(text), text[at:]


def _fold(quote: str) -> str:
    return _folded(quote).text.strip()


def _places(wanted: str, text: str) -> Iterator[int]:
    """Yield where `wanted` occurs as whole words."""
    at = text.find(wanted) if wanted else -1
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        end = at + len(wanted)
        if not (_joined(text, at, begins=True) or _joined(text, end)):
            yield at
        at = text.find(wanted, at + 1)


def _joined(text: str, at: int, *, begins: bool = False) -> bool:
    """Return whether a word runs across the place before `at`.

    In "detailsThe company", as headings come out of scraped pages, none does. If a
    quote `begins` there, none does in "2002Members vote" and "in the EUThe Union"
    either; one that ends in "10Mn" after the 10 would lose its unit.
    """
    if not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()):
        return False
    before = text[at - 1]
    if before.islower() and text[at].isupper():
        return False
    is_start = begins and text[at].isupper() and text[at + 1 : at + 2].islower()
    return not (is_start and (before.isdigit() or before.isupper()))
