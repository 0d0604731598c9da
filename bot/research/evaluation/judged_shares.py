"""Shares of judgements, with their intervals, as both kinds are reported."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from bot.research.evaluation.judgement_rows import JudgedFile, JudgedRow
from bot.research.evaluation.metrics import UndefinedMetricError, interval95
from bot.research.evaluation.report import Findings
from bot.surfaces.feedback import wilson

# How far people agree who judged the same thing: Fleiss' kappa. Pure.
# Fleiss, J. L. (1971): Measuring nominal scale agreement among many raters.
# Psychological Bulletin 76 (5), 378-382; in the form for things that not all were
# judged by as many people. With n(i) judgements of thing i, n(i, j) of them category j:
# P(i) = sum over j of n(i, j) (n(i, j) - 1) / n(i) (n(i) - 1) p(j) = share of category
# j among all judgements kappa = (mean P - sum p(j)^2) / (1 - sum p(j)^2)
# Only things that at least two people judged take part.

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


RESAMPLES = 1000


def add_share(
    findings: Findings, name: str, rows: Sequence[JudgedRow], hits: Sequence[bool]
) -> None:
    """Add the share of rows that hit, with Wilson's interval.

    Judgements of the same thing are not independent, so the interval is as wide as if
    each thing had been judged once. A bootstrap would call few things certain.
    """
    things = len({(row.wiki, row.identity) for row in rows})

    def share() -> float:
        if not rows:
            raise UndefinedMetricError("no row")
        return sum(hits) / len(rows)

    findings.add(name, share, lambda: wilson.wilson95(share() * things, things))


def add_plain_share(findings: Findings, name: str, hits: int, tries: int) -> None:
    """Add a share of independent things, with Wilson's interval."""

    def share() -> float:
        if not tries:
            raise UndefinedMetricError("no row")
        return hits / tries

    findings.add(name, share, lambda: wilson.wilson95(hits, tries))


def add_agreement(findings: Findings, said: Mapping[str, Sequence[Hashable]]) -> None:
    """Add how far people agree, drawn thing by thing."""
    judged = list(shared(said).values())
    _add_measured(findings, "agreement", agreement, judged)
    _add_measured(findings, "fleiss_kappa", fleiss_kappa, judged)


def _add_measured(
    findings: Findings,
    name: str,
    measure: Callable[[Sequence[Sequence[Hashable]]], float],
    judged: Sequence[Sequence[Hashable]],
) -> None:
    def measured(at: Iterable[int]) -> float:
        return measure([judged[place] for place in at])

    names = [str(number) for number in range(len(judged))]
    findings.add(
        name,
        lambda: measured(range(len(judged))),
        lambda: interval95(measured, names, resamples=RESAMPLES),
    )


def by_thing(
    rows: Sequence[JudgedRow], said: Sequence[Hashable]
) -> dict[str, list[Hashable]]:
    """Return all that was said about each thing."""
    found: dict[str, list[Hashable]] = defaultdict(list)
    for row, one in zip(rows, said, strict=True):
        found[f"{row.wiki} {row.identity}"].append(one)
    return dict(found)


def engines_of(data: JudgedFile[Any]) -> dict[str, Any]:
    """Return who found what was judged, as a report names its engine."""
    names = data.engines
    if len(names) == 1:
        [one] = {row.engine for row in data.rows}
        return {"name": one.name, "version": one.version}
    return {"names": ", ".join(names)}


def counts_of(rows: Sequence[JudgedRow]) -> dict[str, int]:
    """Return on how many judgements figures rest, of how many things and people.

    `readers` counts those that are still known by a number.
    """
    return {
        "judgements": len(rows),
        "things": len({(row.wiki, row.identity) for row in rows}),
        "readers": len({row.reader for row in rows if row.reader is not None}),
    }
