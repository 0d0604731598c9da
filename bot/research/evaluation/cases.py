"""Turns a row of a data set into what a verifier is given in a real run."""

from dataclasses import dataclass, replace

from bot.research.evaluation.datasets import Row
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
    text = SourceText("\n".join(row.evidence), title=row.page_title or None)
    return Case(row, _claim(row), cut(text, _SOURCE), _places(row.evidence))


def _claim(row: Row) -> Claim:
    claim = Claim(
        text=row.claim,
        kind=ClaimKind.SENTENCE,
        span=Span(0, len(row.claim)),
        section=row.section,
        context=row.context,
        sentence=row.claim,
        citations=(),
    )
    return _as_cell(claim, row.header) if row.header else claim


def _as_cell(claim: Claim, header: str) -> Claim:
    """Return the claim as the cell that `header` tells: what holds it, row, column.

    An infobox has fields only. Articles rarely caption their tables; what is above a
    table then is its heading, so a caption stands for that where none is known.
    """
    holder, _, place = header.partition(", ")
    word, _, caption = holder.partition(" ")
    section = claim.section or ((caption,) if caption else ())
    if word == "Infobox":
        kind, row, column = ClaimKind.INFOBOX_VALUE, place, ""
    else:
        kind = ClaimKind.TABLE_CELL
        row, comma, column = place.rpartition(", ")
        row, column = (row, column) if comma else (place or holder, "")
    return replace(
        claim, kind=kind, section=section, row=row or None, column=column or None
    )


def _places(evidence: tuple[str, ...]) -> tuple[Span, ...]:
    places = []
    start = 0
    for sentence in evidence:
        places.append(Span(start, start + len(sentence)))
        start += len(sentence) + 1
    return tuple(places)
