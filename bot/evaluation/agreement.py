"""How far people agree who judged the same thing: Fleiss' kappa. Pure.

Fleiss, J. L. (1971): Measuring nominal scale agreement among many raters.
Psychological Bulletin 76 (5), 378-382; in the form for things that not all were judged
by as many people. With n(i) judgements of thing i, n(i, j) of them category j:

    P(i)   =  sum over j of n(i, j) (n(i, j) - 1)  /  n(i) (n(i) - 1)
    p(j)   =  share of category j among all judgements
    kappa  =  (mean P - sum p(j)^2)  /  (1 - sum p(j)^2)

Only things that at least two people judged take part.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from bot.evaluation.metrics import UndefinedMetricError

_TWO = 2


def shared(judged: Mapping[str, Sequence[Hashable]]) -> dict[str, Sequence[Hashable]]:
    """Return the things that at least two people judged, with their judgements."""
    return {name: said for name, said in judged.items() if len(said) >= _TWO}


def agreement(judged: Sequence[Sequence[Hashable]]) -> float:
    """Return the mean share of pairs of judgements of the same thing that agree.

    Raises:
        UndefinedMetricError: nothing was judged by two people.
    """
    if not judged:
        raise UndefinedMetricError("nothing was judged by two people")
    return sum(map(_agreeing, judged)) / len(judged)


def fleiss_kappa(judged: Sequence[Sequence[Hashable]]) -> float:
    """Return Fleiss' kappa; 1 is full agreement, 0 what chance brings.

    Raises:
        UndefinedMetricError: nothing was judged by two people, or all said the same.
    """
    seen = agreement(judged)
    counts = Counter(one for said in judged for one in said)
    by_chance = sum((count / counts.total()) ** 2 for count in counts.values())
    if len(counts) == 1:
        raise UndefinedMetricError("all judgements are the same")
    return (seen - by_chance) / (1 - by_chance)


def _agreeing(said: Sequence[Hashable]) -> float:
    pairs = len(said) * (len(said) - 1)
    return sum(count * (count - 1) for count in Counter(said).values()) / pairs
