"""A page is suspected only where its wiki answers for others, and never by an outage."""

import random

from bot.records.poison import Suspects

WIKI = "a.example"


def test_a_page_that_alone_is_not_answered_has_more_failures_of_its_own_each_time() -> (
    None
):
    suspects = Suspects()
    found = []
    for _ in range(4):
        found.append(suspects.failed(WIKI, "Broken"))
        suspects.answered(WIKI, "Whole")

    assert found == [0, 1, 2, 3]


def test_failures_without_an_answer_in_between_are_the_wikis() -> None:
    suspects = Suspects()
    suspects.answered(WIKI, "Whole")
    suspects.answered("b.example", "Other")

    found = []
    for _ in range(50):
        found += [suspects.failed(WIKI, title) for title in ("One", "Two")]
        suspects.answered("b.example", "Other")
    assert set(found) == {0}

    suspects.answered(WIKI, "Whole")  # the outage is over, or so it seems
    assert [suspects.failed(WIKI, title) for title in ("One", "One", "Two")] == [
        1,
        1,
        1,
    ]


def test_two_broken_pages_are_both_found() -> None:
    suspects = Suspects()
    for _ in range(3):
        for title in ("One", "Two"):
            suspects.failed(WIKI, title)
            suspects.answered(WIKI, "Whole")

    assert [suspects.failed(WIKI, title) for title in ("One", "Two")] == [3, 3]


def test_a_page_that_is_answered_in_the_end_clears_all_of_its_wiki() -> None:
    suspects = Suspects()
    for title in ("One", "Two"):
        suspects.failed(WIKI, title)
    suspects.answered(WIKI, "Whole")

    suspects.answered(WIKI, "One")
    assert suspects.failed(WIKI, "Two") == 0

    suspects.answered(WIKI, "Whole")
    suspects.forget(WIKI)
    assert suspects.failed(WIKI, "Two") == 0


def test_a_wiki_that_answers_by_chance_has_no_page_suspected_for_long() -> None:
    chance, suspects, most = random.Random(8), Suspects(), 0
    for _ in range(20_000):
        title = f"Page {chance.randrange(40)}"
        if chance.random() < 0.5:
            suspects.answered(WIKI, title)
        else:
            most = max(most, suspects.failed(WIKI, title))

    assert most <= 3


def test_a_broken_page_is_found_where_others_now_and_then_fail_once() -> None:
    suspects, found = Suspects(), []
    for number in range(6):
        found.append(suspects.failed(WIKI, "Broken"))
        suspects.answered(WIKI, "Whole")
        suspects.failed(WIKI, f"Slow {number}")
        suspects.answered(WIKI, f"Slow {number}")

    assert found == [0, 1, 2, 3, 4, 5]


def test_what_is_remembered_is_bounded() -> None:
    suspects = Suspects()
    for number in range(5_000):
        suspects.failed(WIKI, f"Page {number}")

    assert len(suspects._of[WIKI]) <= 1_000
