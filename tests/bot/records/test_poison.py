"""A page is suspected only where its wiki answers for others, and never by an outage."""

import random

from bot.records.jobs import UnansweredPages

WIKI = "a.example"


def test_a_page_that_alone_is_not_answered_has_more_failures_of_its_own_each_time() -> (
    None
):
    unanswered = UnansweredPages()
    found = []
    for _ in range(4):
        found.append(unanswered.failed(WIKI, "Broken"))
        unanswered.answered(WIKI, "Whole")

    assert found == [0, 1, 2, 3]


def test_failures_without_an_answer_in_between_are_the_wikis() -> None:
    unanswered = UnansweredPages()
    unanswered.answered(WIKI, "Whole")
    unanswered.answered("b.example", "Other")

    found = []
    for _ in range(50):
        found += [unanswered.failed(WIKI, title) for title in ("One", "Two")]
        unanswered.answered("b.example", "Other")
    assert set(found) == {0}

    unanswered.answered(WIKI, "Whole")  # the outage is over, or so it seems
    assert [unanswered.failed(WIKI, title) for title in ("One", "One", "Two")] == [
        1,
        1,
        1,
    ]


def test_two_broken_pages_are_both_found() -> None:
    unanswered = UnansweredPages()
    for _ in range(3):
        for title in ("One", "Two"):
            unanswered.failed(WIKI, title)
            unanswered.answered(WIKI, "Whole")

    assert [unanswered.failed(WIKI, title) for title in ("One", "Two")] == [3, 3]


def test_a_page_that_is_answered_in_the_end_clears_all_of_its_wiki() -> None:
    unanswered = UnansweredPages()
    for title in ("One", "Two"):
        unanswered.failed(WIKI, title)
    unanswered.answered(WIKI, "Whole")

    unanswered.answered(WIKI, "One")
    assert unanswered.failed(WIKI, "Two") == 0

    unanswered.answered(WIKI, "Whole")
    unanswered.forget(WIKI)
    assert unanswered.failed(WIKI, "Two") == 0


def test_a_wiki_that_answers_by_chance_has_no_page_suspected_for_long() -> None:
    chance, unanswered, most = random.Random(8), UnansweredPages(), 0
    for _ in range(20_000):
        title = f"Page {chance.randrange(40)}"
        if chance.random() < 0.5:
            unanswered.answered(WIKI, title)
        else:
            most = max(most, unanswered.failed(WIKI, title))

    assert most <= 3


def test_a_broken_page_is_found_where_others_now_and_then_fail_once() -> None:
    unanswered, found = UnansweredPages(), []
    for number in range(6):
        found.append(unanswered.failed(WIKI, "Broken"))
        unanswered.answered(WIKI, "Whole")
        unanswered.failed(WIKI, f"Slow {number}")
        unanswered.answered(WIKI, f"Slow {number}")

    assert found == [0, 1, 2, 3, 4, 5]


def test_what_is_remembered_is_bounded() -> None:
    unanswered = UnansweredPages()
    for number in range(5_000):
        unanswered.failed(WIKI, f"Page {number}")

    assert len(unanswered._of[WIKI]) <= 1_000
