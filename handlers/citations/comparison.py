"""Lays a claim beside what its sources state, read once and ready to compare.

The subject of the article (its title) is known to the reader: a claim that says "he"
or "the band" names nobody, and one that names the subject proves nothing by it. So
the title's words are weighed apart. A cell of a table says what it is about in its
headers; they tell which part of the source speaks of the same. Pure.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from handlers.citations.claim_features import Claimed
from handlers.citations.cues.reading import Reading
from handlers.citations.cues.reading import read as read_cues
from handlers.citations.retrieval import RankedPassage, rank
from handlers.citations.windows import windows
from handlers.model import Claim, Passage, Span

_NEAR = 20  # passages that are compared closely
_QUOTABLE = 5  # passages whose sentences are compared one by one
_start = attrgetter("start")

Reader: TypeAlias = Callable[[str], Reading]
# How far a text bears out each stem of the claim, from 0 to 1.
Borne: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source, or a window of a long one.

    `span` is its place in the text of its passage; `score` tells how well it fits
    the claim, and is comparable only within a claim.
    """

    passage: Passage
    span: Span
    reading: Reading
    borne: Borne
    score: float


@dataclass(frozen=True, slots=True)
class Stated:
    """What the sources say, from near to far.

    `sentences` are those of the nearest passages, the one that fits best first;
    `passages` are in the order of retrieval, the `ranked` ones likewise, and so is
    `borne`, what each of the passages bears out. `everywhere` is what all of the
    text bears out, and `stems` are its stems.
    """

    sentences: tuple[Sentence, ...]
    passages: tuple[Reading, ...]
    borne: tuple[Borne, ...]
    ranked: tuple[RankedPassage, ...]
    everywhere: Borne
    stems: frozenset[str]
    word_count: int

    @property
    def best(self) -> Sentence:
        """Return the sentence that says most of the claim."""
        return self.sentences[0]


def nearest(
    title: str, claim: Claim, passages: Sequence[Passage], read: Reader = read_cues
) -> tuple[RankedPassage, ...]:
    """Return all `passages`, those that fit the claim best first."""
    return rank(
        read(claim.text),
        read(context(title, claim)),
        passages,
        [read(passage.text) for passage in passages],
    )


def context(title: str, claim: Claim) -> str:
    """Return the words that tell what the claim is about, for retrieval."""
    return " ".join((title, *claim.section, claim.row or "", claim.column or ""))


def gather(
    claim: Claimed, about: str, passages: Sequence[Passage], read: Reader
) -> Stated:
    """Read all `passages` (at least one) and find those nearest to the claim.

    Args:
        claim: decides what is near.
        about: the claim's `context`, for retrieval.
        passages: of all sources that were read.
        read: reads a text for its cues; may remember what it has read.
    """
    readings = [read(passage.text) for passage in passages]
    ranked = rank(claim.reading, read(about), passages, readings)
    near = tuple(read(each.passage.text) for each in ranked[:_NEAR])
    return Stated(
        sentences=_sentences(claim, ranked[:_QUOTABLE], read),
        passages=near,
        borne=tuple(bear_out(claim.stems, each) for each in near),
        ranked=ranked,
        everywhere=together([bear_out(claim.stems, each) for each in readings]),
        stems=frozenset().union(*(reading.stems for reading in readings)),
        word_count=_word_count(passages, readings),
    )


def bear_out(stems: Collection[str], text: Reading) -> Borne:
    """Return how far `text` bears out each of the `stems`."""
    support = text.index.support
    return {stem: support(stem) for stem in stems}


def together(texts: Sequence[Borne]) -> Borne:
    """Return how far several texts (at least one) bear out each stem together."""
    return {stem: max(each[stem] for each in texts) for stem in texts[0]}


def recall(weights: Mapping[str, float], borne: Borne) -> float:
    """Return the share of the weight that is borne out; 0 of nothing."""
    total = sum(weights.values())
    if not total:
        return 0.0
    return sum(weight * borne[stem] for stem, weight in weights.items()) / total


def _sentences(
    claim: Claimed, ranked: Sequence[RankedPassage], read: Reader
) -> tuple[Sentence, ...]:
    """Return the sentences, best first; where passages overlap, each only once."""
    found: dict[tuple[str, int], Sentence] = {}
    for passage in (each.passage for each in ranked):
        for span in windows(passage.text):
            place = (passage.source_key, passage.span.start + span.start)
            if place not in found:
                found[place] = lay_beside(claim, passage, span, read)
    return tuple(sorted(found.values(), key=_fit))


def lay_beside(claim: Claimed, passage: Passage, span: Span, read: Reader) -> Sentence:
    """Compare the words of `passage` at `span` with the claim."""
    reading = read(span.of(passage.text))
    borne = bear_out(claim.stems, reading)
    score = recall(claim.all_weights, borne) + claim.hint_share * recall(
        claim.hints, borne
    )
    return Sentence(passage, span, reading, borne, score)


def _fit(sentence: Sentence) -> tuple[float, int]:
    return -sentence.score, len(sentence.reading.words)


def _word_count(passages: Sequence[Passage], readings: Iterable[Reading]) -> int:
    """Count the words of the sources, each once although passages overlap."""
    reached: dict[str, int] = {}
    count = 0
    for passage, reading in zip(passages, readings, strict=True):
        after = reached.get(passage.source_key, 0) - passage.span.start
        count += len(reading.words) - bisect_left(reading.words, after, key=_start)
        reached[passage.source_key] = max(
            passage.span.end, reached.get(passage.source_key, 0)
        )
    return count
