"""The engine that ships on the articles that ship, beside what a careful reader says.

The judgements were not used to fit anything; they show what a reader of the first
report meets.
"""

from collections import Counter
from pathlib import Path

import pytest

from bot.app.wiring.checks import open_verifier
from bot.research.evaluation.benchmarks import BENCHMARKS, compared, shipped_floors
from bot.research.evaluation.citations.demo import Checked, check_judged, tables
from bot.settings import Settings
from handlers.model import ClaimCheck, Verdict
from tests.fakes import Silent

_AGAINST = frozenset({Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED})


@pytest.fixture(scope="module")
def checked() -> Checked:
    """All claims that were judged, checked once for all tests."""
    [demo] = [one for one in BENCHMARKS if one.ships]
    verifier = open_verifier(Settings())
    return check_judged(demo.place(Path("nowhere")), verifier, Silent())


@pytest.fixture
def judged(checked: Checked) -> list[tuple[Verdict, ClaimCheck]]:
    """What the reader says of each claim that was judged, beside our check of it."""
    return [(one.truth, one.check) for one in checked.judged]


def test_every_judgement_meets_one_claim_that_was_verified(checked: Checked) -> None:
    assert len(checked.judged) == 131
    # Two rows of a table begin with the cell that spans them.
    assert [one.reason for one in checked.unscored] == ["several claims begin so"] * 2


def test_flags_and_ranking_hold_their_floors(checked: Checked) -> None:
    floors = [one for one in shipped_floors() if one.metric.startswith("demo.")]

    found = compared({"demo": tables(checked.judged, checked.points)}, floors)

    assert len(floors) >= 3
    assert [
        f"{one.metric} is {value}, not {one.bound}"
        for one, value, holds in found
        if not holds
    ] == []


def test_a_supported_claim_is_seldom_flagged(
    judged: list[tuple[Verdict, ClaimCheck]],
) -> None:
    supported = [check for verdict, check in judged if verdict is Verdict.SUPPORTED]

    flagged = [check for check in supported if check.verdict in _AGAINST]

    assert len(supported) >= 50
    assert len(flagged) / len(supported) <= 0.12


def test_claims_that_fail_are_flagged_far_more_often_than_others(
    judged: list[tuple[Verdict, ClaimCheck]],
) -> None:
    flagged: Counter[bool] = Counter()
    claims: Counter[bool] = Counter()
    for verdict, check in judged:
        fails = verdict in _AGAINST
        claims[fails] += 1
        flagged[fails] += check.verdict in _AGAINST

    assert flagged[True] / claims[True] >= 2 * flagged[False] / claims[False]
    assert flagged[True] / claims[True] >= 0.45


def test_the_verdict_is_never_less_likely_than_another(
    judged: list[tuple[Verdict, ClaimCheck]],
) -> None:
    for _, check in judged:
        assert check.verification is not None
        likely = check.verification.probabilities
        assert likely.of(check.verification.verdict) == max(map(likely.of, Verdict))


def test_every_claim_with_a_readable_source_has_a_quote(
    judged: list[tuple[Verdict, ClaimCheck]],
) -> None:
    for _, check in judged:
        assert check.verification is not None
        assert check.verification.evidence
        assert len(check.verification.evidence[0].quote.split()) <= 60
