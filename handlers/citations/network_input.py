"""What a cross-encoder reads of a claim and its sources, and what its answers mean.

The network sees one text pair at a time: the claim with what it is about, and up to
some 160 words of evidence. The facts of one claim may be spread over a page, which SIDE
names as a limit of judging passage by passage. So sentences are chosen for what they
add to each other; the sentence before each is included because it says who "he" is; and
all are in the order of the source.

A word-piece encoder of this size cannot tell 1,998 from 1,999 by itself, or see that
"12.6 thousand" is 12,600. Comparing values is arithmetic, so the values of both texts
are marked with special segments: those that agree, are missing, or differ. What a value
counts, and for whom, is what the network has learned. The texts are built in the same
way in training and in use. Pure: the network itself is behind a port.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from handlers.citations.comparison import (
    AnalysedClaim,
    Sentence,
    Stated,
    StemSupport,
    combined,
    recall,
)
from handlers.citations.corpus import Analyser
from handlers.citations.pronouns import GAP, resolved
from handlers.citations.values import Score, Value, same, values_of
from handlers.model import CELLS, Claim
from handlers.page.sentences import split
from handlers.text.analysis import TextAnalysis, analyse, number_stem
from handlers.text.dates import Date, Time, compare_date
from handlers.text.numbers import Agreement, Bound, Quantity, compare_quantity
from handlers.text.words import content_stems, words

_CONTEXT_WORDS = 24
_RESTATED = 0.5  # of the content words
_PART = " | "

MOST_WORDS = 160  # of evidence; with claim and context some 300 word pieces
_CORE_WORDS = 110  # of these, how many the telling sentences may take
_FEWEST_WORDS = 5  # of a sentence that fills up the rest; shorter ones are menus
_OWN_SHARE = 0.3  # weight of a sentence's own fit, next to what it adds

FIRST, BETWEEN = 101, 102  # "[CLS]" and "[SEP]" of the BERT vocabulary
MOST_PIECES = 320
MOST_OF_CLAIM = 112
MOST_OF_ABOUT = 48

NETWORK = "network "  # what the names of its features begin with
_LARGER = "larger "  # put before that for the larger network
BORNE_OUT = "claim borne out"  # by the larger network's states of the claim


@dataclass(frozen=True, slots=True)
class PairText:
    """A claim and the evidence that should support it.

    `about` holds what a reader of the article knows: its title, the section and the end
    of the text before the claim (SIDE, "Verification", uses the same).
    """

    claim: str
    about: str
    evidence: str


def pair(
    title: str,
    claim: Claim,
    claimed: AnalysedClaim,
    stated: Stated,
    most_words: int = MOST_WORDS,
) -> PairText:
    """Return what the network reads to judge `claim` of the article `title`."""
    return PairText(
        sentence(claim),
        about(title, claim),
        resolved(assemble(claimed, stated, most_words=most_words)),
    )


def sentence(claim: Claim) -> str:
    """Return the claim's words; for a cell, its row and column headers first.

    "22" states nothing. "Injuries: 22" does, and can be compared like a sentence.
    """
    headers = [name for name in (claim.row, claim.column) if name]
    if claim.kind not in CELLS or not headers:
        return claim.text
    return f"{', '.join(headers)}: {claim.text}"


def about(title: str, claim: Claim) -> str:
    """Return title, innermost section and the words just before.

    Not the sentences that hold half of the claim's own words: the article is no
    evidence for itself.
    """
    stems = content_stems(words(claim.text))
    sentences = [span.of(claim.context) for span in split(claim.context)]
    before = [one for one in sentences if not _restates(one, stems)]
    parts = (
        title,
        claim.section[-1] if claim.section else "",
        " ".join(" ".join(before).split()[-_CONTEXT_WORDS:]),
    )
    return _PART.join(part for part in parts if part)


def _restates(sentence: str, stems: frozenset[str]) -> bool:
    restated = stems & content_stems(words(sentence))
    return bool(restated) and len(restated) >= _RESTATED * len(stems)


# --- the evidence it is shown ---


def assemble(
    claim: AnalysedClaim, stated: Stated, *, most_words: int = MOST_WORDS
) -> str:
    """Return the evidence text for `claim`, at most about `most_words` words.

    Sentences come from the passages nearest to the claim. A short source is used whole.
    "…" marks text that was left out.
    """
    return join(choose(claim, stated.sentences, most_words=most_words))


def choose(
    claim: AnalysedClaim, sentences: Sequence[Sentence], *, most_words: int = MOST_WORDS
) -> list[Sentence]:
    """Choose sentences that together say most of the claim, then their neighbours.

    If several sources say it together, as footnotes side by side do, those sentences
    are all that is chosen: what stands around them in each source is about something
    else in the other, and the network takes the claim for half unsupported. (73 rows
    of WiCE dev with their page cut in two sources: AUROC .78 with neighbours, .82
    without; .81 for the page in one.)
    """
    chosen = _core(claim, sentences, min(_CORE_WORDS, most_words))
    if len({each.passage.source_key for each in chosen}) > 1:
        return chosen
    size = sum(_words(each) for each in chosen)
    left = [each for each in sentences if each not in chosen]
    for following in _beside(chosen, left):
        if size + _words(following) <= most_words:
            chosen.append(following)
            size += _words(following)
    return chosen


def _core(
    claim: AnalysedClaim, sentences: Sequence[Sentence], most_words: int
) -> list[Sentence]:
    """Choose the best sentence, and more as long as they add something."""
    chosen = list(sentences[:1])
    left = list(sentences[1:])
    support = chosen[0].support
    while left:
        best = max(left, key=lambda each: _worth(claim, support, each))
        left.remove(best)
        after = combined([support, best.support])
        if recall(claim.weights, after) <= recall(claim.weights, support):
            return chosen
        if sum(map(_words, chosen)) + _words(best) <= most_words:
            chosen.append(best)
            support = after
    return chosen


def join(sentences: Sequence[Sentence]) -> str:
    """Return the sentences in the order of their sources, overlaps only once."""
    text = ""
    source, reached = None, 0
    for each in sorted(sentences, key=_place):
        key, start = _place(each)
        words = each.span.of(each.passage.text)
        if key != source or start > reached + 2:
            text += (GAP if text else "") + words
        elif start + len(words) > reached:
            overlap = max(0, reached - start)
            text += ("" if overlap else " ") + words[overlap:]
        source = key
        reached = max(start + len(words), reached if key == source else 0)
    return text


def _worth(claim: AnalysedClaim, support: StemSupport, each: Sentence) -> float:
    """Return how much of the claim a sentence adds to what is supported already."""
    before = recall(claim.weights, support)
    after = recall(claim.weights, combined([support, each.support]))
    return (after - before) + _OWN_SHARE * each.score


def _beside(chosen: Sequence[Sentence], left: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences before chosen ones, those after, then the rest by fit."""
    starts = {_place(each) for each in chosen}
    ends = {(_place(each)[0], _end(each)) for each in chosen}
    before = [one for one in left if _near((_place(one)[0], _end(one)), starts)]
    after = [one for one in left if _near(_place(one), ends) and one not in before]
    rest = [one for one in left if one not in before and one not in after]
    yield from before
    yield from after
    yield from (one for one in rest if _words(one) >= _FEWEST_WORDS)


