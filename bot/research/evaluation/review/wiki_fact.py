"""Wiki Fact of the Wiki Live Challenge: `sidenote evaluate wiki-live`.

Systems wrote articles on the subjects of Good Articles. Measured are how much of the
Good Article they cover and contradict, and whether what they cite bears out what they
say (§3.2.2; `figures` has the formulas). The paper asks Gemini 2.5 Flash; here the
embedded verifier judges, or a language model where one is configured, and the agreement
with the authors' own judge stands beside. Reads and writes the benchmark's own files
(`articles`, `directory`), so its users can switch.

Each process takes a share of the articles of all systems, streams through the systems'
files and leaves what came of each article in a folder, so that a run that was killed
goes on where it was, and memory holds one article at a time.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from bot.research.evaluation import checkpoints
from bot.research.evaluation.datasets import Data, Unscored, content_of, first_fault
from bot.research.evaluation.report import Bars, EvaluationReport, Progress
from bot.research.evaluation.review import figures
from bot.research.evaluation.review.articles import (
    Agency,
    AgencyForm,
    Generated,
    Place,
    Reference,
    RegistryForm,
    articles_of,
    judgements,
    parsed,
    references,
    shown,
)
from bot.research.evaluation.review.examination import (
    ArticleResult,
    Examiner,
    load,
    save,
)
from bot.research.evaluation.review.figures import (
    Comparison,
    against_paper,
    figures_of,
    rows_of,
    spent,
)
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
    report: EvaluationReport
    results: tuple[ArticleResult, ...]
    comparison: Comparison | None
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One article of one system. `key` tells from what its result is made.

    `article` is the fingerprint of what is read: a file may hold a title twice.
    """

    system: str
    reference: Reference
    article: str
    key: str
    size: int  # statements and facts

    @property
    def title(self) -> str:
        return self.reference.title


@dataclass(frozen=True, slots=True)
class _Planned:
    tasks: tuple[Task, ...]
    unscored: tuple[Unscored, ...]
    fingerprint: str


