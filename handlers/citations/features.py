"""Measures how a claim and the passages of its sources relate, in plain numbers.

Each feature is one comparison a careful reader makes: do the claim's words, names,
numbers and dates occur in the source, do they occur together in one passage, and does
the sentence that matches best say something else instead? Pure.
"""

from collections.abc import Sequence
from math import log1p

from handlers.citations.comparison import (
    AnalysedClaim,
    Sentence,
    Stated,
    StemSupport,
    combined,
    recall,
)
from handlers.text.analysis import TextAnalysis, mentioned
from handlers.text.dates import compare_date, compare_time
from handlers.text.numbers import Agreement, agree, compare_quantity
from handlers.text.words import negations, opposed

_MANY_WORDS = 3000.0
_TOP = 3
# Only used by the rule for contradictions: next to the other recalls, a head would only
# learn noise from it.
RULE_ONLY = frozenset({"sentence recall of words"})


def measure(claim: AnalysedClaim, stated: Stated) -> dict[str, float]:
    """Return all features by name; shares lie in [0, 1]. Heads skip `RULE_ONLY`."""
    best = stated.best
    return {
        **_coverage(claim, stated, best),
        **_numbers(claim, stated, best),
        **_dates(claim, stated, best),
        **_names(claim, stated, best),
        **_opposition(claim, best),
        **_kinds(claim, stated),
        "claim length": log1p(len(claim.analysis.content)),
        "claim weight": log1p(sum(claim.weights.values())),
        "source length": log1p(min(stated.word_count, _MANY_WORDS)),
        "retrieval score": log1p(stated.ranked[0].score),
        "retrieval lead": _lead([each.score for each in stated.ranked]),
    }


def _coverage(claim: AnalysedClaim, stated: Stated, best: Sentence) -> dict[str, float]:
    even = dict.fromkeys(claim.weights, 1.0)
    by_passage = [recall(claim.weights, each) for each in stated.support]
    top = combined(stated.support[:_TOP])
    missing = [
        weight * (1 - stated.everywhere[stem]) for stem, weight in claim.weights.items()
    ]
    page = recall(claim.weights, stated.everywhere)
    passage = max(by_passage)
    return {
        "page recall": page,
        "page recall squared": page**2,
        "passage recall": passage,
        "passage recall squared": passage**2,
        "top passage recall": by_passage[0],
        "top three recall": recall(claim.weights, top),
        "sentence recall": recall(claim.weights, best.support),
        "sentence recall of words": _recall_of_words(claim, best),
        "passage recall with title": max(
            recall(claim.all_weights, each) for each in stated.support
        ),
        "even page recall": recall(even, stated.everywhere),
        "nothing missing": float(page >= 1),
        "missing weight": log1p(sum(missing)),
        "rarest missing": max(missing, default=0.0),
        "title recall": recall(dict.fromkeys(claim.title, 1.0), stated.everywhere),
        "sentence fits cell": recall(claim.hints, best.support) * claim.is_cell,
        "sentence precision": _share(
            len(best.analysis.stems & claim.analysis.stems), len(best.analysis.stems)
        ),
    }


def _recall_of_words(claim: AnalysedClaim, best: Sentence) -> float:
    """Return the recall of stems without digits; high if only a number differs."""
    words = {
        stem: weight
        for stem, weight in claim.weights.items()
        if not any(char.isdecimal() for char in stem)
    }
    return recall(words, best.support)


def _numbers(claim: AnalysedClaim, stated: Stated, best: Sentence) -> dict[str, float]:
    """Compare quantities and times of day; a careful reader checks both alike."""
    near = _number_agreements(claim, [best.analysis])
    top = _number_agreements(claim, stated.passages[:_TOP])
    far = _number_agreements(claim, stated.passages)
    aligned = recall(claim.all_weights, best.support)
    return {
        "number absent though aligned": aligned * (Agreement.ABSENT in near),
        **_agreements("number", near, top, far),
    }


def _number_agreements(
    claim: AnalysedClaim, texts: Sequence[TextAnalysis]
) -> list[Agreement]:
    """Compare each quantity and time of the claim with all those of the texts.

    A value that supports one number of the claim does not contradict another one.
    """
    claimed = claim.analysis.quantities
    quantities = [one for text in texts for one in text.quantities]
    times = [one for text in texts for one in text.times]
    stated = {
        one: frozenset(other for other in quantities if agree(one, other))
        for one in claimed
    }
    free = [
        other
        for other in quantities
        if not any(other in supporting for supporting in stated.values())
    ]
    return [
        *(
            Agreement.STATED if stated[one] else compare_quantity(one, free)
            for one in claimed
        ),
        *(compare_time(one, times) for one in claim.analysis.times),
    ]


