"""Turns a model's answer into a verdict with its proof.

The verdict is the likeliest one, so what a reader sees as its probability is never
less than another's. Every quote is cut out of the source by its place, so it stands
there character for character. Pure.
"""

from collections.abc import Sequence

from handlers.citations.claimed import prepare
from handlers.citations.comparison import Reader, context, gather
from handlers.citations.features import measure
from handlers.citations.lexical import LexicalModel, judge
from handlers.citations.marks import unsupported
from handlers.citations.neural.answer import CrossEncoder
from handlers.citations.neural.cues import ask, evidence_words
from handlers.citations.neural.pairs import pair
from handlers.citations.proof import proof
from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)


def verify(
    title: str,
    claim: Claim,
    passages: Sequence[Passage],
    *,
    model: LexicalModel,
    engine: Engine,
    read: Reader,
    network: CrossEncoder | None = None,
) -> Verification:
    """Judge `claim` of the article `title` by all `passages`, at least one.

    With a `network`, `model` must weigh its cues; without one, none of them.
    """
    claimed = prepare(claim, title, model.rarity, read)
    stated = gather(claimed, context(title, claim), passages, read)
    measured = measure(claimed, stated)
    if network is not None:
        measured |= ask(
            network,
            lambda words: pair(title, claim, claimed, stated, words),
            evidence_words((*model.short.features, *model.page.features)),
        )
    likely = judge(model, measured, stated.word_count)
    return Verification(
        verdict=verdict(likely),
        probabilities=likely,
        evidence=proof(claimed, stated, read),
        unsupported=unsupported(claimed, stated),
        engine=engine,
    )


def verdict(likely: Probabilities) -> Verdict:
    """Return the likeliest verdict; of equal ones, the milder."""
    return max(Verdict, key=likely.of)
