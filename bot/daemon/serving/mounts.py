"""What else is answered on the listener, by parts that guard themselves.

The operator's pages are for the operator; what the public may ask for stands beside them,
under prefixes of its own, and takes nothing of their guard: neither its names nor its
headers nor its time-out.
"""

from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

from bot.daemon.status.to_html import Door


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Mount:
    """An application and the prefix that its paths stand under, such as `/api/v1`.

    An application can be mounted once, and for the life of one listener. `metrics` gives
    what it counts in Prometheus's text format, for the operator's `/metrics`. With a
    `door` it has pages for people, and the first page leads there.
    """

    prefix: str
    app: web.Application
    metrics: Callable[[], str] = _nothing
    door: Door | None = None


def is_mounted(request: web.Request) -> bool:
    """Tell whether an application below that of the listener answers, if only 404."""
    return len(request.match_info.apps) > 1
