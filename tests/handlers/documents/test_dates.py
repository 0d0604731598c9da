"""Which day a document gives as its own, and what an article knows by when."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from handlers.documents.dates import day_of, known_of, newest_known
from handlers.model import Imprint, SourceFetch, SourceText
from handlers.updates.subject import statements_of
from tests.handlers.updates.builders import TODAY, article, document, statement

PROSE = (
    "Harbour Bridge was closed to lorries after engineers had found cracks in two of"
    " its cables."
)


def fetch(
    text: str = PROSE,
    *,
    published: str | None = None,
    address: str = "https://news.example/lorries",
    captured: datetime | None = None,
    guessed: str | None = None,
    title: str | None = None,
) -> SourceFetch:
    found = SourceText(
        text, title=title, imprint=Imprint(published=published), published=guessed
    )
    return replace(document(address), document=found, read_at=captured)


@pytest.mark.parametrize(
    ("read", "day"),
    [
        (fetch(published="2026-10-04"), date(2026, 10, 4)),
        (
            fetch(address="https://news.example/2026/10/04/lorries"),
            date(2026, 10, 4),
        ),
        (fetch(f"Lorries\nBy A. Palm, 4 October 2026\n{PROSE}"), date(2026, 10, 4)),
        (fetch(f"PORT EXAMPLE, October 4, 2026 (AP) — {PROSE}"), date(2026, 10, 4)),
        (
            fetch(
                f"[Home](/)\nLorries banned\nOct 4, 2026 10:15 AM\n{PROSE}",
                title="Lorries banned",
            ),
            date(2026, 10, 4),
        ),
        (
            fetch(f"By A. Palm\nSunday, October 4th 2026\nListen\n{PROSE}"),
            date(2026, 10, 4),
        ),
        # A page that moved or changed is no newer for that.
        (
            fetch(f"4 October 2026\n{PROSE}", published="2026-11-01"),
            date(2026, 10, 4),
        ),
    ],
)
def test_what_a_page_states_of_itself_is_its_day(read: SourceFetch, day: date) -> None:
    assert day_of(read) == day


@pytest.mark.parametrize(
    "read",
    [
        fetch(),
        fetch(published="2026-10"),
        fetch(published="0001-01-01"),
        fetch(guessed="2026-10-04"),
        fetch("Menu\nFriday, October 4, 2026\nHome\nSport\nOpera\nLocal\n" + PROSE),
        # The day of an event, of a comment, of a release, and before there was a web.
        fetch(f"Storm of 4 October 2026\n=====\n4 October 2026\n{PROSE}"),
        fetch(f"4 October 2026\n{PROSE}", title="The storm of 4 October 2026"),
        fetch(f"99 reviews\n4 October 2026\n{PROSE}"),
        fetch(f"Release date: 4 October 2026\n{PROSE}"),
        fetch(f"| Date | 4 October 2026 |\n{PROSE}"),
        fetch(f"Published 4 October 1931\n{PROSE}"),
        fetch(f"{PROSE}\nMore news\n4 October 2026\nA fire in the market hall"),
        fetch(f"4 October 2026\n{PROSE}\nMore\n2 October 2026\n{PROSE}"),
        fetch(
            f"4 October 2026\n{PROSE}", captured=datetime(2026, 10, 4, 8, tzinfo=UTC)
        ),
        replace(fetch(), document=None),
    ],
)
def test_without_a_sure_day_a_page_is_undated(read: SourceFetch) -> None:
    assert day_of(read) is None


def test_a_statement_is_known_to_hold_when_it_says_so_or_its_source_was_written() -> (
    None
):
    page = article(
        "It has 12 lanes.<ref>{{cite web|url=https://a.example/1|title=T"
        "|date=3 May 2021}}</ref> It was painted in 2019. It is red."
    )
    lanes, painted, red = statements_of(page)
    assert known_of(lanes, page, TODAY) == date(2021, 5, 3)
    assert known_of(painted, page, TODAY) == date(2019, 1, 1)
    assert known_of(red, page, TODAY) is None
    since = statement("As of May 2024, it has 12 lanes.", as_of=date(2024, 5, 1))
    assert known_of(since, page, TODAY) == date(2024, 5, 1)


def test_a_section_knows_the_newest_day_that_it_cites_or_names_and_no_day_to_come() -> (
    None
):
    page = article(
        "== Traffic ==\nIt has 12 lanes.<ref>{{cite web|url=https://a.example/1|title=T"
        "|date=3 May 2021}}</ref> It was painted in 2019. It shall close in 2099.\n"
    )
    assert newest_known(page, statements_of(page), TODAY) == {
        ("Traffic",): date(2021, 5, 3)
    }
