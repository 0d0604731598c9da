"""Which of two is newer, and what time can overtake."""

from datetime import date

import pytest

from handlers.model import Window
from handlers.updates.aggregating.perishing import (
    Standing,
    held_on,
    held_true,
    perishes,
    standing,
)
from tests.handlers.updates.builders import article, candidate, statement, subject

PAGE = (
    "It is used by lorries.<ref>{{cite news|url=https://a.example/1|title=T"
    "|date=5 March 2021|access-date=1 May 2022}}</ref> It is painted red.<ref>"
    "{{cite web|url=https://b.example/1|title=U|access-date=2 June 2022}}</ref>"
    " It is long."
)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("It is used by lorries.", date(2021, 3, 5)),  # when its source was published
        ("It is painted red.", date(2022, 6, 2)),  # when its source was last read
        ("It is long.", None),
    ],
)
def test_the_sources_tell_when_a_statement_held(text: str, held: date | None) -> None:
    page = article(PAGE)
    claim = next((one for one in page.claims if text[:-1] in one.text), None)
    span = claim.span if claim else statement().span
    if claim is None:
        span = type(span)(len(PAGE) - 5, len(PAGE))
    assert held_on(subject(page=page), statement(text, span=span)) == held


def test_the_day_that_a_statement_names_comes_before_its_sources() -> None:
    said = statement("In 2019 it had 500 members and until June 2020 a head.")
    assert held_on(subject(), said) == date(2020, 6, 1)
    assert held_on(subject(), statement("It will open in 2019.")) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It has 500 members.", date(2026, 10, 4)),
        ("In May 2026 it had 500 members.", date(2026, 10, 4)),
        ("In 2019 it had 500 members.", date(2019, 1, 1)),
        ("The trust, founded in 1949, has 500 members.", date(2026, 10, 4)),
    ],
)
def test_a_new_page_can_tell_of_old_times(text: str, told: date) -> None:
    assert held_true(candidate(text=text)) == told


def test_where_the_article_tells_no_day_the_days_asked_for_decide() -> None:
    said, new = statement("It is long."), candidate()
    early = candidate(dated=date(2026, 8, 1))
    assert standing(subject(), said, new) is Standing.NEWER
    assert standing(subject(), said, early) is Standing.UNKNOWN
    assert standing(subject(window=Window()), said, new) is Standing.UNKNOWN


@pytest.mark.parametrize(
    ("text", "can_perish"),
    [
        ("It is the longest bridge.", True),
        ("It will open in 2027.", True),
        ("The storm killed 23 people.", True),
        ("The mayor opened it in 1932.", False),
    ],
)
def test_what_happened_once_stays_true(text: str, can_perish: bool) -> None:
    assert perishes(statement(text)) is can_perish
