"""A statement laid beside the text of a page, just as a claim is in use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from bot.training.verifier.pair import Mark
from bot.training.verifier.web_articles import Statement
from handlers.citations.claimed import Claimed, prepare
from handlers.citations.comparison import Reader, Sentence, Stated, gather, recall
from handlers.citations.cues.rarity import Rarity
from handlers.citations.neural.evidence import assemble
from handlers.citations.neural.pairs import PairText, about
from handlers.model import Claim, ClaimKind, Passage, Span

# Passages that a changed claim is compared with; those further off say nothing to it.
_NEAREST = 20


@dataclass(frozen=True, slots=True)
class Beside:
    """A statement, read as a claim, and what a page says to it."""

    statement: Statement
    claim: Claim
    claimed: Claimed
    stated: Stated

    @property
    def recall(self) -> float:
        """Return the share of the claim's words that the page holds."""
        return recall(self.claimed.all_weights, self.stated.everywhere)

    @property
    def passages(self) -> list[Passage]:
        """Return the passages of the page that are nearest to the claim."""
        return [each.passage for each in self.stated.ranked[:_NEAREST]]

    def text(self) -> PairText:
        """Return what the network reads."""
        return self.beside(assemble(self.claimed, self.stated))

    def beside(self, evidence: str) -> PairText:
        """Return what the network reads with another evidence text."""
        return PairText(
            self.claim.text, about(self.statement.title, self.claim), evidence
        )


class Table:
    """Where statements are laid beside pages, with one reader and one seed."""

    def __init__(self, rarity: Rarity, read: Reader, draws: Random) -> None:
        self.read = read
        self.draws = draws
        self._rarity = rarity

    def lay(self, statement: Statement, passages: Sequence[Passage]) -> Beside:
        """Read `statement` and the passages of a page, and compare them."""
        claim = _claim(statement)
        claimed = prepare(claim, statement.title, self._rarity, self.read)
        stated = gather(claimed, statement.title, passages, self.read)
        return Beside(statement, claim, claimed, stated)

    def missing_marks(
        self, claim: Claim, missing: Mapping[str, float]
    ) -> tuple[Mark, ...]:
        """Mark the words of the claim that are `missing` as not supported."""
        return tuple(
            Mark(word.start, word.end, supported=False)
            for word in self.read(claim.text).content
            if word.stem in missing
        )


def missing(claimed: Claimed, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the stems of the claim that none of the sentences holds, with weights."""
    return {
        stem: weight
        for stem, weight in claimed.all_weights.items()
        if not any(one.borne.get(stem, 0.0) for one in sentences)
    }


def _claim(statement: Statement) -> Claim:
    return Claim(
        text=statement.text,
        kind=ClaimKind.SENTENCE,
        span=Span(0, len(statement.text)),
        section=(),
        context=statement.before,
        sentence=statement.text,
        citations=(),
    )
