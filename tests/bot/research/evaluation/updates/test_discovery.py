"""The whole evaluation, with roles that suggest all that they read."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.research.evaluation.events import is_held_out, read_events
from bot.research.evaluation.page import render_page
from bot.research.evaluation.updates import discovery
from bot.research.evaluation.updates.coverage import Configuration
from bot.research.evaluation.updates.discovery import Work, cast_of
from bot.research.evaluation.updates.hidden import exam_of
from handlers.model import Engine, ModelFailure, ModelUse
from handlers.ports import (
    LanguageModel,
    ModelAnswer,
    ModelReply,
    ModelRequest,
    ModelSilence,
    PermanentError,
    T,
)
from tests.bot.research.evaluation.updates.harbour import (
    SANK,
    TELLS_OF_FERRY,
    TELLS_OF_TOWER,
    file_of,
    page_of,
    row,
)
from tests.bot.research.evaluation.updates.roles import cast, open_engine
from tests.bot.search.index.documents import Counting
from tests.fakes import Silent


def work(tmp_path: Path) -> Work:
    return Work(open_engine, cast, tmp_path / "pool", tmp_path / "done")


def measured(tmp_path: Path, data: Path | None = None) -> discovery.Measured:
    rows = (
        row(1, page_of(TELLS_OF_TOWER), page_of(TELLS_OF_FERRY)),
        row(2, page_of(TELLS_OF_TOWER)),
        {"id": 3},
    )
    return discovery.evaluate(
        data or file_of(tmp_path, *rows), work(tmp_path), Silent()
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("discovery")


@pytest.fixture(scope="module")
def first(folder: Path) -> discovery.Measured:
    return measured(folder)


def test_what_is_suggested_covers_what_was_hidden(first: discovery.Measured) -> None:
    report = first.report.to_dict()

    data, metrics = report["data"], report["metrics"]
    assert (data["rows"], data["unscored"], data["articles"]) == (3, 1, 2)
    assert (data["hidden_sentences"], data["hidden_with_source"]) == (4, 3)
    assert data["pages_searched"] == 5
    # Both pages are of one event, so its tower and its ferry are found everywhere.
    assert metrics["edits"] == 3
    assert metrics["soft_coverage"] == 1.0
    assert metrics["hard_coverage"] == pytest.approx(2 / 3, abs=1e-4)
    assert metrics["section_accuracy"] == pytest.approx(2 / 3, abs=1e-4)
    assert metrics["supported_share"] == metrics["quoted_share"] == 1.0
    assert metrics["ablations"]["no_criteria"]["hard_coverage"] == 0.0
    assert metrics["ablations"]["single_query"]["soft_coverage"] == 1.0
    oracle = metrics["oracle"]
    assert oracle["of_own_pages_share"] == 1.0 > metrics["of_own_pages_share"]
    assert oracle["suggestions_per_article"] < metrics["suggestions_per_article"]
    assert metrics["all_hidden"]["full"]["edits"] == 4
    assert metrics["reachable"]["soft_coverage_of_all_own_pages"] == 1.0
    held_out = sum(is_held_out(one.title) for one in first.results)
    assert metrics["held_out_half"]["articles"] == held_out
    assert metrics["paper"]["winell"]["soft_coverage"] == 0.344
    assert [one["event"] for one in report["rows"]] == ["1", "2"]
    json.dumps(report)


def test_suggestions_from_copies_are_marked(tmp_path: Path) -> None:
    # The mirror has one hidden sentence as it stands, and what covers the other.
    mirror = page_of(SANK, TELLS_OF_TOWER)
    rows = (row(1, page_of(TELLS_OF_TOWER), page_of(TELLS_OF_FERRY), mirror),)

    [result] = measured(tmp_path, file_of(tmp_path, *rows)).results

    suggested = result.runs[Configuration.ORACLE].suggested
    copied = {one.addresses[0] for one in suggested if one.is_copy}
    assert copied == {"https://news.example/1-2"}


def test_a_second_run_continues_the_first(
    folder: Path, first: discovery.Measured
) -> None:
    whole, broken = (folder / "done").rglob("*.json")
    broken.write_bytes(b'{"event": "2", ')  # killed meanwhile
    kept = whole.stat().st_mtime_ns

    progress = Counting()
    again = discovery.evaluate(folder / "events.jsonl.gz", work(folder), progress)

    assert whole.stat().st_mtime_ns == kept
    assert (progress.total, progress.done) == (2, 5 + 2)  # pages, then events
    assert len(again.results) == len(first.results)


def test_results_of_other_players_or_data_or_runs_are_not_taken_for_these(
    tmp_path: Path,
) -> None:
    rows = [row(1, page_of(TELLS_OF_TOWER), page_of(TELLS_OF_FERRY))]
    only = replace(work(tmp_path), configurations=(Configuration.ORACLE,))
    data = file_of(tmp_path, *rows)
    discovery.evaluate(data, only, Silent())

    for other in (replace(only, players="a model"), work(tmp_path)):
        [result] = discovery.evaluate(data, other, Silent()).results
        assert set(result.runs) == set(other.configurations)
    rows[0] = row(1, page_of(TELLS_OF_FERRY))
    discovery.evaluate(file_of(tmp_path, *rows), only, Silent())

    assert len([*only.done.rglob("*.json")]) == 4


def test_two_processes_come_to_the_same(
    folder: Path, first: discovery.Measured
) -> None:
    one = first.report.metrics
    data = folder / "events.jsonl.gz"
    elsewhere = Work(open_engine, cast, folder / "pool", folder / "other")

    two = discovery.evaluate(data, elsewhere, Silent(), processes=2).report.metrics

    for name in ("soft_coverage", "hard_coverage", "suggestions", "of_own_pages_share"):
        assert two[name] == one[name]


def test_the_page_draws_categories_and_articles(first: discovery.Measured) -> None:
    page = render_page(first.report)

    assert "Coverage by category" in page
    assert "Coverage of the 2 articles with the most hidden" in page
    assert page.count("<svg ") >= 2
    assert "Harbour 1" in page


def test_data_without_search_results_is_reported(tmp_path: Path) -> None:
    data = file_of(tmp_path, row(1))
    [event] = read_events(data).rows
    assert exam_of(event, lambda _: True) is not None

    with pytest.raises(PermanentError, match="no event of which two sentences"):
        measured(tmp_path, data)


class _Reads:
    """A language model that takes the first sentence of a page; of every other, nothing."""

    engine = Engine("language model", "reads")

    def __init__(self) -> None:
        self.read = 0

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        answer: dict[str, Any] = {"sections": []}
        if "facts" in request.answer.model_fields:
            self.read += 1
            if self.read % 2 == 0:
                return ModelSilence(ModelFailure.REFUSED, "I cannot", ModelUse(1))
            [text] = [one.text for one in request.content if "part 1" in one.label]
            quote = text[: text.index(". ") + 1] if ". " in text else text
            fields = {"quote": quote, "fact": quote, "ruling": "new", "section": "s1"}
            answer = {"facts": [{**fields, "target": "", "why": ""}], "leads": []}
        return ModelAnswer(request.answer.model_validate(answer), ModelUse(1))


def test_what_a_model_did_and_where_it_gave_nothing_is_counted_and_not_made_good(
    tmp_path: Path,
) -> None:
    model = _Reads()

    @asynccontextmanager
    async def models() -> AsyncIterator[LanguageModel]:
        yield model

    rows = (row(1, page_of(TELLS_OF_TOWER), page_of(TELLS_OF_FERRY)),)
    whole = Work(
        open_engine,
        cast_of,
        tmp_path / "pool",
        tmp_path / "done",
        models=models,
        configurations=(Configuration.ORACLE,),
        players="reads",
    )
    measured = discovery.evaluate(file_of(tmp_path, *rows), whole, Silent())

    engine = measured.report.engine
    assert engine["roles"] == "reads"
    assert engine["turns"]["extractor"] == {"played": 2, "failed": 1}
    # Criteria that name no section are none.
    assert engine["turns"]["criteria"] == {"played": 0, "failed": 1}
    assert engine["calls"] == 4
    [result] = measured.results
    assert len(result.runs[Configuration.ORACLE].suggested) <= 2
    assert "soft_coverage" in measured.report.metrics["oracle"]
    assert render_page(measured.report)
