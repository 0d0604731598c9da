"""Judges a claim by its features, and finds the evidence for the verdict.

The model is two small logistic regressions over named features. A single sentence and a
whole web page are different evidence: in a page, nearly every word of a claim occurs
somewhere. So one head judges short evidence, the other pages, and in between their
answers are mixed by the length of the source. Every weight can be read next to the name
of its feature.

The verdict is the likeliest class, so the probability that a reader sees is never lower
than another's. Every quote is cut out of the source by its place, so it is there
character for character. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import exp, log
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from handlers.citations.comparison import Reader, context, gather, prepare
from handlers.citations.features import measure
from handlers.citations.flags import READ
from handlers.citations.network_input import CrossEncoder, network_features, pair
from handlers.citations.quotes import proof, unsupported
from handlers.citations.values import (
    ROLE_FEATURES,
    converted,
    measure_roles,
    same,
    stated_instead,
    values_of,
)
from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Span,
    Verdict,
    Verification,
)
from handlers.text.analysis import TextAnalysis
from handlers.text.words import Rarity

# A cell of a table has a row and a column: the value where the same two meet in a table
# of the source says more than any comparison of words. Tables are extracted from pages
# as lines of cells separated by " | ", the first line being the header. A label is found
# by its words; if two match equally well, or none does, nothing is looked up.

_BAR = " | "
_FEWEST_ROWS, _FEWEST_CELLS = 2, 2
_LABELS = 2  # how many columns may name a row: the first, or the one after a number
_NOTES = "¹²³⁴⁵⁶⁷⁸⁹⁰"
_ALIKE = 0.5  # share of common words from which two labels match

_Line: TypeAlias = tuple[str, int]  # with its place in the source


@dataclass(frozen=True, slots=True)
class CellMatch:
    """What a source says where the claim's row and column meet.

    `span` is the place of its line in the text of `passage`; `agrees` says whether it
    is the claim's value.
    """

    passage: Passage
    span: Span
    agrees: bool


def find_cell(
    claim: Claim, passages: Sequence[Passage], read: Reader
) -> CellMatch | None:
    """Return what a table that has the claim's row and column says.

    A cell that agrees comes before any that do not. One that does not only counts if it
    is the only one: with several such tables, none of them may be the claim's. `None`
    if no table has both row and column, or no such cell can be compared.
    """
    found = tuple(_found(claim, passages, read))
    agreeing = next((one for one in found if one.agrees), None)
    return agreeing or (found[0] if len(found) == 1 else None)


def _found(
    claim: Claim, passages: Sequence[Passage], read: Reader
) -> Iterator[CellMatch]:
    if not claim.row or not claim.column:
        return
    for source_key in dict.fromkeys(one.source_key for one in passages):
        own = [one for one in passages if one.source_key == source_key]
        for table in _tables(own):
            for row, column in (
                (claim.row, claim.column),
                (claim.column, claim.row),
            ):
                found = _meet(table, read(row), read(column), read)
                agrees = found and _agrees(read(claim.text), read(found[0]))
                if found and agrees is not None:
                    yield _placed(found[1], own, agrees=agrees)


def _tables(passages: Sequence[Passage]) -> Iterator[list[_Line]]:
    """Yield runs of lines with equally many cells.

    A line with one cell fewer above them may be their header, with an empty corner left
    out: then they are also yielded with it.
    """
    lines = [(len(line.split(_BAR)), line, start) for line, start in _lines(passages)]
    runs = [[*run] for _, run in groupby(lines, key=itemgetter(0))]
    for above, run in pairwise([[], *runs]):
        cells = run[0][0]
        table = [(line, start) for _, line, start in run]
        if cells < _FEWEST_CELLS:
            continue
        if above and above[-1][0] == cells - 1 >= _FEWEST_CELLS:
            yield [(_BAR + above[-1][1], above[-1][2]), *table]
        if len(table) >= _FEWEST_ROWS:
            yield table


def _lines(passages: Sequence[Passage]) -> Iterator[_Line]:
    """Yield the lines of a source, each once although passages overlap."""
    reached = -1
    for one in sorted(passages, key=lambda each: each.span.start):
        start = one.span.start
        for line in one.text.split("\n"):
            if start > reached:
                yield line.strip(), start
                reached = start
            start += len(line) + 1


def _meet(
    table: Sequence[_Line], row: TextAnalysis, column: TextAnalysis, read: Reader
) -> tuple[str, _Line] | None:
    head, *lines = [line.split(_BAR) for line, _ in table]
    at = _best(column, [read(one) for one in head])
    if at is None:
        return None
    for labels in range(min(at, _LABELS)):
        down = _best(row, [read(one[labels]) for one in lines])
        if down is not None:
            return lines[down][at], table[down + 1]
    return None


def _best(label: TextAnalysis, others: Sequence[TextAnalysis]) -> int | None:
    """Return which of the others has the words of `label`; `None` if unclear."""
    shares = [_alike(label, other) for other in others]
    best = max(shares, default=0.0)
    is_named = any(map(str.isalpha, label.text))  # a number must match exactly
    if best < (_ALIKE if is_named else 1) or shares.count(best) > 1:
        return None
    return shares.index(best)


def _alike(label: TextAnalysis, other: TextAnalysis) -> float:
    mine, theirs = _words(label), _words(other)
    if not mine or not theirs:
        return 0.0
    if len(mine) == len(theirs) == 1 and _abbreviates(*theirs, *mine):
        return _ALIKE
    return len(mine & theirs) / len(mine | theirs)


def _words(text: TextAnalysis) -> frozenset[str]:
    return frozenset(word.lowered.rstrip(_NOTES) for word in text.words)


def _abbreviates(short: str, word: str) -> bool:
    """Return whether the letters of `short` occur in `word` in order: "Pts"."""
    rest = iter(word)
    begins = short.isalpha() and short[0] == word[0]  # numbers are not abbreviated
    return begins and all(letter in rest for letter in short)


def _agrees(claimed: TextAnalysis, stated: TextAnalysis) -> bool | None:
    """Return whether two cells say the same; `None` where that cannot be told."""
    if _words(claimed) == _words(stated) and claimed.words:
        return " ".join(claimed.text.split()) == " ".join(stated.text.split()) or None
    mine, theirs = tuple(values_of(claimed)), tuple(values_of(stated))
    if len(mine) == len(theirs) == 1 and type(mine[0]) is type(theirs[0]):
        return same(mine[0], theirs[0])
    return True if _is_short_for(claimed, stated) else None


def _is_short_for(claimed: TextAnalysis, stated: TextAnalysis) -> bool:
    """Return whether one name is the other with initials: "I. Carvalho"."""
    mine = [word.lowered for word in claimed.words]
    theirs = [word.lowered for word in stated.words]
    return len(mine) == len(theirs) > 1 and all(
        one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])
        for one, other in zip(mine, theirs, strict=True)
    )


def _placed(line: _Line, passages: Sequence[Passage], *, agrees: bool) -> CellMatch:
    text, start = line
    for one in passages:
        at = one.text.find(text, max(0, start - one.span.start))
        if one.span.start <= start < one.span.end and at >= 0:
            return CellMatch(one, Span(at, at + len(text)), agrees)
    raise AssertionError("each line is of a passage")


_NETWORK = "network "  # what the names of its cues begin with
# How fast the page head takes over around the changeover length (in log words).
_CHANGEOVER_WIDTH = 0.25
# A contradiction is only claimed if it can be shown: without a number or date that the
# nearest sentence states instead, refuted and merely unmentioned claims look alike (on
# the verification dev split, only three in ten of those that the short head thought
# refuted were), so "contradicted" keeps at most this share of what speaks against a
# claim.
_UNSHOWN = 0.1
# And this share if it can be shown in a page. No data of whole pages tells the two
# apart, but of the short evidence that shows it, more than this share refutes the
# claim.
_SHOWN = 0.8
# Recall from which the nearest sentence is taken to be about the same thing as the
# claim. At these values, nine in ten claims with another number were refuted on the
# verification dev split, and eight in ten with another date. Opposites and negation are
# too often just wording: of the claims they pointed at, only half were refuted.
_ALIGNED_BY = {"number": 0.5, "date": 0.7}
# Half of a short claim is its number: "It was repaired in 1913" and "… in 1921" share
# only one word, but there is no other. This rule by itself found a tenth more of the
# refuted claims, and no others.
_SAME_WORDS = 0.95
_FITS_CELL = 0.6  # the same for a cell, whose headers tell what it is about

# How much of the probability that a cell fails goes to "contradicted" if a source states
# another value in its role: as much as such cells of the training pairs were.
_CELL_SHOWN = 0.93
# And if no such value can be quoted, and the model has not learned what contradicts a
# page. One that has keeps its own share, up to the one above, so that no such cell is
# taken for one that a table contradicts: of the 120 wrong cells of `pairs_dev` (heads
# fitted without their article) it then calls 79 contradicted instead of 31, with 7
# instead of 1 of the 120 right ones, and of 224 cells beside another row's page 3.
_CELL_UNSHOWN = 0.1


@dataclass(frozen=True, slots=True)
class Head:
    """One multinomial logistic regression on standardised features.

    `weights` and `biases` have one row per class, in the order of the fields of
    `Probabilities`; `weights` has one column per feature.
    """

    features: tuple[str, ...]
    means: npt.NDArray[np.float64]
    scales: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    biases: npt.NDArray[np.float64]

    @property
    def knows_contradiction(self) -> bool:
        """Whether it was fitted on claims that their sources contradict."""
        return bool(np.isfinite(self.biases[-1]))

    def probabilities(self, measured: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Return one probability per class; they sum to 1."""
        values = np.array([measured[name] for name in self.features])
        logits = self.weights @ ((values - self.means) / self.scales) + self.biases
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class LexicalModel:
    """Both heads, the rarity of words, and where the heads change over."""

    version: str
    rarity: Rarity
    short: Head
    page: Head
    changeover_words: float

    @property
    def uses_network(self) -> bool:
        """Whether this model uses a network that sees which claims are refuted.

        A network has learned what refutes a claim; with words alone, that must be
        shown.
        """
        return any(name.startswith(_NETWORK) for name in self.short.features)


