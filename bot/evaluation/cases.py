"""Turns a row of a data set into what a verifier is given in a real run."""

from dataclasses import dataclass

from bot.evaluation.datasets import Row
from handlers.citations.passages import cut
from handlers.model import Claim, ClaimKind, Passage, SourceText, Span

_SOURCE = "evidence"


@dataclass(frozen=True, slots=True)
class Case:
    """A claim beside the passages of its evidence.

    `sentences` are the places of the row's evidence sentences in the source text
    that the passages were cut from.
    """

    row: Row
    claim: Claim
    passages: tuple[Passage, ...]
    sentences: tuple[Span, ...]


def case(row: Row) -> Case:
    """Join the evidence to one source, a line each, and cut it as a real one."""
    text = "\n".join(row.evidence)
    claim = Claim(
        text=row.claim,
        kind=ClaimKind.SENTENCE,
        span=Span(0, len(row.claim)),
        section=row.section,
        context=row.context,
        sentence=row.claim,
        citations=(),
    )
    return Case(row, claim, cut(SourceText(text), _SOURCE), _places(row.evidence))


def _places(evidence: tuple[str, ...]) -> tuple[Span, ...]:
    places = []
    start = 0
    for sentence in evidence:
        places.append(Span(start, start + len(sentence)))
        start += len(sentence) + 1
    return tuple(places)
