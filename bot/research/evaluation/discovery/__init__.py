"""What of an article's hidden sentences is found again? `sidenote evaluate discovery`.

WiNELL compares what its agents suggest with what people added to the same article in
the same weeks (§4). Here some sentences of each WikiGenBench article are hidden
(`hiding`); they play the people's edits. The rest is the article. All documents of all
events can be searched: what a search engine returned for them, and what their articles
cite. Most of it belongs to other subjects, and the cited pages were scraped without
capitals and full stops, so that nothing can be quoted from them. As in the paper, the
edits that count are those that have a source there (`sourced`); `all_hidden` has the
figures of all.

Four runs each: the whole engine, embedded or with a language model in all roles, the paper's two ablations, and its oracle, which
reads all documents of the event itself and no others. Figures:

- `soft_coverage`, `hard_coverage`: mean over those edits of the share of their
  facts that some suggestion entails; for hard, a suggestion for the same section.
- `section_accuracy`: of the facts covered, by sentence, the share whose surest
  suggestion goes to the section that the sentence was taken from.
- `supported_share`: suggestions that the judge finds borne out by their first source;
  `quoted_share`: those that stand in a source character for character.
- `soft_coverage_without_copies`: without suggestions whose sources all repeat a hidden
  sentence word for word (`copies`), such as mirrors of Wikipedia.
- `of_own_pages_share`: suggestions from pages returned for that event; those from pages
  of other events are mostly astray.
- `reachable`: the share of facts that the judge finds in a single sentence of the
  event's own pages: quotes of one sentence cannot cover more.

Facts are found by rules (`bot.research.evaluation.atomic_facts`), and the judge is the verifier
with a bound on words (`covering.EmbeddedJudge`).
`held_out_half` has the events that nothing is made or tuned on (`events.is_held_out`).
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.research.evaluation.datasets import Unscored
from bot.research.evaluation.discovery.figures import (
    bars_of,
    metrics_of,
    players_of,
    rows_of,
)
from bot.research.evaluation.discovery.hiding import FEWEST, MOST, SHARE, Exam, exam_of
from bot.research.evaluation.discovery.results import EventResult, load
from bot.research.evaluation.discovery.sourced import Accepts
from bot.research.evaluation.discovery.working import Work, work_off
from bot.research.evaluation.events import Events, index_documents, read_events
from bot.research.evaluation.report import EvaluationReport, Progress
from handlers.citations.addresses import normal_key
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class Measured:
    """The report, and what each event gave."""

    report: EvaluationReport
    results: tuple[EventResult, ...]


@dataclass(frozen=True, slots=True)
class _Exams:
    """The events that are examined, as the data of a report."""

    file: str
    sha256: str
    exams: tuple[Exam, ...]
    unscored: tuple[Unscored, ...]
    row_count: int


def evaluate(
    data: Path,
    work: Work,
    progress: Progress,
    *,
    limit: int | None = None,
    only: frozenset[str] = frozenset(),
    processes: int = 1,
) -> Measured:
    """Measure all configurations on the events of `data`.

    Args:
        data: WikiGenBench's events.
        work: what works and where. Results that its folder has already are not made
            again, so give another folder once the program has changed.
        progress: counts first pages, then events.
        limit: examine only the first so many events; all pages are searched all the
            same.
        only: examine only the events with these ids, if any.
        processes: how many work at once.

    Raises:
        PermanentError: the file is missing or no event can be examined.
    """
    events = read_events(data)
    engine = work.opener()
    found = _exams(events, limit, only, engine.accepts)
    if not found.exams:
        raise PermanentError(
            f"{data} has no event of which two sentences can be hidden; discovery needs"
            " whole articles with search results"
        )
    asyncio.run(index_documents(events, work.pool, engine.encoder, progress))
    work_off(found.exams, work, progress, processes=processes)
    results = tuple(_kept(work.done, one) for one in found.exams)
    report = EvaluationReport(
        "discovery",
        found,
        {
            "name": engine.verifier.engine.name,
            "version": engine.verifier.engine.version,
            "encoder": engine.encoder.name,
            "roles": work.players,
            **players_of(results),
            "facts": "by rules",
            "judge": f"{engine.verifier.engine.name} {engine.verifier.engine.version}"
            ", and words in common",
        },
        metrics_of(results),
        about_data=_about(events, found, results),
        bars=bars_of(results),
        rows=rows_of(results),
    )
    return Measured(report, results)


def _exams(
    events: Events, limit: int | None, only: frozenset[str], accepts: Accepts
) -> _Exams:
    exams, unscored = [], list(events.unscored)
    for number, event in enumerate(events.events[:limit], start=1):
        if only and event.id not in only:
            continue
        exam = exam_of(event, accepts)
        if exam is None:
            why = f"fewer than {FEWEST} sentences of it can be hidden"
        elif not event.found:
            why = "no page of it has a text"
        else:
            exams.append(exam)
            continue
        unscored.append(Unscored(number, "events", f"{event.title}: {why}"))
    rows = len(exams) + len(unscored)
    return _Exams(events.file, events.sha256, tuple(exams), tuple(unscored), rows)


def _kept(folder: Path, exam: Exam) -> EventResult:
    result = load(folder, exam.event.id)
    if result is None:
        raise PermanentError(
            f"the result of event {exam.event.id} has left {folder}; run again"
        )
    return result


def _about(
    events: Events, found: _Exams, results: tuple[EventResult, ...]
) -> dict[str, Any]:
    return {
        "articles": len(results),
        "pages_searched": len(
            {normal_key(page.address) for one in events.events for page in one.all}
        ),
        "hidden_share": SHARE,
        "hidden_at_most": MOST,
        "sentences_that_could_be_hidden": sum(one.sentences for one in found.exams),
        "hidden_sentences": sum(len(one.hidden) for one in found.exams),
        "hidden_facts": sum(
            len(each.facts) for one in found.exams for each in one.hidden
        ),
        "hidden_with_source": sum(
            each.has_source for one in found.exams for each in one.hidden
        ),
        "passed_over_as_repeated": sum(one.passed_over for one in found.exams),
    }
