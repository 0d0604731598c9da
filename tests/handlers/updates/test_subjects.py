"""What an article is about, what it says of which day, and where care is needed."""

from datetime import date

import pytest

from handlers.model import Window
from handlers.ports import PermanentError
from handlers.updates.criteria import OutlineCriteria, is_apparatus
from handlers.updates.subject import is_sensitive, names_of, statements_of, subject_of
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
        ("[[CATEGORY:Living people]]", True),
        ("{{Infobox person|birth_date={{birth date and age|1980|1|2}}}}", True),
        ("[[Kategorie:Geboren 1950]] [[Kategorie:Frau]]", True),
        ("[[Kategorie:Geboren 1950]] [[Kategorie:Gestorben 2001]]", False),
        ("[[Catégorie:Naissance en mars 1950]]", True),
        ("[[Catégorie:Naissance en 1950]] [[Catégorie:Décès en 2001]]", False),
        ("[[Categoría:Personas vivas]]", True),
        ("[[Категория:Родившиеся в 1950 году]]", True),
        ("[[تصنيف:أشخاص على قيد الحياة]]", True),
        ("[[Category:1950年生]] [[Category:存命人物]]", True),
        ("{{Bio |Nome = Anna |AnnoNascita = 1950 |AnnoMorte = }}", True),
        ("{{Bio |Nome = Anna |AnnoNascita = 1950 |AnnoMorte = 2001 }}", False),
        ("[[Kategorie:Israelisch-palästinensischer Konflikt]]", True),
        ("[[Kategorie:Brücke in Deutschland]]", False),
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


async def test_a_page_of_endless_rows_is_not_compared() -> None:
    page = article("* Lorries\n" * 5_001)

    with pytest.raises(PermanentError, match="5,001 statements"):
        await subject_of(page, Window(), TODAY, OutlineCriteria())


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Further reading", True),
        ("Einzelnachweise", True),
        ("Voir aussi", True),
        ("Enlaces externos", True),
        ("انظر أيضًا", True),
        ("وصلات خارجية", True),
        ("التاريخ", False),
        ("History", False),
    ],
)
def test_sections_of_references_and_links_take_no_facts(
    heading: str, *, expected: bool
) -> None:
    assert is_apparatus(("Life", heading)) is expected
