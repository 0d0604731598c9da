"""Renders the status in Prometheus's text format.

The library writes the format; it is given a collector that holds one look, in a
registry of its own, so that nothing of this process is mixed in. All are gauges, since
what the database keeps can be swept.
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.daemon.status.metrics.finding import costs, decided, findings, notes
from bot.daemon.status.metrics.running import feeds, program
from bot.daemon.status.metrics.working import posts, work
from bot.daemon.status.situation import Situation

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PARTS = (program, feeds, work, posts, notes, decided, findings, costs)


def render_metrics(situation: Situation) -> str:
    """Return all metrics, each with its help line."""
    registry = CollectorRegistry()
    registry.register(_Look(situation))
    return generate_latest(registry).decode()


class _Look(Collector):
    """What was seen once."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the metrics in the order that work goes through."""
        for part in _PARTS:
            yield from part(self._situation)
