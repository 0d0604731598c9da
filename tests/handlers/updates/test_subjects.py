"""What an article is about, what it says of which day, and where care is needed."""

from datetime import date

import pytest

from handlers.updates.subjects import is_sensitive, names_of, statements_of
from tests.handlers.updates.builders import TODAY, article


def test_the_names_are_the_title_without_parentheses_and_the_bold_words_of_the_lead() -> (
    None
):
    text = "'''Mercury''', also '''Planet Mercury''' or '''it''', is small.\n== A ==\n'''Not Me'''"

    assert names_of(article(text, "Mercury (planet)")) == ("Mercury", "Planet Mercury")


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("As of May 2024, it carries cars.", date(2024, 5, 1)),
        ("It had 9 rooms {{as of|2019|3|2|lc=y}}.", date(2019, 3, 2)),
        ("The toll stands at 12 as of 2021.", date(2021, 1, 1)),
        ("It opened in May 2024.", None),
        ("As of the last match, he has scored 9 goals.", None),
    ],
)
def test_a_statement_knows_from_when_it_is(said: str, day: date | None) -> None:
    [one] = statements_of(article(said))

    assert one.as_of == day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Category:Living people]]", True),
        ("[[Category:1950 births]]", True),
        ("[[Category:1950 births]] [[Category:2020 deaths]]", False),
        ("[[Category:1850 births]]", False),
        ("[[category:Israeli–Palestinian conflict]]", True),
        ("{{pp-extended|small=yes}} Words.", True),
        ("[[Category:Bridges in France]]", False),
        ("", False),
    ],
)
def test_living_people_and_contentious_topics_ask_for_care(
    text: str, *, expected: bool
) -> None:
    assert is_sensitive(article(text), TODAY) is expected
