"""Whose turn it is, and what is given up because it kills."""

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.jobs import UnansweredPages
from bot.records.tasks import Share, after_serving
from tests.bot.store.sharing_model import Model, Page

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


_LEAVES = st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"))
_HISTORIES = st.lists(
    st.tuples(_LEAVES, st.integers(0, 3), st.integers(0, 3)), max_size=30
)
_LONG = 60


def test_one_who_had_nothing_waiting_gains_nothing_by_it() -> None:
    wiki = Share(clock=99.0)

    after, back = after_serving(wiki, Share(ends=3.0, served=3), weight=2.0)

    assert after == wiki
    assert back == Share(ends=99.5, served=4)


@settings(max_examples=25)
@given(_HISTORIES, st.floats(0.25, 4.0))
def test_after_any_history_shares_that_all_wait_are_as_their_weights(
    history: list[tuple[tuple[str, str], int, int]], weight: float
) -> None:
    model = Model({"a": weight})
    for at, ((wiki, tenant), urgency, served) in enumerate(history):
        model.put(wiki, tenant, Page(urgency, at, f"{at}"))
        for _ in range(served):
            model.lease()
    for at in range(_LONG):  # enough for whoever is served most
        for wiki, tenant in (("a", "x"), ("a", "y"), ("b", "x"), ("b", "z")):
            for _ in range(2):
                model.put(wiki, tenant, Page(1, 1000 + at, "change"))
    before = sum(len(pages) for pages in model.waiting.values())
    while before > 8 * _LONG:  # what was left of the history is done first
        model.lease()
        before -= 1

    turns = [model.lease() for _ in range(_LONG)]

    wikis = Counter(turn[0] for turn in turns if turn)
    for wiki, due in (("a", weight), ("b", 1.0)):
        expected = _LONG * due / (1 + weight)
        assert abs(wikis[wiki] - expected) <= max(weight, 1 / weight) + 2
    tenants = Counter(turn[:2] for turn in turns if turn and turn[0] == "b")
    assert abs(tenants["b", "x"] - tenants["b", "z"]) <= 2


@settings(max_examples=25)
@given(st.integers(0, 3), st.integers(1, 5), st.sampled_from(["storm", "b"]))
def test_no_page_waits_for_ever_behind_a_storm_of_any_kind(
    urgency: int, others: int, wiki: str
) -> None:
    model = Model({"storm": 4.0})
    model.put(wiki, "x", Page(urgency, 0, "this one"))
    turns = 0
    for at in range(1, 1_000):
        for other in range(others):
            for reason in range(4):
                model.put("storm", f"{other}", Page(reason, at, "storm"))
            model.put(wiki, "x", Page(0, at, "more urgent and mine"))
        turns = at
        leased = model.lease()
        if leased and leased[2].name == "this one":
            break

    # A turn of four is patient, of each share, too; five parties and a weight of four.
    assert turns <= 4 * 4 * (others + 2) * 5
