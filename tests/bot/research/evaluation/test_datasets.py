"""Rows of data sets, and the claims that a verifier is given."""

import gzip
from hashlib import sha256
from pathlib import Path

import pytest

from bot.research.evaluation.datasets import Label, Row, case, read_rows
from handlers.model import Claim, ClaimKind, Verdict
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import CLAIMS, page_row, row, write


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_are_read_plain_or_gzipped(tmp_path: Path, name: str) -> None:
    data = read_rows(write(tmp_path / name, CLAIMS))

    assert [one.claim for one in data.rows] == [one["claim"] for one in CLAIMS]
    assert data.unscored == ()
    assert data.file == name
    # The fingerprint is of the file as it is on the disk, not of what is in it.
    assert data.sha256 == sha256((tmp_path / name).read_bytes()).hexdigest()


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
    path.write_bytes(path.read_bytes() + b'\n{"claim": "\xff\xfe"}\n')

    # A blank line does not shift the numbers.
    assert [one.line for one in read_rows(path).unscored] == [3]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.jsonl", None, r"pass a \.jsonl or"),
        ("r.jsonl", b"\n", "is empty"),
        ("r.jsonl", b"nonsense\n", "line 1: not JSON"),
        ("r.jsonl.gz", gzip.compress(b"{}" * 99, mtime=0)[:-20], "not a complete gzip"),
        ("r.jsonl.gz", b"{}", "not a complete gzip"),
    ],
    ids=["missing", "empty", "broken", "half", "no gzip"],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(PermanentError, match=message):
        read_rows(path)


def _claim(tmp_path: Path, **meta: object) -> Claim:
    return case(
        _only(write(tmp_path / "r.jsonl", [row("14", "refuted", meta=meta)]))
    ).claim


@pytest.mark.parametrize(
    ("header", "kind", "place"),
    [
        ("Infobox, Born", ClaimKind.INFOBOX_VALUE, ((), "Born", None)),
        ("Infobox Erin Lee, Born, place", ClaimKind.INFOBOX_VALUE, (("Erin Lee",), "Born, place", None)),
        ("Table Final round, United States", ClaimKind.TABLE_CELL, (("Final round",), "United States", None)),
        ("Table Results, Lee, Erin, Points", ClaimKind.TABLE_CELL, (("Results",), "Lee, Erin", "Points")),
        ("Table, 1990, Points", ClaimKind.TABLE_CELL, ((), "1990", "Points")),
    ],
)  # fmt: skip
def test_a_header_makes_a_cell(
    tmp_path: Path,
    header: str,
    kind: ClaimKind,
    place: tuple[tuple[str, ...], str, str | None],
) -> None:
    claim = _claim(tmp_path, header=header)

    assert (claim.text, claim.kind) == ("14", kind)
    assert (claim.section, claim.row, claim.column) == place


def test_a_claim_has_its_section_where_that_is_known(tmp_path: Path) -> None:
    cell = _claim(tmp_path, header="Table Results, 1990, Points", section="Career")
    claim = _claim(tmp_path, header="", section=["Career", "Later years"])

    assert cell.section == ("Career",)
    assert (claim.kind, claim.row, claim.column) == (ClaimKind.SENTENCE, None, None)
    assert claim.section == ("Career", "Later years")


@pytest.mark.parametrize(
    ("label", "expected"),
    [("not_supported", Label.REFUTED), ("supported", Label.SUPPORTED)],
)
def test_a_marked_contradiction_is_one(
    tmp_path: Path, label: str, expected: Label
) -> None:
    one = row("x", label, set=None, meta={"contradicted": True, "page_title": "A page"})

    found = _only(write(tmp_path / "r.jsonl", [one]))

    assert found.label is expected
    assert (found.set, found.page_title) == ("unnamed", "A page")