def _dates(claim: AnalysedClaim, stated: Stated, best: Sentence) -> dict[str, float]:
    claimed = claim.analysis.dates
    near = [compare_date(one, best.analysis.dates) for one in claimed]
    top = [d for passage in stated.passages[:_TOP] for d in passage.dates]
    everywhere = [d for passage in stated.passages for d in passage.dates]
    top_agreement = [compare_date(one, top) for one in claimed]
    far = [compare_date(one, everywhere) for one in claimed]
    aligned = recall(claim.all_weights, best.support)
    return {
        "date absent though aligned": aligned * (Agreement.ABSENT in near),
        **_agreements("date", near, top_agreement, far),
    }


def _agreements(
    kind: str,
    near: Sequence[Agreement],
    top: Sequence[Agreement],
    far: Sequence[Agreement],
) -> dict[str, float]:
    """Describe details by the best sentence, the top passages and all passages.

    If the claim has no such detail, nothing is missing.
    """
    return {
        f"{kind}s": log1p(len(near)),
        f"{kind} not in sentence": _share_not(near, Agreement.STATED),
        f"{kind} not in top passages": _share_not(top, Agreement.STATED),
        f"{kind} nowhere": _share_not(far, Agreement.STATED),
        f"{kind} differs in sentence": float(Agreement.DIFFERENT in near),
        f"{kind} differs in top passages": float(Agreement.DIFFERENT in top),
        f"{kind} differs everywhere": float(Agreement.DIFFERENT in far),
    }


def _share_not(found: Sequence[Agreement], wanted: Agreement) -> float:
    return _share(sum(one is not wanted for one in found), len(found))


def _names(claim: AnalysedClaim, stated: Stated, best: Sentence) -> dict[str, float]:
    claimed = [
        name for name in claim.analysis.names if not set(name.stems) <= claim.title
    ]
    near = [mentioned(name, _all_stems(best.analysis)) for name in claimed]
    top = frozenset().union(*(_all_stems(each) for each in stated.passages[:_TOP]))
    joint = [mentioned(name, top) for name in claimed]
    far = [mentioned(name, stated.stems) for name in claimed]
    return {
        "names": log1p(len(claimed)),
        "name not in sentence": _share(len(near) - sum(near), len(near)),
        "name not in top passages": _share(len(joint) - sum(joint), len(joint)),
        "name nowhere": _share(len(far) - sum(far), len(far)),
        "names nowhere": log1p(len(far) - sum(far)),
    }


def _all_stems(analysis: TextAnalysis) -> frozenset[str]:
    return frozenset(word.stem for word in analysis.words)


def _opposition(claim: AnalysedClaim, sentence: Sentence) -> dict[str, float]:
    best = sentence.analysis
    mine = {word.lowered for word in claim.analysis.words}
    theirs = {word.lowered for word in best.words}
    difference = negations(claim.analysis.words) - negations(best.words)
    near = recall(claim.all_weights, sentence.support)
    return {
        "negated in claim only": float(difference > 0),
        "negated in sentence only": float(difference < 0),
        "opposites": log1p(opposed(mine - theirs, theirs - mine)),
        "opposites aligned": near * float(opposed(mine - theirs, theirs - mine) > 0),
        "negation aligned": near * float(difference != 0),
    }


def _kinds(claim: AnalysedClaim, stated: Stated) -> dict[str, float]:
    """Return what the nearest passages leave out, by kind of word."""
    required = [
        (word, stem)
        for word, stem in zip(claim.analysis.words, claim.required, strict=True)
        if stem in claim.weights
    ]
    near = _two_best(claim, stated)
    named = {stem: 1.0 for word, stem in required if word.is_capitalised}
    plain = {stem: 1.0 for word, stem in required if word.text.islower()}
    digits = {stem: 1.0 for word, stem in required if word.text[0].isdigit()}
    return {
        "capitalised missing": _missing(named, near),
        "lower case missing": _missing(plain, near),
        "digits missing": _missing(digits, near),
        "lower case missing share": _share(_missing(plain, near), len(plain)),
    }


def _missing(weights: dict[str, float], support: StemSupport) -> float:
    return len(weights) * (1 - recall(weights, support)) if weights else 0.0


def _two_best(claim: AnalysedClaim, stated: Stated) -> StemSupport:
    """Return what the best passage and the one that adds most to it support."""
    best = max(stated.support, key=lambda one: recall(claim.weights, one))
    return max(
        (combined([best, one]) for one in stated.support),
        key=lambda one: recall(claim.weights, one),
    )


def _lead(scores: Sequence[float]) -> float:
    if len(scores) == 1 or not scores[0]:
        return 0.0
    return 1 - scores[1] / scores[0]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
