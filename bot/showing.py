"""Hands a report on to whoever shows it; its page is done, whatever becomes of that."""

import asyncio
from collections.abc import Callable

import structlog

from bot.report import PageReport
from handlers.ports import PermanentError, TemporaryError

_TRIES = 3  # with half a minute in between, before the last one


async def show(report: PageReport, shown: Callable[[PageReport], None]) -> None:
    """Give `shown` a report, again where that may help; what it raises is logged.

    It is called in a thread, for a long page takes a second to write.
    """
    for _ in range(_TRIES):
        retry_in_s = await asyncio.to_thread(_shown_or_wait_s, report, shown)
        if retry_in_s is None:
            return
        await asyncio.sleep(retry_in_s)
    await asyncio.to_thread(_shown_or_wait_s, report, shown)


def _shown_or_wait_s(
    report: PageReport, shown: Callable[[PageReport], None]
) -> float | None:
    """Return how long to wait for another try, where one may help."""
    try:
        shown(report)
    except TemporaryError as error:
        structlog.get_logger().warning("report not shown", why=str(error))
        return error.retry_in_s
    except PermanentError as error:
        structlog.get_logger().warning("report not shown", why=str(error))
    except Exception:  # noqa: BLE001 - the page is done
        structlog.get_logger().exception("fault while showing a report")
    return None
