"""The network's answer as features, to be weighed beside the lexical ones. Pure.

What its word head says of single words was tried, too, and added nothing to these
three on any dev set: its work is done when the network is trained.
"""

from handlers.citations.lexical import REFUTED_CUE
from handlers.citations.neural.answer import PairAnswer, log_odds

SUPPORTED_CUE = "network supported"
UNMENTIONED_CUE = "network unmentioned"


def cues(answer: PairAnswer) -> dict[str, float]:
    """Return the features of one answer: log odds, in some ±9."""
    return {
        SUPPORTED_CUE: log_odds(answer.supported),
        REFUTED_CUE: log_odds(answer.refuted),
        UNMENTIONED_CUE: log_odds(answer.unmentioned),
    }
