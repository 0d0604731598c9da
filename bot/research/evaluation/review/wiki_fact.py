"""Wiki Fact of the Wiki Live Challenge: `sidenote evaluate wiki-live`.

Systems wrote articles on the subjects of Good Articles. This measures how much of the
Good Article they cover and contradict, and whether what they cite supports what they
say (§3.2.2; `figures` has the formulas). The paper asks Gemini 2.5 Flash; here the
embedded verifier judges, or a language model if one is configured, and the agreement
with the authors' own judge is reported too. It reads and writes the benchmark's own
files (`articles`, `directory`), so its users can switch.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from bot.research.evaluation.checkpoints import Results, work_off
from bot.research.evaluation.datasets import Data, Unscored, content_of, first_fault
from bot.research.evaluation.report import Bars, EvaluationReport, Progress
from bot.research.evaluation.review import figures
from bot.research.evaluation.review.articles import (
    Agency,
    Generated,
    Place,
    Reference,
    Registry,
    articles_of,
    judgements,
    parsed,
    references,
    shown,
)
from bot.research.evaluation.review.examination import (
    RESULT,
    ArticleResult,
    Examiner,
)
from handlers.ports import PermanentError

_DRAWN = (
    ("coverage", "Share of the Good Article's facts covered, mean over articles"),
    ("reference_accuracy", "Share of statements supported by what they cite"),
)
_PROCEDURE = "2"  # changed whenever new results cannot be compared with old ones
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_NAMED = 3

# Loads what a process needs; it is sent to the process, so it must be picklable.
Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Examiner]]


@dataclass(frozen=True, slots=True)
class Work:
    """What a process needs to know. `done` is the folder of the articles' results."""

    opener: Opener
    place: Place
    done: Path

    @property
    def results(self) -> Results[ArticleResult]:
        return Results(self.done, RESULT)


