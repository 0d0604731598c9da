"""The figures of people's edits and of discovery beside them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from bot.research.evaluation.discovery.covering import score
from bot.research.evaluation.discovery.figures import PAPER, figures_of
from bot.research.evaluation.discovery.results import Configuration, EventResult
from bot.research.evaluation.history.periods import Period
from bot.research.evaluation.history.reading import FactualEdit, PageHistory
from bot.research.evaluation.report import Bars, Findings

_DRAWN = 20  # pages, as many as in the paper's figure 8
_WEEK, _MONTH = 7, 30
# Days from a source to its citation, as far as the upper end.
_BINS = ((1, "same or next day"), (7, "a week"), (30, "a month"), (90, "three months"), (365, "a year"))  # fmt: skip
_LONGER = "longer"
_QUANTILES = (("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p90", 0.9))


def metrics_of(
    histories: Sequence[PageHistory],
    results: Sequence[EventResult],
    periods: Sequence[Period],
    *,
    with_runs: bool,
) -> dict[str, Any]:
    """Return all figures; of discovery only where it ran."""
    told = {"human_edits": _human_edits(histories, periods)}
    if not with_runs:
        return told
    ablations = (Configuration.NO_CRITERIA, Configuration.SINGLE_QUERY)
    kinds = sorted({one.category for one in results if one.category})
    return {
        **figures_of(results, Configuration.FULL),
        "ablations": {one.value: figures_of(results, one) for one in ablations},
        "oracle": figures_of(results, Configuration.ORACLE),
        "by_category": {
            kind: figures_of(
                [one for one in results if one.category == kind], Configuration.FULL
            )
            for kind in kinds
        },
        **told,
        "paper": PAPER,
    }


def rows_of(
    histories: Sequence[PageHistory], results: Sequence[EventResult]
) -> list[dict[str, Any]]:
    """Return the figures of each page."""
    rows = []
    for one in histories:
        own = [result for result in results if result.event == one.title]
        rows.append(
            {
                "title": one.title,
                "category": one.category,
                "revisions": one.revisions,
                "edits_of_sections": one.edits_of_sections,
                "left_out": dict(one.left_out),
                "edits_with_facts": len(one.edits),
                "facts": sum(len(edit.facts) for edit in one.edits),
                "of_their_year": _share([edit.is_of_its_year for edit in one.edits]),
                "median_latency_days": _median(_latencies([one])),
                "soft_coverage": _mean(own),
                "hard_coverage": _mean(own, same=True),
                "oracle_soft_coverage": _mean(own, Configuration.ORACLE),
            }
        )
    return rows


def bars_of(
    histories: Sequence[PageHistory], results: Sequence[EventResult]
) -> tuple[Bars, ...]:
    """Return what is drawn: figure 1 of people, figures 5 and 8 of discovery."""
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
            (
                (
                    "same year",
                    tuple(
                        _share([edit.is_of_its_year for edit in one.edits]) or 0.0
                        for one in busy
                    ),
                ),
            ),
        ),
        _latency_bars(histories),
    ]
    if results:
        titles = [one.title for one in busy]
        kinds = sorted({one.category for one in results if one.category})
        drawn.append(
            _coverage(
                "Coverage by page",
                titles,
                [[one for one in results if one.event == title] for title in titles],
            )
        )
        if kinds:
            drawn.append(
                _coverage(
                    "Coverage by category",
                    kinds,
                    [
                        [one for one in results if one.category == kind]
                        for kind in kinds
                    ],
                )
            )
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
    soft = tuple(_mean(part) or 0.0 for part in parts)
    hard = tuple(_mean(part, same=True) or 0.0 for part in parts)
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
        "left_out": _left_out(histories),
    }


def _is_of_its_period(edit: FactualEdit, periods: Sequence[Period]) -> float | None:
    """Return whether a source was published in the period of the edit that cites it.

    Only then can discovery be expected to find it there; `None` without a known day.
    """
    if not edit.latencies:
        return None
    newest = edit.saved_at.date() - timedelta(days=min(edit.latencies))
    return float(
        any(one.holds(edit.saved_at) and one.since <= newest for one in periods)
    )


def _left_out(histories: Sequence[PageHistory]) -> dict[str, int]:
    told: dict[str, int] = {}
    for one in histories:
        for reason, count in one.left_out.items():
            told[reason] = told.get(reason, 0) + count
    return dict(sorted(told.items()))


def _latencies(histories: Sequence[PageHistory]) -> list[int]:
    return [days for one in histories for edit in one.edits for days in edit.latencies]


def _median(days: Sequence[int]) -> float | None:
    return float(np.median(days)) if days else None


def _share(told: Sequence[bool | None]) -> float | None:
    known = [one for one in told if one is not None]
    return round(sum(known) / len(known), 4) if known else None


def _mean(
    results: Sequence[EventResult],
    configuration: Configuration = Configuration.FULL,
    *,
    same: bool = False,
) -> float | None:
    scores = [
        score(answers, same_section=same)
        for one in results
        if configuration in one.runs
        for answers in one.runs[configuration].answers
    ]
    return round(sum(scores) / len(scores), 4) if scores else None
