"""Rows as a verifier meets them: sentences and cells."""

from pathlib import Path

import pytest

from bot.research.evaluation.datasets import Label, case, read_rows
from handlers.model import Claim, ClaimKind
from tests.bot.research.evaluation.rows import row, write


def _claim(tmp_path: Path, **meta: object) -> Claim:
    [only] = read_rows(
        write(tmp_path / "rows.jsonl", [row("14", "refuted", meta=meta)])
    ).rows
    return case(only).claim


@pytest.mark.parametrize(
    ("header", "kind", "place"),
    [
        ("Infobox, Born", ClaimKind.INFOBOX_VALUE, ((), "Born", None)),
        (
            "Infobox Erin Lee, Born, place",
            ClaimKind.INFOBOX_VALUE,
            (("Erin Lee",), "Born, place", None),
        ),
        (
            "Table Final round, United States",
            ClaimKind.TABLE_CELL,
            (("Final round",), "United States", None),
        ),
        (
            "Table Results, Lee, Erin, Points",
            ClaimKind.TABLE_CELL,
            (("Results",), "Lee, Erin", "Points"),
        ),
        ("Table, 1990, Points", ClaimKind.TABLE_CELL, ((), "1990", "Points")),
    ],
)
def test_a_header_makes_a_cell(
    tmp_path: Path,
    header: str,
    kind: ClaimKind,
    place: tuple[tuple[str, ...], str, str | None],
) -> None:
    claim = _claim(tmp_path, header=header)

    assert (claim.text, claim.kind) == ("14", kind)
    assert (claim.section, claim.row, claim.column) == place


def test_a_cell_stands_in_its_section_where_that_is_known(tmp_path: Path) -> None:
    claim = _claim(tmp_path, header="Table Results, 1990, Points", section="Career")

    assert claim.section == ("Career",)


def test_without_a_header_the_claim_is_a_sentence(tmp_path: Path) -> None:
    claim = _claim(tmp_path, header="", section=["Career", "Later years"])

    assert (claim.kind, claim.row, claim.column) == (ClaimKind.SENTENCE, None, None)
    assert claim.section == ("Career", "Later years")


def test_titles_of_article_and_page_are_read(tmp_path: Path) -> None:
    meta = {"title": "Lakeside bridge", "page_title": "Bridges of the lake"}

    [only] = read_rows(
        write(tmp_path / "rows.jsonl", [row("x", "nei", meta=meta)])
    ).rows

    assert (only.title, only.page_title) == ("Lakeside bridge", "Bridges of the lake")


@pytest.mark.parametrize(
    ("label", "expected"),
    [("not_supported", Label.REFUTED), ("supported", Label.SUPPORTED)],
)
def test_a_marked_contradiction_is_one(
    tmp_path: Path, label: str, expected: Label
) -> None:
    rows = [row("x", label, meta={"contradicted": True})]

    [only] = read_rows(write(tmp_path / "rows.jsonl", rows)).rows

    assert only.label is expected
