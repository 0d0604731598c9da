"""What the log says of requests: route and status, never who asked, for what, from where.

A fault is told by its kind and by the lines of code that it went through. Its message may
hold what somebody sent, so it is left out.
"""

import traceback
from typing import Any

import structlog

_MOST_LINES = 12
_FAULTS = 500
_REFUSALS = 400


def tell_answer(route: str, method: str, status: int, took_s: float) -> None:
    """Note an answer."""
    log: Any = structlog.get_logger()
    said = log.info if _REFUSALS <= status < _FAULTS else log.debug
    if status >= _FAULTS:
        said = log.warning
    said(
        "api answered",
        route=route,
        method=method,
        status=status,
        took_ms=round(took_s * 1000),
    )


def tell_fault(route: str, error: BaseException) -> None:
    """Note a fault of ours."""
    lines = traceback.extract_tb(error.__traceback__)[-_MOST_LINES:]
    structlog.get_logger().error(
        "fault while answering",
        route=route,
        kind=type(error).__name__,
        lines=[f"{line.filename}:{line.lineno} {line.name}" for line in lines],
    )
