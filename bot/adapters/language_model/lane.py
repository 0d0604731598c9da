"""The way of requests past the purse of a day, which many processes share.

Once the cap is reached the lane sleeps: the purse is not asked again for requests of
that size until the next day, or for some minutes where somebody may raise the cap.
Where the purse cannot be reached nothing is sent, for nobody knows what was spent.
"""

import asyncio
import time
from decimal import Decimal

import structlog

from bot.adapters.language_model.failures import OutOfBudgetError
from bot.spending import Denied, Granted, Purse
from handlers.ports import PermanentError, TemporaryError

_LONGEST_SLEEP_S = 600.0


class Lane:
    """For one event loop. Without a purse everything passes."""

    def __init__(self, purse: Purse | None) -> None:
        self._purse = purse
        self._why = ""
        self._sleeps_until_s = 0.0  # on the monotonic clock
        self._sleeps_from = Decimal(0)
        self._log = structlog.get_logger()

    async def enter(self, money: Decimal) -> Granted | None:
        """Set the most that a request can cost aside; `None` without a purse.

        Raises:
            OutOfBudgetError: it must not be sent.
        """
        if self._purse is None:
            return None
        if money >= self._sleeps_from and time.monotonic() < self._sleeps_until_s:
            raise OutOfBudgetError(self._why)
        try:
            answer = await asyncio.to_thread(self._purse.reserve, money)
        except (PermanentError, TemporaryError) as error:
            raise OutOfBudgetError(
                f"what was spent today cannot be looked up, so nothing is: {error}"
            ) from error
        if isinstance(answer, Denied):
            self._sleep(answer, money)
            raise OutOfBudgetError(answer.why)
        return answer

    async def leave(self, granted: Granted | None, cost: Decimal) -> None:
        """Book what the request did cost; all that was set aside if that fails."""
        if self._purse is None or granted is None:
            return
        try:
            await asyncio.to_thread(self._purse.settle, granted, cost)
        except (PermanentError, TemporaryError) as error:
            self._log.warning("model request booked in full", why=str(error))

    def _sleep(self, denied: Denied, money: Decimal) -> None:
        sleep_s = min(denied.wait_s, _LONGEST_SLEEP_S)
        self._why, self._sleeps_from = denied.why, money
        self._sleeps_until_s = time.monotonic() + sleep_s
        self._log.info("model asleep", why=denied.why, sleep_s=round(sleep_s))
