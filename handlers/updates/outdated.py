"""Whether a new fact shows that a statement of the article no longer holds. Pure."""

from handlers.ports import Verifier
from handlers.updates.entailing import judged

# From here on a statement counts as refuted. Chosen on the revisions of VitaminC's
# training file whose articles were kept from the network (1,090 rows of 176 articles,
# see `bot.training.verifier.labelled.is_held_out`): F1 is flat from 0.1 to 0.4 (0.79
# to 0.81), precision is not (0.68 to 0.73), so the highest of these.
OUTDATED_FROM = 0.4


async def outdated(verifier: Verifier, title: str, statement: str, fact: str) -> float:
    """Return the probability that `statement` refutes `fact`, which it does not say.

    Which of them is the newer one is for the caller to know, and so is that the
    statement does not bear the fact out: of what is left, it is the share of
    "contradicted" beside "not supported". The fact is the claim and the statement the
    evidence, because facts are short and statements say more than they need; the
    other way round the model's answer is worth little (AUROC 0.56 beside 0.84 on the
    revisions of VitaminC, dev).

    Args:
        verifier: judges; give a `Remembering` one where the same is asked again.
        title: of the article.
        statement: what the article says, plain.
        fact: what a source says, plain.
    """
    likely = await judged(verifier, title, fact, [statement])
    against = likely.contradicted + likely.not_supported
    return likely.contradicted / against if against else 0.0
