"""Cuts the input into portions, the same ones whoever does the work and how often."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import TypeAlias

from bot.research.sweep.dump_layout import (
    DumpForm,
    RawPages,
    Streams,
    default_index,
    form_of_dump,
    read_index,
    stream_starts,
)
from bot.research.sweep.dump_pages import BrokenPage, DumpPage, read
from bot.research.sweep.rows import DamagedStream, Portion, PortionKind
from bot.research.sweep.shards import SweepFolder, set_aside
from bot.wiki.address import parse_address
from handlers.ports import PermanentError

_ENDINGS = frozenset({".wikitext", ".wiki", ".mediawiki", ".txt"})
_PORTIONS = 200  # target for one dump, within these bounds:
_MOST_STREAMS = 50  # of about a hundred pages each
_BYTES_SET_ASIDE = 32 * 1024**2
_FILES = 50
_TITLES = 100

Given: TypeAlias = Callable[[Sequence[str]], Iterator[DumpPage | BrokenPage]]
"""Reads pages of a wiki by their titles."""


@dataclass(frozen=True, slots=True)
class Input:
    """What is swept: dumps, folders of wikitext, and titles of a wiki's pages."""

    places: tuple[Path, ...]
    titles: tuple[str, ...] = ()
    index: Path | None = None
    wiki: str | None = None

    @property
    def host(self) -> str | None:
        """Return the wiki as the tables name it, however its address was written."""
        return parse_address(self.wiki).host if self.wiki else None

    def index_of(self, place: Path) -> Path | None:
        """Return the index of a dump: the one that was named, or the one beside it."""
        return self.index or (None if place.is_dir() else default_index(place))


@dataclass(slots=True)
class Cutter:
    """Cuts one input.

    Portions that are done are skipped, and no pages are set aside for them. For inputs
    that are read from beginning to end, `damaged` is filled once they have been read.
    """

    given: Input
    folder: SweepFolder
    read_titles: Given
    damaged: list[DamagedStream] = field(default_factory=list)
    pages_aside: int = 250  # in a portion of an input read from beginning to end
    _plans: list[list[Portion] | None] = field(default_factory=list)

    def plan(self) -> None:
        """Find out where the input can be cut; reads all of a dump without index."""
        self._plans = [self._plan(place) for place in self.given.places]

    def total(self) -> int | None:
        """Return how many portions there are; `None` if not known in advance."""
        plans = [plan for plan in self._plans if plan is not None]
        if len(plans) < len(self._plans):
            return None
        return -(-len(self.given.titles) // _TITLES) + sum(map(len, plans))

    def portions(self) -> Iterator[Portion]:
        done = self.folder.done()
        numbers = count()
        for place, plan in zip(self.given.places, self._plans, strict=True):
            if plan is None:
                yield from self._in_order(place, numbers, done)
                continue
            for number, portion in zip(islice(numbers, len(plan)), plan, strict=True):
                if number not in done:
                    yield replace(portion, number=number)
        yield from self._titled(numbers, done)

    def _plan(self, place: Path) -> list[Portion] | None:
        """Return an input's portions, unnumbered; `None` if to be read in order."""
        if place.is_dir():
            return self._files(place)
        shape = form_of_dump(place)
        wiki = self.given.host or shape.wiki or "file"
        if shape.form is DumpForm.XML:
            return None
        index = self.given.index_of(place)
        streams = read_index(index, place) if index else stream_starts(place)
        return _of_streams(place, wiki, streams) if streams else None

    def _files(self, place: Path) -> list[Portion]:
        names = sorted(
            path.name
            for path in place.iterdir()
            if path.suffix.lower() in _ENDINGS and path.is_file()
        )
        if not names:
            endings = ", ".join(sorted(_ENDINGS))
            raise PermanentError(f"{place} has no wikitext files ({endings})")
        wiki = self.given.host or ""
        return [
            Portion(0, PortionKind.FILES, str(place), wiki, files=tuple(some))
            for some in _in_parts(names, _FILES)
        ]

    def _in_order(
        self, place: Path, numbers: Iterator[int], done: frozenset[int]
    ) -> Iterator[Portion]:
        """Read a dump from beginning to end, setting its pages aside for workers."""
        known = self.folder.ended(place)
        if known is not None:
            mine = list(islice(numbers, known[0]))
            self.damaged += known[1]
            if done.issuperset(mine):
                return
            numbers = iter([*mine])
        shape = form_of_dump(place)
        wiki = self.given.host or shape.wiki or "file"
        source = RawPages(place, shape.form)
        portions = 0
        for part in _bounded(source, self.pages_aside):
            number = next(numbers)
            portions += 1
            if number not in done:
                pages = [read(one) if isinstance(one, bytes) else one for one in part]
                yield self._aside(number, wiki, pages)
        if known is None:
            damaged = _damage(place, source.offset, source.reason)
            self.damaged += damaged
            self.folder.end(place, portions, damaged)

    def _titled(
        self, numbers: Iterator[int], done: frozenset[int]
    ) -> Iterator[Portion]:
        wiki = self.given.host or ""
        for titles in _in_parts(self.given.titles, _TITLES):
            number = next(numbers)
            if number not in done:
                yield self._aside(number, wiki, list(self.read_titles(titles)))

    def _aside(
        self, number: int, wiki: str, pages: list[DumpPage | BrokenPage]
    ) -> Portion:
        path = self.folder.passing(number)
        set_aside(path, pages)
        return Portion(
            number, PortionKind.TEXTS, str(path.resolve()), wiki, is_passing=True
        )


def _bounded(
    pages: Iterable[bytes | BrokenPage], most: int
) -> Iterator[list[bytes | BrokenPage]]:
    """Yield pages in parts, none with too many pages or bytes."""
    part: list[bytes | BrokenPage] = []
    held_bytes = 0
    for page in pages:
        part.append(page)
        held_bytes += len(page) if isinstance(page, bytes) else 0
        if len(part) == most or held_bytes > _BYTES_SET_ASIDE:
            yield part
            part, held_bytes = [], 0
    if part:
        yield part


def _damage(place: Path, offset: int, reason: str | None) -> list[DamagedStream]:
    if reason is None:
        return []
    message = f"{reason}; the rest could not be read"
    return [DamagedStream(file=place.name, offset=offset, reason=message)]


def _of_streams(place: Path, wiki: str, streams: Streams) -> list[Portion]:
    size = min(_MOST_STREAMS, max(1, -(-len(streams.starts) // _PORTIONS)))
    ends = (*streams.starts[1:], streams.end)
    path = str(place.resolve())
    return [
        Portion(
            0,
            PortionKind.STREAMS,
            path,
            wiki,
            starts=streams.starts[first : first + size],
            end=ends[min(first + size, len(ends)) - 1],
            expected=streams.pages[first : first + size],
        )
        for first in range(0, len(streams.starts), size)
    ]


def _in_parts(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(names), size):
        yield names[first : first + size]
