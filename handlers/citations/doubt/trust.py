"""How far the word of a language model counts beside the verifier's probabilities.

Bayes' rule over what was counted: how often a model said what, of claims whose truth
people told. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from handlers.model import Probabilities, Verdict

# What is taken for granted before anything was counted, as so many claims of each
# truth: four answers in five are right. Published accuracies of open models on WiCE,
# whole pages, supported against the rest, are 78.9 % (Qwen3-32B) and 84.4 % (gpt-oss-20b).
_ASSUMED_RIGHT = 0.8
_ASSUMED_CLAIMS = 5


@dataclass(frozen=True, slots=True)
class Trust:
    """What models said of claims, by what is true of them: `answers[true][said]`.

    The verifier's probabilities enter as their power of `verifier_weight`: below 1,
    for it is surer of its flags than it is right about them.
    """

    answers: Mapping[Verdict, Mapping[Verdict, int]] = field(default_factory=dict)
    verifier_weight: float = 0.5

    @property
    def base(self) -> Probabilities:
        """How likely each verdict is before anybody looked."""
        shares = {
            true: _ASSUMED_CLAIMS + sum(self.answers.get(true, {}).values())
            for true in Verdict
        }
        return _normal(shares)

    def weighed(self, before: Probabilities, said: Verdict) -> Probabilities:
        """Return the verifier's probabilities `before` after a model said `said`."""
        # How the verifier parts what speaks against a claim is half believed: it calls
        # nearly nothing contradicted, and a quote tells much.
        even = (1 - before.supported) / (len(Verdict) - 1)
        first = {true: (before.of(true) + even) / 2 for true in Verdict}
        first[Verdict.SUPPORTED] = before.supported
        return _normal(
            {
                true: first[true] ** self.verifier_weight * self._says(true, said)
                for true in Verdict
            }
        )

    def _says(self, true: Verdict, said: Verdict) -> float:
        """Return how likely a model is to say `said` of what is `true`."""
        counted = self.answers.get(true, {})
        wrong = (1 - _ASSUMED_RIGHT) / (len(Verdict) - 1)
        assumed = _ASSUMED_CLAIMS * (_ASSUMED_RIGHT if said is true else wrong)
        total = _ASSUMED_CLAIMS + sum(counted.values())
        return (assumed + counted.get(said, 0)) / total


def _normal(shares: Mapping[Verdict, float]) -> Probabilities:
    total = sum(shares.values())
    return Probabilities(
        supported=shares[Verdict.SUPPORTED] / total,
        partially_supported=shares[Verdict.PARTIALLY_SUPPORTED] / total,
        not_supported=shares[Verdict.NOT_SUPPORTED] / total,
        contradicted=shares[Verdict.CONTRADICTED] / total,
    )
