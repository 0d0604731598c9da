"""Stories of films and novels are told from what is known of the works."""

import pytest

from handlers.updates.extracting import fiction
from tests.handlers.updates.builders import statement, subject


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        ("The Tide is a 2023 Exampleland historical drama film by Jane Roe.", True),
        ("The Tide is a novel by Jane Roe.", True),
        ("The Tide is an American police procedural television series.", True),
        ('"The Tide" is the seventh episode of the second season of Harbour.', True),
        ("Jane Roe is an American film director and writer.", False),
        ("Jane Roe is an actress known for the film The Tide.", False),
        ("The Tide is an American reality television series.", False),
        ("The Tide is a bridge in Port Example.", False),
    ],
)
def test_the_lead_tells_a_work_of_fiction(lead: str, expected: bool) -> None:
    article = subject(statements=(statement(lead, section=()),))
    assert fiction.is_fiction(article) is expected


def test_sections_that_retell_are_closed() -> None:
    assert fiction.is_story(("Plot",), of_fiction=False)
    assert fiction.is_story(("Novel", "Synopsis"), of_fiction=False)
    assert fiction.is_story(("Handlung",), of_fiction=True)
    assert fiction.is_story(("Summary",), of_fiction=True)
    assert not fiction.is_story(("Summary",), of_fiction=False)
    assert not fiction.is_story(("Season summary",), of_fiction=False)
    assert not fiction.is_story((), of_fiction=True)


@pytest.mark.parametrize(
    "text",
    [
        "Finally, he turned to Mary and told her about the harbour.",
        "In 1858 soldiers burst into the home of the Roe family in Port Example.",
        "The film follows two brothers who find a boat.",
        "In the last episode Mary discovers the truth.",
    ],
)
def test_a_retelling_is_told_for_a_work_of_fiction(text: str) -> None:
    assert fiction.fault(text, of_fiction=True)


def test_what_is_known_of_the_work_passes() -> None:
    made = "The film was shot in Port Example in 2022."
    sold = "It grossed 4 million in Exampleland."
    assert fiction.fault(made, of_fiction=True) is None
    assert fiction.fault(sold, of_fiction=True) is None


def test_other_articles_only_leave_out_blurbs() -> None:
    assert fiction.fault("The film tells the story of a pilot.", of_fiction=False)
    assert fiction.fault("Tide follows a group of six pilots.", of_fiction=False)
    soldiers = "Soldiers burst into the home of the Roe family in 1858."
    assert fiction.fault(soldiers, of_fiction=False) is None
