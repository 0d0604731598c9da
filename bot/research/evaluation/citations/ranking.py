"""Does reading beat looking at the address? `sidenote evaluate ranking`.

SIDE ranks citations by how likely they fail and compares itself with the depth of the
cited address: the more general, the likelier it fails (`handlers.citations.addresses`).
Here both, and the lexical verifier where the engine is another, rank the same rows:
those that carry the address of what they cite. What they say beside it is a set's own:

- `attributionbench` (`verification/train.jsonl.gz`; its dev has no addresses):
  sentences of answer engines beside an excerpt of the page cited, called attributable
  or not by people, as many of each. No weights were fitted on these rows: they are not
  openly licensed.
- `wiki_live_challenge`: statements of one generated article, which the authors' judge
  model called "support", "not_support" or "conflict" with the page they cite. Nobody
  checked its word. The texts of the pages stand in the file of the system that wrote
  the article, statement for statement the same, cut after 30,000 characters.

Neither is a sample of Wikipedia's citations. Rows without an address, or with one that
is not of the web, count as unscored in their set.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.research.evaluation import contest, metrics
from bot.research.evaluation.citations.verification import WORST
from bot.research.evaluation.contest import (
    Answers,
    Contest,
    add_against_url_depth,
    add_compared,
    add_over,
    add_url_depth,
    answer_all,
    curves_of,
    groups_of,
)
from bot.research.evaluation.datasets import (
    DataSet,
    FileRows,
    Label,
    Row,
    Unscored,
    content_of,
    first_fault,
    read_rows,
)
from bot.research.evaluation.metrics import OfScores
from bot.research.evaluation.report import (
    EvaluationReport,
    Findings,
    Progress,
    engine_of,
)
from handlers.citations.addresses import url_depth
from handlers.ports import PermanentError, Verifier

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
    truth, scores = contest.is_supported(judged), contest.scores(judged)
    findings = Findings()
    for metric, of in _OF_SCORES.items():
        add_over(findings, judged, metric, of, truth, scores)
        add_url_depth(findings, chosen, metric, of)
        add_against_url_depth(findings, chosen, metric, of)
        add_compared(findings, chosen, metric, of)
    labels = Counter(one.row.label.value for one in judged)
    in_all = sum(one.set == name for one in everything.rows)
    unusable = sum(one.set == name for one in everything.unscored)
    return {
        "rows": in_all + unusable,
        "unscored": in_all + unusable - len(judged),
        "groups": len(set(groups_of(judged))),
        "labelled_by": _LABELLED_BY.get(name, "not stated"),
        **{f"labelled_{label}": count for label, count in sorted(labels.items())},
        **findings.to_dict(),
    }


PAGES = "systems_dev/gemini_2.5_pro.jsonl.gz"
_LABELS = {
    "support": Label.SUPPORTED,
    "not_support": Label.NOT_SUPPORTED,
    "conflict": Label.REFUTED,
}
_FEWEST_WORDS = 20  # a page with less is an error message or an empty shell
_MOST_CONTEXT = 600  # characters, as of a claim in an article
_MAX_BYTES = 200_000_000  # of the file of pages, decompressed


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Judgement(_Loose):
    statement_index: int
    statement: str
    citation_num: str
    citation_url: str
    verdict: str


class _Judged(_Loose):
    title: str
    results: list[_Judgement]


class _Statement(_Loose):
    fact: str = ""


class _Page(_Loose):
    content: str = ""


class _Article(_Loose):
    title: str
    statements: list[_Statement]
    citation_contents: dict[str, _Page]


def read_judged_citations(path: Path, pages: Path | None = None) -> DataSet:
    """Return a row for each judged statement whose page has a text.

    Rows are grouped by the page they cite.
    """
    content = content_of(path)
    try:
        judged = _Judged.model_validate_json(content)
    except ValidationError as error:
        raise PermanentError(
            f"{path} is not a file of WikiLiveChallenge's citation judgements"
            f" ({first_fault(error, 'the file')})"
        ) from error
    place = pages or path.parent / PAGES
    article = _article(place, judged.title)
    read = [_row(number, one, article) for number, one in enumerate(judged.results, 1)]
    rows = tuple(one for one in read if isinstance(one, Row))
    unscored = tuple(one for one in read if isinstance(one, Unscored))
    if not rows:
        why = f" ({unscored[0].reason})" if unscored else ""
        raise PermanentError(
            f"{place} has no text for the pages that {path} names{why}"
        )
    return FileRows(path.name, sha256(content).hexdigest(), rows, unscored)


def _row(number: int, judged: _Judgement, article: _Article) -> Row | Unscored:
    label = _LABELS.get(judged.verdict)
    if label is None:
        known = ", ".join(_LABELS)
        return Unscored(
            number, JUDGED_BY_A_MODEL, f"verdict {judged.verdict!r} is none of {known}"
        )
    facts = [one.fact for one in article.statements]
    at = judged.statement_index
    if not 0 <= at < len(facts) or facts[at] != judged.statement:
        return Unscored(
            number, JUDGED_BY_A_MODEL, "the article has another statement in its place"
        )
    page = article.citation_contents.get(judged.citation_num)
    if page is None or len(page.content.split()) < _FEWEST_WORDS:
        return Unscored(number, JUDGED_BY_A_MODEL, "the page it cites has no text")
    return Row(
        id=f"{article.title} {at}",
        set=JUDGED_BY_A_MODEL,
        claim=judged.statement,
        evidence=(page.content,),
        label=label,
        group=judged.citation_url,
        openly_licensed=False,
        title=article.title.replace("_", " "),
        context=_context(facts[:at]),
        address=judged.citation_url,
    )


def _context(before: Sequence[str]) -> str:
    """Return the end of what precedes a statement, whole statements only."""
    kept: list[str] = []
    for fact in reversed(before):
        if sum(map(len, kept)) + len(kept) + len(fact) > _MOST_CONTEXT:
            break
        kept.insert(0, fact)
    return " ".join(kept)


def _article(path: Path, title: str) -> _Article:
    try:
        with gzip.open(path) as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            f"{path} cannot be read ({error}); name the system's articles, whose pages"
            " the judgements are about, with --pages"
        ) from error
    if len(content) > _MAX_BYTES:
        raise PermanentError(f"{path} holds more than {_MAX_BYTES:,} bytes")
    titles = TypeAdapter(_Titled)
    for line in content.splitlines():
        try:
            if titles.validate_json(line).title == title:
                return _Article.model_validate_json(line)
        except ValidationError as error:
            raise PermanentError(
                f"{path} is not a file of WikiLiveChallenge's articles"
                f" ({first_fault(error, 'the file')})"
            ) from error
    raise PermanentError(f"{path} has no article {title!r}")


class _Titled(_Loose):
    title: str
