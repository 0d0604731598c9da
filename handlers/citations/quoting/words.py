"""Cuts texts into marked and plain pieces, and a quote out of its surroundings. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from handlers.model import Evidence, Span

_BINDING = " \n\t-\N{HYPHEN}\N{NON-BREAKING HYPHEN}–'’"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words, and whether they are marked."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class QuoteInPlace:
    """A quote with a little of what stands around it in the passage.

    `before` and `after` are cut at words; `cut_before` and `cut_after` say
    whether the passage goes on there.
    """

    before: str
    quote: tuple[Piece, ...]
    after: str
    cut_before: bool
    cut_after: bool


def pieces(text: str, marked: Iterable[Span]) -> tuple[Piece, ...]:
    """Cut `text` at the borders of `marked`, which may overlap or stick out."""
    return tuple(piece for piece in _cut(text, marked) if piece.text)


def _cut(text: str, marked: Iterable[Span]) -> Iterator[Piece]:
    done = 0
    for span in sorted(marked, key=lambda span: span.start):
        start, end = max(span.start, done), min(span.end, len(text))
        if start < end:
            yield Piece(text[done:start])
            yield Piece(text[start:end], marked=True)
            done = end
    yield Piece(text[done:])


def joined(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join spans that only a space or a hyphen parts: one mark for one phrase."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if found and _between(text, found[-1], span).strip(_BINDING) == "":
            last = found.pop()
            found.append(Span(last.start, max(last.end, span.end)))
        else:
            found.append(span)
    return tuple(found)


def _between(text: str, one: Span, other: Span) -> str:
    return text[max(one.end, 0) : max(other.start, 0)]


def shifted(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """Return `spans` moved `by` characters, without what falls before 0."""
    moved = (Span(max(span.start + by, 0), span.end + by) for span in spans)
    return tuple(span for span in moved if span.start < span.end)


def quote_in_place(evidence: Evidence, *, around: int = 120) -> QuoteInPlace:
    """Return the quote of `evidence`, with at most `around` characters either side."""
    text, quote = evidence.passage.text, evidence.quote
    start = text.find(quote, max(evidence.span.start - evidence.passage.span.start, 0))
    if start < 0:
        start = max(text.find(quote), 0)
    before, cut_before = _tail(text[:start], around)
    after, cut_after = head(text[start + len(quote) :], around)
    marked = joined(quote, shifted(evidence.matched, -start))
    return QuoteInPlace(
        closed_up(before),
        tuple(Piece(closed_up(one.text), one.marked) for one in pieces(quote, marked)),
        closed_up(after),
        cut_before,
        cut_after,
    )


def closed_up(text: str) -> str:
    """Return `text` without its empty lines, and as it was at both ends."""
    body = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    if not body:
        return _edge(text)
    lead = text[: len(text) - len(text.lstrip())]
    return f"{_edge(lead)}{body}{_edge(text[len(text.rstrip()) :])}"


def _edge(space: str) -> str:
    if not space:
        return ""
    return "\n" if "\n" in space else " "


def _tail(text: str, most: int) -> tuple[str, bool]:
    if len(text) <= most:
        return text, False
    _, _, words = text[-most:].partition(" ")
    return words, True


def head(text: str, most: int) -> tuple[str, bool]:
    """Return at most `most` characters of whole words, and whether more follows."""
    if len(text) <= most:
        return text, False
    words, _, _ = text[:most].rpartition(" ")
    return words, True
