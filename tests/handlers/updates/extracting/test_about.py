"""Whether a page and its sentences are about the subject."""

import pytest

from handlers.model import Window
from handlers.updates.extracting.about import About, Focus
from tests.handlers.updates.builders import article, statement, subject

RACE = subject(
    page=article("'''2022 Port Example Grand Prix''' was a race.", "2022 Port Example Grand Prix"),
    names=("2022 Port Example Grand Prix",),
    statements=(statement("Jane Roe of Acme won the race in 2022."),),
    window=Window(),
)  # fmt: skip
PERSON = subject(
    names=("Jane Roe",),
    statements=(statement("She joined Acme in 2019."), statement("Her team won.")),
)


@pytest.mark.parametrize(
    ("title", "likeness", "expected"),
    [
        ("Roe wins in Port Example", 0.7, Focus.CENTRAL),
        ("Roe wins the Port Example Grand Prix", 0.5, Focus.CENTRAL),
        ("2022 Port Example Grand Prix", 0.35, Focus.CENTRAL),
        ("2023 Port Example Grand Prix", 0.8, Focus.MENTIONS),
        ("Roe wins the Port Example Grand Prix", 0.35, Focus.MENTIONS),
        ("A recipe for soup", 0.1, Focus.NONE),
    ],
)
def test_title_and_opening_tell_what_a_page_is_about(
    title: str, likeness: float, expected: Focus
) -> None:
    prose = ["The crowd was large."]
    assert About(RACE).focus(title, prose, likeness) is expected


def test_another_season_is_told_by_its_year() -> None:
    about = About(RACE)
    assert about.fit("Roe signed for the 2023 championship.").is_another
    assert not about.fit("Roe won the 2022 championship.").is_another
    assert not about.fit("Roe was born in 1996 in Port Example.").is_another


def test_he_and_she_are_the_subject_only_of_a_page_about_a_person() -> None:
    text = "She signed for Sample City."
    assert About(PERSON).fit(text).by_pronoun
    assert not About(RACE).fit(text).by_pronoun


def test_a_word_of_one_letter_names_nobody() -> None:
    song = subject(names=("L'Emprise",))
    assert About(song).cover("A plan of L. Smith was read.") == 0.0
    assert About(song).cover("She sang L'Emprise in Paris.") == 1.0


def test_a_site_that_speaks_of_itself_is_told() -> None:
    about = About(RACE)
    assert about.is_of_site(
        "The Museum of Perth chronicles it.", "museumofperth.com.au"
    )
    assert not about.is_of_site("Roe won the race.", "museumofperth.com.au")
    # The subject's own site speaks of the subject.
    own = About(subject(names=("Museum of Perth",)))
    assert not own.is_of_site(
        "The Museum of Perth has 40 rooms.", "museumofperth.com.au"
    )


def test_a_pronoun_behind_a_date_points_back_too() -> None:
    about = About(PERSON)
    assert about.fit("In 2021, she left Acme for Sample City.").depends
    assert about.fit("In 2021, she left Acme for Sample City.").by_pronoun
    assert about.fit("Soon, his mother left Port Example.").depends
    assert about.fit("The fighting here carries a price for Acme.").depends
    assert not about.fit("In 2021, Roe left Acme for Sample City.").depends


def test_a_page_on_district_72_is_not_about_the_72nd_of_anything() -> None:
    about = About(subject(names=("72nd Port Example Legislature",)))
    page = ["The 72nd Port Example Legislature met in 1955."]
    assert about.focus("Port Example District 72", page, 0.9) is not Focus.CENTRAL
    assert about.focus("72nd Legislature meets", page, 0.9) is Focus.CENTRAL


def test_a_name_that_nobody_introduces_is_told() -> None:
    about = About(RACE)
    assert about.is_stranger("Rosette lost her home in Port Example.")
    assert not about.is_stranger("Roe lost her lead in Port Example.")
    assert not about.is_stranger("Anna Smith lost her lead in Port Example.")
    assert about.is_stranger("The Grand Prix destroyed her home.")
    assert about.is_stranger("Five marshals of Acme stopped him at the gate.")
    assert not about.is_stranger("The driver lost his lead in Port Example.")
    assert not about.is_stranger("Water covered the road to Port Example.")


def test_a_sentence_on_a_name_that_the_article_lacks_is_strange() -> None:
    about = About(RACE)
    assert about.fit("Kings Landing Province was hit by rain in 2022.").is_strange
    assert not about.fit("Jane Roe of Acme was hit by rain in 2022.").is_strange
