import gzip
from pathlib import Path

import pytest

from bot.research.evaluation.datasets import Label, Row, read_rows
from handlers.model import Verdict
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import CLAIMS, page_row, row, write


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_are_read_plain_or_gzipped(tmp_path: Path, name: str) -> None:
    data = read_rows(write(tmp_path / name, CLAIMS))

    assert [one.claim for one in data.rows] == [one["claim"] for one in CLAIMS]
    assert data.unscored == ()
    assert data.file == name
    assert len(data.sha256) == 64


def _only(path: Path) -> Row:
    [found] = read_rows(path).rows
    return found


def test_what_surrounds_the_claim_is_kept(tmp_path: Path) -> None:
    found = _only(
        write(tmp_path / "r.jsonl", [page_row("It opened", "supported", [[1], []])])
    )

    assert found.title == "Lakeside bridge"
    assert found.section == ("History", "Construction")
    assert found.supporting == ((1,),)


def test_marks_of_the_data_set_are_taken_out_of_its_texts(tmp_path: Path) -> None:
    claim = (
        "It rose [<|multi_cit|>] by 2 -LRB- see [[Public_library|the library]] -RRB-"
    )

    found = _only(write(tmp_path / "r.jsonl", [row(claim, "nei")]))

    assert found.claim == "It rose  by 2 ( see the library )"
    assert found.label is Label.NOT_ENOUGH_INFORMATION
    assert found.label.verdict is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param("{", "not JSON", id="broken JSON"),
        pytest.param("[" * 100_000, "not JSON", id="nested beyond reason"),
        pytest.param("[1]", "not a JSON object", id="not an object"),
        pytest.param(row("", "supported"), "claim is not a text", id="empty claim"),
        pytest.param(row("x", "maybe"), "label 'maybe' is none of", id="unknown label"),
        pytest.param(row("x", "nei", evidence=7), "evidence is neither", id="evidence a number"),
        pytest.param(row("x", "nei", evidence=[" "]), "evidence is empty", id="empty evidence"),
        pytest.param(page_row("x", "supported", [[99_999]]), "outside the evidence", id="bad index"),
    ],
)  # fmt: skip
def test_a_broken_row_is_left_out_with_its_line_and_the_reason(
    tmp_path: Path, line: str, reason: str
) -> None:
    data = read_rows(write(tmp_path / "r.jsonl", [CLAIMS[0], line, CLAIMS[1]]))

    assert len(data.rows) == 2
    assert data.row_count == 3
    [left_out] = data.unscored
    assert left_out.line == 2
    assert reason in left_out.reason


def test_bytes_that_are_no_text_spoil_only_their_row(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", CLAIMS[:1])
    path.write_bytes(path.read_bytes() + b'{"claim": "\xff\xfe"}\n')

    data = read_rows(path)

    assert [one.line for one in data.unscored] == [2]


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"pass a \.jsonl or"):
        read_rows(tmp_path / "none.jsonl")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="is empty"):
        read_rows(write(tmp_path / "r.jsonl", []))


def test_a_file_of_broken_rows_only_is_refused_with_the_first_reason(
    tmp_path: Path,
) -> None:
    with pytest.raises(PermanentError, match="line 1: not JSON"):
        read_rows(write(tmp_path / "r.jsonl", ["nonsense"]))


def test_half_a_gzip_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl.gz", CLAIMS)
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(PermanentError, match="not a complete gzip"):
        read_rows(path)


def test_what_is_called_gzip_but_is_not_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    path.write_text("{}")

    with pytest.raises(PermanentError, match="not a complete gzip"):
        read_rows(path)


def test_blank_lines_do_not_shift_the_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write(path, [CLAIMS[0], "", "nonsense"])

    [left_out] = read_rows(path).unscored

    assert left_out.line == 3


def test_the_fingerprint_is_of_the_file_as_it_lies_there(tmp_path: Path) -> None:
    plain = write(tmp_path / "r.jsonl", CLAIMS)
    packed = tmp_path / "r.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    assert read_rows(plain).sha256 != read_rows(packed).sha256


def test_a_row_that_names_no_set_is_read_all_the_same(tmp_path: Path) -> None:
    [read] = read_rows(write(tmp_path / "r.jsonl", [row("x", "nei", set=None)])).rows

    assert read.set == "unnamed"
