"""`sidenote evaluate`: figures delivered, and floors that decide the exit code."""

import json
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from bot.research.cli.evaluate import evaluate_all
from bot.research.evaluation.benchmarks import BENCHMARKS, Floor
from bot.settings import Settings
from handlers.ports import PermanentError
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.research.evaluation.event_rows import three_events
from tests.bot.research.evaluation.rows import CLAIMS, PAGES, row, write

_TWO = tuple(one for one in BENCHMARKS if one.name in {"verification", "wice"})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of data sets, with the rows of two benchmarks."""
    folder = tmp_path / "sets"
    for one, rows in zip(_TWO, (CLAIMS, PAGES), strict=True):
        one.place(folder).parent.mkdir(parents=True)
        write(one.place(folder), rows)
    return folder


def floor(metric: str, **ends: float) -> Floor:
    return Floor(
        metric=metric, measured=1, engine="lexical 2", on="2026-01-01", reason="a test",
        at_least=ends.get("at_least"), at_most=ends.get("at_most"),
    )  # fmt: skip


FINE = floor("verification.sets.bridges.auroc", at_least=0.9)


def test_floors_that_hold_end_well(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, folder = tmp_path / "out.json", tmp_path / "pages"
    folder.mkdir()

    code = evaluate_all(Settings(), _TWO, [FINE], data, output, folder=folder)

    result = capsys.readouterr()
    assert code == Exit.FINE
    assert "verification.sets.bridges.auroc" in result.out
    assert "at least 0.9" in result.out
    assert "BELOW" not in result.out
    written = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert list(written["benchmarks"]) == ["verification", "wice"]
    assert written["benchmarks"]["wice"]["data"]["rows"] == len(PAGES)
    [only] = written["floors"]
    assert (only["value"], only["holds"], only["at_least"]) == (1.0, True, 0.9)
    assert "at_most" not in only
    pages = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert pages == ["verification.html", "wice.html"]


def test_a_floor_that_is_missed_is_named_and_fails_the_build(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missed = floor("wice.calibration_error", at_most=0.0)
    nowhere = floor("retrieval.merged.p_at_1", at_least=0.1)

    code = evaluate_all(Settings(), _TWO, [FINE, missed, nowhere], data)

    result = capsys.readouterr()
    assert code == Exit.NEEDS_ATTENTION
    assert result.out.count("BELOW") == 2
    assert (
        "below the floor: wice.calibration_error, retrieval.merged.p_at_1" in result.err
    )
    assert "none" in result.out


def test_all_data_sets_are_looked_for_before_the_work(data: Path) -> None:
    with pytest.raises(PermanentError, match=r"wikigenbench/events_dev\.jsonl\.gz"):
        evaluate_all(Settings(), BENCHMARKS, [], data)


def test_the_command_tells_what_is_missing_and_writes_nothing(
    sidenote: Sidenote, data: Path, tmp_path: Path
) -> None:
    result = sidenote("evaluate", "all", "--data", str(data), "--json", "out.json")

    assert result.code == Exit.CANNOT
    assert "name the folder of data sets" in result.err
    assert "demo/judged/judgements.json" not in result.err  # that ships
    assert not (tmp_path / "out.json").exists()


def test_floors_that_cannot_be_read_stop_the_command(
    sidenote: Sidenote, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "floors.json").write_text('{"floors": [{}]}', "utf-8")

    result = sidenote("evaluate", "all", "--data", str(data), "--floors", "floors.json")

    assert result.code == Exit.CANNOT
    assert "cannot be used as floors" in result.err


def test_what_ships_is_found_wherever_the_data_sets_are(tmp_path: Path) -> None:
    [demo] = [one for one in BENCHMARKS if one.ships]

    assert demo.place(tmp_path).is_file()
    assert demo.place(tmp_path) == demo.place(Path())
    assert len({one.name for one in BENCHMARKS}) == len(BENCHMARKS)


# --- one benchmark ------------------------------------------------------------


def test_ranking_goes_to_standard_output_and_its_page_into_a_folder(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    rows = [one | {"meta": {"url": "https://a.example/b/c"}} for one in CLAIMS]
    write(tmp_path / "rows.jsonl", [*rows, row("x", "?")])

    result = sidenote(
        "evaluate", "ranking", "--data", "rows.jsonl", "--report", "pages"
    )

    assert result.code == Exit.FINE
    found = json.loads(result.out)
    assert found["benchmark"] == "ranking"
    assert found["metrics"]["sets"]["bridges"]["url_depth_auroc"] == 0.5
    assert "line 8 is not scored" in result.err
    page = (tmp_path / "pages" / "ranking.html").read_text("utf-8")
    assert "URL depth" in page


def test_verification_takes_pages_and_cells_and_swaps_their_evidence(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    cell = {"header": "Infobox Lakeside bridge, Opened", "title": "Lakeside bridge"}
    rows = [
        *PAGES,
        row("1937", "supported", meta=cell, evidence="Nobody knows when it opened."),
        row("1947", "refuted", meta=cell, evidence="Nobody knows how it closed."),
    ]
    rows += [
        row(f"claim {n}", "supported", evidence=f"Page {n} speaks of it.")
        for n in range(6)
    ]
    write(tmp_path / "rows.jsonl", rows)

    own = sidenote("evaluate", "verification", "--data", "rows.jsonl")
    others = sidenote(
        "evaluate", "verification", "--data", "rows.jsonl", "--swap-evidence"
    )

    assert (own.code, others.code) == (Exit.FINE, Exit.FINE)
    assert json.loads(others.out)["data"]["evidence"] == "of another row"
    for result in (own, others):
        found = json.loads(result.out)["metrics"]["sets"]["bridges"]
        assert found["rows"] == len(rows)
        for name in (
            "balanced_accuracy_all_classes",
            "recall_refuted",
            "precision_refuted",
        ):
            assert name in found


def test_recommendations_go_to_a_file(sidenote: Sidenote, tmp_path: Path) -> None:
    three_events(tmp_path)

    result = sidenote(
        *("evaluate", "recommendations", "--data", "events.jsonl.gz"),
        *("--json", "out.json", "--pool", "pool", "--pairs", "1"),
    )

    assert (result.code, result.out) == (Exit.FINE, "")
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert (found["data"]["pairs"], found["data"]["unscored"]) == (1, 2)
    assert found["engine"]["margin"] == Settings().better_margin
    assert len(found["metrics"]["margins"]) == 5
    assert (tmp_path / "pool").is_dir()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("ranking", "--data", "none"), Exit.CANNOT, "cannot be read"),
        (("ranking", "--data", "none.json"), Exit.CANNOT, "cannot be read"),
        (("ranking",), Exit.USAGE, "--data"),
        (("recommendations", "--data", "none"), Exit.CANNOT, "cannot be read"),
        (("recommendations", "--data", "x", "--pairs", "0"), Exit.USAGE, "--pairs"),
        (("wice", "--data", "x", "--json", "no/out"), Exit.CANNOT, "no folder no"),
        (("demo", "--json", "no/out"), Exit.CANNOT, "no folder no"),
    ],
)
def test_wrong_use_is_reported_in_one_line(
    sidenote: Sidenote, arguments: tuple[str, ...], code: Exit, message: str
) -> None:
    result = sidenote("evaluate", *arguments)

    assert result.code == code
    assert message in result.err
    assert result.out == ""
