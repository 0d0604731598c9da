"""All benchmarks there are: what each reads and what measures it.

A new one is a line here; `sidenote evaluate all` then runs it, and floors can be
pinned for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from bot.models.encoder import Encoder
from bot.research.evaluation import (
    demo,
    ranking,
    recommendations,
    retrieval,
    unsupported,
    verification,
    wice,
)
from bot.research.evaluation.contest import Contest
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import EvaluationReport
from bot.sources.reliability import load_reliability
from handlers.citations.better.policy import Policy
from handlers.ports import Verifier


@dataclass(frozen=True, slots=True)
class Bench:
    """What all benchmarks of one run are measured with.

    `kept` is a folder for what one of them makes and another can use.
    """

    verifier: Verifier
    progress: Progress
    contest: Contest
    kept: Path


Measure: TypeAlias = Callable[[Path, Bench], EvaluationReport]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One evaluation; `file` is where its rows lie in a folder of data sets.

    Rows that ship lie among the program's own data.
    """

    name: str
    file: str
    measure: Measure
    ships: bool = False

    def place(self, data: Path) -> Path:
        """Return the file of rows, where `data` is the folder of data sets."""
        return Path(str(files("bot"))) / self.file if self.ships else data / self.file


def _verification(data: Path, bench: Bench) -> EvaluationReport:
    return verification.evaluate(data, bench.verifier, bench.progress, bench.contest)


def _wice(data: Path, bench: Bench) -> EvaluationReport:
    return wice.evaluate(data, bench.verifier, bench.progress, bench.contest)


def _unsupported(data: Path, bench: Bench) -> EvaluationReport:
    return unsupported.evaluate(data, bench.verifier, bench.progress)


def _retrieval(data: Path, bench: Bench) -> EvaluationReport:
    pool = bench.kept / _POOL
    return retrieval.evaluate(
        data, bench.verifier, Encoder(), bench.progress, pool=pool
    )


def _recommendations(data: Path, bench: Bench) -> EvaluationReport:
    return recommendations.evaluate(
        data,
        bench.verifier,
        Encoder(),
        bench.progress,
        pool=bench.kept / _POOL,
        policy=Policy(lists=load_reliability()),
    )


def _ranking(data: Path, bench: Bench) -> EvaluationReport:
    return ranking.evaluate(data, bench.verifier, bench.progress, bench.contest)


def _ranking_of_an_article(data: Path, bench: Bench) -> EvaluationReport:
    return ranking.evaluate(
        data,
        bench.verifier,
        bench.progress,
        bench.contest,
        name="ranking of an article",
    )


def _demo(data: Path, bench: Bench) -> EvaluationReport:
    return demo.evaluate(data, bench.verifier, bench.progress, bench.contest)


_POOL = "wikigenbench"  # the index of its pages
_EVENTS = "wikigenbench/events_dev.jsonl.gz"
_JUDGED = "wiki_live_challenge/sample_citation_judgements.json"

BENCHMARKS = (
    Benchmark("demo", "demo/judgements.json", _demo, ships=True),
    Benchmark("verification", "verification/dev.jsonl.gz", _verification),
    Benchmark("wice", "wice/claim_full_dev.jsonl.gz", _wice),
    Benchmark(
        "unsupported", "wice/partial_subclaims_tokens_dev.jsonl.gz", _unsupported
    ),
    Benchmark("ranking", "verification/train.jsonl.gz", _ranking),
    Benchmark("ranking_of_an_article", _JUDGED, _ranking_of_an_article),
    Benchmark("retrieval", _EVENTS, _retrieval),
    Benchmark("recommendations", _EVENTS, _recommendations),
)