def _near(place: tuple[str, int], others: set[tuple[str, int]]) -> bool:
    return any((place[0], place[1] + step) in others for step in (-2, -1, 0, 1, 2))


def _place(each: Sentence) -> tuple[str, int]:
    return each.passage.source_key, each.passage.span.start + each.span.start


def _end(each: Sentence) -> int:
    return each.passage.span.start + each.span.end


def _words(each: Sentence) -> int:
    return len(each.analysis.words)


# --- values and words that are marked ---


class Segment(IntEnum):
    """What a word piece belongs to: the token types of the network's input."""

    CLAIM = 0
    EVIDENCE = 1
    VALUE_STATED = 2  # in the claim, and in the evidence too
    VALUE_MISSING = 3  # in the claim, nowhere in the evidence
    WORD_MISSING = 4  # in the claim, in no form in the evidence
    VALUE_CLAIMED = 5  # in the evidence, and in the claim too
    VALUE_OTHER = 6  # in the evidence, nowhere in the claim
    VALUE_RIVAL = 7  # in the evidence: another value of what the claim counts


@dataclass(frozen=True, slots=True)
class Tag:
    """The characters from `start` to `end` of a text belong to `segment`."""

    start: int
    end: int
    segment: Segment


_SUPPORTED = 0.5  # support of a stem, from which a text contains a form of the word


def tags(
    claim: str, evidence: str, analyse: Analyser = analyse
) -> tuple[tuple[Tag, ...], tuple[Tag, ...]]:
    """Return the tags of the claim, and those of the evidence."""
    mine, theirs = analyse(claim), analyse(evidence)
    claimed, stated = tuple(values_of(mine)), tuple(values_of(theirs))
    missing = tuple(
        value for value in claimed if not any(same(value, other) for other in stated)
    )
    return (
        (
            *_missing_words(mine, theirs),
            *(
                _tag(
                    mine,
                    one,
                    Segment.VALUE_MISSING if one in missing else Segment.VALUE_STATED,
                )
                for one in claimed
            ),
        ),
        tuple(_tag(theirs, one, _of_stated(one, claimed)) for one in stated),
    )


def _rivals(claimed: Value, stated: Value) -> bool:
    match claimed, stated:
        case Quantity(), Quantity():
            exact = Bound.EXACT in (claimed.bound, stated.bound)
            found = compare_quantity(claimed, [stated])
            return exact and found is Agreement.DIFFERENT
        case Date(), Date():
            return compare_date(claimed, [stated]) is Agreement.DIFFERENT
        case (Time(), Time()) | (Score(), Score()):
            return not same(claimed, stated)
    return False


