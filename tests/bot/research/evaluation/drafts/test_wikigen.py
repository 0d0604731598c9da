"""The whole evaluation on three events of our own, and the folder of what it has done."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import click
import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.cli.wikigen import table_numbers
from bot.research.evaluation.checkpoints import Results
from bot.research.evaluation.drafts.overlap import meteor
from bot.research.evaluation.drafts.setups import Setup
from bot.research.evaluation.drafts.tables import OUTCOME, Outcome, published
from bot.research.evaluation.drafts.wikigen import Engine, Measured, Opens, evaluate
from bot.research.evaluation.events import read_events
from bot.research.evaluation.page import render_page
from handlers.model import Trust
from handlers.ports import PermanentError
from handlers.sources.reliability import ReliabilityLists, Rule
from tests.bot.research.engine import Sure, WordEncoder
from tests.bot.research.evaluation.drafts.rows import ARTICLE, NEWS, row
from tests.bot.research.evaluation.rows import write
from tests.fakes import Silent


def test_half_a_result_is_as_good_as_none(tmp_path: Path) -> None:
    done = Outcome(1.0, 2, failed="no sentence")
    results = Results(tmp_path, OUTCOME)
    results.put(done, "main", "1")
    assert results.needed("main", "1") == done

    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-5])

    assert results.get("main", "1") is None
    with pytest.raises(PermanentError, match="no longer in"):
        results.needed("main", "1")


def test_a_result_of_another_version_is_not_replaced_in_silence(tmp_path: Path) -> None:
    results = Results(tmp_path, OUTCOME)
    results.put(Outcome(1.0, 2, failed="no sentence"), "main", "1")
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b'"took_s"', b'"seconds"'))

    with pytest.raises(PermanentError, match="another folder with --resume"):
        results.get("main", "1")


def test_a_result_that_cannot_be_kept_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "done").write_text("a file in the way")

    with pytest.raises(PermanentError, match="cannot be written"):
        Results(tmp_path / "done", OUTCOME).put(Outcome(1.0, 2, failed="no"), "1")


def test_of_two_events_with_one_id_the_first_is_measured(tmp_path: Path) -> None:
    data = tmp_path / "events.jsonl"
    rows = [row(1, NEWS), row(2, NEWS), row(1, f"{NEWS} More.")]
    data.write_text("".join(f"{json.dumps(one)}\n" for one in rows), "utf-8")

    read = read_events(data)

    assert [one.id for one in read.rows] == ["1", "2"]
    assert "More." not in read.rows[0].found[0].text
    [unscored] = read.unscored
    assert (unscored.line, unscored.reason) == (3, "another has the id 1")


LISTS = ReliabilityLists([Rule("news.example", "", Trust.RELIABLE)])
MAIN = Setup(words=60)


@asynccontextmanager
async def open_engine() -> AsyncIterator[Engine]:
    yield Engine(Sure(), WordEncoder(), LISTS, second=LexicalVerifier())


def measured(
    data: Path, done: Path, opener: Opens = open_engine, **chosen: Any
) -> Measured:
    chosen = {"tables": (2, 3), "parts": {"name": "words"}} | chosen
    return evaluate(data, opener, done, Silent(), main=MAIN, **chosen)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wikigen")


@pytest.fixture(scope="module")
def data(folder: Path) -> Path:
    rows: list[object] = [row(1, NEWS), row(2, NEWS), row(3), {"id": 4}]
    return write(folder / "events.jsonl.gz", rows)


@pytest.fixture(scope="module")
def first(folder: Path, data: Path) -> Measured:
    return measured(data, folder / "done")


def test_the_figures_are_those_of_the_drafts(first: Measured) -> None:
    metrics = first.report.to_dict()["metrics"]

    [draft, other] = first.drafts
    assert draft["text"] == other["text"]
    assert "two of the seven arches" in draft["text"]
    assert metrics["meteor"] == pytest.approx(meteor(ARTICLE, draft["text"]), abs=1e-3)
    assert metrics["meteor_ci95"] == [metrics["meteor"]] * 2
    assert metrics["length_words"] == len(draft["text"].split())
    assert metrics["citation_recall"] == metrics["citation_precision"] == 100
    assert metrics["quoted_share"] == 1
    assert 0 < metrics["second_judge"]["citation_recall"] <= 100
    assert metrics["odd_half"]["events"] == 1
    assert metrics["bleu"] > 0 < metrics["rouge_l"]
    assert metrics["fluency"] is None
    assert "language model" in metrics["notes"]["fluency"]


def test_what_could_not_be_drafted_is_counted_with_its_reason(
    first: Measured,
) -> None:
    report = first.report.to_dict()

    metrics = report["metrics"]
    assert (metrics["events"], metrics["unscored"]) == (2, 1)
    assert metrics["reasons"] == {"the event has no document that may be used": 1}
    assert metrics["with_unscored_as_0"]["meteor"] == pytest.approx(
        metrics["meteor"] * 2 / 3, abs=1e-3
    )
    assert (report["data"]["rows"], report["data"]["unscored"]) == (4, 2)
    assert report["rows"][2]["failed"] == "the event has no document that may be used"


def test_baselines_have_the_length_of_the_draft(
    first: Measured,
) -> None:
    baselines = first.report.metrics["baselines"]

    assert len(baselines) == 4
    own = first.report.metrics["length_words"]
    for key, figures in baselines.items():
        assert figures["events"] == 2
        if "_prr-" in key:
            longest_sentence = 15
            assert own <= figures["length_words"] < own + longest_sentence


def test_the_tables_have_the_papers_rows_and_ours(first: Measured) -> None:
    tables = first.report.metrics["tables"]

    paper = {one["name"]: one for one in tables["table_2"]["paper"] if "RR" in str(one)}
    assert paper["GPT3.5-turbo-0613"]["length_words"] == 1991.2
    ours = {one["name"]: one for one in tables["table_2"]["ours"]}
    weights = first.report.metrics["meteor_15_weights"]
    assert ours["PRR"]["meteor_shown"] == weights
    assert ours["These references"]["length_words"] == len(ARTICLE.split())
    assert [one["name"] for one in tables["table_3"]["ours"]] == [
        *("0", "5", "10", "15", "20", "2000"),
    ]
    page = render_page(first.report)
    for shown in (
        "Table 3: Number of chunks",
        "22.29",
        "Ours: embedded",
        "TRUE",
        "PRR (2 of 3 events)",
    ):
        assert shown in page
    assert page.count("<svg") >= 3


def test_what_is_done_is_not_done_again(
    folder: Path, data: Path, first: Measured
) -> None:
    again = measured(data, folder / "done", None)  # type: ignore[arg-type]
    assert again.report.to_json() == first.report.to_json()

    # Killed in the middle of an event, it does what is missing.
    lost = next((folder / "done").glob("*.json"))
    lost.unlink()
    assert measured(data, folder / "done").drafts == first.drafts
    assert lost.exists()
    with pytest.raises(PermanentError, match="another folder"):
        measured(data, folder / "done", parts={"name": "another"})


def test_only_the_wanted_events_are_measured(
    folder: Path, data: Path, first: Measured
) -> None:
    assert first.drafts
    found = measured(data, folder / "odd", tables=(), only_odd=True, limit=1)
    assert [one["event"] for one in found.drafts] == ["1"]

    even = write(folder / "even.jsonl.gz", [row(2, NEWS)])
    with pytest.raises(PermanentError, match="--odd"):
        measured(even, folder / "odd", only_odd=True)


def test_a_table_that_the_paper_lacks_is_refused() -> None:
    assert table_numbers("4, 2") == (2, 4)
    with pytest.raises(click.BadParameter, match="9"):
        table_numbers("2,9")


def test_the_paper_is_quoted_without_slips() -> None:
    for table in published().tables.values():
        for label, _, cells in table.rows:
            assert len(cells) == len(table.columns), label
