"""Has a verifier judge every row of a data set."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bot.research.evaluation.cases import Case, case
from bot.research.evaluation.datasets import Row
from bot.research.evaluation.metrics import Classes, Measure, Scores, Truth, interval95
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import Findings
from handlers.model import Probabilities, Verdict, Verification
from handlers.ports import Verifier

# "Contradicted" is the sharpest way of not being supported.
VERDICTS = tuple(Verdict)
RESAMPLES = 500


@dataclass(frozen=True, slots=True)
class Judged:
    """A row beside the verifier's answer."""

    case: Case
    verification: Verification

    @property
    def row(self) -> Row:
        """Return the row that was judged."""
        return self.case.row


def judge_all(
    rows: Iterable[Row], verifier: Verifier, progress: Progress
) -> list[Judged]:
    """Judge the rows one after the other, as the pipeline would."""
    return asyncio.run(_judge_all(rows, verifier, progress))


async def _judge_all(
    rows: Iterable[Row], verifier: Verifier, progress: Progress
) -> list[Judged]:
    judged = []
    for row in rows:
        given = case(row)
        answer = await verifier.verify(row.title, given.claim, given.passages)
        judged.append(Judged(given, answer))
        progress.advance()
    return judged


def is_supported(judged: Sequence[Judged]) -> Truth:
    """Return whether annotators called each row supported."""
    return np.array([one.row.label.verdict is Verdict.SUPPORTED for one in judged])


def called_supported(judged: Sequence[Judged]) -> Truth:
    """Return whether each row was called supported."""
    return np.array([one.verification.verdict is Verdict.SUPPORTED for one in judged])


def scores(judged: Sequence[Judged]) -> Scores:
    """Return the probability of "supported" of each row."""
    likely = [one.verification.probabilities.supported for one in judged]
    return np.array(likely, dtype=np.float64)


def truth_classes(judged: Sequence[Judged]) -> Classes:
    """Return each row's label as an index into `VERDICTS`."""
    indices = [VERDICTS.index(one.row.label.verdict) for one in judged]
    return np.array(indices, dtype=np.int64)


def called_classes(judged: Sequence[Judged]) -> Classes:
    """Return each row's verdict as an index into `VERDICTS`."""
    indices = [VERDICTS.index(one.verification.verdict) for one in judged]
    return np.array(indices, dtype=np.int64)


def likeliest_classes(judged: Sequence[Judged], among: Sequence[int]) -> Classes:
    """Return the likeliest of the classes `among` for each row."""
    chosen = [_likeliest(one.verification.probabilities, among) for one in judged]
    return np.array(chosen, dtype=np.int64)


def _likeliest(likely: Probabilities, among: Sequence[int]) -> int:
    by_verdict = _by_verdict(likely)
    return max(among, key=lambda at: by_verdict[at])


def _by_verdict(likely: Probabilities) -> tuple[float, ...]:
    by_verdict = {
        Verdict.SUPPORTED: likely.supported,
        Verdict.PARTIALLY_SUPPORTED: likely.partially_supported,
        Verdict.NOT_SUPPORTED: likely.not_supported,
        Verdict.CONTRADICTED: likely.contradicted,
    }
    return tuple(by_verdict[verdict] for verdict in VERDICTS)


def add_measured(
    findings: Findings,
    name: str,
    groups: Sequence[str],
    measure: Measure,
) -> None:
    """Add the metric of all rows, with its interval over groups of rows.

    `measure` is given the indices of the rows to measure.
    """
    findings.add(
        name,
        lambda: measure(np.arange(len(groups))),
        lambda: interval95(measure, groups, resamples=RESAMPLES),
    )