@dataclass(frozen=True, slots=True)
class Measured:
    report: EvaluationReport
    results: tuple[ArticleResult, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One article of one system. `key` identifies what its result is made from.

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

    @property
    def names(self) -> tuple[str, str, str]:
        """What its result is kept under."""
        return self.system, self.title, self.key


def task_of(system: str, reference: Reference, article: Generated, engine: str) -> Task:
    parts = (_PROCEDURE, engine, article.sha256, reference.title, *reference.facts)
    key = sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
    size = len(article.statements) + len(reference.facts)
    return Task(system, reference, article.sha256, key, size)


async def engine_name(work: Work) -> tuple[str, str]:
    async with work.opener() as examiner:
        return examiner.judge.engine.name, examiner.judge.engine.version


async def compared(
    work: Work, systems: Sequence[str], judged_by: Path | None
) -> figures.Comparison | None:
    """Judge again what the authors' judge judged, if that was asked for."""
    if judged_by is None:
        return None
    judged, _ = judgements(judged_by)
    for name in dict.fromkeys((*systems, *work.place.systems())):
        for article in articles_of(work.place, name, {judged.title}):
            if figures.fits(judged, article):
                async with work.opener() as examiner:
                    return await figures.compare(judged, article, examiner)
    raise PermanentError(
        f"{judged_by} judges statements of {shown(judged.title)} that no system"
        f" in {work.place.root} made"
    )


def evaluate(
    work: Work,
    systems: Sequence[str],
    engine: tuple[str, str],
    progress: Progress,
    *,
    titles: Collection[str] = (),
    limit: int | None = None,
    comparison: figures.Comparison | None = None,
    processes: int = 1,
) -> Measured:
    """Measure the systems, each article once.

    Articles whose results are already in the folder, made from the same files by the
    same engine, are not judged again. Only these `titles` are measured, or all if there
    are none, and at most `limit` articles of each system.
    """
    place = work.place
    all_references = references(place)
    usable = {one.title: one for one in all_references if one.facts}
    if titles:
        usable = {title: one for title, one in usable.items() if title in titles}
    tasks: list[Task] = []
    unscored: list[Unscored] = []
    seen = sha256()
    for system in systems:
        found: dict[str, Task] = {}
        for article in articles_of(place, system, usable):
            seen.update(article.sha256.encode())
            lacks = (
                "is there twice; the first counts"
                if article.title in found
                else "has no statement"
                if not article.statements
                else ""
            )
            if lacks:
                why = f"{system}: {article.title} {lacks}"
                unscored.append(Unscored(len(tasks) + len(found) + 1, system, why))
            elif len(found) < (limit or len(usable)):
                found[article.title] = task_of(
                    system, usable[article.title], article, " ".join(engine)
                )
        if limit is None:
            unscored += [
                Unscored(0, system, f"{system}: no article on {title}")
                for title in sorted(usable.keys() - found)
            ]
        tasks += found.values()
    for one in all_references:
        seen.update("\0".join((one.title, *one.facts)).encode("utf-8", "replace"))
    if not tasks:
        raise PermanentError(
            f"none of {', '.join(systems)} has an article on a subject of"
            f" {place.root} that has facts"
        )
    remembered = judge_all(tasks, work, progress, processes=processes)
    results = tuple(work.results.needed(*one.names) for one in tasks)
    agencies = registered(place)
    by_system = {
        name: figures.figures_of(
            [one for one in results if one.system == name],
            has_citations=name not in agencies or agencies[name].has_citations,
        )
        for name in systems
    }
    metrics: dict[str, Any] = {
        "systems": by_system,
        "against_paper": figures.against_paper(by_system),
    }
    if comparison is not None:
        metrics["judge_agreement"] = figures.agreement_of(comparison)
    report = EvaluationReport(
        "wiki live",
        Data(place.name, seen.hexdigest(), len(tasks) + len(unscored), tuple(unscored)),
        {
            "name": engine[0],
            "version": engine[1],
            **figures.spent(results),
            "articles_judged_before": remembered,
        },
        metrics,
        about_data={
            "form": "directory" if place.is_directory else "JSON lines",
            "subjects": len(all_references),
            "articles": len(tasks),
        },
        plots=(
            *(
                Bars(
                    systems[0],
                    across,
                    across,
                    tuple(systems),
                    ((name, tuple(of[name] or 0.0 for of in by_system.values())),),
                )
                for name, across in _DRAWN
            ),
            figures.map_of(results, systems[0]),
        ),
        grids=figures.grids_of(by_system, metrics["against_paper"], comparison),
        rows=figures.rows_of(results),
    )
    return Measured(report, results)


def judge_all(
    tasks: Sequence[Task], work: Work, progress: Progress, *, processes: int
) -> int:
    """Make sure that every task has its result in the folder; return how many had one.

    An article for which a model left something unanswered is judged again.
    """
    results = work.results

    def is_answered(task: Task) -> bool:
        saved = results.get(*task.names)
        return saved is not None and not saved.unanswered

    return work_off(
        tasks,
        _each,
        work,
        progress,
        is_done=is_answered,
        has_result=lambda one: results.get(*one.names) is not None,
        size=lambda one: one.size,
        processes=processes,
    )


async def _each(tasks: Sequence[Task], work: Work, advance: Callable[[], None]) -> None:
    by_system: dict[str, dict[str, Task]] = {}
    for one in tasks:
        by_system.setdefault(one.system, {})[one.title] = one
    async with work.opener() as examiner:
        for system, wanted in by_system.items():
            for article in articles_of(work.place, system, wanted):
                task = wanted[article.title]
                if article.sha256 != task.article:
                    continue
                result = await examiner.result(system, task.reference, article)
                saved = work.results.get(*task.names)
                if saved is None or result.unanswered < saved.unanswered:
                    work.results.put(result, *task.names)
                advance()


def registered(place: Place) -> Mapping[str, Agency]:
    """Return the registered systems by name; none if there is no registry."""
    if not place.registry.exists():
        return {}
    content = content_of(place.registry)
    return parsed(place.registry, content, TypeAdapter(Registry)).agencies


def register(
    place: Place, system: str, name: str, description: str = "", *, has_citations: bool
) -> str:
    """Return the registry with one more system, ready to be written.

    Everything else in the registry stays as it is.
    """
    if not _NAME.fullmatch(system):
        raise PermanentError(
            f"{system!r} cannot name a system: letters, digits, dots, dashes and"
            " underscores, the first one a letter or digit"
        )
    if system in registered(place):
        raise PermanentError(f"{system} is registered already in {place.registry}")
    about = {
        "name": name,
        "description": description,
        "has_citations": has_citations,
        "enabled": True,
    }
    try:
        TypeAdapter(Agency).validate_python(about)
    except ValidationError as error:
        why = first_fault(error)
        raise PermanentError(f"{system} cannot be registered: {why}") from error
    written: dict[str, Any] = {
        "description": "Registered agencies for Wiki Live Challenge evaluation",
        "version": "1.0",
        "agencies": {},
    }
    if place.registry.exists():
        written = json.loads(content_of(place.registry))
    written["agencies"][system] = about
    return json.dumps(written, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """A system, registered or not, and how much data it has."""

    name: str
    agency: Agency | None
    articles: int
    statements: int
    faults: tuple[str, ...]


def entries(place: Place) -> Iterator[Entry]:
    """Yield every system that is registered or has articles, with any faults.

    A fault is a line for a person: what is wrong, and in which article.
    """
    agencies = registered(place)
    known = {one.title for one in references(place)}
    for name in sorted({*agencies, *place.systems()}):
        agency = agencies.get(name)
        faults = [] if agency else ["it has articles but is not registered"]
        seen: set[str] = set()
        statements = 0
        try:
            for article in articles_of(place, name) if name in place.systems() else ():
                faults += _faults(article, known, seen)
                seen.add(article.title)
                statements += len(article.statements)
        except PermanentError as error:
            faults.append(str(error))
        missing = sorted(known - seen)
        if missing:
            more = " …" if len(missing) > _MOST_NAMED else ""
            some = ", ".join(missing[:_MOST_NAMED]) + more
            faults.append(f"no article of {len(missing)} subjects: {some}")
        yield Entry(name, agency, len(seen), statements, tuple(faults))


def _faults(article: Generated, known: set[str], seen: set[str]) -> Iterator[str]:
    if article.title not in known:
        yield f"{article.title}: the benchmark has no such subject"
    if article.title in seen:
        yield f"{article.title}: it is there twice"
    if not article.statements:
        yield f"{article.title}: it has no statement; extract them first"
    strange = {ref for one in article.statements for ref in one.refs} - {
        *article.citation_urls,
        *article.pages,
    }
    if strange:
        yield f"{article.title}: citation {min(strange)} is not in its list"
