"""What `check` and `rank` flag on the articles that ship: `sidenote evaluate demo`.

A careful reader judged 133 claims of these articles beside their sources, one by one
(`bot/demo/judgements.json`); the judgements were not used to fit anything. The articles
are checked as `sidenote run` checks them, with the operating points that ship, whatever
the settings, and without a language model; all of it is read from the package.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.adapters.extraction import Extractor
from bot.adapters.operating_points import shipped_points
from bot.adapters.page_file import read_page_file
from bot.adapters.source_folder import SourceFolder
from bot.check import Checker
from bot.evaluation.contest import Contest
from bot.evaluation.datasets import Unscored
from bot.evaluation.flags import Judged, tables
from bot.evaluation.progress import Progress
from bot.evaluation.report import EvaluationReport
from bot.report import PageReport
from handlers.citations.flagging import OperatingPoint, OperatingPoints
from handlers.model import ClaimCheck, ModelUse, Verdict
from handlers.ports import PermanentError, Tools, Verifier


class Judgement(BaseModel):
    """What a reader says of one claim; `claim` is how it begins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    article: str
    claim: str
    verdict: Verdict
    reason: str
    row: str | None = None  # of a table or an infobox

    def is_of(self, check: ClaimCheck) -> bool:
        """Tell whether this is said of the claim of `check`."""
        claim = check.claim
        return claim.text.startswith(self.claim) and self.row in {None, claim.row}


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judgements of one file; those that meet no verified claim are unscored."""

    file: str
    sha256: str
    row_count: int
    unscored: tuple[Unscored, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """All judged claims beside our checks, and the points they were flagged at."""

    judged: tuple[Judged, ...]
    unscored: tuple[Unscored, ...]
    points: tuple[OperatingPoint, ...]


def evaluate(
    data: Path, verifier: Verifier, progress: Progress, contest: Contest | None = None
) -> EvaluationReport:
    """Measure flags and verdicts on judged articles; see `bot.evaluation.flags`.

    Args:
        data: a file of judgements; `articles/` and `sources/` lie beside it.
        verifier: the engine.
        progress: counts the articles.
        contest: its baseline, where there is one, is measured beside the engine.

    Raises:
        PermanentError: the file, or what lies beside it, is missing or unusable.
    """
    content, judgements = _read(data)
    checked = _checked(data.parent, judgements, verifier, progress)
    metrics = tables(checked.judged, checked.points)
    if contest and contest.baseline:
        other = _checked(data.parent, judgements, contest.baseline, progress)
        metrics["lexical"] = tables(other.judged, other.points)
    return EvaluationReport(
        "demo",
        Judgements(
            data.name, sha256(content).hexdigest(), len(judgements), checked.unscored
        ),
        {"name": verifier.engine.name, "version": verifier.engine.version},
        metrics,
        about_data={"articles": len({one.article for one in judgements})},
    )


def check_judged(data: Path, verifier: Verifier, progress: Progress) -> Checked:
    """Check the judged articles as the program does; arguments as of `evaluate`."""
    _, judgements = _read(data)
    return _checked(data.parent, judgements, verifier, progress)


def _checked(
    folder: Path,
    judgements: Sequence[Judgement],
    verifier: Verifier,
    progress: Progress,
) -> Checked:
    names = sorted({one.article for one in judgements})
    points = OperatingPoints(shipped_points())
    progress.started(len(names))
    demo = _Demo(folder, verifier, points, progress)
    reports = asyncio.run(demo.reports(names))
    judged, unscored = _joined(judgements, reports)
    wiki = reports[names[0]].page.id.wiki
    return Checked(judged, unscored, points.at(verifier.engine, wiki))


def _read(path: Path) -> tuple[bytes, list[Judgement]]:
    try:
        content = path.read_bytes()
        judgements = TypeAdapter(list[Judgement]).validate_json(content)
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error})"
        ) from error
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"]) or "the file"
        raise PermanentError(
            f"{path} is not a list of judgements ({where}: {fault['msg']})"
        ) from error
    if not judgements:
        raise PermanentError(f"{path} holds no judgement")
    return content, judgements


@dataclass(frozen=True, slots=True)
class _Demo:
    """The program as it checks articles from disk; fulfils `bot.check.Progress`."""

    folder: Path
    verifier: Verifier
    points: OperatingPoints
    progress: Progress

    async def reports(self, names: Sequence[str]) -> dict[str, PageReport]:
        reports = {}
        async with Extractor() as extractor:
            tools = Tools(
                SourceFolder(self.folder / "sources", extractor), self.verifier
            )
            checker = Checker(
                tools, self, now=lambda: datetime.now(UTC), points=self.points
            )
            for name in names:
                page = read_page_file(self.folder / "articles" / f"{name}.wikitext")
                reports[name] = await checker.check(page.wikitext, page.id)
                self.progress.advance()
        return reports

    def started(self, claims: int, sources: int) -> None:
        pass

    def reading(self, place: str) -> None:
        pass

    def read(self, place: str) -> None:
        pass

    def checked(self, check: ClaimCheck) -> None:
        pass

    def asking(self, claims: int, expected: ModelUse) -> None:
        pass

    def asked(self, claims: int) -> None:
        pass


def _joined(
    judgements: Sequence[Judgement], reports: Mapping[str, PageReport]
) -> tuple[tuple[Judged, ...], tuple[Unscored, ...]]:
    """Find the claim of each judgement, the only one that was verified."""
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
