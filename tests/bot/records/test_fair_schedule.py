"""Whatever others put, everybody gets their share, and nobody waits for ever."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.tasks import Share, after_serving
from tests.bot.store.sharing_model import Model, Page

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
