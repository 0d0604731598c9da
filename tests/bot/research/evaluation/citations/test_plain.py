"""Plain cases: those that ship are whole, and what is counted of them is right."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app.cli.progress import QuietProgress, TerminalProgress
from bot.daemon.check import Checker, parse_page
from bot.report import ATTENTION, ClaimState
from bot.research.evaluation.citations.plain import (
    Answer,
    Cases,
    answer_all,
    read_cases,
    report_of,
    shipped_cases,
)
from bot.sources.extraction import Extractor
from bot.sources.folder import SourceFolder, entries
from handlers.model import Engine, ModelFailure, Opinion, PageId, Verdict
from handlers.ports import PermanentError, Tools
from tests.fakes import FAKE_ENGINE, FakeVerifier, Silent

_URL = "https://harbour.example/clock"
_TEXT = (
    "The clock on the customs quay was built in 1874 by Ada Penrose, who had learned"
    " the trade from her father.\n\nIt was stopped by a storm in 1911 and repaired two"
    " years later at the cost of the town.\n"
)


def written(**changes: Any) -> dict[str, Any]:
    """A case as a line of the file has it."""
    return {
        "id": "clock-1",
        "page": "clock.txt",
        "claim": "Ada Penrose built the clock.",
        "verdict": "supported",
        "kind": "paraphrase",
    } | changes


def write(folder: Path, *rows: Mapping[str, Any] | str) -> Path:
    """Write a file of cases, with the one page beside it."""
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    (pages / "clock.txt").write_text(_TEXT, "utf-8")
    (pages / "gone.txt").write_text("", "utf-8")
    index = [
        {"url": _URL, "file": "clock.txt", "captured": "2024-05-31", "title": "A | B"},
        {"url": f"{_URL}/2", "file": "gone.txt", "captured": "2024-05-31"},
    ]
    (pages / "index.json").write_text(json.dumps(index), "utf-8")
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder / "cases.jsonl"


# --- the cases that ship ------------------------------------------------------


@pytest.fixture(scope="module")
def shipped() -> Cases:
    return read_cases(*shipped_cases())


def test_as_many_cases_ship_as_are_documented_and_half_of_them_are_false(
    shipped: Cases,
) -> None:
    assert shipped.data.row_count == 300
    for file in shipped_cases():
        cases = [one for one in shipped.cases if one.file == file.name]
        verdicts = Counter(one.verdict for one in cases)
        assert len(cases) == 150
        assert 0.4 <= verdicts[ClaimState.SUPPORTED] / 150 <= 0.5
        assert 0.45 <= sum(verdicts[one] for one in ATTENTION) / 150 <= 0.55
        assert verdicts[ClaimState.COULD_NOT_CHECK] == 10
        assert min(verdicts[one] for one in ATTENTION) >= 10


def test_every_page_that_ships_is_there_and_has_cases(shipped: Cases) -> None:
    pages = Counter(one.page for one in shipped.cases)
    listed = {entry.file.name for entry in entries(shipped.pages)}

    assert set(pages) == listed
    assert {path.name for path in shipped.pages.iterdir()} == listed | {"index.json"}
    assert min(pages.values()) >= 5
    assert "CC0" in (shipped.pages.parent / "LICENCE.md").read_text("utf-8")


def test_every_case_that_ships_is_one_claim_with_its_headers_and_its_page(
    shipped: Cases,
) -> None:
    urls = {entry.file.name: entry.url for entry in entries(shipped.pages)}
    for case in shipped.cases:
        page = parse_page(case.wikitext, PageId("en.wikipedia.org", case.title))
        [claim] = page.claims
        assert claim.text == case.claim
        assert [source.url for source in claim.sources] == [urls[case.page]]
        if case.header:
            field = case.header.field
            row = field.replace("_", " ") if field else case.header.row
            assert (claim.row, claim.column) == (row, case.header.column)
        else:
            assert claim.row is None


# --- answers ------------------------------------------------------------------


async def test_cases_are_answered_from_the_page_and_by_the_checker(
    tmp_path: Path,
) -> None:
    cases = read_cases(
        write(
            tmp_path,
            written(section="History"),
            written(id="clock-2", claim="1847", header={"field": "built"}),
            written(id="clock-3", page="gone.txt"),
        )
    )
    verifier = FakeVerifier(
        {cases.cases[0].claim: Verdict.SUPPORTED, "1847": Verdict.CONTRADICTED}
    )
    async with Extractor() as extractor:
        checker = Checker(
            Tools(SourceFolder(cases.pages, extractor), verifier),
            QuietProgress(TerminalProgress("Cases")),
            now=lambda: datetime.now(UTC),
        )
        answers = await answer_all(cases.cases, checker, Silent())

    assert [one.given for one in answers] == [
        ClaimState.SUPPORTED,
        ClaimState.CONTRADICTED,
        ClaimState.COULD_NOT_CHECK,
    ]
    assert "built in 1874" in verifier.seen["1847"][0].text


# --- figures ------------------------------------------------------------------


def test_figures_are_those_of_a_count_by_hand(tmp_path: Path) -> None:
    pairs = [
        ("supported", "supported", "date"),
        ("supported", "contradicted", "date"),  # a false alarm
        ("supported", "partially supported", "score"),  # wrong, but no alarm
        ("contradicted", "supported", "score"),  # confirmed
        ("contradicted", "not supported", "score"),
        ("partially supported", "partially supported", "unit"),
        ("not supported", "could not check", "unit"),
        ("could not check", "supported", "page"),  # wrong, but nothing is false
    ]
    rows = [
        written(id=str(at), verdict=verdict, kind=kind)
        for at, (verdict, _, kind) in enumerate(pairs)
    ]
    cases = read_cases(write(tmp_path, *rows))
    answers = [
        Answer(case, ClaimState(given), "A quote.")
        for case, (_, given, _) in zip(cases.cases, pairs, strict=True)
    ]

    report = report_of(cases, answers, FAKE_ENGINE, with_wrong=True).to_dict()

    metrics = report["metrics"]
    assert metrics["counts"] == {
        "cases": 8,
        "right": 2,
        "false_claims": 4,
        "false_claims_confirmed": 1,
        "supported": 3,
        "false_alarms": 1,
    }
    assert metrics["right"] == 0.25
    assert metrics["false_claims_confirmed"] == 0.25
    assert metrics["false_alarms"] == 0.3333
    assert metrics["verdicts"]["contradicted"] == {"not supported": 1, "supported": 1}
    assert metrics["kinds"]["score"] == {
        "cases": 3,
        "right": 0,
        "false_claims": 2,
        "false_claims_confirmed": 1,
        "false_alarms": 0,
    }
    assert [row["id"] for row in report["rows"]] == ["1", "2", "3", "4", "6", "7"]
    assert report["data"]["rows"] == 8
    assert "rows" not in report_of(cases, answers, FAKE_ENGINE).to_dict()


def test_a_foreign_page_has_the_verdict_of_whoever_judged_it(tmp_path: Path) -> None:
    case = written(verdict="could not check", read="contradicted")
    cases = read_cases(write(tmp_path, case))
    model = Engine("language model", "m")
    opinion = Opinion(model, model, None, Verdict.CONTRADICTED, None)
    alone = [Answer(cases.cases[0], ClaimState.COULD_NOT_CHECK)]
    unanswered = replace(opinion, failure=ModelFailure.QUOTE_NOT_FOUND)

    def right(given: ClaimState, opinion: Opinion) -> dict[str, Any]:
        answers = [Answer(cases.cases[0], given, opinion=opinion)]
        return dict(report_of(cases, answers, FAKE_ENGINE, alone).metrics)

    found = right(ClaimState.CONTRADICTED, opinion)
    assert found["right"] == found["model"]["without"]["right"] == 1
    assert found["counts"]["false_claims"] == 1
    assert found["model"]["without"]["counts"]["false_claims"] == 0
    assert right(ClaimState.SUPPORTED, opinion)["counts"]["false_claims_confirmed"] == 1
    assert right(ClaimState.COULD_NOT_CHECK, opinion)["right"] == 0
    found = right(ClaimState.COULD_NOT_CHECK, unanswered)
    assert (found["right"], found["model"]["counted"]) == (1, 0)
    assert found["model"]["setbacks"] == {ModelFailure.QUOTE_NOT_FOUND.value: 1}


def test_each_file_is_counted_by_itself_too(tmp_path: Path) -> None:
    first = write(tmp_path, written(), written(id="clock-2"))
    second = tmp_path / "more.jsonl"
    false = written(id="clock-3", verdict="contradicted")
    second.write_text(json.dumps(false), "utf-8")
    cases = read_cases(first, second)
    answers = [Answer(case, ClaimState.SUPPORTED) for case in cases.cases]

    report = report_of(cases, answers, FAKE_ENGINE).to_dict()

    counts = {name: of["counts"] for name, of in report["metrics"]["files"].items()}
    assert [counts[name]["right"] for name in ("cases.jsonl", "more.jsonl")] == [2, 0]
    assert counts["more.jsonl"]["false_claims_confirmed"] == 1
    assert report["metrics"]["counts"]["right"] == 2
    assert report["data"]["file"] == "cases.jsonl, more.jsonl"
    second.write_text(json.dumps(written()), "utf-8")  # an id of the first file
    with pytest.raises(PermanentError, match=r"more\.jsonl: line 1: .*cases\.jsonl"):
        read_cases(first, second)


def test_a_share_of_nothing_has_no_value(tmp_path: Path) -> None:
    cases = read_cases(write(tmp_path, written(verdict="contradicted")))
    answers = [Answer(cases.cases[0], ClaimState.CONTRADICTED)]

    metrics = report_of(cases, answers, FAKE_ENGINE).metrics

    assert metrics["right"] == 1
    assert metrics["false_alarms"] is None


# --- files that cannot be used ------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "not JSON"),
        ("[]", "dictionary"),
        (written(id="clock-2", verdict="true"), "verdict: "),
        (written(id="clock-2", verdict="no citation"), "verdict: "),
        (written(id="clock-2", claim=""), "claim: "),
        (written(id="clock-2", speaker="?"), "speaker: "),
        (written(id="clock-2", page="other.txt"), "other.txt"),
        (written(), "that of line 1"),
        (written(id="clock-2", header={}), "header: "),
        (written(id="clock-2", header={"row": "Built"}), "header: "),
        (
            written(id="clock-2", header={"row": "A", "column": "B", "field": "c"}),
            "header: ",
        ),
    ],
)
def test_a_line_that_cannot_be_used_is_named(
    tmp_path: Path, bad: Mapping[str, Any] | str, message: str
) -> None:
    path = write(tmp_path, written(), "", bad)

    with pytest.raises(PermanentError, match="line 3: ") as caught:
        read_cases(path)

    assert message in str(caught.value)


def test_a_file_without_cases_or_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="has no cases"):
        read_cases(write(tmp_path))

    (tmp_path / "alone").mkdir()
    alone = tmp_path / "alone" / "cases.jsonl"
    with pytest.raises(PermanentError, match="cannot be read"):
        read_cases(alone)
    alone.write_text(json.dumps(written()), "utf-8")
    with pytest.raises(PermanentError, match="no folder pages"):
        read_cases(alone)
