"""Events through intake, beside pywikibot's EventStreams and plain sseclient."""

from collections import defaultdict

from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section
from tests.benchmarks.stream_bench import measure, served
from tests.benchmarks.stream_clients import CLIENTS, OURS, PROGRAM, Figures


def measured(sizes: Sizes) -> list[Section]:
    """Return events a second, CPU time and memory, of clients that took turns."""
    if not sizes.events:
        return []
    kept: defaultdict[str, list[Figures]] = defaultdict(list)
    troubles: dict[str, str] = {}
    with served() as address:
        for _ in range(sizes.rounds):
            for name in CLIENTS:
                figures = measure(name, address, f"fast-{sizes.events}", sizes.events)
                if isinstance(figures, Figures):
                    kept[name].append(figures)
                else:
                    troubles[name] = figures
    counted = (
        f"n = {sizes.events:,} made-up events of all wikis over HTTP on loopback, as fast"
        " as they go; 3 to 4 in 100 pass the filter. Ours also drops what comes twice and"
        " commits pages and position to a SQLite file; the others only filter. The"
        " program's own filter keeps talk pages, too."
    )
    formula = (
        "From before a client connects until it has the last event, and ours has"
        " committed it: events by the clock on the wall, CPU time divided by events, most"
        " memory ever held. Each client runs in a process of its own, with all imported"
        " before."
    )
    left_out = tuple(f"{name}: {why}" for name, why in troubles.items())
    return [
        Comparison(
            key,
            title,
            unit,
            counted,
            formula,
            tuple(
                Bar(
                    name,
                    tuple(float(getattr(one, field)) / by for one in found),
                    is_peer=name not in {OURS, PROGRAM},
                )
                for name, found in kept.items()
            ),
            left_out,
        )
        for key, title, unit, field, by in (
            (
                "events-rate",
                "Events a second",
                "thousand events a second",
                "per_s",
                1e3,
            ),
            (
                "events-cpu",
                "CPU time of an event",
                "microseconds of CPU",
                "cpu_us",
                1.0,
            ),
            (
                "events-memory",
                "Memory of who reads events",
                "MiB at most",
                "peak_mib",
                1.0,
            ),
        )
    ]
