"""Does reading beat looking at the address? `sidenote evaluate ranking`.

SIDE ranks citations by how likely they are to fail and compares itself with the depth
of the cited address: the more general the page, the likelier it fails
(`handlers.sources.addresses`). Here the engine, that baseline, and the lexical
verifier (if the engine is another one) rank the same rows: those that give the address
of what they cite. What their labels mean differs by set:

- `attributionbench` (`verification/train.jsonl.gz`; its dev has no addresses):
  sentences of answer engines beside an excerpt of the page cited, called attributable
  or not by people, as many of each. No weights were fitted on these rows: they are not
  openly licensed.
- `wiki_live_challenge`: statements of one generated article, which the authors' judge
  model called "support", "not_support" or "conflict" with the page they cite. Nobody
  checked its answers. The texts of the pages are in the file of the system that wrote
  the article, with identical statements, cut after 30,000 characters.

Neither is a sample of Wikipedia's citations. Rows without an address, or with one that
is not on the web, count as unscored in their set.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.research.evaluation import metrics
from bot.research.evaluation.citations.verification import WORST
from bot.research.evaluation.contest import (
    Answers,
    Contest,
    Figures,
    answer_all,
    curves_of,
)
from bot.research.evaluation.datasets import (
    FEWEST_WORDS,
    DataSet,
    FileRows,
    Label,
    Row,
    Unscored,
    read_rows,
)
from bot.research.evaluation.metrics import OfScores
from bot.research.evaluation.report import (
    EvaluationReport,
    Progress,
    engine_of,
)
from bot.research.evaluation.review.articles import (
    Generated,
    Judgement,
    articles_in,
    is_in_place,
    judgements,
    shown,
)
from handlers.ports import PermanentError, Verifier
from handlers.sources.addresses import url_depth

JUDGED_BY_A_MODEL = "wiki_live_challenge"
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
        contest: what it is compared with besides URL depth.
        pages: the texts that the judgements are about, if they are elsewhere.
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
            curves
            for one in names
            for curves in curves_of(one, answers.of_set(one), verifier.engine.name)
        ),
        about_data={"ranked": len(rows)},
    )


def _of_set(name: str, answers: Answers, everything: DataSet) -> dict[str, Any]:
    figures = Figures(answers.of_set(name))
    judged = figures.judged
    for metric, of in _OF_SCORES.items():
        figures.add(metric, of, figures.truth, figures.scores)
        figures.add_url_depth(metric, of)
        figures.add_url_depth(metric, of, against=True)
        figures.add_compared(metric, of)
    labels = Counter(one.row.label.value for one in judged)
    in_all = sum(one.set == name for one in everything.rows)
    unusable = sum(one.set == name for one in everything.unscored)
    return {
        "rows": in_all + unusable,
        "unscored": in_all + unusable - len(judged),
        "groups": len(set(figures.groups)),
        "labelled_by": _LABELLED_BY.get(name, "not stated"),
        **{f"labelled_{label}": count for label, count in sorted(labels.items())},
        **figures.to_dict(),
    }


PAGES = "systems_dev/gemini_2.5_pro.jsonl.gz"
_LABELS = {
    "support": Label.SUPPORTED,
    "not_support": Label.NOT_SUPPORTED,
    "conflict": Label.REFUTED,
}
_MOST_CONTEXT = 600  # characters, as for a claim in an article


def read_judged_citations(path: Path, pages: Path | None = None) -> DataSet:
    """Return a row for each judged statement whose page has a text.

    Rows are grouped by the page they cite. `pages` is the file of the system's
    articles, by default at its place beside `path`, which is
    `sample_citation_judgements.json`.
    """
    judged, digest = judgements(path)
    place = pages or path.parent / PAGES
    if not place.is_file():
        raise PermanentError(
            f"{place} cannot be read; name the system's articles, whose pages the"
            " judgements are about, with --pages"
        )
    article = next(articles_in(place, {judged.title}), None)
    if article is None:
        raise PermanentError(f"{place} has no article {judged.title!r}")
    read = [_row(number, one, article) for number, one in enumerate(judged.results, 1)]
    rows = tuple(one for one in read if isinstance(one, Row))
    unscored = tuple(one for one in read if isinstance(one, Unscored))
    if not rows:
        why = f" ({unscored[0].reason})" if unscored else ""
        raise PermanentError(
            f"{place} has no text for the pages that {path} names{why}"
        )
    return FileRows(path.name, digest, rows, unscored)


def _row(number: int, judged: Judgement, article: Generated) -> Row | Unscored:
    label = _LABELS.get(judged.verdict)
    at, page = judged.statement_index, article.pages.get(judged.citation_num)
    why = ""
    if label is None:
        why = f"verdict {judged.verdict!r} is none of {', '.join(_LABELS)}"
    elif not is_in_place(judged, article):
        why = "the article has another statement at that place"
    elif page is None or len(page.content.split()) < FEWEST_WORDS:
        why = "the page it cites has no text"
    if why or label is None or page is None:
        return Unscored(number, JUDGED_BY_A_MODEL, why)
    return Row(
        id=f"{article.title} {at}",
        set=JUDGED_BY_A_MODEL,
        claim=judged.statement,
        evidence=(page.content,),
        label=label,
        group=judged.citation_url,
        openly_licensed=False,
        title=shown(article.title),
        context=_context([one.text for one in article.statements[:at]]),
        address=judged.citation_url,
    )


def _context(before: Sequence[str]) -> str:
    """Return the end of the text before a statement, in whole statements."""
    context: list[str] = []
    for fact in reversed(before):
        if sum(map(len, context)) + len(context) + len(fact) > _MOST_CONTEXT:
            break
        context.insert(0, fact)
    return " ".join(context)
