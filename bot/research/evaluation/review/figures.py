"""The figures of Wiki Fact for each system, with their intervals over articles.

As in the benchmark's summaries, a figure is the mean of the shares of the articles.
With F the facts of the Good Article and S the statements of the system:

- `coverage` = facts supported by the ten most similar statements that do not leak / F
  (3)
- `wiki_support`, `wiki_conflict` = statements supported by, in conflict with, the ten
  most similar facts / S
- `reference_accuracy` (4), `reference_conflict` = statements supported by, in conflict
  with, the pages they cite / statements with a page that could be read. One that cites
  several pages is judged by all of them together.
- `reference_accuracy_with_error_pages`: the same, but statements whose page is an
  error message or nearly empty count as not supported, which is what a judge says that
  is shown whatever was fetched (such as the authors').
- `leakage` = statements that cite the article itself or a mirror of it / S

The agreement of our judge with the authors' is measured statement by statement. The
benchmark publishes one article's citation judgements, by Gemini 2.5 Flash; nobody
checked them. Their pages are in the system's own file. Some judgements are based on an
error message that was fetched in the page's place, and then say `not_support`; ours say
the same. For others, the text in the shared data was cut before it began: their judge
saw more than ours does, and the two cannot be compared. The main figures count these as
not supported; `both_saw_the_same` leaves them out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score

from bot.research.evaluation.metrics import (
    Classes,
    UndefinedMetricError,
    accuracy,
    over,
)
from bot.research.evaluation.report import FactMap, Findings, Grid, GridRow
from bot.research.evaluation.review.articles import (
    Generated,
    Judgements,
    is_in_place,
    shown,
)
from bot.research.evaluation.review.examination import (
    SHOWN_TO_A_JUDGE,
    ArticleResult,
    Examiner,
    Library,
    StatementResult,
    Unread,
)
from bot.research.evaluation.review.judge import Stance, StatementVerdict
from handlers.model import ModelUse

# Shares of systems in the paper, by metric, to be shown beside the figures. We only
# have the paper's text, without its tables; these are the figures and the statements in
# its prose (§5.1.2, §5.2.1, §5.2.4), for 100 articles, facts and judgements by Gemini
# 2.5 Flash. They cannot be compared directly with ours, which come from another judge
# and half of the articles.
PAPER: Mapping[str, Mapping[str, float]] = {
    "gemini_2.5_pro": {"coverage": 0.3076},
    "langchain_w_gpt4.1": {"wiki_conflict": 0.2469, "reference_conflict": 0.0294},
    "qwen": {"reference_conflict": 0.0687},
}
_HOLDS: Mapping[str, Callable[[float, Iterable[float]], bool]] = {
    "highest": lambda value, all_: value == max(all_),
    "lowest": lambda value, all_: value == min(all_),
    "low": lambda value, all_: value <= median(all_),
    "high": lambda value, all_: value >= median(all_),
}
# What the paper says of a system compared with the others, by one metric.
_REMARKS = (
    ("gemini_2.5_pro", "the best coverage", "coverage", "highest"),
    ("langchain_w_gpt5", "coverage lags behind proprietary systems", "coverage", "low"),
    ("langchain_w_gpt4.1", "the highest conflict with Wikipedia", "wiki_conflict", "highest"),
    ("langchain_w_gpt4.1", "the lowest conflict with references", "reference_conflict", "lowest"),
    ("langchain_w_gpt5", "a low conflict with Wikipedia", "wiki_conflict", "low"),
    ("langchain_w_gpt5", "a low conflict with references", "reference_conflict", "low"),
    ("qwen", "a high conflict with references", "reference_conflict", "high"),
    ("perplexity", "a lower reference accuracy", "reference_accuracy", "low"),
    ("langchain_w_gpt4.1", "a low reference accuracy", "reference_accuracy", "low"),
    ("perplexity", "a high leakage", "leakage", "high"),
    ("langchain_w_gpt5", "an extremely low leakage", "leakage", "low"),
)  # fmt: skip


def against_paper(metrics: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what the paper says of the systems, and whether it holds here.

    `holds` is `None` if that is unknown; the highest value has rank 1.
    """
    found = []
    for system, text, metric, word in _REMARKS:
        if system not in metrics:
            continue
        values = {
            name: value
            for name, of in metrics.items()
            if isinstance(value := of.get(metric), float)
        }
        value = values.get(system) if len(values) > 1 else None
        found.append(
            {
                "system": system,
                "paper_says": text,
                "metric": metric,
                "holds": None
                if value is None
                else _HOLDS[word](value, values.values()),
                "rank": None
                if value is None
                else 1 + sum(other > value for other in values.values()),
                "of_systems": len(values),
            }
        )
    return found