def _of_stated(value: Value, claimed: Sequence[Value]) -> Segment:
    if any(same(one, value) for one in claimed):
        return Segment.VALUE_CLAIMED
    rival = any(_rivals(one, value) for one in claimed)
    return Segment.VALUE_RIVAL if rival else Segment.VALUE_OTHER


def _missing_words(claim: TextAnalysis, evidence: TextAnalysis) -> Iterator[Tag]:
    numbers = {number_stem(one.value) for one in claim.quantities}
    for word in claim.content:
        support = evidence.index.support(word.stem)
        if support < _SUPPORTED and word.stem not in numbers:
            yield Tag(word.start, word.end, Segment.WORD_MISSING)


def _tag(text: TextAnalysis, value: Value, segment: Segment) -> Tag:
    first, last = text.words[value.first_word], text.words[value.last_word]
    return Tag(first.start, last.end, segment)


# --- word pieces ---


@dataclass(frozen=True, slots=True)
class LaidOut:
    """Word pieces and their segments; the claim's are `[1, 1 + claim_pieces)`."""

    pieces: tuple[int, ...]
    segments: tuple[int, ...]
    claim_pieces: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """The word pieces of a text, where each is in it, and what is tagged there."""

    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    tags: Sequence[Tag] = ()

    def segments(self, otherwise: Segment) -> list[int]:
        """Return the segment of each piece; a later tag overrides an earlier one."""
        found = [int(otherwise)] * len(self.ids)
        for tag in self.tags:
            for at, (start, end) in enumerate(self.offsets):
                if start < tag.end and end > tag.start:
                    found[at] = int(tag.segment)
        return found


def lay_out(claim: Pieces, about: Sequence[int], evidence: Pieces) -> LaidOut:
    """Join the word pieces of the three parts, each cut to its share."""
    mine = claim.ids[:MOST_OF_CLAIM]
    first = [FIRST, *mine, BETWEEN, *about[:MOST_OF_ABOUT], BETWEEN]
    left = MOST_PIECES - len(first) - 1
    of_first = [int(Segment.CLAIM)] * len(first)
    of_first[1 : 1 + len(mine)] = claim.segments(Segment.CLAIM)[: len(mine)]
    of_second = evidence.segments(Segment.EVIDENCE)[:left]
    return LaidOut(
        pieces=(*first, *evidence.ids[:left], BETWEEN),
        segments=(*of_first, *of_second, int(Segment.EVIDENCE)),
        claim_pieces=len(mine),
    )


# --- its answers, and as features ---


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The network's answer: three probabilities.

    They sum to 1 and are not calibrated. `larger` is a larger network's answer to the
    same pair, if there is one; `borne_out` is what a `StatesHead` makes of its states.
    """

    supported: float
    refuted: float
    unmentioned: float
    larger: "PairAnswer | None" = None
    borne_out: float | None = None


# Reads a pair; the same pair gives the same answer.
CrossEncoder: TypeAlias = Callable[[PairText], PairAnswer]


@dataclass(frozen=True, slots=True)
class Reading:
    """A network's answer to a pair, and what it holds of each piece of the claim.

    `states` has a row for each of the claim's `pieces`.
    """

    answer: PairAnswer
    pieces: tuple[int, ...]
    states: npt.NDArray[np.float32]


# Reads a pair and tells what it holds of the claim, where a `CrossEncoder` answers.
PairReader: TypeAlias = Callable[[PairText], Reading]


@dataclass(frozen=True, slots=True)
class StatesHead:
    """Says whether evidence bears a claim out, by what the network holds of the claim.

    A logistic regression on the mean of the states, which tell more of one wrong word
    than the network's own answer does. It is fitted on claims that differ by a few
    words, one right and one wrong, so that topic and form tell nothing.
    """

    weights: npt.NDArray[np.float64]
    bias: float

    def log_odds(self, reading: Reading) -> float:
        """Return the log odds that the evidence bears the claim out."""
        return float(self.weights @ reading.states.mean(axis=0)) + self.bias


_LEAST = 1e-4


def log_odds(likely: float) -> float:
    """Return log(p / (1 - p)), bounded to about ±9."""
    bounded = min(max(likely, _LEAST), 1 - _LEAST)
    return log(bounded / (1 - bounded))


def network_features(answer: PairAnswer) -> dict[str, float]:
    """Return the features of one answer: log odds, those of the answer within ±9."""
    found = {
        f"{NETWORK}supported": log_odds(answer.supported),
        f"{NETWORK}refuted": log_odds(answer.refuted),
        f"{NETWORK}unmentioned": log_odds(answer.unmentioned),
    }
    if answer.larger is not None:
        of_larger = network_features(answer.larger)
        found |= {f"{_LARGER}{name}": value for name, value in of_larger.items()}
    if answer.borne_out is not None:
        found[BORNE_OUT] = answer.borne_out
    return found