def judge(
    model: LexicalModel, measured: Mapping[str, float], word_count: int
) -> Probabilities:
    """Judge a claim by its features and the length of its sources in words."""
    page = page_share(model, word_count)
    shown = shows_difference(measured)
    of_page = model.page.probabilities(measured)
    if not model.page.knows_contradiction:
        contradicted = _SHOWN if shown or not model.uses_network else _UNSHOWN
        of_page = _parted(of_page, contradicted)
    answer = (1 - page) * model.short.probabilities(measured) + page * of_page
    if not shown and not model.uses_network:
        answer = _parted(answer, min(_UNSHOWN, _share_contradicted(answer)))
    return Probabilities(*(float(value) for value in answer))


def shows_difference(measured: Mapping[str, float]) -> bool:
    """Return whether the nearest sentence says something else about the same thing.

    That is another number or date, with the claim's own nowhere near.
    """
    cell = measured["sentence fits cell"] >= _FITS_CELL
    same = measured["sentence recall of words"] >= _SAME_WORDS
    return any(
        (cell or same or measured["sentence recall"] >= aligned)
        and measured[f"{kind} differs in sentence"] > 0
        and measured[f"{kind} differs everywhere"] > 0
        for kind, aligned in _ALIGNED_BY.items()
    )


def page_share(model: LexicalModel, word_count: int) -> float:
    """Return how far the page head decides, from 0 (a sentence) to 1 (a page)."""
    distance = log(max(word_count, 1)) - log(model.changeover_words)
    return 1 / (1 + exp(-distance / _CHANGEOVER_WIDTH))


