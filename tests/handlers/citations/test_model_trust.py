"""How a model's word and the verifier's probabilities are put together."""

import pytest

from handlers.citations.model_judge import Trust
from handlers.model import Probabilities, Verdict

_FLAGGED = Probabilities(0.15, 0.2, 0.62, 0.03)


def test_nothing_counted_is_four_answers_in_five() -> None:
    likely = Trust(verifier_weight=0.0).weighed(_FLAGGED, Verdict.SUPPORTED)

    assert likely.supported == pytest.approx(0.8)


def test_what_was_counted_decides_how_much_a_verdict_is_worth() -> None:
    doubted = Trust({Verdict.SUPPORTED: {Verdict.PARTIALLY_SUPPORTED: 20}})
    assumed = Trust().weighed(_FLAGGED, Verdict.PARTIALLY_SUPPORTED)

    counted = doubted.weighed(_FLAGGED, Verdict.PARTIALLY_SUPPORTED)

    assert counted.supported > 2 * assumed.supported


def test_the_verifier_counts_by_its_weight() -> None:
    shares = [
        Trust(verifier_weight=weight).weighed(_FLAGGED, Verdict.SUPPORTED).supported
        for weight in (0.0, 0.5, 1.0)
    ]

    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("verdict", Verdict)
def test_probabilities_stay_probabilities(verdict: Verdict) -> None:
    likely = Trust().weighed(Probabilities(1.0, 0.0, 0.0, 0.0), verdict)

    assert sum(map(likely.of, Verdict)) == pytest.approx(1.0)
