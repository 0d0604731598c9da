"""Does reading beat looking at the address? `sidenote evaluate ranking`.

SIDE ranks citations by how likely they fail and compares itself with the depth of the
cited address: the more general, the likelier it fails (`handlers.citations.url_depth`).
Here both, and the lexical verifier where the engine is another, rank the same rows:
those that carry the address of what they cite. What they say beside it is a set's own:

- `attributionbench` (`verification/train.jsonl.gz`; its dev has no addresses):
  sentences of answer engines beside an excerpt of the page cited, called attributable
  or not by people, as many of each. No weights were fitted on these rows: they are not
  openly licensed.
- `wiki_live_challenge`: statements of one generated article beside the text of the
  page, judged by a language model alone (`judged_citations`).

Neither is a sample of Wikipedia's citations. Rows without an address, or with one that
is not of the web, count as unscored in their set.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.research.evaluation import judging, metrics
from bot.research.evaluation.contest import (
    Answers,
    Contest,
    add_against_url_depth,
    add_compared,
    add_url_depth,
    answer_all,
    curves_of,
)
from bot.research.evaluation.datasets import DataSet, read_rows
from bot.research.evaluation.judged_citations import SET as JUDGED_BY_A_MODEL
from bot.research.evaluation.judged_citations import read_judged_citations
from bot.research.evaluation.judging import add_measured
from bot.research.evaluation.metrics import Measure, OfScores, Scores, Truth
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import EvaluationReport, Findings, engine_of
from bot.research.evaluation.verification import WORST
from handlers.citations.url_depth import url_depth
from handlers.ports import PermanentError, Verifier

_LABELLED_BY = {
    "attributionbench": "people, who saw the excerpt",
    JUDGED_BY_A_MODEL: "a language model, unchecked",
}
_OF_SCORES: Mapping[str, OfScores] = {
    "auroc": metrics.auroc,
    "precision_at_worst_10_percent": metrics.precision_at_worst(WORST),
}


def evaluate(
    data: Path,
    verifier: Verifier,
    progress: Progress,
    contest: Contest | None = None,
    *,
    pages: Path | None = None,
    name: str = "ranking",
) -> EvaluationReport:
    """Measure how well engine and URL depth put failing citations first, set by set.

    Args:
        data: rows as for the evaluation of verification (.jsonl, .jsonl.gz), or
            WikiLiveChallenge's citation judgements (.json).
        verifier: the engine.
        progress: counts the rows.
        contest: what it is compared with beside URL depth.
        pages: the texts that the judgements are about, where they lie elsewhere.
        name: of the report.

    Raises:
        PermanentError: a file is missing, or no row carries an address.
    """
    judged = data.suffix == ".json"
    everything = read_judged_citations(data, pages) if judged else read_rows(data)
    rows = tuple(one for one in everything.rows if url_depth(one.address) is not None)
    if not rows:
        raise PermanentError(
            f"{data} has no row with the address of what it cites (meta.url,"
            " meta.citation_url or meta.citation_links), so there is nothing to compare"
        )
    addressed = replace(everything, rows=rows)
    answers = answer_all(addressed, verifier, contest or Contest(), progress)
    names = sorted({one.set for one in rows})
    return EvaluationReport(
        name,
        everything,
        engine_of(verifier, everything, answers.out_of_fold),
        {"sets": {one: _of_set(one, answers, everything) for one in names}},
        tuple(
            curves_of(one, answers.of_set(one), verifier.engine.name) for one in names
        ),
        about_data={"ranked": len(rows)},
    )


def _of_set(name: str, answers: Answers, everything: DataSet) -> dict[str, Any]:
    chosen = answers.of_set(name)
    judged = chosen.engine
    groups = [one.row.group for one in judged]
    truth, scores = judging.is_supported(judged), judging.scores(judged)
    findings = Findings()
    for metric, of in _OF_SCORES.items():
        add_measured(findings, metric, groups, _measure(of, truth, scores))
        add_url_depth(findings, chosen, groups, metric, of)
        add_against_url_depth(findings, chosen, groups, metric, of)
        add_compared(findings, chosen, groups, metric, of)
    labels = Counter(one.row.label.value for one in judged)
    in_all = sum(one.set == name for one in everything.rows)
    unusable = sum(one.set == name for one in everything.unscored)
    return {
        "rows": in_all + unusable,
        "unscored": in_all + unusable - len(judged),
        "groups": len(set(groups)),
        "labelled_by": _LABELLED_BY.get(name, "not stated"),
        **{f"labelled_{label}": count for label, count in sorted(labels.items())},
        **findings.to_dict(),
    }


def _measure(of: OfScores, truth: Truth, scores: Scores) -> Measure:
    return lambda at: of(truth[at], scores[at])
