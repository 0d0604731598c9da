"""Whether a new fact shows that a statement of the article no longer holds. Pure."""

from handlers.ports import Verifier
from handlers.updates.entailing import refutes


async def outdated(verifier: Verifier, title: str, statement: str, fact: str) -> float:
    """Return the probability that `statement` and `fact` cannot both hold.

    Which of them is the newer one is for the caller to know.

    Args:
        verifier: judges; give a `Remembering` one where the same is asked again.
        title: of the article.
        statement: what the article says, plain.
        fact: what a source says, plain.
    """
    return await refutes(verifier, title, fact, [statement])
