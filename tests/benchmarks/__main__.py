"""`./dev bench`: speed and memory, each as a ratio against a named peer in one run.

Nothing here passes or fails: figures depend on the machine, ratios much less so.
"""

import sys
from collections.abc import Callable, Mapping

from tests.benchmarks import (
    connections_bench,
    extraction_bench,
    panel_bench,
    program_bench,
    retrieval_bench,
    stream_bench,
    verification_bench,
    wikitext_bench,
)

_BENCHMARKS: Mapping[str, Callable[[], None]] = {
    "wikitext": wikitext_bench.main,
    "extraction": extraction_bench.main,
    "program": program_bench.main,
    "retrieval": retrieval_bench.main,
    "stream": stream_bench.main,
    "verification": verification_bench.main,
    "connections": connections_bench.main,
    "panel": panel_bench.main,
}
_LONG: Mapping[str, Callable[[], None]] = {  # only where they are named
    "stream-long": stream_bench.long,
}


def main() -> int:
    """Run the benchmarks that are named, or all that are short."""
    wanted = sys.argv[1:] or list(_BENCHMARKS)
    known = {**_BENCHMARKS, **_LONG}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(
            f"bench: there is no {unknown[0]!r}; choose from {', '.join(known)}\n"
        )
        return 2
    for name in wanted:
        sys.stdout.write(f"\n== {name} ==\n")
        known[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
