"""A portion of the input: what one task reads, and all that it needs to know. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any


class PortionKind(Enum):
    """What a portion is a part of."""

    STREAMS = "streams of a multistream dump"
    SPAN = "a span of plain XML"
    TEXTS = "pages that were set aside"
    FILES = "files of wikitext"


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of the input that is read by one worker and becomes one shard.

    `starts` and `end` are places in the file `place`, in bytes; `expected` tells how
    many pages each stream has, where an index says so. A file that is `passing` was
    made for this portion alone, and goes when its shard is there.
    """

    number: int
    kind: PortionKind
    place: str
    wiki: str
    starts: tuple[int, ...] = ()
    end: int = 0
    expected: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    is_passing: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pages of the input are swept."""

    namespaces: frozenset[int] = frozenset({0})
    redirects: bool = False


@dataclass(frozen=True, slots=True)
class SweepOrder:
    """What the children of all workers are told; it travels pickled."""

    folder: Path
    wanted: Wanted
    settings: Mapping[str, Any]
    sources: Path | None
    uses_cache: bool
    page_s: float
    version: str  # of the program that orders it
