"""The three texts a cross-encoder reads: claim, what it is about, evidence. Pure."""

from dataclasses import dataclass

from handlers.citations.claim_features import CELLS, Claimed
from handlers.citations.comparison import Stated
from handlers.citations.neural.evidence import MOST_WORDS, assemble
from handlers.model import Claim

_CONTEXT_WORDS = 24
_PART = " | "


@dataclass(frozen=True, slots=True)
class PairText:
    """A claim beside the evidence that is to bear it out.

    `about` holds what a reader of the article knows: its title, the section and
    the end of the text before the claim (SIDE, "Verification", feeds the same).
    """

    claim: str
    about: str
    evidence: str


def pair(
    title: str,
    claim: Claim,
    claimed: Claimed,
    stated: Stated,
    words: int = MOST_WORDS,
) -> PairText:
    """Return what the network reads to judge `claim` of the article `title`."""
    return PairText(
        sentence(claim),
        about(title, claim),
        assemble(claimed, stated, most_words=words),
    )


def sentence(claim: Claim) -> str:
    """Return the claim's words; of a cell, with what its row and column say first.

    "22" states nothing. "Injuries: 22" does, and can be compared like a sentence.
    """
    headers = [name for name in (claim.row, claim.column) if name]
    if claim.kind not in CELLS or not headers:
        return claim.text
    return f"{', '.join(headers)}: {claim.text}"


def about(title: str, claim: Claim) -> str:
    """Return title, innermost section and the words just before."""
    parts = (
        title,
        claim.section[-1] if claim.section else "",
        " ".join(claim.context.split()[-_CONTEXT_WORDS:]),
    )
    return _PART.join(part for part in parts if part)
