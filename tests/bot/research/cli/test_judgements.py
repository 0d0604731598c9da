"""What readers judged is written out without telling who, and can be evaluated."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from bot.records.accounts import (
    ErrorKind,
    Judgement,
    JudgementKind,
    Preferred,
    ReviewOutcome,
)
from bot.store import Store, open_store
from tests import builders
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.store.decided import ANNA, BEN, accepted, decision, known
from tests.bot.store.runs import TITLE, WIKI, hour
from tests.rig.databases import ready_sqlite


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "data/sidenote.sqlite")) as opened_store:
        yield opened_store


def _preference(identity: str, preferred: Preferred) -> Judgement:
    return Judgement(
        JudgementKind.PREFERENCE,
        WIKI,
        TITLE,
        identity,
        builders.ENGINE,
        hour(1),
        preferred=preferred,
        shown_first=Preferred.PRESENT,
        present_probability=0.2,
        recommended_probability=0.9,
    )


def _review(identity: str) -> Judgement:
    return Judgement(
        JudgementKind.REVIEW,
        WIKI,
        TITLE,
        identity,
        builders.ENGINE,
        hour(1),
        outcome=ReviewOutcome.REJECT,
        errors=(ErrorKind.TRIVIAL,),
    )


def test_preferences_are_written_out_and_evaluated(
    sidenote: Sidenote, store: Store, tmp_path: Path
) -> None:
    for reader in (ANNA, BEN):
        store.judgements.add(reader, _preference("a" * 64, Preferred.RECOMMENDED))
    store.judgements.add(ANNA, _preference("b" * 64, Preferred.NEITHER))

    result = sidenote("judgements", "preferences", "-o", "out.jsonl")
    assert (result.code, result.out) == (Exit.FINE, "")
    assert "3 rows in" in result.err
    text = (tmp_path / "out.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["preferred"] for row in rows] == [
        "recommended",
        "recommended",
        "neither",
    ]
    assert rows[0]["reader"] == rows[2]["reader"] != rows[1]["reader"]
    assert {row["day"] for row in rows} == {"2026-11-20"}
    assert ANNA not in text
    assert BEN not in text

    result = sidenote(
        "evaluate", "preferences", "--data", "out.jsonl", "--report", "out"
    )
    found = json.loads(result.out)
    assert found["benchmark"] == "preferences"
    assert found["metrics"]["recommended"] == 0.6667
    low, high = found["metrics"]["recommended_of_decided_ci95"]
    assert (low < 0.3, high) == (True, 1.0)  # two judgements of one claim are little
    page = (tmp_path / "out/preferences.html").read_text()
    assert "Recommended of decided" in page


def test_numbers_of_readers_are_other_ones_each_time(
    sidenote: Sidenote, store: Store
) -> None:
    store.judgements.add(ANNA, _review("a" * 64))

    numbers = {
        json.loads(sidenote("judgements", "reviews").out)["reader"] for _ in range(3)
    }

    assert len(numbers) == 3


def test_reviews_and_decisions_are_written_out(
    sidenote: Sidenote, store: Store
) -> None:
    one, other = known(store, "One.", "Other.")
    store.judgements.add(ANNA, _review(one))
    store.decisions.decide(ANNA, decision(one))
    stored_decision = store.decisions.decide(BEN, accepted(other, decided_at=hour(30)))
    store.decisions.undo(BEN, stored_decision.number, hour(31))

    review = json.loads(sidenote("judgements", "reviews").out)
    assert review["outcome"] == "reject"
    assert review["errors"] == ["not worth a reader's time"]
    lines = sidenote("judgements", "decisions").out.splitlines()
    first, second = map(json.loads, lines)
    assert (first["kind"], first["reason"]) == ("dismiss", "source says it")
    assert (first["flag"], first["flag_probability"]) == ("not supported", 0.9)
    assert (second["kind"], second["is_undone"]) == ("accept", True)
    assert sidenote("judgements", "reviews", "--since", "2026-11-21").out == ""
    [young] = sidenote("judgements", "decisions", "--since", "2026-11-21").out.split(
        "\n"
    )[:-1]
    assert json.loads(young)["kind"] == "accept"


def test_a_bad_file_is_reported_in_one_line(sidenote: Sidenote, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"outcome": "accept"}\n')

    result = sidenote("evaluate", "reviews", "--data", "bad.jsonl")

    assert result.code == Exit.CANNOT
    assert "no usable row (line 1: wiki: Field required)" in result.err


def test_a_place_that_cannot_be_written_to_is_refused(sidenote: Sidenote) -> None:
    result = sidenote("judgements", "reviews", "-o", "no/out.jsonl")

    assert result.code == Exit.CANNOT
    assert "no folder no" in result.err
