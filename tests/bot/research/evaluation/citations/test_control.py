"""Claims beside another row's evidence: who gets whose."""

from pathlib import Path

import pytest

from bot.research.evaluation.citations.verification import with_others_evidence
from bot.research.evaluation.datasets import DataSet, read_rows
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import row, write


def _pairs(tmp_path: Path, *articles: str) -> DataSet:
    """Return two pairs of claims about each article; a pair has a page to itself."""
    rows = [
        row(
            f"{article}, {pair}, {side}",
            side,
            group=article,
            evidence=f"page {pair} on {article}",
            meta={"pair": f"{article} {pair}", "supporting_sentences": [[0]]},
        )
        for article in articles
        for pair in (1, 2)
        for side in ("supported", "refuted")
    ]
    return read_rows(write(tmp_path / "rows.jsonl", rows))


def test_each_row_gets_the_evidence_of_another_article(tmp_path: Path) -> None:
    data = _pairs(tmp_path, "a", "b", "c")

    swapped = with_others_evidence(data)

    assert [one.claim for one in swapped.rows] == [one.claim for one in data.rows]
    assert [one.label for one in swapped.rows] == [one.label for one in data.rows]
    assert sorted(one.evidence for one in swapped.rows) == sorted(
        one.evidence for one in data.rows
    )
    article_of = {one.evidence: one.group for one in data.rows}
    assert all(article_of[one.evidence] != one.group for one in swapped.rows)
    assert not any(one.supporting for one in swapped.rows)
    assert with_others_evidence(data) == swapped


def test_both_sides_of_a_pair_are_judged_beside_the_same_page(tmp_path: Path) -> None:
    rows = with_others_evidence(_pairs(tmp_path, "a", "b")).rows

    assert all(
        wrong.evidence == mended.evidence
        for wrong, mended in zip(rows[::2], rows[1::2], strict=True)
    )


def test_in_a_set_of_one_article_the_page_is_another(tmp_path: Path) -> None:
    data = _pairs(tmp_path, "a")

    swapped = with_others_evidence(data)

    pairs = zip(data.rows, swapped.rows, strict=True)
    assert all(own.evidence != other.evidence for own, other in pairs)


def test_a_pair_with_different_texts_still_gets_another_pairs(tmp_path: Path) -> None:
    sides = [
        row(f"{pair} {side}", side, group="a", evidence=f"{pair} {side}",
            meta={"pair": pair})
        for pair in ("one", "two")
        for side in ("supported", "refuted")
    ]  # fmt: skip

    rows = with_others_evidence(read_rows(write(tmp_path / "rows.jsonl", sides))).rows

    assert all(one.pair not in one.evidence[0] for one in rows)


def test_evidence_stays_within_its_set(tmp_path: Path) -> None:
    rows = [
        row(f"{name} {n}", "nei", set=name, evidence=f"{name} {n}")
        for n in range(2)
        for name in ("ships", "trains")
    ]

    swapped = with_others_evidence(read_rows(write(tmp_path / "rows.jsonl", rows)))

    assert all(one.evidence[0].startswith(one.set) for one in swapped.rows)


def test_a_set_with_one_page_cannot_be_swapped(tmp_path: Path) -> None:
    data = read_rows(write(tmp_path / "rows.jsonl", [row("x", "nei"), row("y", "nei")]))

    with pytest.raises(PermanentError, match="bridges"):
        with_others_evidence(data)
