"""Wiki Fact of the Wiki Live Challenge: `sidenote evaluate wiki-live`.

Systems wrote articles on the subjects of Good Articles. Measured are how much of the
Good Article they cover and contradict, and whether what they cite bears out what they
say (§3.2.2; `figures` has the formulas). The paper asks Gemini 2.5 Flash; here the
embedded verifier judges, or a language model where one is configured, and the agreement
with the authors' own judge stands beside (`agreement`). Reads and writes the
benchmark's own files (`reading`, `directory`), so its users can switch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from bot.research.evaluation.datasets import Unscored
from bot.research.evaluation.report import Bars, EvaluationReport, Progress
from bot.research.evaluation.wiki_live import agreement
from bot.research.evaluation.wiki_live.agencies import has_citations, registered
from bot.research.evaluation.wiki_live.agreement import Comparison
from bot.research.evaluation.wiki_live.figures import (
    against_paper,
    figures_of,
    rows_of,
    spent,
)
from bot.research.evaluation.wiki_live.reading import (
    Place,
    articles_of,
    judgements,
    references,
)
from bot.research.evaluation.wiki_live.results import ArticleResult, load
from bot.research.evaluation.wiki_live.values import Agency, Generated, Reference, shown
from bot.research.evaluation.wiki_live.working import Task, Work, task_of, work_off
from handlers.ports import PermanentError

_DRAWN = (
    ("coverage", "Share of the Good Article's facts covered, mean over articles"),
    ("reference_accuracy", "Share of statements borne out by what they cite"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be measured. `judgements` is a citation result file to agree with."""

    systems: tuple[str, ...]
    judgements: Path | None = None
    limit: int | None = None  # articles of each system
    titles: frozenset[str] = frozenset()  # all, where empty


@dataclass(frozen=True, slots=True)
class Measured:
    """The report, and what each article gave, by system."""

    report: EvaluationReport
    results: tuple[ArticleResult, ...]
    comparison: Comparison | None
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class _Data:
    """The benchmark as the data of a report; a row is an article of a system."""

    file: str
    sha256: str
    unscored: tuple[Unscored, ...]
    row_count: int


@dataclass(frozen=True, slots=True)
class _Planned:
    tasks: tuple[Task, ...]
    unscored: tuple[Unscored, ...]
    fingerprint: str


async def engine_name(work: Work) -> tuple[str, str]:
    """Return name and version of what judges."""
    async with work.opener() as examiner:
        return examiner.judge.engine.name, examiner.judge.engine.version


async def compared(work: Work, wanted: Wanted) -> Comparison | None:
    """Judge again what the authors' judge judged, where that was asked for.

    Raises:
        PermanentError: no system has an article that the judgements fit.
    """
    if wanted.judgements is None:
        return None
    judged, _ = judgements(wanted.judgements)
    for name in dict.fromkeys((*wanted.systems, *work.place.systems())):
        for article in articles_of(work.place, name, {judged.title}):
            if agreement.fits(judged, article):
                async with work.opener() as examiner:
                    return await agreement.compare(judged, article, examiner)
    raise PermanentError(
        f"{wanted.judgements} judges statements of {shown(judged.title)} that no system"
        f" in {work.place.root} made"
    )


def evaluate(
    work: Work,
    wanted: Wanted,
    engine: tuple[str, str],
    progress: Progress,
    *,
    comparison: Comparison | None = None,
    processes: int = 1,
) -> Measured:
    """Measure the systems, each article once.

    Args:
        work: what judges and where; articles whose results its folder has already, made
            from the same files by the same engine, are not judged again.
        wanted: the systems.
        engine: name and version of what judges.
        progress: counts articles.
        comparison: what `compared` gave.
        processes: how many work at once.

    Raises:
        PermanentError: a file is missing or unusable, or no article can be judged.
    """
    all_references = references(work.place)
    planned = _planned(work.place, wanted, all_references, " ".join(engine))
    if not planned.tasks:
        raise PermanentError(
            f"none of {', '.join(wanted.systems)} has an article on a subject of"
            f" {work.place.root} that has facts"
        )
    remembered = work_off(planned.tasks, work, progress, processes=processes)
    results = tuple(_kept(one, work) for one in planned.tasks)
    metrics = _metrics(wanted.systems, results, registered(work.place))
    if comparison is not None:
        metrics["judge_agreement"] = agreement.figures(comparison)
    report = EvaluationReport(
        "wiki live",
        _Data(
            work.place.name,
            planned.fingerprint,
            planned.unscored,
            len(planned.tasks) + len(planned.unscored),
        ),
        {
            "name": engine[0],
            "version": engine[1],
            **spent(results),
            "articles_judged_before": remembered,
        },
        metrics,
        about_data={
            "form": "directory" if work.place.is_directory else "JSON lines",
            "subjects": len(all_references),
            "articles": len(planned.tasks),
        },
        bars=_bars(metrics["systems"]),
        rows=rows_of(results),
    )
    return Measured(report, results, comparison, all_references)


def _planned(
    place: Place, wanted: Wanted, all_references: Sequence[Reference], engine: str
) -> _Planned:
    usable = {one.title: one for one in all_references if one.facts}
    if wanted.titles:
        usable = {title: one for title, one in usable.items() if title in wanted.titles}
    tasks: list[Task] = []
    unscored: list[Unscored] = []
    seen = sha256()
    for system in wanted.systems:
        found: list[Task] = []
        for article in articles_of(place, system, usable):
            seen.update(article.sha256.encode())
            lacks = _lacking(article, found)
            if lacks:
                why = f"{system}: {article.title} {lacks}"
                unscored.append(Unscored(len(tasks) + len(found) + 1, system, why))
            elif len(found) < (wanted.limit or len(usable)):
                found.append(task_of(system, usable[article.title], article, engine))
        if wanted.limit is None:
            missing = sorted(set(usable) - {one.title for one in found})
            unscored.extend(
                Unscored(0, system, f"{system}: no article on {title}")
                for title in missing
            )
        tasks.extend(found)
    for one in all_references:
        seen.update("\0".join((one.title, *one.facts)).encode("utf-8", "replace"))
    return _Planned(tuple(tasks), tuple(unscored), seen.hexdigest())


def _lacking(article: Generated, found: Sequence[Task]) -> str:
    """Return why an article cannot be measured; nothing if it can."""
    if any(one.title == article.title for one in found):
        return "stands there twice; the first counts"
    return "" if article.statements else "has no statement"


def _kept(task: Task, work: Work) -> ArticleResult:
    result = load(work.done, task.system, task.title, task.key)
    if result is None:
        raise PermanentError(
            f"the result of {task.title} of {task.system} has left {work.done}; run"
            " again"
        )
    return result


def _metrics(
    systems: Sequence[str],
    results: Sequence[ArticleResult],
    agencies: Mapping[str, Agency],
) -> dict[str, Any]:
    by_system = {
        name: figures_of(
            [one for one in results if one.system == name],
            has_citations=has_citations(agencies, name),
        )
        for name in systems
    }
    return {"systems": by_system, "against_paper": against_paper(by_system)}


def _bars(systems: dict[str, Any]) -> tuple[Bars, ...]:
    return tuple(
        Bars(
            next(iter(systems)),
            across,
            across,
            tuple(systems),
            ((name, tuple(one[name] or 0.0 for one in systems.values())),),
        )
        for name, across in _DRAWN
    )
