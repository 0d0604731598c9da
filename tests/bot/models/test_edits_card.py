"""The card and the page of figures say of the judge of edits what its file holds."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.models.edits import shipped_edits
from bot.models.onnx import shipped
from tests.test_docs import ROOT

_CARD = shipped("edits.md").read_text("utf-8")
_PAGE = (ROOT / "docs/figures.md").read_text("utf-8")
_FIGURES: Any = shipped_edits().figures


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def _rows() -> Iterator[str]:
    """Yield the rows of the card's tables, as far as the file has their figures."""
    shares = {
        "at_1_percent": 0.01,
        "at_2_percent": 0.02,
        "at_5_percent": 0.05,
        "at_half": _FIGURES["at_half"]["harmless_noted"],
    }
    for name, harmless in shares.items():
        of = _FIGURES[name]
        found = f"{100 * of['found']:.0f} %"
        yield f"| {of['threshold']} | {found} | {_per_cent(harmless)} |"
    for name, of in _FIGURES["by_kind"].items():
        found, paired = of["found_at_2_percent"], of["paired"]
        yield (
            f"| {name.replace('_', ' ')} | {of['pairs']} | {found:.2f} | {paired:.2f} |"
        )
    for name, of in _FIGURES["pairs_dev"].items():
        found, paired = of["found_at_2_percent"], of["paired"]
        yield (
            f"| `pairs_dev`, {name.removeprefix('pairs_')} (drawn by chance)"
            f" | {of['pairs']} | {found:.2f} | {paired:.2f} |"
        )


@pytest.mark.parametrize("row", list(_rows()))
def test_the_card_has_the_figures_of_the_file(row: str) -> None:
    assert row in _CARD.splitlines()


def test_the_operating_point_is_the_first_that_the_card_lists() -> None:
    _, _, listed = _CARD.partition("| probability from which an edit is noted |")

    assert listed.splitlines()[2].split()[1] == str(shipped_edits().noted_from)


@pytest.mark.parametrize("harmless", [1, 2, 5])
def test_the_page_of_figures_says_how_many_are_found(harmless: int) -> None:
    found = _FIGURES[f"at_{harmless}_percent"]["found"]

    assert f"| {harmless} % | {100 * found:.0f} %" in _PAGE
