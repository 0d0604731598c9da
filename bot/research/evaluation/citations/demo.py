"""What `check` and `rank` flag on the articles that ship: `sidenote evaluate demo`.

A careful reader compared 133 claims of these articles with their sources, one by one
(`bot/demo/judged`); nothing was fitted on these judgements. The articles are those that
ship, with all the citations they were judged with. They are checked as `sidenote run`
checks them, but always with the operating points that ship, whatever the settings say,
and without a language model; everything is read from the package.

A claim is flagged for a *kind* of fault, and each kind includes the next narrower one:
what is flagged as contradicted is also flagged as not supported and as not fully
supported. For each kind, `precision` is the share of flagged claims that do fail in
that way, `recall` the share of claims failing in that way that are flagged, and
`false_alarms` the share of all other claims that are flagged. A claim that the program
could not judge (`without_verdict`) is never flagged.

Intervals of shares are Wilson's, and those of ranking resample single claims. Both
treat claims as independent, because there are too few articles to resample, and are
therefore somewhat too narrow.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.daemon.check import Checker
from bot.daemon.progress import LoggedProgress
from bot.models.operating_points import shipped_points
from bot.report import PageReport
from bot.research.evaluation import metrics
from bot.research.evaluation.citations.verification import WORST
from bot.research.evaluation.contest import Contest
from bot.research.evaluation.datasets import Data, Unscored, content_of, first_fault
from bot.research.evaluation.metrics import OfScores, over
from bot.research.evaluation.report import EvaluationReport, Findings, Progress, named
from bot.sources.extraction import Extractor
from bot.sources.folder import SourceFolder
from bot.wiki.folder import read_page_file
from handlers.citations.flags import OperatingPoint, OperatingPoints, is_due
from handlers.model import CITATION_CHECKS, ClaimCheck, Verdict
from handlers.ports import PermanentError, Tools, Verifier
from handlers.sources.addresses import depth_of

_OF_SCORES: dict[str, OfScores] = {
    "auroc": metrics.auroc,
    "average_precision": metrics.average_precision,
    "precision_at_worst_10_percent": metrics.precision_at_worst(WORST),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A reader's verdict on a claim, and our check of it, which has a verdict too."""

    truth: Verdict
    check: ClaimCheck


def tables(
    judged: Sequence[Judged], points: Sequence[OperatingPoint]
) -> dict[str, Any]:
    return {
        "claims": len(judged),
        "without_verdict": sum(one.check.verdict is None for one in judged),
        **_ranking(judged),
        "flags": {_key(one.kind.value): _of_point(judged, one) for one in points},
        "verdicts": {_key(one.value): _of_verdict(judged, one) for one in Verdict},
    }


def _of_point(judged: Sequence[Judged], point: OperatingPoint) -> dict[str, Any]:
    included = CITATION_CHECKS[: CITATION_CHECKS.index(point.kind) + 1]

    def is_flagged(one: Judged) -> bool:
        return one.check.flag is not None and one.check.flag.kind in included

    def fails(one: Judged) -> bool:
        return is_due(one.truth, point.kind)

    promised = point.measured.precision if point.measured else None
    return {
        "threshold": point.threshold,
        "precision_where_it_was_chosen": promised,
        "flagged": sum(map(is_flagged, judged)),
        "failing": sum(map(fails, judged)),
        **_shares(judged, is_flagged, fails, false_alarms=True),
    }


def _of_verdict(judged: Sequence[Judged], verdict: Verdict) -> dict[str, Any]:
    def is_given(one: Judged) -> bool:
        return one.check.verdict is verdict

    def is_true(one: Judged) -> bool:
        return one.truth is verdict

    return {
        "given": sum(map(is_given, judged)),
        "true": sum(map(is_true, judged)),
        **_shares(judged, is_given, is_true, false_alarms=False),
    }


_Asks: TypeAlias = Callable[[Judged], bool]


def _shares(
    judged: Sequence[Judged], called: _Asks, due: _Asks, *, false_alarms: bool
) -> dict[str, Any]:
    findings = Findings()
    was_called = [due(one) for one in judged if called(one)]
    was_due = [called(one) for one in judged if due(one)]
    findings.add_share("precision", sum(was_called), len(was_called))
    findings.add_share("recall", sum(was_due), len(was_due))
    if false_alarms:
        others = [called(one) for one in judged if not due(one)]
        findings.add_share("false_alarms", sum(others), len(others))
    return findings.to_dict()


