"""The words of a claim that lack support, against annotators' marks (WiCE).

Compared word by word, in the data's own words, beside the baseline that marks
every word of every claim.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bot.research.evaluation import metrics
from bot.research.evaluation.datasets import Row, read_rows
from bot.research.evaluation.judging import Judged, add_measured, judge_all
from bot.research.evaluation.metrics import Measure, Truth
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import EvaluationReport, Findings, engine_of
from handlers.model import Span
from handlers.ports import PermanentError, Verifier


def evaluate(data: Path, verifier: Verifier, progress: Progress) -> EvaluationReport:
    """Measure how well the verifier marks what lacks support.

    Raises:
        PermanentError: the file is missing, or no row has marked words.
    """
    rows = read_rows(data)
    marked = [row for row in rows.rows if row.unsupported_words]
    if not marked:
        raise PermanentError(
            f"{data} marks no words; pass rows with claim_tokens and"
            " non_supported_spans."
        )
    progress.started(len(marked))
    judged = judge_all(marked, verifier, progress)
    return EvaluationReport(
        "unsupported words", rows, engine_of(verifier, rows), _metrics(judged)
    )


def _metrics(judged: Sequence[Judged]) -> Mapping[str, Any]:
    truth = [_marks(one.row) for one in judged]
    called = [_called(one) for one in judged]
    findings = Findings()
    groups = [one.row.group for one in judged]
    everything = [np.ones_like(one) for one in truth]
    add_measured(findings, "token_f1", groups, _f1(truth, called))
    add_measured(findings, "token_f1_of_marking_all", groups, _f1(truth, everything))
    return {"rows": len(judged), **findings.to_dict()}


def _f1(truth: Sequence[Truth], called: Sequence[Truth]) -> Measure:
    return lambda at: metrics.token_f1(
        [truth[one] for one in at], [called[one] for one in at]
    )


def _marks(row: Row) -> Truth:
    return np.array([mark for _, mark in row.unsupported_words], dtype=np.bool_)


def _called(judged: Judged) -> Truth:
    """Return which of the data's words our marks touch."""
    marks = judged.verification.unsupported
    return np.array(
        [
            any(mark.start < place.end and place.start < mark.end for mark in marks)
            for place in _places(judged.row)
        ],
        dtype=np.bool_,
    )


def _places(row: Row) -> list[Span]:
    """Find the data's words in the claim, in order; a missing one has no extent."""
    places = []
    after = 0
    for word, _ in row.unsupported_words:
        start = row.claim.find(word, after)
        after = after if start < 0 else start + len(word)
        places.append(Span(start, after) if start >= 0 else Span(after, after))
    return places
