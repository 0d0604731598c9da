"""The three texts a cross-encoder reads: claim, what it is about, evidence. Pure."""

from dataclasses import dataclass

from handlers.citations.claimed import Claimed
from handlers.citations.comparison import Stated
from handlers.citations.neural.evidence import assemble
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


def pair(title: str, claim: Claim, claimed: Claimed, stated: Stated) -> PairText:
    """Return what the network reads to judge `claim` of the article `title`."""
    return PairText(claim.text, about(title, claim), assemble(claimed, stated))


def about(title: str, claim: Claim) -> str:
    """Return title, innermost section, table headers and the words just before."""
    parts = (
        title,
        claim.section[-1] if claim.section else "",
        claim.row or "",
        claim.column or "",
        " ".join(claim.context.split()[-_CONTEXT_WORDS:]),
    )
    return _PART.join(part for part in parts if part)
