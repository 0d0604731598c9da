"""What readers find wrong too often is shown no more; nothing else changes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.accounts import Tally, Voice
from bot.surfaces.feedback import (
    Feedback,
    FeedbackRules,
    Remembered,
    feedback,
    wilson95,
)
from handlers.model import CheckKind, Engine, Flag
from tests import builders

_WIKI = "en.wikipedia.org"
_KIND = CheckKind.NOT_SUPPORTED
_RULES = FeedbackRules()
_NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
_chances = st.lists(
    st.floats(0.5, 1).map(lambda chance: round(chance, 2)), max_size=60
).map(tuple)


def _tally(right: tuple[float, ...], wrong: tuple[float, ...]) -> Tally:
    """Return what as many readers decided, on one suggestion each."""
    return builders.tally(_WIKI, _KIND, right, wrong)


def _least(right: tuple[float, ...], wrong: tuple[float, ...]) -> float:
    [row] = feedback([_tally(right, wrong)], _RULES).rows
    return row.least


def _flag(probability: float) -> Flag:
    return Flag(_KIND, probability, 0.5)


def _allows(learned: Feedback, probability: float) -> bool:
    return learned.allows(_flag(probability), builders.ENGINE, _WIKI)


def test_a_kind_that_readers_find_right_is_shown_as_before() -> None:
    learned = feedback([_tally((0.9,) * 15, (0.9,) * 5)], _RULES)

    [row] = learned.rows
    assert (row.right, row.wrong, row.precision, row.least) == (15, 5, 0.75, 0.0)
    assert row.interval == pytest.approx((0.531, 0.888), abs=0.001)
    assert _allows(learned, 0.5)
    assert learned.held == ()


def test_where_only_the_surest_are_right_only_those_are_shown() -> None:
    learned = feedback([_tally((0.95,) * 12, (0.6,) * 10 + (0.96,))], _RULES)

    assert not _allows(learned, 0.94)
    assert _allows(learned, 0.95)
    assert learned.held == ()


def test_a_kind_that_no_threshold_saves_is_held_on_its_wiki_and_engine_alone() -> None:
    learned = feedback([_tally((0.99,) * 3, (0.6,) * 10 + (0.99,) * 10)], _RULES)

    assert [row.kind for row in learned.held] == [_KIND]
    assert not _allows(learned, 1.0)
    assert learned.allows(_flag(0.6), builders.ENGINE, "de.wikipedia.org")
    assert learned.allows(_flag(0.6), Engine(builders.ENGINE.name, "next"), _WIKI)
    other = replace(_flag(0.6), kind=CheckKind.CONTRADICTED)
    assert learned.allows(other, builders.ENGINE, _WIKI)


def test_its_version_changes_only_with_what_may_be_shown() -> None:
    fine = feedback([_tally((0.9,) * 30, ())], _RULES)
    finer = feedback([_tally((0.9,) * 31, ())], _RULES)
    held = feedback([_tally((), (0.9,) * 30)], _RULES)

    assert Feedback().version == fine.version == finer.version != held.version


def _of_readers(*each: tuple[int, int]) -> Tally:
    """Return what each reader found right and wrong, so many times each."""
    voices = [
        Voice(0.9, number < right, 1 / (right + wrong))
        for right, wrong in each
        for number in range(right + wrong)
    ]
    said = {True: sum(right for right, _ in each), False: sum(w for _, w in each)}
    return replace(
        _tally((0.9,) * said[True], (0.9,) * said[False]), voices=tuple(voices)
    )


@pytest.mark.parametrize("decisions", [20, 2_000])
def test_one_reader_holds_nothing_back_for_others(decisions: int) -> None:
    alone = feedback([_of_readers((0, decisions))], _RULES)
    among_others = feedback([_of_readers((0, decisions), *[(2, 0)] * 9)], _RULES)

    for learned in (alone, among_others):
        assert learned.held == ()
        assert _allows(learned, 0.5)


def test_nine_readers_are_too_few_and_ten_decide() -> None:
    assert feedback([_of_readers(*[(0, 3)] * 9)], _RULES).held == ()
    [held] = feedback([_of_readers(*[(0, 3)] * 10)], _RULES).held

    assert (held.readers, held.wrong) == (10, 30)


@given(_chances, _chances)
def test_too_few_decisions_change_nothing(
    right: tuple[float, ...], wrong: tuple[float, ...]
) -> None:
    few = replace(_RULES, least_decisions=len(right) + len(wrong) + 1)

    learned = feedback([_tally(right, wrong)], few)

    assert all(row.least == 0 for row in learned.rows)
    assert _allows(learned, 0.5)


@given(_chances, _chances, st.floats(0.1, 0.95))
def test_what_is_shown_reaches_the_bar_on_the_evidence(
    right: tuple[float, ...], wrong: tuple[float, ...], bar: float
) -> None:
    rules = FeedbackRules(bar=bar, least_decisions=1, least_readers=1)

    for row in feedback([_tally(right, wrong)], rules).rows:
        if not row.is_held:
            hits = sum(chance >= row.least for chance in right)
            misses = sum(chance >= row.least for chance in wrong)
            assert wilson95(hits, hits + misses)[0] >= bar
        for chance in right:  # and no lower threshold of these would do
            if chance < row.least:
                hits = sum(each >= chance for each in right)
                misses = sum(each >= chance for each in wrong)
                assert wilson95(hits, hits + misses)[0] < bar


@given(_chances, _chances, st.floats(0.5, 1))
def test_more_that_is_right_never_shows_less_and_more_that_is_wrong_never_more(
    right: tuple[float, ...], wrong: tuple[float, ...], chance: float
) -> None:
    right += (0.7,) * max(0, 20 - len(right))  # enough of them, before and after

    least = _least(right, wrong)

    assert _least((*right, chance), wrong) <= least
    assert _least(right, (*wrong, chance)) >= least


@given(st.integers(1, 500), st.integers(0, 500))
def test_the_lower_end_of_an_interval_rises_with_hits_and_falls_with_misses(
    tries: int, hits: int
) -> None:
    hits = min(hits, tries)

    low, high = wilson95(hits, tries)

    hair = 1e-9  # of rounding
    assert 0 <= low <= hits / tries + hair
    assert hits / tries - hair <= high <= 1
    assert wilson95(hits + 1, tries + 1)[0] >= low - hair
    assert wilson95(hits, tries + 1)[0] <= low + hair


def test_a_kind_that_is_held_comes_back_when_its_decisions_are_too_old() -> None:
    decided_at = _NOON
    clock = [_NOON]

    def tallies(since: datetime) -> tuple[Tally, ...]:
        return (_tally((), (0.9,) * 30),) if decided_at >= since else ()

    remembered = Remembered(tallies, _RULES, lambda: clock[0])
    assert [row.least for row in remembered().held] == [inf]

    clock[0] += timedelta(days=_RULES.days, seconds=1)

    assert remembered().held == ()


def test_decisions_are_counted_again_after_a_minute() -> None:
    clock, reads = [_NOON], []

    def tallies(since: datetime) -> tuple[Tally, ...]:
        reads.append(since)
        return ()

    remembered = Remembered(tallies, _RULES, lambda: clock[0])
    for seconds in (0, 59, 1):
        clock[0] += timedelta(seconds=seconds)
        remembered()

    assert len(reads) == 2