def _share_contradicted(answer: npt.NDArray[np.float64]) -> float:
    against = answer[2] + answer[3]
    return float(answer[3] / against) if against else 0.0


def _parted(
    answer: npt.NDArray[np.float64], contradicted: float
) -> npt.NDArray[np.float64]:
    """Split what speaks against the claim; `contradicted` is that verdict's share."""
    against = answer[2] + answer[3]
    parted = [against * (1 - contradicted), against * contradicted]
    return np.array([answer[0], answer[1], *parted])


# --- from probabilities to a verdict with its evidence ---


def verify(
    title: str,
    claim: Claim,
    passages: Sequence[Passage],
    *,
    model: LexicalModel,
    engine: Engine,
    read: Reader,
    network: CrossEncoder | None = None,
) -> Verification:
    """Judge `claim` of the article `title` by all `passages`, at least one.

    With a `network`, `model` must have weights for its cues; without one, none.
    """
    claimed = prepare(claim, title, model.rarity, read)
    stated = gather(claimed, context(title, claim), passages, read)
    marked = unsupported(claimed, stated)
    same = converted(claim, passages, read)
    if same is not claim:
        claim, claimed = same, prepare(same, title, model.rarity, read)
        stated = gather(claimed, context(title, claim), passages, read)
    measured = measure(claimed, stated)
    weighed = (*model.short.features, *model.page.features)
    if not ROLE_FEATURES.isdisjoint(weighed):
        measured |= measure_roles(claimed, stated)
    if network is not None:
        measured |= network_features(network(pair(title, claim, claimed, stated)))
    likely = judge(model, measured, stated.word_count)
    shown: tuple[Passage, Span] | None = None
    met = find_cell(claim, passages, read) if claimed.is_cell else None
    if met:
        likely = _with_cell(likely, agrees=met.agrees)
        shown = met.passage, met.span
    elif claimed.is_cell:
        other = stated_instead(claimed, stated)
        learned = model.page.knows_contradiction
        likely = _cell_parted(likely, is_shown=other is not None, learned=learned)
        shown = (other.passage, other.sentence) if other else None
    return Verification(
        verdict=verdict(likely),
        probabilities=likely,
        evidence=proof(claimed, stated, read, first=shown),
        unsupported=marked,
        engine=engine,
    )


