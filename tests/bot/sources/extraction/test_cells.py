"""Cells that span rows and columns are read in each of them."""

import pytest

from bot.sources.extraction.html import read_html

_PROSE = (
    "<p>The bridges of Norland were measured twice, by the county and the town.</p>"
)


def _rows(table: str) -> list[str]:
    markup = f"<html><body><article>{_PROSE * 3}<table>{table}</table></article></body></html>"
    found = read_html(
        markup.encode(), content_type="text/html", url="https://a.example/bridges"
    )
    assert found.document is not None
    return [line for line in found.document.text.split("\n") if "|" in line]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        pytest.param(
            "<tr><th rowspan=2>Bridge</th><th colspan=2>Length</th></tr>"
            "<tr><th>1990</th><th>2000</th></tr>"
            "<tr><td rowspan=2>North</td><td>950</td><td>980</td></tr>"
            "<tr><td>951</td><td>981</td></tr>"
            "<tr><td>South</td><td colspan=2>700</td></tr>",
            [
                "Bridge | Length | Length",
                "Bridge | 1990 | 2000",
                "North | 950 | 980",
                "North | 951 | 981",
                "South | 700 | 700",
            ],
            id="heads and values",
        ),
        pytest.param(
            "<tr><td>North</td><td rowspan=2>Stone</td><td>950</td></tr>"
            "<tr><td>South</td><td>700</td></tr><tr><td>West</td><td>Wood</td><td>5</td></tr>",
            ["North | Stone | 950", "South | Stone | 700", "West | Wood | 5"],
            id="in the middle",
        ),
        pytest.param(
            "<tr><td>North</td><td>950</td><td rowspan=9>Stone</td></tr>"
            "<tr><td>South</td><td>700</td></tr>",
            ["North | 950 | Stone", "South | 700 | Stone"],
            id="at the end, and longer than the table",
        ),
    ],
)
def test_a_cell_is_read_wherever_it_spans(table: str, rows: list[str]) -> None:
    assert _rows(table) == rows


def test_the_copies_that_a_page_can_ask_for_are_bounded() -> None:
    wide = "".join("<td colspan=40 rowspan=60>1</td>" for _ in range(4))

    rows = _rows(f"<tr>{wide}</tr>" + "<tr><td>2</td></tr>" * 70)

    assert 2_400 < sum(row.count("1") for row in rows) < 6_000
