"""Tells the columns of a page that was drawn, or typed, line by line across them.

Read as it was drawn, the first half of each sentence is followed by half of another.
Cells of a table are short, so columns are told from them by the length of their lines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_FEWEST_LINES = 6  # in a column
_LEAST_SHARE = 0.4  # of the lines that have more than one part
_LEAST_CHARS = 20  # of a part, on average; cells of a table have fewer
_NARROWEST = 90.0  # points
_SAME_LINE = 2.0  # points
_GRID = 3.0  # points between edges that count as the same
_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
_GAP_SHIFT = 2  # characters that an edge may be off


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece of text, where its line begins on the page."""

    number: int
    left: float
    bottom: float
    chars: int


def columns_of(texts: Sequence[Drawn]) -> tuple[frozenset[int], ...]:
    """Return the numbers of the texts in each column; nothing if they are not mixed.

    Args:
        texts: of a page, in the order in which they are drawn.
    """
    lines = list(_lines(texts))
    edges = [_common_edge(lines)]
    if edges[0] is None:
        return ()
    beyond = [[one for one in line if one.left >= edges[0] - _GRID] for line in lines]
    edges.append(_common_edge([line for line in beyond if line]))
    starts = [edge - _GRID for edge in edges if edge is not None]
    columns: list[set[int]] = [set() for _ in range(len(starts) + 1)]
    for line in lines:
        for one in line:
            columns[sum(one.left >= start for start in starts)].add(one.number)
    return tuple(map(frozenset, columns))


def _lines(texts: Iterable[Drawn]) -> Iterator[list[Drawn]]:
    line: list[Drawn] = []
    for one in texts:
        if line and abs(one.bottom - line[-1].bottom) > _SAME_LINE:
            yield line
            line = []
        line.append(one)
    if line:
        yield line


def _common_edge(lines: Sequence[Sequence[Drawn]]) -> float | None:
    """Return where the second column begins, if the lines have two of prose."""
    wide = [line for line in lines if len(line) > 1]
    found = Counter(
        round(one.left / _GRID)
        for line in wide
        for one in line[1:]
        if one.left - line[0].left >= _NARROWEST
    )
    if not found:
        return None
    step, _ = max(found.items(), key=lambda each: (each[1], -each[0]))
    edge = step * _GRID
    parts = [
        [
            sum(one.chars for one in line if (one.left >= edge - _GRID) == is_right)
            for is_right in (False, True)
        ]
        for line in wide
        if any(abs(one.left - edge) <= _GRID for one in line[1:])
    ]
    is_often = len(parts) >= max(_FEWEST_LINES, _LEAST_SHARE * len(wide))
    if not is_often or min(map(_mean, zip(*parts, strict=True))) < _LEAST_CHARS:
        return None
    return edge


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers)


def are_typed_across(text: str) -> bool:
    """Return whether columns stand side by side in the lines of a text."""
    edges: Counter[int] = Counter()
    parts: dict[int, list[tuple[int, int]]] = {}
    for line in text.split("\n"):
        gaps = list(_GAP.finditer(line))
        if len(gaps) != 1:
            continue
        edge = gaps[0].end() // _GAP_SHIFT
        edges[edge] += 1
        left = len(line[: gaps[0].start()].strip())
        parts.setdefault(edge, []).append((left, len(line) - gaps[0].end()))
    if not edges:
        return False
    [(edge, times)] = edges.most_common(1)
    means = map(_mean, zip(*parts[edge], strict=True))
    return times >= _FEWEST_LINES and min(means) >= _LEAST_CHARS
