"""The passages of the sources that a claim cites, analysed once for all claims.

A source may have megabytes and be cited by hundreds of claims. Analysing its text takes
seconds, so what a claim is looked up in is kept: the terms of each passage, which stems
occur at all, the measures, the years and the tables. The analyses themselves are not
kept, since they take a hundred times the memory of the text. Pure.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from typing import TypeAlias

import bm25s
import numpy as np
import numpy.typing as npt

from handlers.citations.passages import windows
from handlers.model import Passage
from handlers.text.analysis import StemIndex, TextAnalysis
from handlers.text.numbers import Quantity

Analyser: TypeAlias = Callable[[str], TextAnalysis]
Line: TypeAlias = tuple[str, int]  # with its place in the source
_OTHER = "\0"  # never a term of a text
YEAR = "year"  # the stem of "years"
_LOOKS_DATED = re.compile(r"\d{3,4}")


@dataclass(frozen=True, slots=True)
class AnalysedSource:
    """What is kept of the passages of one source.

    `terms` are the stems of the content words of each passage; `measures` are measures
    and numbers of years, each with the number of its passage.
    """

    passages: tuple[Passage, ...]
    terms: tuple[tuple[str, ...], ...]
    stems: frozenset[str]
    word_count: int
    measures: tuple[tuple[int, Quantity], ...]


def analysed(passages: Sequence[Passage], analyse: Analyser) -> AnalysedSource:
    """Read all passages of one source."""
    same: dict[str, str] = {}  # each stem is kept once
    terms: list[tuple[str, ...]] = []
    stems: set[str] = set()
    measures: list[tuple[int, Quantity]] = []
    count = reached = 0
    for number, passage in enumerate(passages):
        analysis = analyse(passage.text)
        terms.append(
            tuple(same.setdefault(word.stem, word.stem) for word in analysis.content)
        )
        stems |= analysis.stems
        measures += [
            (number, one)
            for one in analysis.quantities
            if one.measure or one.unit == YEAR
        ]
        # Each word counts once, although passages overlap.
        after = reached - passage.span.start
        count += sum(word.start >= after for word in analysis.words)
        reached = max(passage.span.end, reached)
    return AnalysedSource(
        tuple(passages), tuple(terms), frozenset(stems), count, tuple(measures)
    )


@dataclass(frozen=True)
class Corpus:
    """The sources of a claim, as they are looked up; each with another key."""

    sources: tuple[AnalysedSource, ...]

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All passages, in the order of the sources."""
        return tuple(one for source in self.sources for one in source.passages)

    @cached_property
    def word_count(self) -> int:
        """The words of the sources, each once."""
        return sum(source.word_count for source in self.sources)

    @cached_property
    def index(self) -> StemIndex:
        """Which stems occur anywhere."""
        return StemIndex(frozenset().union(*(one.stems for one in self.sources)))

    @cached_property
    def _terms(self) -> list[tuple[str, ...]]:
        return [terms for source in self.sources for terms in source.terms]

    @cached_property
    def _ranking(self) -> "_Ranking":
        return _Ranking(self._terms)

    def scores(self, query: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the BM25 score of each passage."""
        return self._ranking.scores(query)

    @cached_property
    def measures(self) -> Mapping[str, Sequence[tuple[Passage, Quantity]]]:
        """The measures by dimension, and numbers of years by "", in order."""
        found: dict[str, list[tuple[Passage, Quantity]]] = {}
        for source in self.sources:
            for number, one in source.measures:
                dimension = one.measure.dimension if one.measure else ""
                found.setdefault(dimension, []).append((source.passages[number], one))
        return found

    def years_apart(self, analyse: Analyser) -> Mapping[float, tuple[int, int]]:
        """Return, for each number of years, the first two in one sentence so far apart."""
        known: dict[float, tuple[int, int]] | None = self.__dict__.get("_years_apart")
        if known is None:
            known = {}
            for passage in self.passages:
                if len({*_LOOKS_DATED.findall(passage.text)}) > 1:
                    for first, second in _years(passage.text, analyse):
                        known.setdefault(second - first, (first, second))
            self.__dict__["_years_apart"] = known
        return known

    @cached_property
    def tables(self) -> tuple["Table", ...]:
        """What looks like a table, in order."""
        return tuple(
            table for source in self.sources for table in tables(source.passages)
        )


def read_corpus(passages: Iterable[Passage], analyse: Analyser) -> Corpus:
    """Read the passages of all sources, those of each one after another."""
    runs = groupby(passages, key=attrgetter("source_key"))
    return Corpus(tuple(analysed(tuple(run), analyse) for _, run in runs))


def _years(text: str, analyse: Analyser) -> Iterator[tuple[int, int]]:
    for span in windows(text):
        years = sorted(
            {date.year for date in analyse(span.of(text)).dates if date.year}
        )
        yield from ((one, other) for one in years for other in years if one != other)


# --- ranking ---


class _Ranking:
    """Ranks texts; the index of all terms is only made for a second query."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._texts = texts
        self._is_asked = False

    def scores(self, query: Sequence[str]) -> npt.NDArray[np.float32]:
        if not self._is_asked:
            self._is_asked = True
            return bm25(query, self._texts)
        index, terms = self._index
        known = [term for term in query if term in terms]
        if not known:
            return np.zeros(len(self._texts), dtype=np.float32)
        scores: npt.NDArray[np.float32] = index.get_scores(known)
        return scores

    @cached_property
    def _index(self) -> tuple[bm25s.BM25, frozenset[str]]:
        terms = frozenset().union(*self._texts)
        index = bm25s.BM25()
        if terms:
            index.index([list(one) for one in self._texts], show_progress=False)
        return index, terms


def bm25(
    query: Sequence[str], corpus: Sequence[Sequence[str]]
) -> npt.NDArray[np.float32]:
    """Return the BM25 score of each text of `corpus`.

    A term that is twice in the query counts twice.

    The library weighs each term of a corpus. Terms that are not in the query only add
    to the length of a text, so they are all passed as one and the same term: no score
    changes, and a corpus that is queried only once is weighed in a fraction of the
    time.

    Args:
        query: the terms looked for.
        corpus: the terms of each text; rarity is counted over all of them.
    """
    queried = frozenset(query)
    texts = [
        [term if term in queried else _OTHER for term in terms] for terms in corpus
    ]
    present = set().union(*texts)
    known = [term for term in query if term in present]
    if not known:
        return np.zeros(len(corpus), dtype=np.float32)
    index = bm25s.BM25()
    index.index(texts, show_progress=False)
    scores: npt.NDArray[np.float32] = index.get_scores(known)
    return scores


# --- tables ---

BAR = " | "
_FEWEST_ROWS, _FEWEST_CELLS = 2, 2
_NOTES = "¹²³⁴⁵⁶⁷⁸⁹⁰"


@dataclass(frozen=True)
class Table:
    """Lines with equally many cells, the first being the head; of these passages."""

    lines: tuple[Line, ...]
    passages: tuple[Passage, ...]

    @cached_property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The cells of each line."""
        return tuple(tuple(line.split(BAR)) for line, _ in self.lines)

    @cached_property
    def _labels(self) -> dict[int | None, tuple[frozenset[str], ...]]:
        return {}

    def labels(
        self, column: int | None, analyse: Analyser
    ) -> tuple[frozenset[str], ...]:
        """Return the words of each cell of a column; of the head, if it is `None`."""
        if column not in self._labels:
            head, *rows = self.cells
            cells = head if column is None else [row[column] for row in rows]
            self._labels[column] = tuple(words_of(analyse(one)) for one in cells)
        return self._labels[column]


def words_of(text: TextAnalysis) -> frozenset[str]:
    """Return the words of a cell, without marks of notes."""
    return frozenset(word.lowered.rstrip(_NOTES) for word in text.words)


def tables(passages: Sequence[Passage]) -> Iterator[Table]:
    """Yield runs of lines with equally many cells.

    A line with one cell fewer above them may be their header, with an empty corner left
    out: then they are also yielded with it.
    """
    own = tuple(passages)
    lines = [(len(line.split(BAR)), line, start) for line, start in _lines(own)]
    runs = [[*run] for _, run in groupby(lines, key=itemgetter(0))]
    for above, run in pairwise([[], *runs]):
        cells = run[0][0]
        table = tuple((line, start) for _, line, start in run)
        if cells < _FEWEST_CELLS:
            continue
        if above and above[-1][0] == cells - 1 >= _FEWEST_CELLS:
            yield Table(((BAR + above[-1][1], above[-1][2]), *table), own)
        if len(table) >= _FEWEST_ROWS:
            yield Table(table, own)


def _lines(passages: Sequence[Passage]) -> Iterator[Line]:
    """Yield the lines of a source, each once although passages overlap."""
    reached = -1
    for one in sorted(passages, key=lambda each: each.span.start):
        start = one.span.start
        for line in one.text.split("\n"):
            if start > reached:
                yield line.strip(), start
                reached = start
            start += len(line) + 1
