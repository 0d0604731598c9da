"""Turns a model's answer into a verdict with its proof.

The verdict is the likeliest one, so what a reader sees as its probability is never
less than another's. Every quote is cut out of the source by its place, so it stands
there character for character. Pure.
"""

from collections.abc import Sequence
from dataclasses import replace

from handlers.citations import roles
from handlers.citations.claim_features import prepare
from handlers.citations.comparison import Reader, context, gather
from handlers.citations.conversion import converted
from handlers.citations.features import measure
from handlers.citations.highlights import unsupported
from handlers.citations.lexical import LexicalModel, judge
from handlers.citations.neural.answer import CrossEncoder
from handlers.citations.neural.cues import ask, evidence_words
from handlers.citations.neural.pairs import pair
from handlers.citations.proof import proof
from handlers.citations.tables import READ, look_up
from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Span,
    Verdict,
    Verification,
)

# How much of what speaks against a cell says that it is contradicted: where a source
# states another value in its role, so many such cells of the training pairs were; where
# none can be quoted, hardly any is called so.
_SHOWN, _UNSHOWN = 0.93, 0.1


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
    marked = unsupported(claimed, stated)
    same = converted(claim, passages, read)
    if same is not claim:
        claim, claimed = same, prepare(same, title, model.rarity, read)
        stated = gather(claimed, context(title, claim), passages, read)
    measured = measure(claimed, stated)
    weighed = (*model.short.features, *model.page.features)
    if not roles.FEATURES.isdisjoint(weighed):
        measured |= roles.measure(claimed, stated)
    if network is not None:
        measured |= ask(
            network,
            lambda words: pair(title, claim, claimed, stated, words),
            evidence_words(weighed),
        )
    likely = judge(model, measured, stated.word_count)
    shown: tuple[Passage, Span] | None = None
    met = look_up(claim, passages, read) if claimed.is_cell else None
    if met:
        likely = _looked_up(likely, agrees=met.agrees)
        shown = met.passage, met.span
    elif claimed.is_cell:
        other = roles.contradicted(claimed, stated)
        likely = _parted(likely, _SHOWN if other else _UNSHOWN)
        shown = (other.passage, other.sentence) if other else None
    return Verification(
        verdict=verdict(likely),
        probabilities=likely,
        evidence=proof(claimed, stated, read, first=shown),
        unsupported=marked,
        engine=engine,
    )


def _looked_up(likely: Probabilities, *, agrees: bool) -> Probabilities:
    """Return `likely` where the cell of a source's own table was read."""
    rest = (1 - READ) / max(
        1 - (likely.supported if agrees else likely.contradicted), 1e-9
    )
    return Probabilities(
        supported=READ if agrees else likely.supported * rest,
        partially_supported=likely.partially_supported * rest,
        not_supported=likely.not_supported * rest,
        contradicted=likely.contradicted * rest if agrees else READ,
    )


def verdict(likely: Probabilities) -> Verdict:
    """Return the likeliest verdict; of equal ones, the milder."""
    return max(Verdict, key=likely.of)


def _parted(likely: Probabilities, contradicted: float) -> Probabilities:
    """Return `likely` with this share of what speaks against the claim contradicted."""
    against = likely.not_supported + likely.contradicted
    return replace(
        likely,
        not_supported=against * (1 - contradicted),
        contradicted=against * contradicted,
    )
