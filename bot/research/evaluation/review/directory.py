"""Writes a benchmark in its directory form, and the benchmark's own result files.

Users of the benchmark's programs can go on with what is written here, and back. All
files are JSON of the forms that the repository's page shows; what it does not show (a
fact file of `wiki_data`, the rows of a result file but for citations) is written so that
`reading` reads it again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.research.evaluation.review.articles import (
    AGENCIES,
    ARTICLES,
    FACTS,
    TEST_DATA,
    Generated,
    Place,
    Reference,
    articles_of,
    file_name,
    references,
)
from bot.research.evaluation.review.examination import (
    SHOWN_TO_A_JUDGE,
    ArticleResult,
    StatementResult,
)
from bot.research.evaluation.review.figures import (
    coverage,
    reference_accuracy,
    reference_conflict,
    wiki_conflict,
    wiki_support,
)
from bot.research.evaluation.review.judge import Said, Word

# A file's place below a folder, and what it holds.
Files = Iterator[tuple[Path, str]]


def benchmark_files(place: Place, systems: Sequence[str]) -> Files:
    """Yield the files of a benchmark in the directory form, one article at a time.

    Articles in Markdown (`md_data`) are written for reading: the shared form has the
    text of a system's article without its citation marks.
    """
    for one in references(place):
        name = file_name(one.title)
        yield ARTICLES / f"{name}.md", one.markdown
        yield FACTS / f"{name}.json", facts_json(one)
    if place.registry.is_file():
        yield TEST_DATA / AGENCIES, place.registry.read_text("utf-8")
    for system in systems:
        for article in articles_of(place, system):
            name = file_name(article.title)
            folder = TEST_DATA / system
            yield folder / "md_data" / f"{name}.md", article.text
            yield folder / "json_data" / f"{name}.json", article_json(article)


def facts_json(reference: Reference) -> str:
    page = {
        "title": reference.title,
        "extract": reference.extract,
        "statements": [{"fact": one} for one in reference.facts],
    }
    return _json({"query": {"pages": {"0": page}}})


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
    """Return one value by itself and none as nothing, as the benchmark has them."""
    if len(values) > 1:
        return list(values)
    return values[0] if values else None


def result_files(results: Sequence[ArticleResult]) -> Files:
    for system in dict.fromkeys(one.system for one in results):
        own = [one for one in results if one.system == system]
        for one in own:
            name = file_name(one.title)
            yield (
                Path(system) / "verifiability" / f"{name}_verifiability.json",
                _json(_verifiability(one)),
            )
            yield (
                Path(system) / "citation" / f"{name}_citation.json",
                _json(_citation(one)),
            )
        yield (
            Path(system) / "verifiability" / "_summary.json",
            _json(_verifiability_summary(own)),
        )
        yield (
            Path(system) / "citation" / "_summary.json",
            _json(_citation_summary(own)),
        )


def _verifiability(one: ArticleResult) -> dict[str, Any]:
    return {
        "title": one.title,
        "status": "completed",
        "total_gen_statements": len(one.statements),
        "total_wiki_statements": len(one.facts),
        "gen_supported_by_wiki_ratio": wiki_support(one),
        "gen_conflict_with_wiki_ratio": wiki_conflict(one),
        "wiki_covered_by_gen_ratio": coverage(one),
        "leaked_statements": sum(each.is_leaked for each in one.statements),
        "gen_to_wiki": [
            {"statement_index": at, "statement": each.text, **_said(each.by_wiki)}
            for at, each in enumerate(one.statements)
        ],
        "wiki_to_gen": [
            {
                "statement_index": at,
                "statement": each.text,
                "nearest_gen_statement": each.nearest,
                **_said(each.said),
            }
            for at, each in enumerate(one.facts)
        ],
    }


def _citation(one: ArticleResult) -> dict[str, Any]:
    judged = [
        (at, each, said)
        for at, each in enumerate(one.statements)
        if (said := judged_as_fetched(each)) is not None
    ]
    counted: Mapping[Word, int] = {
        word: sum(said.word is word for _, _, said in judged) for word in Word
    }
    return {
        "title": one.title,
        "status": "completed" if judged else "no citation could be judged",
        "total_statements": len(one.statements),
        "total_citations": one.citations,
        "valid_citations": one.pages,
        "evaluated_statements": len(judged),
        "skipped_statements": len(one.statements) - len(judged),
        **{word.value: counted[word] for word in Word},
        "support_ratio": _ratio(counted[Word.SUPPORT], len(judged)),
        "conflict_ratio": _ratio(counted[Word.CONFLICT], len(judged)),
        "results": [
            {
                "statement_index": at,
                "statement": each.text,
                "citation_num": ", ".join(each.refs),
                "citation_url": ", ".join(each.urls),
                **_said(said),
            }
            for at, each, said in judged
        ],
    }


def judged_as_fetched(one: StatementResult) -> Said | None:
    """Return the word on a statement as a judge gives it who sees what was fetched.

    That is the form of the benchmark, where an error message is a page like others.
    """
    if one.unread is not None and one.unread in SHOWN_TO_A_JUDGE:
        return Said(Word.NOT_SUPPORT, 0.0, one.unread.value)
    return one.by_pages


def _verifiability_summary(results: Sequence[ArticleResult]) -> dict[str, Any]:
    return {
        "total_articles": len(results),
        "avg_gen_supported_by_wiki": _mean([wiki_support(one) for one in results]),
        "avg_gen_conflict_with_wiki": _mean([wiki_conflict(one) for one in results]),
        "avg_wiki_covered_by_gen": _mean([coverage(one) for one in results]),
    }


def _citation_summary(results: Sequence[ArticleResult]) -> dict[str, Any]:
    return {
        "total_articles": len(results),
        "completed_articles": sum(
            reference_accuracy(one) is not None for one in results
        ),
        "avg_support_ratio": _mean([_as_fetched(one, Word.SUPPORT) for one in results]),
        "avg_conflict_ratio": _mean(
            [_as_fetched(one, Word.CONFLICT) for one in results]
        ),
        "avg_support_ratio_of_pages_read": _mean(
            [reference_accuracy(one) for one in results]
        ),
        "avg_conflict_ratio_of_pages_read": _mean(
            [reference_conflict(one) for one in results]
        ),
    }


def _as_fetched(one: ArticleResult, word: Word) -> float | None:
    said = [judged_as_fetched(each) for each in one.statements]
    words = [each.word for each in said if each is not None]
    return _ratio(sum(each is word for each in words), len(words))


def _said(said: Said) -> dict[str, Any]:
    return {
        "verdict": said.word.value,
        "reason": said.because,
        "probability_supported": round(said.supported, 4),
    }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
