"""Outdated statements: a sentence before a revision beside the claim that came with it.

VitaminC's revisions say of each old sentence whether it refutes the new claim or only
does not mention it. The network was trained on revisions of other articles; which
rows it has seen, `sidenote evaluate` cannot tell, so give it the dev file.
"""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from bot.research.evaluation import metrics
from bot.research.evaluation.datasets import Unscored
from bot.research.evaluation.judging import add_measured
from bot.research.evaluation.metrics import Measure, Truth, UndefinedMetricError
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import Findings
from handlers.ports import PermanentError, Verifier
from handlers.updates.entailment import OUTDATED_FROM, outdated

SET = "vitaminc_revisions"
_LABELS = {"refuted": True, "nei": False}
_BRACKETS = {"-LRB-": "(", "-RRB-": ")"}
_LONGEST_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Revision:
    """An old sentence, the claim that was new, and whether the one refutes the other.

    `target` is the sentence as people left it; empty where the row does not say.
    """

    page: str
    original: str
    claim: str
    is_refuted: bool
    target: str = ""


@dataclass(frozen=True, slots=True)
class Revisions:
    """The rows of one file and the fingerprint of that file's bytes."""

    file: str
    sha256: str
    rows: tuple[Revision, ...]
    unscored: tuple[Unscored, ...]

    @property
    def row_count(self) -> int:
        """Return the number of rows in the file, unusable ones included."""
        return len(self.rows) + len(self.unscored)


def read_revisions(path: Path) -> Revisions:
    """Read all revisions of `path` (.jsonl or .jsonl.gz).

    Raises:
        PermanentError: the file is missing, unreadable or without a usable row.
    """
    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or error}); pass a .jsonl or .jsonl.gz file."
        ) from error
    rows: list[Revision] = []
    unscored: list[Unscored] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            read = _revision(line)
            if isinstance(read, Revision):
                rows.append(read)
            else:
                unscored.append(Unscored(number, SET, read))
    if not rows:
        raise PermanentError(
            f"{path} has no usable row; each needs page, original, update_claim and"
            " original_label."
        )
    return Revisions(
        path.name, sha256(content).hexdigest(), tuple(rows), tuple(unscored)
    )


def measure(
    rows: Sequence[Revision], verifier: Verifier, progress: Progress
) -> dict[str, Any]:
    """Return precision, recall and F1 of the old sentences called outdated.

    A sentence is truly outdated where people said that it refutes the new claim; of
    the others they said that it does not mention it. `auroc` needs no threshold, and
    `f1_if_all` is what calling every sentence outdated would get.
    """
    progress.started(len(rows))
    scores = np.array(asyncio.run(_scores(rows, verifier, progress)), dtype=np.float64)
    truth = np.array([one.is_refuted for one in rows], dtype=np.bool_)
    called = scores >= OUTDATED_FROM
    groups = [one.page for one in rows]
    findings = Findings()
    for name, of in (("precision", _precision), ("recall", _recall), ("f1", _f1)):
        add_measured(findings, name, groups, _measured(of, truth, called))
    add_measured(
        findings, "auroc", groups, lambda at: metrics.auroc(truth[at], scores[at])
    )
    everything = np.ones_like(truth)
    add_measured(findings, "f1_if_all", groups, _measured(_f1, truth, everything))
    return {
        "rows": len(rows),
        "outdated": int(truth.sum()),
        "articles": len(set(groups)),
        "threshold": OUTDATED_FROM,
        **findings.to_dict(),
    }


async def _scores(
    rows: Sequence[Revision], verifier: Verifier, progress: Progress
) -> list[float]:
    scores = []
    for one in rows:
        scores.append(await outdated(verifier, one.page, one.original, one.claim))
        progress.advance()
    return scores


def _revision(line: bytes) -> Revision | str:
    """Return the row, or why it cannot be used."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error})"
    if not isinstance(fields, dict):
        return "not a JSON object"
    label = fields.get("original_label")
    if not isinstance(label, str) or label not in _LABELS:
        return f"original_label {label!r} is none of {', '.join(_LABELS)}"
    texts = [_text(fields, name) for name in ("page", "original", "update_claim")]
    if not all(texts):
        return "page, original or update_claim is no text of a usual length"
    page, original, claim = texts
    return Revision(page, original, claim, _LABELS[label], _text(fields, "target"))


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or len(value) > _LONGEST_CHARS:
        return ""
    for written, sign in _BRACKETS.items():
        value = value.replace(written, sign)
    return value.strip()


def _measured(
    of: Callable[[Truth, Truth], float], truth: Truth, called: Truth
) -> Measure:
    return lambda at: of(truth[at], called[at])


def _precision(truth: Truth, called: Truth) -> float:
    if not called.any():
        raise UndefinedMetricError("no statement was called outdated")
    return float(truth[called].mean())


def _recall(truth: Truth, called: Truth) -> float:
    if not truth.any():
        raise UndefinedMetricError("no statement is outdated")
    return float(called[truth].mean())


def _f1(truth: Truth, called: Truth) -> float:
    total = int(truth.sum() + called.sum())
    if not total:
        raise UndefinedMetricError("no statement is or was called outdated")
    return 2 * int((truth & called).sum()) / total
