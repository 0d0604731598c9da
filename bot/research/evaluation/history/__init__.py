"""Would update discovery have found what people added? `sidenote evaluate updates`.

WiNELL's own evaluation (§4, §5.2) on any wiki: the article as it stood at the beginning
of some weeks, the facts with new sources that people added in these weeks, and what
discovery suggests when it may use only sources of the same weeks. Two weeks at a time,
unless told otherwise.

An edit counts if a person made it, it was not undone by the end, it brings words that
are more than spelling, and a source that the page had nowhere (appendix A). Revisions
of one person within half an hour count as one edit, which the paper does not do: people
add a sentence first and its source a minute later. Facts that the sentence said before
the edit as well are not counted.

`human_edits` tells how old the sources were (figure 1): the share of edits with a source
of their own year, and the days from a source's publication to its citation. The day is
the citation's own; where that has none, and sources are read, the page's.
`source_of_their_period_share` is how many cited something from the same weeks: the
others were late, and discovery, which may look at these weeks alone, cannot find them.

Coverage, section accuracy and the paper's rows are those of `bot.research.evaluation.discovery`,
with intervals over pages. The oracle opens the addresses that people cited, of any day.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.research.evaluation.datasets import Unscored
from bot.research.evaluation.discovery.results import EventResult
from bot.research.evaluation.history.figures import bars_of, metrics_of, rows_of
from bot.research.evaluation.history.keeping import Shelf
from bot.research.evaluation.history.periods import Study
from bot.research.evaluation.history.reading import HistoryStudent, PageHistory
from bot.research.evaluation.history.running import Examiner
from bot.research.evaluation.report import EvaluationReport, Progress
from handlers.ports import PermanentError, TemporaryError

_BOTH = (PermanentError, TemporaryError)


@dataclass(frozen=True, slots=True)
class _Pages:
    """What was read, as the data of a report."""

    file: str
    sha256: str
    unscored: tuple[Unscored, ...]
    row_count: int


@dataclass(slots=True)
class _Found:
    """What a study gave so far."""

    histories: list[PageHistory]
    results: list[EventResult]
    unscored: list[Unscored]


async def evaluate(
    study: Study,
    student: HistoryStudent,
    examiner: Examiner | None,
    folder: Path,
    progress: Progress,
) -> EvaluationReport:
    """Measure discovery on the histories of pages.

    Args:
        study: the pages and the weeks.
        student: reads what people did.
        examiner: runs discovery; `None` to look at people's edits alone.
        folder: what is done already is not done again, so give another one for another
            engine or version of the program.
        progress: counts histories and periods.

    Raises:
        PermanentError: no page could be read, or the folder cannot be written to.
    """
    every_period = study.periods
    periods = every_period if examiner else ()
    progress.started(len(study.pages) * (1 + len(periods)))
    shelf = Shelf(folder, study)
    found = _Found([], [], [])
    for number, page in enumerate(study.pages, start=1):
        try:
            history = await shelf.history(page, student.history)
            found.histories.append(history)
            progress.advance()
            for period in periods:
                if examiner is not None and history.in_period(period):
                    result = await shelf.result(page, period, history, examiner.result)
                    found.results.append(result)
                progress.advance()
        except _BOTH as error:
            found.unscored.append(Unscored(number, "pages", f"{page.title}: {error}"))
    if not found.histories:
        told = found.unscored[0].reason if found.unscored else "none was named"
        raise PermanentError(f"no page could be read; {told}")
    return _report(study, student, examiner, found)


def _report(
    study: Study, student: HistoryStudent, examiner: Examiner | None, found: _Found
) -> EvaluationReport:
    data = _Pages(
        study.wiki,
        _fingerprint(found.histories),
        tuple(found.unscored),
        len(study.pages),
    )
    engine = {"facts": student.facts_by, **(examiner.engine if examiner else {})}
    return EvaluationReport(
        "updates",
        data,
        engine,
        metrics_of(
            found.histories,
            found.results,
            study.periods,
            with_runs=examiner is not None,
        ),
        about_data=_about(study, found),
        bars=bars_of(found.histories, found.results),
        rows=rows_of(found.histories, found.results),
    )


def _fingerprint(histories: Sequence[PageHistory]) -> str:
    """Return the hash of the revisions that brought facts: the wiki has no file."""
    told = [[one.title, [edit.revision_id for edit in one.edits]] for one in histories]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _about(study: Study, found: _Found) -> dict[str, Any]:
    return {
        "wiki": study.wiki,
        "since": study.since.isoformat(),
        "until": study.until.isoformat(),
        "days_in_a_period": study.days,
        "periods_with_edits": len(found.results),
        "revisions": sum(one.revisions for one in found.histories),
        "edits_of_sections": sum(one.edits_of_sections for one in found.histories),
        "edits_with_facts": sum(len(one.edits) for one in found.histories),
    }
