"""The figures of update discovery and of people's edits, with intervals over articles."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from bot.research.evaluation.events import is_held_out
from bot.research.evaluation.report import Bars, Findings
from bot.research.evaluation.updates.coverage import (
    ENTAILED,
    Answers,
    Configuration,
    EventResult,
    Gold,
    Run,
    Suggested,
    best,
    score,
)
from bot.research.evaluation.updates.human_edits import FactualEdit, PageHistory, Period

_DRAWN = 20  # articles, as many as in the paper's figure 8
# Shares from WiNELL, table 2: GPT-4.1 on live news, people's edits of 45 pages in 2024.
# The paper's text gives 33.2 % and 43.7 % where the table has 34.4 % and 41.4 %.
PAPER: Mapping[str, Mapping[str, float]] = {
    "winell": {"hard_coverage": 0.154, "soft_coverage": 0.344, "section_accuracy": 0.332},
    "no_section_criteria": {"hard_coverage": 0.152, "soft_coverage": 0.330, "section_accuracy": 0.286},
    "no_agentic_search": {"hard_coverage": 0.095, "soft_coverage": 0.215, "section_accuracy": 0.196},
    "oracle": {"hard_coverage": 0.306, "soft_coverage": 0.622, "section_accuracy": 0.414},
}  # fmt: skip


def metrics_of(results: Sequence[EventResult]) -> dict[str, Any]:
    held_out = [one for one in results if is_held_out(one.title)]
    return {
        **_of_runs(results),
        "all_hidden": _of_all_hidden(results),
        "reachable": _reachable(results),
        "held_out_half": {
            "articles": len(held_out),
            **figures_of(held_out, Configuration.FULL),
            "oracle": figures_of(held_out, Configuration.ORACLE),
        },
        "paper": PAPER,
    }


def _of_runs(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return the figures of the engine, its ablations and oracle, and by category."""
    ablations = (Configuration.NO_CRITERIA, Configuration.SINGLE_QUERY)
    return {
        **figures_of(results, Configuration.FULL),
        "ablations": {one.value: figures_of(results, one) for one in ablations},
        "oracle": figures_of(results, Configuration.ORACLE),
        "by_category": {
            kind: figures_of(
                [one for one in results if one.category == kind], Configuration.FULL
            )
            for kind in sorted({one.category for one in results if one.category})
        },
    }


