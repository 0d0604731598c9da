"""`sidenote evaluate plain`: figures for people and for programs."""

import json
from pathlib import Path

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.research.evaluation.citations.test_plain import write, written

_UNREAD = written(id="clock-2", page="gone.txt", kind="empty page")


def test_figures_are_reported_in_lines(sidenote: Sidenote, tmp_path: Path) -> None:
    write(tmp_path, written(verdict="could not check"), _UNREAD)

    result = sidenote("evaluate", "plain", "--cases", "cases.jsonl")

    assert result.code == Exit.FINE
    assert "0 of 2 (0%)" in result.out
    assert "clock-1" not in result.out


def test_what_comes_out_wrong_is_listed_on_demand(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    write(tmp_path, written(verdict="could not check"), _UNREAD)

    result = sidenote("evaluate", "plain", "--cases", "cases.jsonl", "--wrong")

    assert "clock-1" in result.out
    assert "Ada Penrose built the clock." in result.out


def test_figures_go_to_a_file_as_json(sidenote: Sidenote, tmp_path: Path) -> None:
    write(tmp_path, written(verdict="could not check"), _UNREAD)

    result = sidenote(
        *("evaluate", "plain", "--cases", "cases.jsonl", "--wrong"),
        *("--format", "json", "-o", "out.json"),
    )

    assert (result.code, result.out) == (Exit.FINE, "")
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert found["benchmark"] == "plain"
    assert found["engine"]["name"]
    assert found["metrics"]["counts"]["cases"] == 2
    given = {row["id"]: row["given"] for row in found["rows"]}
    assert set(given) == {"clock-1", "clock-2"}
    assert given["clock-2"] == "could not check"


def test_a_bad_line_is_reported_before_the_work(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    write(tmp_path, written(), "{")

    result = sidenote("evaluate", "plain", "--cases", "cases.jsonl")

    assert (result.code, result.out) == (Exit.CANNOT, "")
    assert "cases.jsonl: line 2: is not JSON" in result.err
