"""The figures of update discovery, each with its interval over articles."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bot.research.evaluation.discovery.covering import ENTAILED, Answers, best, score
from bot.research.evaluation.discovery.results import (
    Configuration,
    EventResult,
    Gold,
    Run,
    Suggested,
)
from bot.research.evaluation.events import is_held_out
from bot.research.evaluation.report import Bars, Findings

_DRAWN = 20  # articles, as many as in the paper's figure 8
# Shares from WiNELL, table 2: GPT-4.1 on live news, people's edits of 45 pages in 2024.
# Its text gives 33.2 % and 43.7 % where the table has 34.4 % and 41.4 %.from bot.research.evaluation.events import is_held_out

PAPER: Mapping[str, Mapping[str, float]] = {
    "winell": {"hard_coverage": 0.154, "soft_coverage": 0.344, "section_accuracy": 0.332},
    "no_section_criteria": {"hard_coverage": 0.152, "soft_coverage": 0.330, "section_accuracy": 0.286},
    "no_agentic_search": {"hard_coverage": 0.095, "soft_coverage": 0.215, "section_accuracy": 0.196},
    "oracle": {"hard_coverage": 0.306, "soft_coverage": 0.622, "section_accuracy": 0.414},
}  # fmt: skip


def metrics_of(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return all figures of all configurations."""
    held_out = [one for one in results if is_held_out(one.title)]
    return {
        **figures_of(results, Configuration.FULL),
        "ablations": {
            one.value: figures_of(results, one)
            for one in (Configuration.NO_CRITERIA, Configuration.SINGLE_QUERY)
        },
        "oracle": figures_of(results, Configuration.ORACLE),
        "all_hidden": _of_all_hidden(results),
        "reachable": _reachable(results),
        "held_out_half": {
            "articles": len(held_out),
            **figures_of(held_out, Configuration.FULL),
            "oracle": figures_of(held_out, Configuration.ORACLE),
        },
        "by_category": {
            kind: figures_of(
                [one for one in results if one.category == kind], Configuration.FULL
            )
            for kind in sorted({one.category for one in results})
        },
        "paper": PAPER,
    }


