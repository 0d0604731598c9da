"""Writes a benchmark in its directory form, and the benchmark's own result files.

Users of the benchmark's programs can continue with these files, and come back. All
files are JSON in the forms that the repository's page shows. What it does not show (a
fact file of `wiki_data`, the rows of a result file other than for citations) is written
so that `articles` can read it again.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bot.research.evaluation.review.articles import (
    AGENCIES,
    ARTICLES,
    FACTS,
    TEST_DATA,
    Generated,
    Place,
    articles_of,
    file_name,
    references,
)
from bot.research.evaluation.review.examination import ArticleResult
from bot.research.evaluation.review.figures import SHARES, judged_as_fetched
from bot.research.evaluation.review.judge import Stance, StatementVerdict

# A file's path below a folder, and its content.
Files = Iterator[tuple[Path, str]]


def benchmark_files(place: Place, systems: Sequence[str]) -> Files:
    """Yield the files of a benchmark in the directory form, one article at a time.

    Articles in Markdown (`md_data`) are only for reading: in the shared form, the text
    of a system's article has no citation marks.
    """
    for one in references(place):
        name = file_name(one.title)
        yield ARTICLES / f"{name}.md", one.markdown
        page = {
            "title": one.title,
            "extract": one.extract,
            "statements": [{"fact": fact} for fact in one.facts],
        }
        yield FACTS / f"{name}.json", _json({"query": {"pages": {"0": page}}})
    if place.registry.is_file():
        yield TEST_DATA / AGENCIES, place.registry.read_text("utf-8")
    for system in systems:
        for article in articles_of(place, system):
            name = file_name(article.title)
            folder = TEST_DATA / system
            yield folder / "md_data" / f"{name}.md", article.text
            yield folder / "json_data" / f"{name}.json", article_json(article)


def article_json(article: Generated) -> str:
    page: dict[str, Any] = {
        "title": article.title,
        "extract": article.text,
        "citation_urls": dict(article.citation_urls),
        "statements": [
            {"fact": one.text, "ref_idx": _bare(one.refs), "url": _bare(one.urls)}
            for one in article.statements
        ],
        "citation_contents": {
            number: {
                "url": page.url,
                "title": page.title,
                "content": page.content,
                **({"error": page.error} if page.error else {}),
            }
            for number, page in article.pages.items()
        },
        "source_file": article.source_file,
    }
    if article.page_id is not None:
        page = {"pageid": article.page_id, "ns": 0, **page}
    return _json({"query": {"pages": {str(article.page_id or 0): page}}})


def _bare(values: Sequence[str]) -> str | list[str] | None:
    """Return a single value by itself and none as nothing, as the benchmark does."""
    if len(values) > 1:
        return list(values)
    return values[0] if values else None


def result_files(results: Sequence[ArticleResult]) -> Files:
    for system in dict.fromkeys(one.system for one in results):
        own = [one for one in results if one.system == system]
        files: dict[str, Any] = {}
        citations = []
        for one in own:
            name = file_name(one.title)
            files[f"verifiability/{name}_verifiability"] = _verifiability(one)
            citations.append(_citation(one))
            files[f"citation/{name}_citation"] = citations[-1]
        means = {
            name: _mean([share(one) for one in own]) for name, share in SHARES.items()
        }
        files["verifiability/_summary"] = {
            "total_articles": len(own),
            "avg_gen_supported_by_wiki": means["wiki_support"],
            "avg_gen_conflict_with_wiki": means["wiki_conflict"],
            "avg_wiki_covered_by_gen": means["coverage"],
        }
        files["citation/_summary"] = {
            "total_articles": len(own),
            "completed_articles": sum(
                SHARES["reference_accuracy"](one) is not None for one in own
            ),
            "avg_support_ratio": _mean([one["support_ratio"] for one in citations]),
            "avg_conflict_ratio": _mean([one["conflict_ratio"] for one in citations]),
            "avg_support_ratio_of_pages_read": means["reference_accuracy"],
            "avg_conflict_ratio_of_pages_read": means["reference_conflict"],
        }
        for where, value in files.items():
            yield Path(system) / f"{where}.json", _json(value)


def _verifiability(one: ArticleResult) -> dict[str, Any]:
    return {
        "title": one.title,
        "status": "completed",
        "total_gen_statements": len(one.statements),
        "total_wiki_statements": len(one.facts),
        "gen_supported_by_wiki_ratio": SHARES["wiki_support"](one),
        "gen_conflict_with_wiki_ratio": SHARES["wiki_conflict"](one),
        "wiki_covered_by_gen_ratio": SHARES["coverage"](one),
        "leaked_statements": sum(each.is_leaked for each in one.statements),
        "gen_to_wiki": [
            {"statement_index": at, "statement": each.text, **_verdict(each.by_wiki)}
            for at, each in enumerate(one.statements)
        ],
        "wiki_to_gen": [
            {
                "statement_index": at,
                "statement": each.text,
                "nearest_gen_statement": each.nearest,
                **_verdict(each.verdict),
            }
            for at, each in enumerate(one.facts)
        ],
    }


def _citation(one: ArticleResult) -> dict[str, Any]:
    judged = [
        (at, each, verdict)
        for at, each in enumerate(one.statements)
        if (verdict := judged_as_fetched(each)) is not None
    ]
    counted = {
        stance: sum(verdict.stance is stance for *_, verdict in judged)
        for stance in Stance
    }
    return {
        "title": one.title,
        "status": "completed" if judged else "no citation could be judged",
        "total_statements": len(one.statements),
        "total_citations": one.citations,
        "valid_citations": one.pages,
        "evaluated_statements": len(judged),
        "skipped_statements": len(one.statements) - len(judged),
        **{stance.value: counted[stance] for stance in Stance},
        "support_ratio": counted[Stance.SUPPORT] / len(judged) if judged else None,
        "conflict_ratio": counted[Stance.CONFLICT] / len(judged) if judged else None,
        "results": [
            {
                "statement_index": at,
                "statement": each.text,
                "citation_num": ", ".join(each.refs),
                "citation_url": ", ".join(each.urls),
                **_verdict(verdict),
            }
            for at, each, verdict in judged
        ],
    }


def _verdict(verdict: StatementVerdict) -> dict[str, Any]:
    return {
        "verdict": verdict.stance.value,
        "reason": verdict.because,
        "probability_supported": round(verdict.supported, 4),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
