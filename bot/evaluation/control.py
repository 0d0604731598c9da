"""Each claim beside the evidence of another row: what its words alone give away.

Claims written to be true, to be wrong and to be absent may differ in length and style. A
judge that tells them apart beside a page that speaks of something else has learned
that, not to read. What its score on a set is worth is how far it rises above this one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot.evaluation.datasets import DataSet, Row
from handlers.ports import PermanentError


def with_others_evidence(data: DataSet) -> DataSet:
    """Return the rows of `data`, each with the evidence of another of its set.

    Every row's evidence is used once, and the same rows always get the same. No row
    gets evidence of its own page or pair, nor of its own article if every row can be
    spared that. The title, section and header stay with the claim.

    Raises:
        PermanentError: most rows of a set have the same page.
    """
    names = dict.fromkeys(row.set for row in data.rows)
    swapped = {
        at: row
        for name in names
        for at, row in _swapped(
            [(at, row) for at, row in enumerate(data.rows) if row.set == name]
        )
    }
    return replace(data, rows=tuple(swapped[at] for at in range(len(data.rows))))


def _swapped(rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    # Rows of a page stand together, and pairs within it, so that both sides of a pair
    # mostly get the same other page.
    ordered = sorted(
        rows, key=lambda one: (one[1].group, one[1].evidence, one[1].pair, one[1].id)
    )
    shift = _shift([row for _, row in ordered])
    for place, (at, row) in enumerate(ordered):
        _, other = ordered[(place + shift) % len(ordered)]
        yield (
            at,
            replace(
                row,
                evidence=other.evidence,
                page_title=other.page_title,
                address=other.address,
                supporting=(),
            ),
        )


def _shift(rows: Sequence[Row]) -> int:
    """Return by how many places the evidence moves on so that all rows are apart."""
    for are_apart in (_of_other_articles, _of_other_pages):
        for shift in range(1, len(rows)):
            moved = (*rows[shift:], *rows[:shift])
            if all(map(are_apart, rows, moved)):
                return shift
    raise PermanentError(
        f"the rows of the set {rows[0].set!r} cannot be judged with another row's"
        " evidence: most of them have the same page"
    )


def _of_other_articles(one: Row, other: Row) -> bool:
    return one.group != other.group and _of_other_pages(one, other)


def _of_other_pages(one: Row, other: Row) -> bool:
    is_pair = bool(one.pair) and one.pair == other.pair
    return one.evidence != other.evidence and not is_pair
