"""Finds what the sources state that is nearest to a claim.

The reader knows the subject of the article (its title): a claim that says "he" or "the
band" does not name it, and naming it proves nothing. So the title's words are weighted
separately. The headers of a table cell say what it is about, and so which part of the
source is about the same thing. A number together with its unit counts as one thing,
however many words it takes; a value that only converts the one before it needs no
support.

Passages are ranked by BM25. The query is the claim and, with less weight, the article's
title and the claim's section: SIDE found that BM25 needs the title to make up for "he"
and "the band" (appendix on sparse retrieval). Pure.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from handlers.citations.corpus import Analyser, Corpus, read_corpus
from handlers.citations.passages import windows
from handlers.model import CELLS, Claim, Passage, Span
from handlers.text.analysis import TextAnalysis, analyse, number_stem
from handlers.text.numbers import without_asides
from handlers.text.words import Rarity, content_stems, words

_HINT_OF_CELL = 0.5  # weight of the hints; the claim's own words weigh 1
_HINT_OF_SENTENCE = 0.1

_CLAIM_WEIGHT = 3  # how often each word of the claim counts in the query

_NEAR = 20  # passages that are compared closely
_QUOTABLE = 5  # passages whose sentences are compared one by one

# How far a text supports each stem of the claim, from 0 to 1.
StemSupport: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class AnalysedClaim:
    """A claim prepared for comparison.

    `required` holds, for each word of the claim, the stem that the source must support, or
    an empty string. `weights` say how informative each stem is; words of the title are
    left out unless nothing else remains. `hints` are words around the claim that show
    which part of a source is about it; for a cell of a table or an infobox they are
    half of what is said.
    """

    analysis: TextAnalysis
    required: tuple[str, ...]
    weights: Mapping[str, float]
    all_weights: Mapping[str, float]
    title: frozenset[str]
    hints: Mapping[str, float]
    is_cell: bool
    stems: frozenset[str]  # all of those above

    @property
    def hint_share(self) -> float:
        """Return the weight of the hints; the claim itself weighs 1."""
        return _HINT_OF_CELL if self.is_cell else _HINT_OF_SENTENCE


def prepare(
    claim: Claim, title: str, rarity: Rarity, analyse: Callable[[str], TextAnalysis]
) -> AnalysedClaim:
    """Prepare a claim of the article `title`."""
    analysis = _with_counted(analyse(without_asides(claim.text)), claim)
    required = _required(analysis)
    known = content_stems(words(title))
    all_weights = {stem: rarity(stem) for stem in required if stem}
    novel = {stem: weight for stem, weight in all_weights.items() if stem not in known}
    hints = _hints(claim, title, rarity)
    return AnalysedClaim(
        analysis=analysis,
        required=required,
        weights=novel or all_weights,
        all_weights=all_weights,
        title=known,
        hints=hints,
        is_cell=claim.kind in CELLS,
        stems=frozenset([*all_weights, *known, *hints]),
    )


def _required(analysis: TextAnalysis) -> tuple[str, ...]:
    required = [word.stem if word.is_content else "" for word in analysis.words]
    for one in analysis.quantities:
        required[one.first_word : one.last_word + 1] = [""] * one.word_count
        required[one.first_word] = number_stem(one.value)
    for date in analysis.dates:
        if date.year and date.first_word == date.last_word:  # the end of "1990–95"
            required[date.first_word] = str(date.year)
    return tuple(required)


def _hints(claim: Claim, title: str, rarity: Rarity) -> dict[str, float]:
    """Return the words that show what the claim is about but may not be in it."""
    around = " ".join((title, claim.row or "", claim.column or ""))
    # In the order of the words: the order of a set, and with it the last digit of a
    # sum, would differ from run to run.
    return {word.stem: rarity(word.stem) for word in words(around) if word.is_content}


def _with_counted(analysis: TextAnalysis, claim: Claim) -> TextAnalysis:
    """Let the bare numbers of a cell count what its header says ("injuries: 52")."""
    label = content_stems(words(claim.column or claim.row or ""))
    if claim.kind not in CELLS or len(label) != 1:
        return analysis
    [counted] = label
    return replace(
        analysis,
        quantities=tuple(
            one if one.unit else replace(one, unit=counted)
            for one in analysis.quantities
        ),
    )


# --- the nearest passages ---


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage with its BM25 score, comparable only within one ranking."""

    passage: Passage
    score: float


