"""`./dev bench`: speed and memory, each as a ratio against a named peer in one run.

Nothing here passes or fails: figures depend on the machine, ratios much less so.
`--page DIR` makes a page of the most important ones, with plots; `--write` puts it
where the repository keeps it.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.benchmarks import (
    connections_bench,
    extraction_bench,
    panel_bench,
    patrol_bench,
    program_bench,
    retrieval_bench,
    stream_bench,
    sweep_bench,
    verification_bench,
    wikitext_bench,
)
from tests.benchmarks.published.making import RESULTS, make
from tests.benchmarks.published.sizes import FULL

_BENCHMARKS: Mapping[str, Callable[[], None]] = {
    "wikitext": wikitext_bench.main,
    "extraction": extraction_bench.main,
    "program": program_bench.main,
    "retrieval": retrieval_bench.main,
    "stream": stream_bench.main,
    "verification": verification_bench.main,
    "connections": connections_bench.main,
    "panel": panel_bench.main,
    "patrol": patrol_bench.main,
}
_LONG: Mapping[str, Callable[[], None]] = {  # only where they are named
    "stream-long": stream_bench.long,
    "sweep": sweep_bench.everything,
}


def main() -> int:
    """Run the benchmarks that are named, or all that are short."""
    match sys.argv[1:]:
        case ["--write"]:
            return _page(RESULTS, "./dev bench --write")
        case ["--page", folder]:
            return _page(Path(folder), "./dev bench --page DIR")
    wanted = sys.argv[1:] or list(_BENCHMARKS)
    known = {**_BENCHMARKS, **_LONG}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(
            f"bench: there is no {unknown[0]!r}; choose from {', '.join(known)}, or"
            " --page DIR, or --write\n"
        )
        return 2
    for name in wanted:
        sys.stdout.write(f"\n== {name} ==\n")
        known[name]()
    return 0


def _page(folder: Path, command: str) -> int:
    make(folder, FULL, command)
    sys.stdout.write(f"the page: {folder.resolve() / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
