"""A cell of an article is looked up where its row and column meet in the source."""

import pytest

from handlers.citations.annotation import read
from handlers.citations.passages import cut
from handlers.citations.verification import find_cell
from handlers.model import ClaimKind, SourceText
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
    met = find_cell(of, passages, read)
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

        assert met is not None
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
