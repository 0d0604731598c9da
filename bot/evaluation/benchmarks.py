"""All benchmarks there are: what each reads and what measures it.

A new one is a line here; `sidenote evaluate all` then runs it, and floors can be
pinned for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from bot.adapters.encoder import Encoder
from bot.evaluation import retrieval, unsupported, verification, wice
from bot.evaluation.contest import Contest
from bot.evaluation.progress import Progress
from bot.evaluation.report import EvaluationReport
from handlers.ports import Verifier

Measure: TypeAlias = Callable[[Path, Verifier, Progress, Contest], EvaluationReport]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One evaluation; `file` is where its rows lie in a folder of data sets."""

    name: str
    file: str
    measure: Measure


def _unsupported(
    data: Path, verifier: Verifier, progress: Progress, _: Contest
) -> EvaluationReport:
    return unsupported.evaluate(data, verifier, progress)


def _retrieval(
    data: Path, verifier: Verifier, progress: Progress, _: Contest
) -> EvaluationReport:
    with TemporaryDirectory(prefix="sidenote-") as pool:
        return retrieval.evaluate(data, verifier, Encoder(), progress, pool=Path(pool))


BENCHMARKS = (
    Benchmark("verification", "verification/dev.jsonl.gz", verification.evaluate),
    Benchmark("wice", "wice/claim_full_dev.jsonl.gz", wice.evaluate),
    Benchmark(
        "unsupported", "wice/partial_subclaims_tokens_dev.jsonl.gz", _unsupported
    ),
    Benchmark("retrieval", "wikigenbench/events_dev.jsonl.gz", _retrieval),
)