# Loads what a process needs; it is sent to the process, so it must be picklable.
Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Examiner]]


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of what came of articles."""

    opener: Opener
    place: Place
    done: Path


async def engine_name(work: Work) -> tuple[str, str]:
    async with work.opener() as examiner:
        return examiner.judge.engine.name, examiner.judge.engine.version


async def compared(work: Work, wanted: Wanted) -> Comparison | None:
    """Judge again what the authors' judge judged, where that was asked for."""
    if wanted.judgements is None:
        return None
    judged, _ = judgements(wanted.judgements)
    for name in dict.fromkeys((*wanted.systems, *work.place.systems())):
        for article in articles_of(work.place, name, {judged.title}):
            if figures.fits(judged, article):
                async with work.opener() as examiner:
                    return await figures.compare(judged, article, examiner)
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
    """Measure the systems, each article once."""
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
        metrics["judge_agreement"] = figures.agreement_of(comparison)
    report = EvaluationReport(
        "wiki live",
        Data(
            work.place.name,
            planned.fingerprint,
            len(planned.tasks) + len(planned.unscored),
            planned.unscored,
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


_PROCEDURE = "2"  # another one makes results that cannot be compared


def task_of(system: str, reference: Reference, article: Generated, engine: str) -> Task:
    parts = (_PROCEDURE, engine, article.sha256, reference.title, *reference.facts)
    key = sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
    size = len(article.statements) + len(reference.facts)
    return Task(system, reference, article.sha256, key, size)


def work_off(
    tasks: Sequence[Task], work: Work, progress: Progress, *, processes: int
) -> int:
    """See to it that every task has its result in the folder; return how many had.

    An article of which a model left something unanswered is judged again.
    """
    return checkpoints.work_off(
        tasks,
        _each,
        work,
        progress,
        is_done=lambda one: _is_answered(one, work),
        is_kept=lambda one: load(work.done, one.system, one.title, one.key) is not None,
        size=lambda one: one.size,
        processes=processes,
    )


def _is_answered(task: Task, work: Work) -> bool:
    """Tell whether the engine itself judged all of an article, and none stood in."""
    kept = load(work.done, task.system, task.title, task.key)
    return kept is not None and not kept.unanswered


async def _each(tasks: Sequence[Task], work: Work, advance: Callable[[], None]) -> None:
    by_system: dict[str, dict[str, Task]] = {}
    for one in tasks:
        by_system.setdefault(one.system, {})[one.title] = one
    async with work.opener() as examiner:
        for system, wanted in by_system.items():
            await _of_system(system, wanted, work, examiner, advance)


async def _of_system(
    system: str,
    wanted: Mapping[str, Task],
    work: Work,
    examiner: Examiner,
    advance: Callable[[], None],
) -> None:
    for article in articles_of(work.place, system, wanted):
        task = wanted[article.title]
        if article.sha256 != task.article:
            continue
        result = await examiner.result(system, task.reference, article, task.key)
        kept = load(work.done, system, task.title, task.key)
        if kept is None or result.unanswered < kept.unanswered:
            save(work.done, result)
        advance()


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def registered(place: Place) -> Mapping[str, Agency]:
    """Return the registered systems by name; none where there is no registry."""
    if not place.registry.exists():
        return {}
    return {name: one.value() for name, one in _form(place.registry).agencies.items()}


def has_citations(agencies: Mapping[str, Agency], system: str) -> bool:
    """Tell whether a system's statements are expected to cite something."""
    return agencies[system].has_citations if system in agencies else True


def register(place: Place, name: str, agency: Agency) -> str:
    """Return the registry with one more system, as it is to be written.

    What else stands in the registry stays.
    """
    if not _NAME.fullmatch(name):
        raise PermanentError(
            f"{name!r} cannot name a system: letters, digits, dots, dashes and"
            " underscores, the first one a letter or digit"
        )
    form = (
        _form(place.registry) if place.registry.exists() else RegistryForm(agencies={})
    )
    if name in form.agencies:
        raise PermanentError(f"{name} is registered already in {place.registry}")
    try:
        form.agencies[name] = AgencyForm(
            name=agency.name,
            description=agency.description,
            has_citations=agency.has_citations,
            enabled=agency.enabled,
        )
    except ValidationError as error:
        raise PermanentError(
            f"{name} cannot be registered: {first_fault(error)}"
        ) from error
    return json.dumps(form.model_dump(), indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """A system, registered or not, and how much of it there is."""

    name: str
    agency: Agency | None
    articles: int
    statements: int
    faults: tuple[str, ...]


def entries(place: Place) -> Iterator[Entry]:
    """Yield every system that is registered or has articles, looked over.

    A fault is a line for a person: what is wrong, and of which article.
    """
    agencies = registered(place)
    known = {one.title for one in references(place)}
    for name in sorted({*agencies, *place.systems()}):
        yield _entry(place, name, agencies.get(name), known)


def _entry(place: Place, name: str, agency: Agency | None, known: set[str]) -> Entry:
    faults = [] if agency else ["it has articles but is not registered"]
    seen: set[str] = set()
    statements = 0
    try:
        for article in articles_of(place, name) if name in place.systems() else ():
            faults.extend(_faults(article, known, seen))
            seen.add(article.title)
            statements += len(article.statements)
    except PermanentError as error:
        faults.append(str(error))
    missing = sorted(known - seen)
    if missing:
        some = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")  # noqa: PLR2004
        faults.append(f"no article of {len(missing)} subjects: {some}")
    return Entry(name, agency, len(seen), statements, tuple(faults))


def _faults(article: Generated, known: set[str], seen: set[str]) -> Iterator[str]:
    if article.title not in known:
        yield f"{article.title}: the benchmark has no such subject"
    if article.title in seen:
        yield f"{article.title}: it stands there twice"
    if not article.statements:
        yield f"{article.title}: it has no statement; extract them first"
    strange = {ref for one in article.statements for ref in one.refs} - {
        *article.citation_urls,
        *article.pages,
    }
    if strange:
        yield f"{article.title}: citation {min(strange)} is not in its list"


def _form(path: Path) -> RegistryForm:
    return parsed(path, content_of(path), RegistryForm)
