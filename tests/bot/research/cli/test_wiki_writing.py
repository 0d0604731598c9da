"""`sidenote evaluate wiki-writing`, with a model on a server that speaks its protocol."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from handlers.review.criteria import CRITERIA
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.research.evaluation.review.folder import MARKDOWN, TITLE, shared_form
from tests.rig.language_model import Asked, completion, http, serving

ASK = ("evaluate", "wiki-writing", "--benchmark", "wlc", "--system", "good")


async def _prefers_the_good_article(
    request: Asked, writer: asyncio.StreamWriter
) -> None:
    """Prefer Wikipedia, but by the criterion n_1, for which the first one is named."""
    wiki = "A" if request.parts["article A"].strip() == MARKDOWN.strip() else "B"
    verdicts = [
        {
            "criterion": one.id,
            "better": "A" if one.id == "n_1" else wiki,
            "why": "It reads better.",
        }
        for one in CRITERIA
        if f"{one.id}: " in request.system
    ]
    body = completion(json.dumps({"criteria": verdicts}), sent=request)
    writer.write(http("200 OK", body))
    await writer.drain()
    writer.close()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Asked]]:
    """Serve the model in a thread of its own; give what it is asked."""
    has_begun, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    requests: list[Asked] = []

    async def serve() -> None:
        async with serving(_prefers_the_good_article) as server:
            server.asked = requests
            monkeypatch.setenv("SIDENOTE_LANGUAGE_MODEL_ADDRESS", server.address)
            has_begun.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert has_begun.wait(10)
    monkeypatch.setenv("SIDENOTE_LANGUAGE_MODEL_NAME", "m")
    yield requests
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    loop.close()


def test_a_system_is_compared_with_wikipedia(
    sidenote: Sidenote, tmp_path: Path, model: list[Asked]
) -> None:
    shared_form(tmp_path / "wlc")
    (tmp_path / "topics.tsv").write_text(f"{TITLE}\tBridges\n", "utf-8")
    people = {"system": "good", "title": TITLE, "criterion": "n_2", "winner": "Wiki"}
    (tmp_path / "people.jsonl").write_text(json.dumps(people), "utf-8")
    more = ("--topics", "topics.tsv", "--people", "people.jsonl", "--results", "kept")

    result = sidenote(*ASK, *more, "--json", "out.json", "--report", "pages")

    assert (result.code, result.out) == (Exit.FINE, "")
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))["metrics"]
    good = found["systems"]["good"]
    assert good["criteria_judged"] == len(CRITERIA) == 39
    assert good["win_rate"] == pytest.approx(0.5 / 39, abs=1e-4)
    assert good["by_criterion"]["n_1"] == 0.5
    assert good["same_in_both_orders"] == pytest.approx(38 / 39, abs=1e-4)
    assert found["difficulty"]["Bridges"]["articles"] == 1
    assert found["human_agreement"]["pairwise_agreement_rate"] == 1.0
    assert found["spent"]["calls"] == len(model) == 6
    summary = json.loads((tmp_path / "kept/good/writing/_summary.json").read_text())
    assert summary["total_gt_wins"] == 38
    assert (
        "Win rate against Wikipedia"
        in (tmp_path / "pages/wiki_writing.html").read_text()
    )

    sidenote(*ASK, *more, "--json", "again.json")
    assert len(model) == 6  # what is kept is not asked again


def test_without_a_model_there_is_no_number(sidenote: Sidenote, tmp_path: Path) -> None:
    shared_form(tmp_path / "wlc")

    result = sidenote(*ASK)

    assert result.code == Exit.CANNOT
    assert "needs a language model" in result.err


@pytest.mark.parametrize(
    ("option", "line", "why"),
    [
        (
            "--topics",
            "Marstal Bridge\n",
            "line 1: write the title, a tab, and the topic",
        ),
        ("--people", '{"system": "good"}\n', "line 1: title: Field required"),
        (
            "--people",
            '{"system": "a", "title": "b", "criterion": "n_1", "winner": "me"}',
            "'me' is none of Gen, Wiki, Tie",
        ),
    ],
)
def test_a_wrong_line_is_named(
    sidenote: Sidenote, tmp_path: Path, option: str, line: str, why: str
) -> None:
    shared_form(tmp_path / "wlc")
    (tmp_path / "wrong.txt").write_text(line, "utf-8")

    result = sidenote(*ASK, option, "wrong.txt")

    assert result.code == Exit.CANNOT
    assert why in result.err
