"""Lays a claim beside what its sources state, read once and ready to compare.

The subject of the article (its title) is known to the reader: a claim that says "he"
or "the band" names nobody, and one that names the subject proves nothing by it. So
the title's words are weighed apart. Pure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from handlers.citations.cues.kinship import kin
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import Reading
from handlers.citations.cues.reading import read as read_cues
from handlers.citations.cues.words import content_stems, words
from handlers.citations.retrieval import RankedPassage, rank
from handlers.model import Claim, Passage, Span
from handlers.wikitext.sentences import split

_NEAR = 20  # passages that are compared closely
_QUOTABLE = 5  # passages whose sentences are compared one by one
_PREFIX = 5  # letters that two stems must share to count as related
_KIN = 0.6
_RELATED = 0.6  # what a related stem ("German" for "Germany") is worth

Reader: TypeAlias = Callable[[str], Reading]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim prepared for comparison.

    `weights` holds the content stems that the source must bear out, with what each
    one tells; words of the title are left out unless nothing else remains.
    """

    reading: Reading
    weights: Mapping[str, float]
    all_weights: Mapping[str, float]
    title: frozenset[str]
    bigrams: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source, with its place in the text of its passage."""

    passage: Passage
    span: Span
    reading: Reading


@dataclass(frozen=True, slots=True)
class Stated:
    """What the sources say, from near to far.

    `best` is the sentence that says most of the claim; `passages` are in the order
    of retrieval, the `ranked` ones likewise; `stems` are those of the whole text.
    """

    best: Reading
    sentences: tuple[Sentence, ...]
    passages: tuple[Reading, ...]
    ranked: tuple[RankedPassage, ...]
    stems: frozenset[str]
    word_count: int


def prepare(claim: str, title: str, rarity: Rarity, read: Reader) -> Claimed:
    """Read a claim of the article `title`."""
    reading = read(claim)
    known = content_stems(words(title))
    everything = {word.stem: rarity(word.stem) for word in reading.content}
    novel = {stem: weight for stem, weight in everything.items() if stem not in known}
    stems = [word.stem for word in reading.content]
    return Claimed(
        reading=reading,
        weights=novel or everything,
        all_weights=everything,
        title=known,
        bigrams=frozenset(pairwise(stems)),
    )


def nearest(
    title: str, claim: Claim, passages: Sequence[Passage], read: Reader = read_cues
) -> tuple[RankedPassage, ...]:
    """Return all `passages`, those that fit the claim best first."""
    return rank(
        read(claim.text),
        read(context(title, claim.section)),
        passages,
        [read(passage.text) for passage in passages],
    )


def context(title: str, section: Sequence[str]) -> str:
    """Return the words that tell what the claim is about, for retrieval."""
    return " ".join((title, *section))


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
    quotable = _sentences(ranked[:_QUOTABLE], read)
    return Stated(
        best=_best(claim, [sentence.reading for sentence in quotable]),
        sentences=quotable,
        passages=near,
        ranked=ranked,
        stems=frozenset().union(*(reading.stems for reading in readings)),
        word_count=_word_count(passages, readings),
    )


def recall(weights: Mapping[str, float], stems: frozenset[str]) -> float:
    """Return the share of the weight that `stems` bear out; 0 of nothing."""
    total = sum(weights.values())
    if not total:
        return 0.0
    return (
        sum(weight * support(stem, stems) for stem, weight in weights.items()) / total
    )


def support(stem: str, stems: frozenset[str]) -> float:
    """Return how far `stems` hold `stem`: 1 the word, less a related one, else 0."""
    if stem in stems:
        return 1.0
    if not kin(stem).isdisjoint(stems):
        return _KIN
    if len(stem) < _PREFIX or not stem.isalpha():
        return 0.0
    return _RELATED if any(_related(stem, other) for other in stems) else 0.0


def _related(stem: str, other: str) -> bool:
    if other[:_PREFIX] != stem[:_PREFIX]:
        return False
    shared = min(len(stem), len(other)) - 1
    return abs(len(stem) - len(other)) <= _PREFIX and stem[:shared] == other[:shared]


def _sentences(ranked: Sequence[RankedPassage], read: Reader) -> tuple[Sentence, ...]:
    """Return the sentences of the passages; where these overlap, only once."""
    found: dict[tuple[str, int], Sentence] = {}
    for passage in (each.passage for each in ranked):
        for span in split(passage.text):
            place = (passage.source_key, passage.span.start + span.start)
            sentence = Sentence(passage, span, read(span.of(passage.text)))
            found.setdefault(place, sentence)
    return tuple(found.values())


def _best(claim: Claimed, candidates: Sequence[Reading]) -> Reading:
    return max(
        candidates,
        key=lambda each: (recall(claim.all_weights, each.stems), -len(each.words)),
    )


def _word_count(passages: Sequence[Passage], readings: Sequence[Reading]) -> int:
    """Count the words of the sources, each once although passages overlap."""
    reached: dict[str, int] = {}
    count = 0
    for passage, reading in zip(passages, readings, strict=True):
        after = reached.get(passage.source_key, 0) - passage.span.start
        count += sum(word.start >= after for word in reading.words)
        reached[passage.source_key] = max(
            passage.span.end, reached.get(passage.source_key, 0)
        )
    return count
