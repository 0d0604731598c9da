"""Cells of tables and infoboxes: short values whose meaning stands in row and column."""

import numpy as np
import pytest

from bot.models.lexical import LexicalVerifier, shipped_lexical
from handlers.citations.cells import find_cell
from handlers.citations.corpus import read_corpus
from handlers.citations.network_input import NETWORK, PairAnswer
from handlers.citations.passages import cut
from handlers.citations.verification import Head, LexicalModel, verify
from handlers.model import ClaimKind, Engine, SourceText, Verdict, Verification
from handlers.text.analysis import analyse
from tests.builders import claim

_ELECTION = """Results of 4 May
Party | Votes | Seats | Leader
Green Forum | 4,903 | 7 | Inês Carvalho
Civic Union¹ | 7,658 | 11 | Per Holm
Harbour List | 9,412 | 14 | Ida Rask
¹ with the Reform League
"""
_LEAGUE = """No. | Team | Played | L | Pts
1 | Torvik | 14 | 2 | 23
2 | Old Pellan | 14 | 3 | 20
"""
_CORNERLESS = """The match in numbers
Dunmere Town | Carrow Athletic
Shots | 14 | 9
Fouls | 11 | 16
"""
_TWICE = """Year | Population 2011 | Population 2021
Holm | 2,118 | 2,240
Holm | 2,118 | 2,300
"""
_TWO_YEARS = f"{_ELECTION}Results of 1998\n\n{_ELECTION.replace('| 7 |', '| 5 |')}"


def _found(
    text: str, row: str, column: str, *sources: str, words: int = 100
) -> tuple[bool, str] | None:
    of = claim(text, kind=ClaimKind.TABLE_CELL, row=row, column=column)
    passages = [
        passage
        for number, source in enumerate(sources)
        for passage in cut(SourceText(source), f"key {number}", words_per_passage=words)
    ]
    met = find_cell(of, read_corpus(passages, analyse), analyse)
    return (met.agrees, met.span.of(met.passage.text)) if met else None


@pytest.mark.parametrize(
    ("text", "header", "source", "agrees", "line"),
    [
        ("7", ("Green Forum", "Seats"), _ELECTION, True, "Green Forum | 4,903"),
        ("7", ("Civic Union", "Seats"), _ELECTION, False, "Civic Union¹ | 7,658"),
        ("7,658", ("Civic Union", "Votes (2022)"), _ELECTION, True, "Civic Union¹"),
        ("I. Carvalho", ("Green Forum", "Leader"), _ELECTION, True, "Green Forum"),
        ("20", ("Old Pellan", "Points"), _LEAGUE, True, "2 | Old Pellan"),
        ("2", ("Old Pellan", "Lost"), _LEAGUE, False, "2 | Old Pellan"),
        ("16", ("Fouls", "Carrow Athletic"), _CORNERLESS, True, "Fouls | 11"),
        ("16", ("Dunmere Town", "Fouls"), _CORNERLESS, False, "Fouls | 11"),
        ("20", ("2", "Pts"), _LEAGUE, True, "2 | Old Pellan"),
    ],
)
def test_what_stands_where_row_and_column_meet_is_compared(
    text: str, header: tuple[str, str], source: str, agrees: bool, line: str
) -> None:
    for words in (100, 12):  # in one passage, and in several that overlap
        met = _found(text, *header, source, words=words)

        assert met[0] is agrees
        assert met[1].startswith(line)


@pytest.mark.parametrize(
    ("text", "row", "column", "source"),
    [
        pytest.param("7", "Labour", "Seats", _ELECTION, id="no such row"),
        pytest.param("7", "Green Forum", "Turnout", _ELECTION, id="no such column"),
        pytest.param("2,118", "Holm", "Population 2011", _TWICE, id="two such rows"),
        pytest.param("2,118", "Holm", "Population", _TWICE, id="two such columns"),
        pytest.param("Ola Berg", "Green Forum", "Leader", _ELECTION, id="other words"),
        pytest.param("7", "Green Forum", "Seats", "Green Forum won 7.", id="no table"),
        pytest.param("3", "20", "L", _LEAGUE, id="a number is short for no other"),
        pytest.param("8", "Green Forum", "Seats", _TWO_YEARS, id="which table is open"),
    ],
)
def test_where_that_cannot_be_told_nothing_is_looked_up(
    text: str, row: str, column: str, source: str
) -> None:
    assert _found(text, row, column, source) is None


def test_of_two_sources_the_one_that_agrees_is_shown() -> None:
    other = _ELECTION.replace("| 7 |", "| 9 |")

    met = _found("7", "Green Forum", "Seats", other, _ELECTION)

    assert met == (True, "Green Forum | 4,903 | 7 | Inês Carvalho")


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


def _guess(likely: tuple[float, float, float, float]) -> LexicalModel:
    """Return a model that answers the same, whatever it reads."""
    head = Head(
        features=(f"{NETWORK}supported",),
        means=np.zeros(1),
        scales=np.ones(1),
        weights=np.zeros((4, 1)),
        biases=np.log(likely),
    )
    return LexicalModel("1", shipped_lexical().model.rarity, head, head, 150)


@pytest.mark.parametrize(
    ("text", "row", "likely", "expected"),
    [
        ("5:30 p.m. CDT", "formed", (0.34, 0.15, 0.04, 0.47), Verdict.SUPPORTED),
        ("5:30 p.m. CDT", "formed", (0.24, 0.15, 0.04, 0.57), Verdict.CONTRADICTED),
        ("52", "injuries", (0.34, 0.15, 0.04, 0.47), Verdict.CONTRADICTED),
    ],
)
def test_no_cell_is_taken_for_contradicted_on_a_guess_beside_its_own_value(
    text: str, row: str, likely: tuple[float, float, float, float], expected: Verdict
) -> None:
    found = verify(
        "2011 Sawyerville–Eoline tornado",
        claim(text, kind=ClaimKind.INFOBOX_VALUE, row=row),
        read_corpus(cut(SourceText(_PARTS), "key"), analyse),
        model=_guess(likely),
        engine=Engine("guess", "1"),
        analyse=analyse,
        network=lambda _: PairAnswer(0.3, 0.3, 0.4),
    )

    assert found.verdict is expected
    assert found.probabilities.supported < 0.5
