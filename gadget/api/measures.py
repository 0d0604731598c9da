"""Counts what is answered, for the operator's metrics: by route, never by who asks."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


class Measures:
    """What one process answered since it began."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "sidenote_api_requests",
            "Requests to the panel's API that this process answered.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._times = Histogram(
            "sidenote_api_request_seconds",
            "How long they took; event streams are not among them.",
            ("route",),
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._streams = Gauge(
            "sidenote_api_event_streams",
            "Event streams that are open.",
            registry=self._registry,
        )

    def answered(
        self, route: str, method: str, status: int, took_s: float | None
    ) -> None:
        """Count an answer; `took_s` is missing for an event stream."""
        told = method if method in _METHODS else "other"
        self._answers.labels(route, told, str(status)).inc()
        if took_s is not None:
            self._times.labels(route).observe(took_s)

    def streams(self, count: int) -> None:
        """Note how many event streams are open."""
        self._streams.set(count)

    def text(self) -> str:
        """Return all of it in Prometheus's text format."""
        return generate_latest(self._registry).decode()
