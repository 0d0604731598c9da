"""`./dev bench --page DIR` and `--write`: measures everything and writes the page."""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from tests.benchmarks.published import (
    events,
    growing,
    machine,
    pairs,
    parsing,
    path,
    roles,
    stages,
)
from tests.benchmarks.published.page import write
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Made, Section

RESULTS = Path(__file__).parents[2] / "results" / "bench"
PARTS: Mapping[str, Callable[[Sizes], list[Section]]] = {
    "events": events.measured,
    "stages": stages.measured,
    "path": path.measured,
    "parsing": parsing.measured,
    "pairs": pairs.measured,
    "growing": growing.measured,
    "roles": roles.measured,
}


def make(
    folder: Path, sizes: Sizes, command: str, *, parts: Collection[str] = PARTS.keys()
) -> None:
    """Measure the parts that are named and write the page into `folder`."""
    facts = machine.facts(command)
    began = time.monotonic()
    sections = tuple(_sections(sizes, parts))
    took = ("Took", f"{time.monotonic() - began:.0f} s in all")
    write(Made((*facts, took), sections), folder)


def _sections(sizes: Sizes, parts: Collection[str]) -> Iterator[Section]:
    for name, measured in PARTS.items():
        if name not in parts:
            continue
        began = time.monotonic()
        yield from measured(sizes)
        sys.stderr.write(f"bench: {name} measured, {time.monotonic() - began:.0f} s\n")
