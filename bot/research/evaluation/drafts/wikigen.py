"""`sidenote evaluate wikigen`: drafts of WikiGenBench's events beside the paper's.

Each event's article is the reference; the draft is made of the event's documents, with
the title for a topic. Headings count as words of both. All overlap figures are means
over events, 0 to 100:

- `meteor`: NLTK's METEOR (alpha 0.9, beta 3, gamma 0.5) of words and of runs of other
  signs, by form, Porter stem and WordNet's synonyms where WordNet is there (`engine.synonyms`);
  `meteor_without_synonyms` always without.
  `meteor_15_weights` has the parameters of METEOR 1.5 (0.85, 0.2, 0.6);
  `meteor_15` is that program itself, where its file is given (texts that it broke on
  left out).
- `rouge_l`: F1 of the longest common subsequence of the whole texts (`rouge-score`, no
  stems). `rouge_l_nlg_eval`: the same on words between spaces, case kept, beta 1.2.
- `bleu`: NLTK's, up to four words, 0.1 for a count of 0.
- `citation_recall`, `citation_precision`, `citation_rate`: formulas 4 to 6 by the judge
  that `engine.citations` names, a sentence against one 256-word chunk at a time; one
  that cites nothing counts 0. `second_judge`: by another.
- `quoted_share`: of the words, how many stand in sentences that a cited chunk has word
  for word; `copied_share`: in sentences that share ten words in a row with the reference
  (some documents are copies of it, and some quote what it quotes); `unmarked_share`: in
  stretches without a capital, out of cited pages as the data set has them.
- `fluency` to `information`: 0 to 5 by a language model, or none.

Of either text the first 20,000 words are compared. What could not be drafted is counted
with its reasons; `with_unscored_as_0` has all events. While the embedded engine was made,
drafts of both halves of this file were read, so no event of it is unseen; `odd_half`, the
events with an odd number, only shows how much the figures hang on which events they are of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.research.evaluation.datasets import Data, Unscored
from bot.research.evaluation.drafts.judge import Checkpoints, Outcome
from bot.research.evaluation.drafts.run import Opens, Work, work_off
from bot.research.evaluation.drafts.setups import (
    METHODS,
    Setup,
    all_setups,
    baselines_of,
)
from bot.research.evaluation.drafts.tables import (
    COMPARABLE,
    OfEvent,
    Tables,
    figures_of,
    figures_of_references,
)
from bot.research.evaluation.events import Event, Events, read_events
from bot.research.evaluation.report import EvaluationReport, Points, Progress
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and what is said of it.

    `engine` names the parts for the report, `name` is the short form for tables.
    """

    main: Setup
    tables: tuple[int, ...] = (METHODS,)
    is_tuned: bool = False
    limit: int | None = None
    only_odd: bool = False
    processes: int = 1
    name: str = "embedded"
    engine: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DraftOf:
    event: str
    title: str
    setup: str
    text: str


@dataclass(frozen=True, slots=True)
class Measured:
    report: EvaluationReport
    drafts: tuple[DraftOf, ...]


def evaluate(
    data: Path, opener: Opens, done: Path, plan: Plan, progress: Progress
) -> Measured:
    """Measure drafts of the events of `data`."""
    events = read_events(data)
    wanted = _wanted(events, plan)
    checkpoints = Checkpoints(done)
    checkpoints.claim(
        "\n".join((events.sha256, *(": ".join(one) for one in plan.engine)))
    )
    setups = all_setups(plan.main, plan.tables, is_tuned=plan.is_tuned)
    work_off(wanted, Work(opener, done, setups), progress, processes=plan.processes)

    def results(setup: Setup) -> list[OfEvent]:
        found = []
        for event in wanted:
            outcome = checkpoints.outcome(setup.key, event.id)
            if outcome is None:
                raise PermanentError(
                    f"what event {event.id} gave has left the folder; run again"
                )
            found.append(OfEvent(event.id, outcome))
        return found

    main = results(plan.main)
    by_setup = {one.key: figures_of(results(one)) for one in setups}
    kept = [(one.id, checkpoints.reference(one.id)) for one in wanted]
    references = figures_of_references([(id_, one) for id_, one in kept if one])
    tables = Tables(
        plan.tables,
        plan.main,
        by_setup,
        references,
        engine=plan.name,
        is_tuned=plan.is_tuned,
    )
    report = EvaluationReport(
        "wikigen",
        _data(events, wanted, main),
        dict(plan.engine),
        {
            **_metrics(plan, main, by_setup),
            "references": references,
            "tables": tables.to_dict(),
            "comparable_with_the_paper": dict(COMPARABLE),
        },
        about_data={"events": len(wanted), "setup": plan.main.key},
        bars=tables.bars(),
        grids=tables.grids(),
        points=_points(main),
        rows=[
            {
                "event": event.id,
                "title": event.title,
                "documents": row.outcome.documents,
                **_figures(row.outcome),
            }
            for event, row in zip(wanted, main, strict=True)
        ],
    )
    drafts = tuple(
        DraftOf(event.id, event.title, "main", row.outcome.scored.text)
        for event, row in zip(wanted, main, strict=True)
        if row.outcome.scored
    )
    return Measured(report, drafts)


def _wanted(events: Events, plan: Plan) -> tuple[Event, ...]:
    chosen = [one for one in events.rows if is_odd(one.id) or not plan.only_odd]
    if not chosen:
        raise PermanentError(
            f"{events.file} has no event with an odd number; leave --odd out"
        )
    return tuple(chosen[: plan.limit])


def is_odd(event: str) -> bool:
    return event.isdigit() and bool(int(event) % 2)


def _data(events: Events, wanted: Sequence[Event], main: Sequence[OfEvent]) -> Data:
    """Tell which events have no draft, beside the rows that could not be read."""
    lines = {one.id: number for number, one in enumerate(events.rows, start=1)}
    failed = [
        Unscored(lines[event.id], "events", f"{event.title}: {row.outcome.failed}")
        for event, row in zip(wanted, main, strict=True)
        if row.outcome.failed
    ]
    return Data(
        events.file,
        events.sha256,
        len(wanted) + len(events.unscored),
        (*events.unscored, *failed),
    )


def _metrics(
    plan: Plan, main: Sequence[OfEvent], by_setup: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    baselines = {one.key for one in baselines_of(plan.main).values()}
    others = set(by_setup) - baselines - {plan.main.key}
    return {
        **by_setup[plan.main.key],
        "odd_half": figures_of([one for one in main if is_odd(one.event)]),
        "baselines": {key: by_setup[key] for key in sorted(baselines)},
        "setups": {key: by_setup[key] for key in by_setup if key in others},
    }


def _points(main: Sequence[OfEvent]) -> tuple[Points, ...]:
    scored = [one.outcome.scored for one in main if one.outcome.scored]
    return (
        Points(
            "wikigen",
            "Length against METEOR and ROUGE-L, one point for each event",
            "Words of the draft",
            "0 to 100",
            tuple(float(one.words) for one in scored),
            (
                ("METEOR", tuple(one.overlap.meteor for one in scored)),
                ("ROUGE-L", tuple(one.overlap.rouge_l for one in scored)),
            ),
        ),
    )


def _figures(outcome: Outcome) -> dict[str, Any]:
    one = outcome.scored
    if one is None:
        return {"failed": outcome.failed}
    return {
        "words": one.words,
        "meteor": round(one.overlap.meteor, 2),
        "rouge_l": round(one.overlap.rouge_l, 2),
        "citation_recall": round(one.citing.recall, 2),
        "citation_precision": round(one.citing.precision, 2),
        "copied_share": round(one.copied, 3),
    }
