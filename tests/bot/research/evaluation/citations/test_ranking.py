"""Ranking by the engine beside ranking by URL depth, and the rows they meet."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.citations import ranking
from bot.research.evaluation.citations.ranking import PAGES, read_judged_citations
from bot.research.evaluation.contest import Contest
from bot.research.evaluation.datasets import Label
from handlers.model import Verdict
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import CLAIMS, PAGE, row, write
from tests.fakes import FakeVerifier, Silent
from tests.shared_data import shared_data

_DEEP = "https://a.example/news/2010/05/bridge.html"
_FRONT = "https://a.example/"


def linked(one: dict[str, Any], *links: object) -> dict[str, Any]:
    return one | {"meta": {"citation_links": list(links)}}


# Supported claims cite front pages here, so that depth gets all of them wrong.
LINKED = [
    linked(one, _FRONT if one["label"] == "supported" else _DEEP) for one in CLAIMS
]


def test_engine_and_url_depth_rank_the_same_rows(tmp_path: Path) -> None:
    rows = [*LINKED, CLAIMS[0], linked(CLAIMS[1], "doi:10.1/2"), row("x", "?")]
    data = write(tmp_path / "rows.jsonl", rows)

    report = ranking.evaluate(data, LexicalVerifier(), Silent())

    found = report.to_dict()
    assert (found["data"]["rows"], found["data"]["ranked"]) == (10, 7)
    bridges = found["metrics"]["sets"]["bridges"]
    assert (bridges["rows"], bridges["unscored"], bridges["groups"]) == (10, 3, 7)
    assert bridges["labelled_by"] == "not stated"
    assert bridges["labelled_supported"] == 3
    assert (bridges["auroc"], bridges["url_depth_auroc"]) == (1.0, 0.0)
    assert bridges["auroc_minus_url_depth"] == 1.0
    assert bridges["precision_at_worst_10_percent"] == 1.0
    assert bridges["url_depth_precision_at_worst_10_percent"] == 0.0
    for name in ("auroc", "url_depth_auroc", "auroc_minus_url_depth"):
        assert len(bridges[f"{name}_ci95"]) == 2
    assert "lexical verifier itself" in bridges["notes"]["auroc_minus_lexical"]
    [curves] = report.plots
    assert [name for name, _ in curves.scores] == ["lexical", "URL depth"]
    with pytest.raises(PermanentError, match="no row with the address"):
        ranking.evaluate(write(data, CLAIMS), LexicalVerifier(), Silent())


def test_another_engine_is_compared_with_the_lexical_verifier(tmp_path: Path) -> None:
    titled = [
        one | {"meta": {**one["meta"], "claim_title": "Norheim"}} for one in LINKED
    ]
    data = write(tmp_path / "rows.jsonl", titled)
    blind = FakeVerifier({one["claim"]: Verdict.SUPPORTED for one in CLAIMS})
    contest = Contest(baseline=LexicalVerifier())

    report = ranking.evaluate(data, blind, Silent(), contest)

    bridges = report.metrics["sets"]["bridges"]
    assert bridges["auroc"] == 0.5
    assert bridges["auroc_minus_lexical"] == -0.5


# --- an article judged by a model ---------------------------------------------

_FACTS = [
    "The bridge opened in May 1937.",
    "Anna Berg designed the bridge.",
    "900 workers built the bridge.",
    "The bridge was painted red by volunteers from Norway.",
    "It was sold.",
]


def judgement(
    at: int, verdict: str, page: str = "1", **more: object
) -> dict[str, object]:
    row = {
        "statement_index": at,
        "statement": _FACTS[at],
        "citation_num": page,
        "citation_url": _DEEP if page == "1" else _FRONT,
        "verdict": verdict,
        "reason": "none",
    }
    return row | more


JUDGED = [
    judgement(0, "support"),
    judgement(1, "support"),
    judgement(2, "conflict"),
    judgement(3, "not_support", page="2"),
    judgement(4, "not_support", page="3"),
]


def article(title: str = "A_bridge", **more: object) -> dict[str, object]:
    page = "\n".join(PAGE[:20])
    row: dict[str, object] = {
        "title": title,
        "statements": [{"fact": fact} for fact in _FACTS],
        "citation_contents": {
            "1": {"url": _DEEP, "content": page},
            "2": {"url": _FRONT, "content": page},
            "3": {"url": "https://b.example/x", "content": "<Error>NoSuchKey</Error>"},
        },
    }
    return row | more


def judged_file(
    path: Path, results: list[dict[str, object]], *articles: object
) -> Path:
    file = path / "judgements.json"
    file.write_text(json.dumps({"title": "A_bridge", "results": results}), "utf-8")
    pages = path / PAGES
    pages.parent.mkdir()
    pages.write_bytes(gzip.compress("\n".join(map(json.dumps, articles)).encode()))
    return file


def test_judged_statements_are_joined_with_the_pages_they_cite(tmp_path: Path) -> None:
    data = judged_file(tmp_path, JUDGED, article("Another"), article())

    read = read_judged_citations(data)

    assert [one.label for one in read.rows] == [
        Label.SUPPORTED, Label.SUPPORTED, Label.REFUTED, Label.NOT_SUPPORTED,
    ]  # fmt: skip
    assert read.rows[1].title == "A bridge"
    assert read.rows[1].context == _FACTS[0]
    assert read.rows[3].address == read.rows[3].group == _FRONT
    assert PAGE[1] in read.rows[0].evidence[0]
    [left_out] = read.unscored
    assert (left_out.line, left_out.reason) == (5, "the page it cites has no text")


def test_an_article_judged_by_a_model_is_ranked_and_says_so(tmp_path: Path) -> None:
    data = judged_file(tmp_path, JUDGED, article())

    report = ranking.evaluate(data, LexicalVerifier(), Silent(), name="one article")

    found = report.metrics["sets"]["wiki_live_challenge"]
    assert report.benchmark == "one article"
    assert (found["rows"], found["unscored"], found["groups"]) == (5, 1, 2)
    assert found["labelled_by"] == "a language model, unchecked"
    assert found["auroc"] == 1.0
    assert found["url_depth_auroc"] == 0.75


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"verdict": "maybe"}, "verdict 'maybe' is none of support"),
        ({"statement": "Another."}, "another statement at that place"),
        ({"statement_index": 99}, "another statement at that place"),
        ({"citation_num": "9"}, "has no text"),
    ],
)
def test_a_judgement_that_does_not_fit_is_unscored(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    data = judged_file(tmp_path, [JUDGED[0], JUDGED[1] | change], article())

    read = read_judged_citations(data)

    assert len(read.rows) == 1
    [left_out] = read.unscored
    assert reason in left_out.reason


@pytest.mark.parametrize(
    ("articles", "message"),
    [
        ([article("Another")], "no article 'A_bridge'"),
        ([{"no": "title"}], r"jsonl\.gz, line 1: title: "),
        ([article(citation_contents={})], "no text for the pages"),
    ],
)
def test_pages_that_do_not_fit_are_reported(
    tmp_path: Path, articles: list[object], message: str
) -> None:
    with pytest.raises(PermanentError, match=message):
        read_judged_citations(judged_file(tmp_path, JUDGED, *articles))


def test_files_that_are_missing_or_of_another_kind_are_reported(tmp_path: Path) -> None:
    other, data = tmp_path / "other.json", judged_file(tmp_path, JUDGED)
    other.write_text("{}", "utf-8")
    (tmp_path / PAGES).unlink()

    for file, message in (
        (other, r"other\.json: title: "),
        (tmp_path / "none.json", "cannot be read"),
        (data, "--pages"),
    ):
        with pytest.raises(PermanentError, match=message):
            read_judged_citations(file)


@pytest.mark.shared_data
def test_the_judgements_of_the_data_set_all_meet_their_statement() -> None:
    read = read_judged_citations(
        shared_data("wiki_live_challenge/sample_citation_judgements.json")
    )

    assert (len(read.rows), len(read.unscored)) == (177, 18)
    assert {one.reason for one in read.unscored} == {"the page it cites has no text"}
