"""Counts how far the answers of a language model can be trusted, and saves that.

`python -m bot.research.training.model_trust REPORT.json …` takes reports of `sidenote
evaluate wice --model` and `verification --model`, and replaces the shipped counts. The
weight of the verifier beside the model is the one whose probabilities, each by counts
without its own row, best fit what people said of the rows.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from bot.models.operating_points import Counted, TrustFile
from handlers.citations.model_judge import Trust
from handlers.model import Probabilities, Verdict

SHIPPED = Path(__file__).parents[2] / "models" / "files" / "model_trust.json"
_WEIGHTS = tuple(step / 10 for step in range(11))
_LEAST = 1e-6

_Row = tuple[Probabilities, Verdict, Verdict]  # before, model's answer, truth


def main(arguments: list[str]) -> None:
    if not arguments:
        raise SystemExit(
            "usage: python -m bot.research.training.model_trust REPORT.json..."
        )
    reports = [json.loads(Path(one).read_text("utf-8")) for one in arguments]
    SHIPPED.write_text(trust_file(reports).model_dump_json(indent=2) + "\n", "utf-8")


def trust_file(reports: Sequence[Mapping[str, Any]]) -> TrustFile:
    """Return the counts of all answers used, and the weight that fits them."""
    rows = [row for report in reports for row in _rows(report)]
    return TrustFile(
        format=1,
        provenance=tuple(
            Counted(
                file=report["data"]["file"],
                sha256=report["data"]["sha256"],
                model=report["metrics"]["model"]["name"],
                answers=sum(1 for _ in _rows(report)),
            )
            for report in reports
        ),
        verifier_weight=min(_WEIGHTS, key=lambda weight: mean(losses(rows, weight))),
        answers=_counts(rows),
    )


def losses(rows: Sequence[_Row], weight: float) -> list[float]:
    """Return the log losses of "supported", each row by the counts of the others."""
    found = []
    for at, (before, given, true) in enumerate(rows):
        trust = Trust(_counts([*rows[:at], *rows[at + 1 :]]), weight)
        likely = trust.weighed(before, given).supported
        right = likely if true is Verdict.SUPPORTED else 1 - likely
        found.append(-math.log(max(right, _LEAST)))
    return found


def _rows(report: Mapping[str, Any]) -> Iterable[_Row]:
    for row in report["rows"]:
        if row["setback"] is None and row["said"] is not None:
            before = {Verdict(name): share for name, share in row["before"].items()}
            yield (
                Probabilities(*(before[verdict] for verdict in Verdict)),
                Verdict(row["said"]),
                Verdict(row["label"]),
            )


def _counts(rows: Iterable[_Row]) -> dict[Verdict, dict[Verdict, int]]:
    counts: dict[Verdict, dict[Verdict, int]] = {}
    for _, given, true in rows:
        of = counts.setdefault(true, {})
        of[given] = of.get(given, 0) + 1
    return counts


if __name__ == "__main__":
    main(sys.argv[1:])
