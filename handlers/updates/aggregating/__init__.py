"""The aggregator without a language model (WiNELL §3.2).

It asks three questions of a candidate, the cheapest answer first: does the article say
so, was it found before, and does it show that a statement no longer holds? What is
left is a new fact. The verification model answers; dates decide which of two is newer.
"""

from handlers.updates.aggregating.embedded import EmbeddedAggregator
from handlers.updates.aggregating.policy import Policy

__all__ = ["EmbeddedAggregator", "Policy"]