def players_of(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return how often each role was asked, and how often its model gave nothing usable.

    A turn without a usable answer is nobody's: it adds no suggestion.
    """
    turns, failed = Counter[str](), Counter[str]()
    runs = [run for one in results for run in one.runs.values()]
    for one in (each for run in runs for each in run.turns):
        turns[one.role] += one.turns
        failed[one.role] += one.failed
    return {
        "turns": {
            role: {"played": turns[role] - failed[role], "failed": failed[role]}
            for role in turns
        },
        "calls": sum(run.calls for run in runs),
        "cost": round(sum(run.cost for run in runs), 4),
    }


def rows_of(results: Sequence[EventResult]) -> list[dict[str, Any]]:
    """Return the figures of each article, for those who want to know where it fails."""
    return [
        {
            "event": one.event,
            "title": one.title,
            "category": one.category,
            "pages": one.pages,
            "hidden": len(one.gold),
            "hidden_with_source": sum(gold.has_source for gold in one.gold),
            "soft_coverage": _rounded(_mean(one, Configuration.FULL)),
            "hard_coverage": _rounded(_mean(one, Configuration.FULL, same=True)),
            "oracle_soft_coverage": _rounded(_mean(one, Configuration.ORACLE)),
            "suggestions": sum(
                len(run.suggested)
                for which, run in one.runs.items()
                if which is Configuration.FULL
            ),
        }
        for one in results
    ]


def bars_of(results: Sequence[EventResult]) -> tuple[Bars, ...]:
    """Return what is drawn: coverage by category and by page (figures 5 and 8)."""
    if not results:
        return ()
    drawn = [one for one in results if any(gold.has_source for gold in one.gold)]
    kinds = sorted({one.category for one in drawn})
    of_kinds = [[one for one in drawn if one.category == kind] for kind in kinds]
    pages = sorted(drawn, key=lambda one: -sum(g.has_source for g in one.gold))[:_DRAWN]
    return (
        _bars("Coverage by category", kinds, of_kinds),
        _bars(
            f"Coverage of the {len(pages)} articles with the most hidden",
            [one.title for one in pages],
            [[one] for one in pages],
        ),
    )


def _bars(
    title: str, labels: Sequence[str], parts: Sequence[Sequence[EventResult]]
) -> Bars:
    def means(*, same: bool) -> tuple[float, ...]:
        return tuple(
            sum(_mean(one, Configuration.FULL, same=same) or 0.0 for one in part)
            / len(part)
            for part in parts
        )

    return Bars(
        "discovery",
        title,
        "Share of hidden facts covered, mean over articles",
        tuple(labels),
        (("soft", means(same=False)), ("hard", means(same=True))),
    )


def _mean(
    result: EventResult, configuration: Configuration, *, same: bool = False
) -> float | None:
    if configuration not in result.runs:
        return None
    scores = [
        score(answers, same_section=same)
        for answers, gold in _edits(result, configuration)
        if gold.has_source
    ]
    return sum(scores) / len(scores) if scores else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _edits(
    result: EventResult, configuration: Configuration
) -> Iterator[tuple[Answers, Gold]]:
    return zip(result.runs[configuration].answers, result.gold, strict=True)


def figures_of(
    results: Sequence[EventResult], configuration: Configuration
) -> dict[str, Any]:
    """Return the figures of one configuration, of the results that have its run."""
    results = [one for one in results if configuration in one.runs]
    findings = Findings()
    runs = [(one.event, one.runs[configuration]) for one in results]
    edits = _add_coverage(findings, results, configuration)
    _add_per_article(findings, runs)
    _add_of_suggestions(findings, runs)
    return {
        "suggestions": sum(len(run.suggested) for _, run in runs),
        "edits": edits,
        **findings.to_dict(),
    }


def _of_all_hidden(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return coverage of all hidden sentences, those without a source among them."""
    told = {}
    for one in (Configuration.FULL, Configuration.ORACLE):
        findings = Findings()
        edits = _add_coverage(findings, results, one, has_source=False)
        told[one.value] = {"edits": edits, **findings.to_dict()}
    return told


def _add_coverage(
    findings: Findings,
    results: Sequence[EventResult],
    configuration: Configuration,
    *,
    has_source: bool = True,
) -> int:
    """Add coverage of the edits that have a source, or of all; return their number."""
    rows = [
        (result.event, result.runs[configuration], answers)
        for result in results
        if configuration in result.runs
        for answers, gold in _edits(result, configuration)
        if gold.has_source or not has_source
    ]
    groups = [event for event, _, _ in rows]
    copies = {id(run): _copies(run) for _, run, _ in rows}

    def add(name: str, of: Callable[[Run, Answers], float | None]) -> None:
        findings.add_mean(name, groups, [of(run, found) for _, run, found in rows])

    add("soft_coverage", lambda _, found: score(found))
    add("hard_coverage", lambda _, found: score(found, same_section=True))
    add("section_accuracy", lambda _, found: _in_section(found))
    add(
        "soft_coverage_without_copies",
        lambda run, found: score(found, without=copies[id(run)]),
    )
    return len(rows)


def _copies(run: Run) -> frozenset[int]:
    return frozenset(one.number for one in run.suggested if one.is_copy)


def _in_section(answers: Answers) -> float | None:
    """Return the share of an edit's covered facts whose best suggestion is placed right."""
    found = [one for one in map(best, answers) if one is not None]
    return sum(one.is_same_section for one in found) / len(found) if found else None


def _add_per_article(findings: Findings, runs: Sequence[tuple[str, Run]]) -> None:
    groups = [event for event, _ in runs]
    counts = [float(len(run.suggested)) for _, run in runs]
    findings.add_mean("suggestions_per_article", groups, counts)
    opened = [float(run.opened) for _, run in runs]
    findings.add_mean("pages_opened_per_article", groups, opened)
    took = [run.took_s for _, run in runs]
    findings.add_mean("seconds_per_article", groups, took)


def _add_of_suggestions(findings: Findings, runs: Sequence[tuple[str, Run]]) -> None:
    rows = [(event, run, one) for event, run in runs for one in run.suggested]
    groups = [event for event, _, _ in rows]
    useful = {id(run): _useful(run) for _, run in runs}

    def add(name: str, of: Callable[[Run, Suggested], bool]) -> None:
        findings.add_mean(name, groups, [float(of(run, one)) for _, run, one in rows])

    add("supported_share", lambda _, one: one.borne_out >= ENTAILED)
    add("quoted_share", lambda _, one: one.is_quoted)
    add("of_own_pages_share", lambda _, one: one.is_own)
    add("of_copies_share", lambda _, one: one.is_copy)
    add("covering_share", lambda run, one: one.number in useful[id(run)])
    add("well_backed_share", lambda _, one: one.backing == "HIGH")
    add("outdated_share", lambda _, one: one.kind == "OUTDATED")


def _useful(run: Run) -> frozenset[int]:
    return frozenset(
        one.number
        for answers in run.answers
        for fact in answers
        for one in fact
        if one.probability >= ENTAILED
    )


def _reachable(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return the share of hidden facts that the event's own pages bear out at all."""
    findings = Findings()
    rows = [
        (one.event, gold) for one in results for gold in one.gold if gold.has_source
    ]
    shares = [
        sum(one >= ENTAILED for one in gold.reachable) / len(gold.reachable)
        for _, gold in rows
    ]
    groups = [event for event, _ in rows]
    findings.add_mean("soft_coverage_of_all_own_pages", groups, shares)
    return findings.to_dict()