def _share(verdicts: Iterable[StatementVerdict | None], stance: Stance) -> float | None:
    known = [one for one in verdicts if one is not None]
    return sum(one.stance is stance for one in known) / len(known) if known else None


def _mean_of(
    statements: Sequence[StatementResult], is_so: Callable[[StatementResult], bool]
) -> float | None:
    return sum(map(is_so, statements)) / len(statements) if statements else None


def judged_as_fetched(one: StatementResult) -> StatementVerdict | None:
    """Return the verdict of a judge that is shown whatever was fetched.

    The benchmark works that way: it treats an error message like any other page.
    """
    if one.unread is not None and one.unread in SHOWN_TO_A_JUDGE:
        return StatementVerdict(Stance.NOT_SUPPORT, 0.0, one.unread.value)
    return one.by_pages


# For one article; `None` if it has nothing of the kind.
SHARES: Mapping[str, Callable[[ArticleResult], float | None]] = {
    "coverage": lambda one: _share((f.verdict for f in one.facts), Stance.SUPPORT),
    "wiki_support": lambda one: _share((s.by_wiki for s in one.statements), Stance.SUPPORT),
    "wiki_conflict": lambda one: _share((s.by_wiki for s in one.statements), Stance.CONFLICT),
    "reference_accuracy": lambda one: _share((s.by_pages for s in one.statements), Stance.SUPPORT),
    "reference_conflict": lambda one: _share((s.by_pages for s in one.statements), Stance.CONFLICT),
    "reference_accuracy_with_error_pages": lambda one: _share(map(judged_as_fetched, one.statements), Stance.SUPPORT),
    "leakage": lambda one: _mean_of(one.statements, lambda s: s.is_leaked),
    "cites_wikipedia": lambda one: _mean_of(one.statements, lambda s: s.cites_wikipedia),
}  # fmt: skip


def figures_of(
    results: Sequence[ArticleResult], *, has_citations: bool = True
) -> dict[str, Any]:
    statements = [one for result in results for one in result.statements]
    unread = Counter(one.unread for one in statements)
    findings = Findings()
    for name, share in SHARES.items():
        if name.startswith("reference") and not has_citations:
            findings.omit(name, "the system is registered as one without citations")
            continue
        known = [(one.title, at) for one in results if (at := share(one)) is not None]
        findings.add_mean(
            name,
            [title for title, _ in known],
            [value for _, value in known],
            "no article has anything of the kind",
        )
    return {
        "n": len(results),
        "facts": sum(len(one.facts) for one in results),
        "statements": len(statements),
        "statements_that_cite": len(statements) - unread[Unread.NO_CITATION],
        "statements_with_a_page": unread[None],
        "leaked_statements": sum(one.is_leaked for one in statements),
        **findings.to_dict(),
        "skipped": {one.name.lower(): unread[one] for one in Unread if unread[one]},
        "paper": dict(PAPER.get(results[0].system, {})) if results else {},
    }


def rows_of(results: Sequence[ArticleResult]) -> list[dict[str, Any]]:
    return [
        {
            "system": one.system,
            "title": one.title,
            "facts": len(one.facts),
            "statements": len(one.statements),
            "citations": one.citations,
            "pages": one.pages,
            **{
                name: None if (value := share(one)) is None else round(value, 4)
                for name, share in SHARES.items()
            },
            "took_s": one.took_s,
        }
        for one in results
    ]


