"""Decides whether an edit moved a claim away from its sources.

The claim before the edit is the best control there is: same topic, same style, same
page, and usually right. So both sides are read beside the same evidence, and what is
decided is of the pair: what the network answers, and what it holds of the words that
changed, of both sides, weighed by a logistic regression of their own. How many words an edit changes
is no part of it; the worst edits change one. Numbers, dates and times in another form are equal by
arithmetic, before anything is read. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import exp

import numpy as np
import numpy.typing as npt

from handlers.citations.comparison import (
    AnalysedClaim,
    Sentence,
    Stated,
    context,
    gather,
    prepare,
)
from handlers.citations.corpus import Analyser, Corpus
from handlers.citations.network_input import (
    CrossEncoder,
    PairReader,
    PairText,
    Reading,
    about,
    choose,
    join,
    network_features,
    sentence,
)
from handlers.citations.values import Value, equal, values_of
from handlers.citations.verification import LexicalModel, verify
from handlers.model import Claim, EditJudgement, Engine
from handlers.text.words import Rarity

# Of evidence for a pair. The sentences that decide are among the first 60 words for 94
# of 100 edits, among 160 for 98, which take twice as long to read.
EDIT_WORDS = 60
# Each side may choose this share of them; two that choose the same get all.
_SHARES = (1.0, 0.8, 0.64, 0.5)


@dataclass(frozen=True, slots=True)
class EditModel:
    """A logistic regression on what `held` returns of both sides.

    `weights` has a number for each of the side before, then of the side after.
    """

    version: str
    weights: npt.NDArray[np.float64]
    bias: float

    def moved(self, before: Reading, after: Reading) -> float:
        """Return the probability that the edit moved the claim from its evidence."""
        odds = float(self.weights @ np.concatenate(held(before, after))) + self.bias
        return 1 / (1 + exp(-max(min(odds, _MOST_ODDS), -_MOST_ODDS)))


_MOST_ODDS = 50.0


def judge_edit(
    title: str,
    before: Claim,
    after: Claim,
    corpus: Corpus,
    *,
    edits: EditModel,
    reader: PairReader,
    model: LexicalModel,
    engine: Engine,
    analyse: Analyser,
    network: CrossEncoder | None,
) -> EditJudgement:
    """Judge an edit of a claim of the article `title` by what its sources say.

    Args:
        title: of the article.
        before: the claim as it stood.
        after: as it stands now; both are read in its context.
        corpus: all sources that stand behind it, with at least one passage.
        edits: decides about the pair.
        reader: tells what the network holds of each side.
        model: judges each side by itself.
        engine: named in both verdicts.
        analyse: reads a text; may remember those it has read.
        network: judges each side by itself.
    """
    before = replace(before, section=after.section, context=after.context)
    sides = tuple(
        verify(
            title,
            claim,
            corpus,
            model=model,
            engine=engine,
            analyse=analyse,
            network=network,
        )
        for claim in (before, after)
    )
    if has_only_other_form(sentence(before), sentence(after), analyse):
        return EditJudgement(0.0, *sides)
    texts = edit_texts(
        title, before, after, corpus, rarity=model.rarity, analyse=analyse
    )
    return EditJudgement(edits.moved(*map(reader, texts)), *sides)


def edit_texts(
    title: str,
    before: Claim,
    after: Claim,
    corpus: Corpus,
    *,
    rarity: Rarity,
    analyse: Analyser,
) -> tuple[PairText, PairText]:
    """Return what the network reads of both sides: the same evidence for each."""
    sides = []
    for claim in (before, after):
        claimed = prepare(claim, title, rarity, analyse)
        stated = gather(claimed, context(title, claim), corpus, analyse)
        sides.append((claimed, stated))
    evidence, known = join(_chosen(sides)), about(title, after)
    return (
        PairText(sentence(before), known, evidence),
        PairText(sentence(after), known, evidence),
    )


def _chosen(sides: Sequence[tuple[AnalysedClaim, Stated]]) -> list[Sentence]:
    """Return the sentences that either side chooses, some `EDIT_WORDS` in all."""
    found: dict[tuple[str, int], Sentence] = {}
    for share in _SHARES:
        found = {}
        for claimed, stated in sides:
            most = int(EDIT_WORDS * share)
            for one in choose(claimed, stated.sentences, most_words=most):
                place = one.passage.source_key, one.passage.span.start + one.span.start
                found.setdefault(place, one)
        if sum(len(one.analysis.words) for one in found.values()) <= EDIT_WORDS:
            break
    return list(found.values())


# --- what the network holds of both ---


def held(
    before: Reading, after: Reading
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return what the network holds of each side.

    That is its answer as log odds, and the mean state of the pieces that the edit
    changes; of the whole claim on a side that only lost words.
    """
    changed = _changed(before.pieces, after.pieces)
    mine, theirs = (
        np.concatenate(
            (
                list(network_features(side.answer).values()),
                side.states[at or slice(None)].mean(axis=0),
            )
        ).astype(np.float64)
        for side, at in zip((before, after), changed, strict=True)
    )
    return mine, theirs


def _changed(
    before: Sequence[int], after: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the indices of the pieces that differ, on each side."""
    mine: list[int] = []
    theirs: list[int] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind != "equal":
            mine += range(start, end)
            theirs += range(other_start, other_end)
    return mine, theirs


# --- values in another form ---


def has_only_other_form(before: str, after: str, analyse: Analyser) -> bool:
    """Return whether an edit only gives values another form, like "1,200" for "1200".

    All other words are the same, in the same order, as "acquired by" and "acquired"
    are not.
    """
    mine, theirs = list(_items(before, analyse)), list(_items(after, analyse))
    return len(mine) == len(theirs) and all(map(_are_equal, mine, theirs))


def _items(text: str, analyse: Analyser) -> Iterator[str | Value]:
    analysis = analyse(text)
    values = {one.first_word: one for one in values_of(analysis)}
    at = 0
    while at < len(analysis.words):
        value = values.get(at)
        yield value or analysis.words[at].lowered
        at = value.last_word + 1 if value else at + 1


def _are_equal(one: str | Value, other: str | Value) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return equal(one, other)
