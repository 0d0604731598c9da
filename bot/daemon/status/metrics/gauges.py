"""One metric with its rows. Pure."""

from collections.abc import Iterable
from typing import TypeAlias

from prometheus_client.core import GaugeMetricFamily

Row: TypeAlias = tuple[tuple[str, ...], float]
"""The values of the labels, and the number."""


def gauge(
    name: str, about: str, labels: tuple[str, ...], rows: Iterable[Row]
) -> GaugeMetricFamily:
    """Return a gauge; `name` is without the program's own."""
    family = GaugeMetricFamily(f"sidenote_{name}", about, labels=labels)
    for values, number in rows:
        family.add_metric(values, number)
    return family