def players_of(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return how often each role was asked, and how often its model was no use.

    A turn without a usable answer is credited to nobody: it adds no suggestion.
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
    return [
        {
            "event": one.event,
            "title": one.title,
            "category": one.category,
            "pages": one.pages,
            "hidden": len(one.gold),
            "hidden_with_source": sum(gold.has_source for gold in one.gold),
            "soft_coverage": _rounded(_mean([one])),
            "hard_coverage": _rounded(_mean([one], same=True)),
            "oracle_soft_coverage": _rounded(_mean([one], Configuration.ORACLE)),
            "suggestions": sum(
                len(run.suggested)
                for which, run in one.runs.items()
                if which is Configuration.FULL
            ),
        }
        for one in results
    ]


def bars_of(results: Sequence[EventResult]) -> tuple[Bars, ...]:
    """Return the charts: coverage by category and by page (figures 5 and 8)."""
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
            sum(_mean([one], same=same) or 0.0 for one in part) / len(part)
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
    results: Sequence[EventResult],
    configuration: Configuration = Configuration.FULL,
    *,
    same: bool = False,
) -> float | None:
    """Return the mean score of all edits that have a source."""
    scores = [
        score(answers, same_section=same)
        for result in results
        if configuration in result.runs
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
    """Return coverage of all hidden sentences, including those without a source."""
    fields = {}
    for one in (Configuration.FULL, Configuration.ORACLE):
        findings = Findings()
        edits = _add_coverage(findings, results, one, has_source=False)
        fields[one.value] = {"edits": edits, **findings.to_dict()}
    return fields


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
    copies = {
        id(run): frozenset(one.number for one in run.suggested if one.is_copy)
        for _, run, _ in rows
    }

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


def _in_section(answers: Answers) -> float | None:
    """Return the share of an edit's covered facts whose best suggestion is in place."""
    found = [one for one in map(best, answers) if one is not None]
    return sum(one.is_same_section for one in found) / len(found) if found else None


def _add_per_article(findings: Findings, runs: Sequence[tuple[str, Run]]) -> None:
    groups = [event for event, _ in runs]
    for name, values in (
        ("suggestions_per_article", [float(len(run.suggested)) for _, run in runs]),
        ("pages_opened_per_article", [float(run.opened) for _, run in runs]),
        ("seconds_per_article", [run.took_s for _, run in runs]),
    ):
        findings.add_mean(name, groups, values)


def _add_of_suggestions(findings: Findings, runs: Sequence[tuple[str, Run]]) -> None:
    rows = [(event, run, one) for event, run in runs for one in run.suggested]
    groups = [event for event, _, _ in rows]
    useful = {
        id(run): {
            one.number
            for answers in run.answers
            for fact in answers
            for one in fact
            if one.probability >= ENTAILED
        }
        for _, run in runs
    }

    def add(name: str, of: Callable[[Run, Suggested], bool]) -> None:
        findings.add_mean(name, groups, [float(of(run, one)) for _, run, one in rows])

    add("supported_share", lambda _, one: one.borne_out >= ENTAILED)
    add("quoted_share", lambda _, one: one.is_quoted)
    add("of_own_pages_share", lambda _, one: one.is_own)
    add("of_copies_share", lambda _, one: one.is_copy)
    add("covering_share", lambda run, one: one.number in useful[id(run)])
    add("well_backed_share", lambda _, one: one.backing == "HIGH")
    add("outdated_share", lambda _, one: one.kind == "OUTDATED")


def _reachable(results: Sequence[EventResult]) -> dict[str, Any]:
    """Return the share of hidden facts that the event's own pages support at all."""
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


_WEEK, _MONTH = 7, 30
# Upper ends of the bins for days from a source to its citation.
_BINS = ((1, "same or next day"), (7, "a week"), (30, "a month"), (90, "three months"), (365, "a year"))  # fmt: skip
_LONGER = "longer"
_QUANTILES = (("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p90", 0.9))


def metrics_of_histories(
    histories: Sequence[PageHistory],
    results: Sequence[EventResult],
    periods: Sequence[Period],
    *,
    with_runs: bool,
) -> dict[str, Any]:
    fields = {"human_edits": _human_edits(histories, periods)}
    if not with_runs:
        return fields
    return {**_of_runs(results), **fields, "paper": PAPER}


def rows_of_histories(
    histories: Sequence[PageHistory], results: Sequence[EventResult]
) -> list[dict[str, Any]]:
    rows = []
    for one in histories:
        own = [result for result in results if result.event == one.title]
        days = _latencies([one])
        rows.append(
            {
                "title": one.title,
                "category": one.category,
                "revisions": one.revisions,
                "edits_of_sections": one.edits_of_sections,
                "left_out": dict(one.left_out),
                "edits_with_facts": len(one.edits),
                "facts": sum(len(edit.facts) for edit in one.edits),
                "of_their_year": _of_their_year(one),
                "median_latency_days": float(np.median(days)) if days else None,
                "soft_coverage": _rounded(_mean(own)),
                "hard_coverage": _rounded(_mean(own, same=True)),
                "oracle_soft_coverage": _rounded(_mean(own, Configuration.ORACLE)),
            }
        )
    return rows


def bars_of_histories(
    histories: Sequence[PageHistory], results: Sequence[EventResult]
) -> tuple[Bars, ...]:
    """Return the charts: figure 1 for people, figures 5 and 8 for discovery."""
    busy = sorted(
        (one for one in histories if one.edits), key=lambda one: -len(one.edits)
    )
    if not busy:
        return ()
    busy = busy[:_DRAWN]
    drawn = [
        Bars(
            "human_edits",
            "Edits with a source from their own year, by page",
            "Share of the edits whose sources name a year",
            tuple(one.title for one in busy),
            (("same year", tuple(_of_their_year(one) or 0.0 for one in busy)),),
        ),
        _latency_bars(histories),
    ]
    if results:
        titles = [one.title for one in busy]
        kinds = sorted({one.category for one in results if one.category})
        of_titles = [[one for one in results if one.event == each] for each in titles]
        of_kinds = [[one for one in results if one.category == each] for each in kinds]
        drawn.append(_coverage("Coverage by page", titles, of_titles))
        if kinds:
            drawn.append(_coverage("Coverage by category", kinds, of_kinds))
    return tuple(drawn)


def _latency_bars(histories: Sequence[PageHistory]) -> Bars:
    days = _latencies(histories)
    ends = [end for end, _ in _BINS]
    places = np.searchsorted(ends, days) if days else np.array([], dtype=np.int64)
    counts = [int((places == at).sum()) for at in range(len(_BINS) + 1)]
    return Bars(
        "human_edits",
        f"From a source to the edit that cites it ({len(days)} sources of a known day)",
        "Share of the sources",
        (*(label for _, label in _BINS), _LONGER),
        (("sources", tuple(count / max(1, len(days)) for count in counts)),),
    )


def _coverage(
    title: str, labels: Sequence[str], parts: Sequence[Sequence[EventResult]]
) -> Bars:
    soft = tuple(_rounded(_mean(part)) or 0.0 for part in parts)
    hard = tuple(_rounded(_mean(part, same=True)) or 0.0 for part in parts)
    across = "Share of people's new facts covered, mean over edits"
    return Bars(
        "updates", title, across, tuple(labels), (("soft", soft), ("hard", hard))
    )


def _human_edits(
    histories: Sequence[PageHistory], periods: Sequence[Period]
) -> dict[str, Any]:
    rows = [(one.title, edit) for one in histories for edit in one.edits]
    findings = Findings()
    findings.add_mean(
        "of_their_year_share",
        [title for title, _ in rows],
        [
            None if edit.is_of_its_year is None else float(edit.is_of_its_year)
            for _, edit in rows
        ],
    )
    findings.add_mean(
        "source_of_their_period_share",
        [title for title, _ in rows],
        [_is_of_its_period(edit, periods) for _, edit in rows],
    )
    dated = [(title, days) for title, edit in rows for days in edit.latencies]
    groups = [title for title, _ in dated]
    for name, most in (
        ("within_a_week_share", _WEEK),
        ("within_a_month_share", _MONTH),
    ):
        findings.add_mean(name, groups, [float(days <= most) for _, days in dated])
    days = [days for _, days in dated]
    left_out = Counter[str]()
    for one in histories:
        left_out.update(one.left_out)
    return {
        "edits": len(rows),
        "facts": sum(len(edit.facts) for _, edit in rows),
        "sources": sum(len(edit.addresses) for _, edit in rows),
        "sources_of_a_known_day": len(days),
        **findings.to_dict(),
        **{
            f"latency_days_{name}": float(np.quantile(days, at)) if days else None
            for name, at in _QUANTILES
        },
        "left_out": dict(sorted(left_out.items())),
    }


def _is_of_its_period(edit: FactualEdit, periods: Sequence[Period]) -> float | None:
    """Return whether a source was published in the period of the edit that cites it.

    Only then can discovery be expected to find it there; `None` if no day is known.
    """
    if not edit.latencies:
        return None
    newest = edit.saved_at.date() - timedelta(days=min(edit.latencies))
    return float(
        any(one.holds(edit.saved_at) and one.since <= newest for one in periods)
    )


def _latencies(histories: Sequence[PageHistory]) -> list[int]:
    return [days for one in histories for edit in one.edits for days in edit.latencies]


def _of_their_year(history: PageHistory) -> float | None:
    lines = [edit.is_of_its_year for edit in history.edits]
    known = [one for one in lines if one is not None]
    return round(sum(known) / len(known), 4) if known else None
