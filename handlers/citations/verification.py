"""Judges a claim by its features, and finds the evidence for the verdict.

The model is two small logistic regressions over named features. A single sentence and a
whole web page are different evidence: in a page, nearly every word of a claim occurs
somewhere. So one head judges short evidence, the other pages, and in between their
answers are mixed by the length of the source. Every weight can be read next to the name
of its feature.

The verdict is the likeliest class, so the probability that a reader sees is never lower
than another's. Every quote is cut out of the source by its place, so it is there
character for character, but for line breaks. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np
import numpy.typing as npt

from handlers.citations.arithmetic import clash, computed, refuted
from handlers.citations.cells import find_cell
from handlers.citations.comparison import (
    AnalysedClaim,
    Stated,
    context,
    gather,
    prepare,
)
from handlers.citations.corpus import Analyser, Corpus
from handlers.citations.features import measure
from handlers.citations.flags import TABLE_TRUST
from handlers.citations.network_input import (
    NETWORK,
    CrossEncoder,
    PairText,
    network_features,
    pair,
)
from handlers.citations.quotes import proof, unsupported
from handlers.citations.values import (
    ROLE_FEATURES,
    are_stated,
    converted,
    measure_roles,
    stated_instead,
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
from handlers.text.words import Rarity

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
        return any(name.startswith(NETWORK) for name in self.short.features)


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
    fits_cell = measured["sentence fits cell"] >= _FITS_CELL
    has_same_words = measured["sentence recall of words"] >= _SAME_WORDS
    return any(
        (fits_cell or has_same_words or measured["sentence recall"] >= aligned)
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
    corpus: Corpus,
    *,
    model: LexicalModel,
    engine: Engine,
    analyse: Analyser,
    network: CrossEncoder | None = None,
) -> Verification:
    """Judge `claim` of the article `title` by a `corpus` of at least one passage.

    With a `network`, `model` must have weights for its answers; without one, none.
    """
    asked = ask(title, claim, corpus, model.rarity, analyse)
    claim, claimed, stated = asked.claim, asked.claimed, asked.stated
    measured = measure(claimed, stated)
    weighed = (*model.short.features, *model.page.features)
    if not ROLE_FEATURES.isdisjoint(weighed):
        measured |= measure_roles(claimed, stated)
    if network is not None:
        measured |= network_features(network(asked.pair))
    likely = judge(model, measured, stated.word_count)
    shown: tuple[Passage, Span] | None = None
    cell = find_cell(claim, corpus, analyse) if claimed.is_cell else None
    if cell:
        likely = _with_cell(likely, agrees=cell.agrees)
        shown = cell.passage, cell.span
    elif claimed.is_cell:
        other = stated_instead(claimed, stated)
        learned = model.page.knows_contradiction
        likely = _cell_parted(likely, is_shown=other is not None, learned=learned)
        shown = (other.passage, other.sentence) if other else None
        is_doubtful = other is None and likely.contradicted < _SURE_OF_CELL
        if is_doubtful and are_stated(claimed, stated):
            likely = _not_contradicted(likely)
    elif found := clash(claimed, stated):
        likely = refuted(likely)
        shown = found.passage, found.sentence
    return Verification(
        verdict=verdict(likely),
        probabilities=likely,
        evidence=proof(claimed, stated, analyse, first=shown),
        unsupported=asked.unsupported,
        engine=engine,
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim beside what its sources state, in their units, and with its sums done.

    `unsupported` are the words of the claim as it stands in the article.
    """

    claim: Claim
    claimed: AnalysedClaim
    stated: Stated
    pair: PairText
    unsupported: tuple[Span, ...]


def ask(
    title: str, claim: Claim, corpus: Corpus, rarity: Rarity, analyse: Analyser
) -> Asked:
    """Put a claim beside what its sources state, as it is judged."""

    def beside(claim: Claim) -> tuple[AnalysedClaim, Stated]:
        claimed = prepare(claim, title, rarity, analyse)
        return claimed, gather(claimed, context(title, claim), corpus, analyse)

    claimed, stated = beside(claim)
    marked = unsupported(claimed, stated)
    in_its_units = converted(claim, corpus, analyse)
    if in_its_units is not claim:
        claim = in_its_units
        claimed, stated = beside(claim)
    text = pair(title, claim, claimed, stated)
    made = None if claimed.is_cell else computed(claim, claimed, stated)
    if made is not None:
        text = replace(text, evidence=made.told(text.evidence))
        claimed, stated = beside(made.claim)
    return Asked(claim, claimed, stated, text, marked)


def verdict(likely: Probabilities) -> Verdict:
    """Return the likeliest verdict; of equal ones, the milder."""
    return max(Verdict, key=likely.of)


# --- cells ---

# How much of the probability that a cell fails goes to "contradicted" if a source states
# another value in its role: as much as such cells of the training pairs were.
_CELL_SHOWN = 0.93
# And if no such value can be quoted, and the model has not learned what contradicts a
# page. One that has keeps its own share, up to the one above, so that no such cell is
# taken for one that a table contradicts: of the 120 wrong cells of `pairs_dev` (heads
# fitted without their article) it then calls 79 contradicted instead of 31, with 7
# instead of 1 of the 120 right ones, and of 224 cells beside another row's page 3.
_CELL_UNSHOWN = 0.1
# Below it, "contradicted" is a guess, and nobody believes it beside a quote with the
# cell's own value: of the cells of `pairs_dev` of which it was said, two were right and
# one was wrong. They are left undecided.
_SURE_OF_CELL = 0.5


def _with_cell(likely: Probabilities, *, agrees: bool) -> Probabilities:
    """Return `likely` adjusted to the cell that was read in a table of the source."""
    rest = (1 - TABLE_TRUST) / max(
        1 - (likely.supported if agrees else likely.contradicted), 1e-9
    )
    return Probabilities(
        supported=TABLE_TRUST if agrees else likely.supported * rest,
        partially_supported=likely.partially_supported * rest,
        not_supported=likely.not_supported * rest,
        contradicted=likely.contradicted * rest if agrees else TABLE_TRUST,
    )


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


def _not_contradicted(likely: Probabilities) -> Probabilities:
    """Return `likely` with "contradicted" no likelier than "supported"."""
    contradicted = min(likely.contradicted, likely.supported)
    rest = (1 - contradicted) / (1 - likely.contradicted)
    return Probabilities(
        supported=likely.supported * rest,
        partially_supported=likely.partially_supported * rest,
        not_supported=likely.not_supported * rest,
        contradicted=contradicted,
    )
