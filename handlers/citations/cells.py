"""What a table of a source says where the row and the column of a cell meet.

That says more of a cell of a table or an infobox than any comparison of words. Tables
are extracted from pages as lines of cells separated by " | ", the first line being the
header. A label is found by its words; if two match equally well, or none does, nothing
is looked up. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.citations.corpus import Analyser, Corpus, Line, Table, words_of
from handlers.citations.values import same, values_of
from handlers.model import Claim, Passage, Span
from handlers.text.analysis import TextAnalysis

_LABELS = 2  # how many columns may name a row: the first, or the one after a number
_ALIKE = 0.5  # share of common words from which two labels match


@dataclass(frozen=True, slots=True)
class CellMatch:
    """What a source says where the claim's row and column meet.

    `span` is the place of its line in the text of `passage`; `agrees` says whether it
    is the claim's value.
    """

    passage: Passage
    span: Span
    agrees: bool


def find_cell(claim: Claim, corpus: Corpus, analyse: Analyser) -> CellMatch | None:
    """Return what a table that has the claim's row and column says.

    A cell that agrees comes before any that do not. One that does not only counts if it
    is the only one: with several such tables, none of them may be the claim's. `None`
    if no table has both row and column, or no such cell can be compared.
    """
    matches = tuple(_matches(claim, corpus, analyse))
    agreeing = next((one for one in matches if one.agrees), None)
    return agreeing or (matches[0] if len(matches) == 1 else None)


def _matches(claim: Claim, corpus: Corpus, analyse: Analyser) -> Iterator[CellMatch]:
    if not claim.row or not claim.column:
        return
    for table in corpus.tables:
        for row, column in ((claim.row, claim.column), (claim.column, claim.row)):
            cell = _look_up(table, analyse(row), analyse(column), analyse)
            agrees = cell and _agrees(analyse(claim.text), analyse(cell[0]))
            if cell and agrees is not None:
                yield _placed(cell[1], table.passages, agrees=agrees)


def _look_up(
    table: Table, row: TextAnalysis, column: TextAnalysis, analyse: Analyser
) -> tuple[str, Line] | None:
    """Return the cell in this row and column, with its line."""
    at = _best(column, table.labels(None, analyse))
    if at is None:
        return None
    for labels in range(min(at, _LABELS)):
        down = _best(row, table.labels(labels, analyse))
        if down is not None:
            return table.cells[down + 1][at], table.lines[down + 1]
    return None


def _best(label: TextAnalysis, others: Sequence[frozenset[str]]) -> int | None:
    """Return which of the others has the words of `label`; `None` if unclear."""
    mine = words_of(label)
    shares = [_alike(mine, other) for other in others]
    best = max(shares, default=0.0)
    is_named = any(map(str.isalpha, label.text))  # a number must match exactly
    if best < (_ALIKE if is_named else 1) or shares.count(best) > 1:
        return None
    return shares.index(best)


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> float:
    if not mine or not theirs:
        return 0.0
    if len(mine) == len(theirs) == 1 and _abbreviates(*theirs, *mine):
        return _ALIKE
    return len(mine & theirs) / len(mine | theirs)


def _abbreviates(short: str, word: str) -> bool:
    """Return whether the letters of `short` occur in `word` in order: "Pts"."""
    rest = iter(word)
    begins = short.isalpha() and short[0] == word[0]  # numbers are not abbreviated
    return begins and all(letter in rest for letter in short)


def _agrees(claimed: TextAnalysis, stated: TextAnalysis) -> bool | None:
    """Return whether two cells say the same; `None` where that cannot be told."""
    if words_of(claimed) == words_of(stated) and claimed.words:
        return " ".join(claimed.text.split()) == " ".join(stated.text.split()) or None
    mine, theirs = tuple(values_of(claimed)), tuple(values_of(stated))
    if len(mine) == len(theirs) == 1 and type(mine[0]) is type(theirs[0]):
        return same(mine[0], theirs[0])
    return True if _is_short_for(claimed, stated) else None


def _is_short_for(claimed: TextAnalysis, stated: TextAnalysis) -> bool:
    """Return whether one name is the other with initials: "I. Carvalho"."""
    mine = [word.lowered for word in claimed.words]
    theirs = [word.lowered for word in stated.words]
    return len(mine) == len(theirs) > 1 and all(
        one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])
        for one, other in zip(mine, theirs, strict=True)
    )


def _placed(line: Line, passages: Sequence[Passage], *, agrees: bool) -> CellMatch:
    text, start = line
    for one in passages:
        at = one.text.find(text, max(0, start - one.span.start))
        if one.span.start <= start < one.span.end and at >= 0:
            return CellMatch(one, Span(at, at + len(text)), agrees)
    raise AssertionError("each line is of a passage")
