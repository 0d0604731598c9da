"""Cells of tables and infoboxes: short values whose meaning stands in the headers."""

import pytest

from bot.models.lexical import LexicalVerifier
from handlers.citations.passages import cut
from handlers.model import ClaimKind, SourceText, Verdict, Verification
from tests.builders import claim

_TOWNS = """
    Hackleburg Cordova Shoal Ruth Tuscaloosa Ohatchee Argo Webster Haleyville Fackler
    Flat Rock Pisgah Dutton Rainsville Sylvania Ider Higdon Bryant
"""
_ROWS = " ".join(
    f"{town} EF-{n % 3} {90 + n} mph {n} Injuries / None {n + 2}.5 miles {n}00 yards"
    for n, town in enumerate(_TOWNS.split())
)
_SOURCE = (
    f"{_ROWS} Sawyerville-Eoline EF-3 145 mph 50 Injuries / 7 Fatalities 72.13 miles "
    f"/ 1760 yards 32.6152/-88.0543 530 pm 33.1524/-86.9898 655 pm"
)
_PARTS = ("\n".join([_SOURCE, "The storms came at night.", "Nobody was warned."])) * 2


async def _verify(text: str, row: str, column: str | None = None) -> Verification:
    of = claim(text, kind=ClaimKind.INFOBOX_VALUE, row=row, column=column)
    return await LexicalVerifier().verify(
        "2011 Sawyerville–Eoline tornado", of, cut(SourceText(_PARTS), "key")
    )


@pytest.mark.parametrize(
    ("text", "row", "beside"),
    [
        ("7", "fatalities", "7 Fatalities"),
        ("145 mph (233 km/h)", "max-winds", "145 mph"),
        ("72.13 miles (116.08 km)", "path-length", "72.13 miles"),
        ("5:30 p.m. CDT", "formed", "530 pm"),
        ("52", "injuries", "50 Injuries"),
    ],
)
async def test_the_quote_speaks_of_the_subject_and_of_the_header(
    text: str, row: str, beside: str
) -> None:
    found = await _verify(text, row)

    quote = found.evidence[0].quote
    assert "Sawyerville-Eoline" in quote
    assert beside in quote


@pytest.mark.parametrize("text", ["145 mph (233 km/h)", "72.13 miles (116.08 km)"])
async def test_neither_a_value_nor_its_conversion_is_marked(text: str) -> None:
    found = await _verify(text, "max-winds")

    assert found.unsupported == ()
    assert found.verdict is not Verdict.NOT_SUPPORTED


async def test_another_number_under_the_same_header_contradicts() -> None:
    found = await _verify("52", "injuries")

    assert found.verdict is Verdict.CONTRADICTED
    assert [span.of("52") for span in found.unsupported] == ["52"]


async def test_another_number_of_something_else_does_not_contradict() -> None:
    found = await _verify("52", "houses destroyed")

    assert found.verdict is not Verdict.CONTRADICTED


async def test_a_source_with_words_always_gives_a_quote() -> None:
    found = await _verify("9,999", "zip")

    assert found.evidence[0].quote in _PARTS