def rank(
    claim: TextAnalysis,
    context: TextAnalysis,
    corpus: Corpus,
    most: int | None = None,
) -> tuple[RankedPassage, ...]:
    """Return the passages, best first; equal scores keep their order.

    Args:
        claim: the words to be supported.
        context: title and section, which count less.
        corpus: all sources that were read.
        most: how many are returned; all if `None`.
    """
    scores = corpus.scores(_terms(claim) * _CLAIM_WEIGHT + _terms(context))
    order = np.argsort(-scores, kind="stable")[:most]
    return tuple(RankedPassage(corpus.passages[at], float(scores[at])) for at in order)


def _terms(analysis: TextAnalysis) -> list[str]:
    return [word.stem for word in analysis.content]


# --- what the sources state ---


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source, or a window of a long one.

    `span` is its place in the text of its passage; `score` says how well it fits the
    claim, and is only comparable within one claim.
    """

    passage: Passage
    span: Span
    analysis: TextAnalysis
    support: StemSupport
    score: float


@dataclass(frozen=True, slots=True)
class Stated:
    """What the sources say, nearest first.

    `sentences` are those of the nearest passages, best fit first. `ranked`, `passages`
    (their analyses) and `support` (what each supports) are the nearest passages, in the
    order of retrieval. `everywhere` is what the whole text supports, and `stems` are its
    stems.
    """

    sentences: tuple[Sentence, ...]
    passages: tuple[TextAnalysis, ...]
    support: tuple[StemSupport, ...]
    ranked: tuple[RankedPassage, ...]
    everywhere: StemSupport
    stems: frozenset[str]
    word_count: int

    @property
    def best(self) -> Sentence:
        """Return the sentence that says most of the claim."""
        return self.sentences[0]


def nearest(
    title: str, claim: Claim, passages: Sequence[Passage], analyse: Analyser = analyse
) -> tuple[RankedPassage, ...]:
    """Return all `passages`, best fit first."""
    return rank(
        analyse(claim.text),
        analyse(context(title, claim)),
        read_corpus(passages, analyse),
    )


def context(title: str, claim: Claim) -> str:
    """Return the words that show what the claim is about, for retrieval."""
    return " ".join((title, *claim.section, claim.row or "", claim.column or ""))


def gather(
    claim: AnalysedClaim, about: str, corpus: Corpus, analyse: Analyser
) -> Stated:
    """Find what is nearest to the claim in `corpus`, which has at least one passage.

    Args:
        claim: decides what is near.
        about: the claim's `context`, for retrieval.
        corpus: all sources that were read.
        analyse: reads a text; may remember those it has read.
    """
    ranked = rank(claim.analysis, analyse(about), corpus, _NEAR)
    near = tuple(analyse(each.passage.text) for each in ranked)
    return Stated(
        sentences=_sentences(claim, ranked[:_QUOTABLE], analyse),
        passages=near,
        support=tuple(stem_support(claim.stems, each) for each in near),
        ranked=ranked,
        everywhere={stem: corpus.index.support(stem) for stem in claim.stems},
        stems=corpus.index.stems,
        word_count=corpus.word_count,
    )


def stem_support(stems: Collection[str], text: TextAnalysis) -> StemSupport:
    """Return how far `text` supports each of the `stems`."""
    support = text.index.support
    return {stem: support(stem) for stem in stems}


def combined(texts: Sequence[StemSupport]) -> StemSupport:
    """Return how far several texts (at least one) support each stem together."""
    return {stem: max(each[stem] for each in texts) for stem in texts[0]}


def recall(weights: Mapping[str, float], support: StemSupport) -> float:
    """Return the share of the weight that is supported; 0 if there is no weight."""
    total = sum(weights.values())
    if not total:
        return 0.0
    return sum(weight * support[stem] for stem, weight in weights.items()) / total


def _sentences(
    claim: AnalysedClaim, ranked: Sequence[RankedPassage], analyse: Analyser
) -> tuple[Sentence, ...]:
    """Return the sentences, best first; where passages overlap, each only once."""
    found: dict[tuple[str, int], Sentence] = {}
    for passage in (each.passage for each in ranked):
        for span in windows(passage.text):
            place = (passage.source_key, passage.span.start + span.start)
            if place not in found:
                found[place] = compare_sentence(claim, passage, span, analyse)
    return tuple(
        sorted(found.values(), key=lambda one: (-one.score, len(one.analysis.words)))
    )


def compare_sentence(
    claim: AnalysedClaim, passage: Passage, span: Span, analyse: Analyser
) -> Sentence:
    """Compare the words of `passage` at `span` with the claim."""
    analysis = analyse(span.of(passage.text))
    support = stem_support(claim.stems, analysis)
    score = recall(claim.all_weights, support) + claim.hint_share * recall(
        claim.hints, support
    )
    return Sentence(passage, span, analysis, support, score)