def spent(results: Sequence[ArticleResult]) -> dict[str, Any]:
    use = sum((one.use for one in results), ModelUse())
    return {
        "judging_s": round(sum(one.took_s for one in results), 1),
        "judging_cpu_s": round(sum(one.cpu_s for one in results), 1),
        "model_calls": use.calls,
        "model_answers_remembered": use.remembered,
        "model_input_tokens": use.input_tokens,
        "model_output_tokens": use.output_tokens,
        "model_cost": str(use.cost),
        "left_to_the_embedded_judge": sum(one.unanswered for one in results),
    }


_STANCES = tuple(one.value for one in Stance)


@dataclass(frozen=True, slots=True)
class Compared:
    """A statement judged by both; `unread` says why ours could not read the page."""

    statement: str
    page: str
    theirs: Stance
    ours: Stance
    because: str
    reason: str  # their judge's reason
    unread: Unread | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All statements that could be paired, and how many could not."""

    title: str
    compared: tuple[Compared, ...]
    unpaired: int


def fits(judged: Judgements, article: Generated) -> bool:
    """Return whether judgements are about an article: it has the same statements."""
    return judged.title == article.title and all(
        is_in_place(one, article) for one in judged.results[:3]
    )


async def compare(
    judged: Judgements, article: Generated, examiner: Examiner
) -> Comparison:
    """Judge the same statements ourselves, by the pages as they were fetched."""
    library = Library(article)
    verdicts = await examiner.by_pages(
        shown(article.title), article.statements, library
    )
    compared = []
    for one in judged.results:
        if one.verdict in _STANCES and is_in_place(one, article):
            verdict, unread = verdicts[one.statement_index]
            compared.append(
                Compared(
                    statement=one.statement,
                    page=one.citation_url,
                    theirs=Stance(one.verdict),
                    ours=verdict.stance
                    if verdict and unread is None
                    else Stance.NOT_SUPPORT,
                    because=verdict.because if verdict else "",
                    reason=one.reason,
                    unread=unread,
                )
            )
    unpaired = len(judged.results) - len(compared)
    return Comparison(judged.title, tuple(compared), unpaired)


def agreement_of(comparison: Comparison) -> dict[str, Any]:
    """Return accuracy and kappa, for two and three classes, and what was left out."""
    rows = comparison.compared
    both = [one for one in rows if one.unread in {None, *SHOWN_TO_A_JUDGE}]
    read = [one for one in rows if one.unread is None]
    confusion = Counter((one.theirs.value, one.ours.value) for one in both)
    return {
        "n": len(rows),
        "article": shown(comparison.title),
        "classes": "support, or not",
        "error_pages": len(both) - len(read),
        "text_missing_here": len(rows) - len(both),
        "unpaired": comparison.unpaired,
        **_figures(rows, two=True),
        "three_classes": {"n": len(rows), **_figures(rows, two=False)},
        "both_saw_the_same": {
            "n": len(both),
            **_figures(both, two=True),
            "three_classes": {
                "n": len(both),
                **_figures(both, two=False),
                "confusion": {
                    f"theirs_{one}": {
                        f"ours_{two}": confusion[one, two] for two in _STANCES
                    }
                    for one in _STANCES
                },
            },
        },
        "pages_that_were_read": {"n": len(read), **_figures(read, two=True)},
    }


def _figures(rows: Sequence[Compared], *, two: bool) -> dict[str, Any]:
    def classes(stances: Iterable[Stance]) -> Classes:
        numbers = [
            int(one is Stance.SUPPORT) if two else _STANCES.index(one.value)
            for one in stances
        ]
        return np.array(numbers, dtype=np.int64)

    both = classes(one.theirs for one in rows), classes(one.ours for one in rows)
    findings = Findings()
    pages = [one.page for one in rows]
    findings.add_measured("accuracy", pages, over(accuracy, *both))
    findings.add_measured("kappa", pages, over(kappa, *both))
    return findings.to_dict()


def kappa(theirs: Classes, ours: Classes) -> float:
    """Return Cohen's kappa of two judges' classes."""
    if len(set(theirs.tolist()) | set(ours.tolist())) <= 1:
        raise UndefinedMetricError("all judgements are the same")
    return float(cohen_kappa_score(theirs, ours))


_COLUMNS = {
    "coverage": "Coverage",
    "wiki_conflict": "Wiki conflict",
    "reference_accuracy": "Reference accuracy",
    "reference_accuracy_with_error_pages": "with error pages",
    "reference_conflict": "Reference conflict",
    "leakage": "Leakage",
}
_MOST_DIFFERENCES = 200
_LONGEST = 300
_ANSWERS = {None: "cannot be said", True: "the same", False: "otherwise"}
_VALUES = {Stance.SUPPORT: 1, Stance.CONFLICT: 2, Stance.NOT_SUPPORT: 0}


def grids_of(
    metrics: Mapping[str, Mapping[str, Any]],
    remarks: Sequence[Mapping[str, Any]],
    comparison: Comparison | None,
) -> tuple[Grid, ...]:
    """Return the tables of the page: systems, the paper, and where judges differ."""
    systems = [
        GridRow(
            system,
            (
                str(of["n"]),
                str(of["statements"]),
                *(_cell(of, one) for one in _COLUMNS),
            ),
        )
        for system, of in metrics.items()
    ]
    skipped = [
        (system, ", ".join(f"{why.replace('_', ' ')} {n}" for why, n in found.items()))
        for system, of in metrics.items()
        if (found := of["skipped"])
    ]
    paper = [
        GridRow(
            one["system"],
            (
                one["paper_says"],
                _ANSWERS[one["holds"]],
                f"{one['rank']} of {one['of_systems']}" if one["rank"] else "–",
            ),
        )
        for one in remarks
    ]
    differences = [
        GridRow(
            one.statement,
            (
                f"{one.theirs.value}: {one.reason}",
                one.ours.value,
                one.unread.value if one.unread else one.because[:_LONGEST],
            ),
        )
        for one in (comparison.compared if comparison else ())
        if one.ours is not one.theirs
    ]
    found = (
        Grid(
            "Systems",
            "How much of a Good Article a system’s article covers and contradicts, and"
            " whether the pages it cites support what it says. Means over articles in"
            " per cent, with 95 % intervals over articles. The paper’s figures are of"
            " 100 articles by another judge, so only orders can be compared. Below:"
            " statements for which no page was read.",
            ("Articles", "Statements", *_COLUMNS.values()),
            tuple(systems),
            tuple(skipped),
        ),
        Grid(
            "What the paper says of these systems",
            "And whether it holds here.",
            ("The paper says", "Here", "Rank from the top"),
            tuple(paper),
            in_words=True,
        ),
        Grid(
            "Where the authors’ judge says otherwise",
            "The agreement of both judges is among the figures.",
            ("Theirs", "Ours", "Nearest sentence of the page"),
            tuple(differences[:_MOST_DIFFERENCES]),
            in_words=True,
        ),
    )
    return tuple(one for one in found if one.rows)


def _cell(figures: Mapping[str, Any], name: str) -> str:
    """Return a share in per cent with its interval, and the paper's with it."""
    value, ends = figures[name], figures[f"{name}_ci95"]
    if value is None:
        return "–"
    paper = figures["paper"].get(name)
    return (
        f"{value * 100:.1f}"
        + (f" ({ends[0] * 100:.1f}–{ends[1] * 100:.1f})" if ends else "")
        + ("" if paper is None else f"; paper: {paper * 100:.2f}")
    )


def map_of(results: Sequence[ArticleResult], table: str) -> FactMap:
    """Return which systems cover which facts of the article that most of them wrote."""
    by_title: dict[str, list[ArticleResult]] = {}
    for one in results:
        by_title.setdefault(one.title, []).append(one)

    def covered(some: Sequence[ArticleResult]) -> tuple[int, int]:
        facts = [fact for one in some for fact in one.facts]
        return len(some), sum(one.verdict.stance is Stance.SUPPORT for one in facts)

    chosen = max(by_title.values(), key=covered)
    return FactMap(
        table,
        f"Facts of {shown(chosen[0].title)} that each system covers",
        tuple(one.system for one in chosen),
        tuple(
            tuple(_VALUES[each.verdict.stance] for each in one.facts) for one in chosen
        ),
    )