def _ranking(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return how well the probabilities, and URL depth, rank failing claims first."""
    findings = Findings()
    truth = np.array([one.truth is Verdict.SUPPORTED for one in judged], dtype=np.bool_)
    claims = [str(at) for at in range(len(judged))]
    verified = [one.check.verification for one in judged]
    likely = [one.probabilities.supported if one else 0.0 for one in verified]
    scores = np.array(likely, dtype=np.float64)
    known = [depth_of(one.check.claim) for one in judged]
    depths = np.array([one for one in known if one is not None], dtype=np.float64)
    for name, of in _OF_SCORES.items():
        findings.add_measured(name, claims, over(of, truth, scores))
        if len(depths) < len(known):
            findings.omit(f"url_depth_{name}", "not every claim cites an address")
        else:
            depth = over(of, truth, depths)
            findings.add_measured(f"url_depth_{name}", claims, depth)
    return findings.to_dict()


def _key(name: str) -> str:
    return name.replace(" ", "_")


class Judgement(BaseModel):
    """A reader's verdict on one claim; `claim` is how the claim begins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    article: str
    claim: str
    verdict: Verdict
    reason: str
    row: str | None = None  # of a table or an infobox

    def is_of(self, check: ClaimCheck) -> bool:
        claim = check.claim
        return claim.text.startswith(self.claim) and self.row in {None, claim.row}


@dataclass(frozen=True, slots=True)
class Checked:
    judged: tuple[Judged, ...]
    unscored: tuple[Unscored, ...]
    points: tuple[OperatingPoint, ...]


def evaluate(
    data: Path, verifier: Verifier, progress: Progress, contest: Contest | None = None
) -> EvaluationReport:
    """Measure flags and verdicts on judged articles."""
    content, judgements = _read(data)
    checked = _checked(data.parent, judgements, verifier, progress)
    metrics = tables(checked.judged, checked.points)
    if contest and contest.baseline:
        other = _checked(data.parent, judgements, contest.baseline, progress)
        metrics["lexical"] = tables(other.judged, other.points)
    return EvaluationReport(
        "demo",
        Data(data.name, sha256(content).hexdigest(), len(judgements), checked.unscored),
        named(verifier.engine),
        metrics,
        about_data={"articles": len({one.article for one in judgements})},
    )


def check_judged(data: Path, verifier: Verifier, progress: Progress) -> Checked:
    """Check the judged articles as the program does; arguments as for `evaluate`."""
    return _checked(data.parent, _read(data)[1], verifier, progress)


def _checked(
    folder: Path,
    judgements: Sequence[Judgement],
    verifier: Verifier,
    progress: Progress,
) -> Checked:
    names = sorted({one.article for one in judgements})
    points = OperatingPoints(shipped_points())
    reports = asyncio.run(_reports(folder, names, verifier, points, progress))
    judged, unscored = _joined(judgements, reports)
    wiki = reports[names[0]].page.id.wiki
    return Checked(judged, unscored, points.at(verifier.engine, wiki))


def _read(path: Path) -> tuple[bytes, list[Judgement]]:
    content = content_of(path)
    try:
        judgements = TypeAdapter(list[Judgement]).validate_json(content)
    except ValidationError as error:
        why = first_fault(error, "the file")
        raise PermanentError(f"{path} is not a list of judgements ({why})") from error
    if not judgements:
        raise PermanentError(f"{path} holds no judgement")
    return content, judgements


async def _reports(
    folder: Path,
    names: Sequence[str],
    verifier: Verifier,
    points: OperatingPoints,
    progress: Progress,
) -> dict[str, PageReport]:
    beside = folder / "sources"
    sources = beside if beside.is_dir() else folder.parent / "sources"
    reports = {}
    progress.started(len(names))
    async with Extractor() as extractor:
        tools = Tools(SourceFolder(sources, extractor), verifier)
        checker = Checker(
            tools, LoggedProgress(), now=lambda: datetime.now(UTC), points=points
        )
        for name in names:
            page = read_page_file(folder / "articles" / f"{name}.wikitext")
            reports[name] = await checker.check(page.wikitext, page.id)
            progress.advance()
    return reports


def _joined(
    judgements: Sequence[Judgement], reports: Mapping[str, PageReport]
) -> tuple[tuple[Judged, ...], tuple[Unscored, ...]]:
    """Find the claim of each judgement: only one match may have been verified."""
    judged, unscored = [], []
    for number, one in enumerate(judgements, start=1):
        meant = [check for check in reports[one.article].checks if one.is_of(check)]
        verified = [check for check in meant if check.verification]
        if len(verified) == 1:
            judged.append(Judged(one.verdict, verified[0]))
            continue
        why = "no source of the claim could be read" if meant else "no claim begins so"
        why = "several claims begin so" if verified else why
        unscored.append(Unscored(number, one.article, why))
    return tuple(judged), tuple(unscored)