def _with_cell(likely: Probabilities, *, agrees: bool) -> Probabilities:
    """Return `likely` adjusted to the cell that was read in a table of the source."""
    rest = (1 - READ) / max(
        1 - (likely.supported if agrees else likely.contradicted), 1e-9
    )
    return Probabilities(
        supported=READ if agrees else likely.supported * rest,
        partially_supported=likely.partially_supported * rest,
        not_supported=likely.not_supported * rest,
        contradicted=likely.contradicted * rest if agrees else READ,
    )


def verdict(likely: Probabilities) -> Verdict:
    """Return the likeliest verdict; of equal ones, the milder."""
    return max(Verdict, key=likely.of)


def _cell_parted(
    likely: Probabilities, *, is_shown: bool, learned: bool
) -> Probabilities:
    """Return `likely` with what speaks against a cell split anew.

    Args:
        likely: of the heads.
        is_shown: whether a source states another value in the cell's role.
        learned: whether the heads know what contradicts a page.
    """
    against = likely.not_supported + likely.contradicted
    contradicted = against * (_CELL_SHOWN if is_shown else _CELL_UNSHOWN)
    if learned and not is_shown:
        contradicted = min(likely.contradicted, against * _CELL_SHOWN)
    return replace(
        likely, not_supported=against - contradicted, contradicted=contradicted
    )
