"""The network's answers as features, to be weighed beside the lexical ones. Pure.

What its word head says of single words was tried, too, and added nothing to these on
any dev set: its work is done when the network is trained.
"""

from collections.abc import Callable, Iterable, Sequence

from handlers.citations.neural.answer import CrossEncoder, PairAnswer, log_odds
from handlers.citations.neural.evidence import MOST_WORDS
from handlers.citations.neural.pairs import PairText

_NETWORK = "network "  # what all of their names begin with
FEW_WORDS = 40


def evidence_words(features: Iterable[str]) -> tuple[int, ...]:
    """Return how many words of evidence the network is shown for these features.

    Few words show best whether the nearest sentence says something else; many, whether
    the rest of the claim stands elsewhere in the source.
    """
    names = frozenset(features)
    return tuple(
        words
        for words in (FEW_WORDS, MOST_WORDS)
        if not names.isdisjoint(cues(PairAnswer(0, 0, 1), words))
    )


def ask(
    network: CrossEncoder, pair: Callable[[int], PairText], sizes: Sequence[int]
) -> dict[str, float]:
    """Return the features of a claim beside so many words of evidence each.

    A source of few words gives the same pair for all of them, which is read once.
    """
    known: dict[PairText, PairAnswer] = {}
    found: dict[str, float] = {}
    for words in sizes:
        text = pair(words)
        if text not in known:
            known[text] = network(text)
        found |= cues(known[text], words)
    return found


def cues(answer: PairAnswer, words: int = MOST_WORDS) -> dict[str, float]:
    """Return the features of one answer to `words` of evidence: log odds, in some ±9."""
    beside = "" if words == MOST_WORDS else f", {words} words"
    return {
        f"{_NETWORK}supported{beside}": log_odds(answer.supported),
        f"{_NETWORK}refuted{beside}": log_odds(answer.refuted),
        f"{_NETWORK}unmentioned{beside}": log_odds(answer.unmentioned),
    }
