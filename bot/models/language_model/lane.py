"""The way of requests past the purse of a day, which many processes share.

Once the cap is reached the lane sleeps: the purse is not asked again for requests of
that size until the next day, or for some minutes where somebody may raise the cap. Where
only the part of one payer is spent it sleeps for that one, and the others go on. But
while requests are under way here that may cost less than was set aside for them, the
next one waits for their bills.
Where the purse cannot be reached nothing is sent, for nobody knows what was spent.
"""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import structlog

from bot.models.language_model.failures import OutOfBudgetError
from bot.records.spending import Denied, Granted, Payer, Payers, Purse
from handlers.ports import PermanentError, TemporaryError

_LONGEST_SLEEP_S = 600.0


@dataclass(frozen=True, slots=True)
class _Sleep:
    """Until when requests of at least this size are not let through."""

    why: str
    least: Decimal
    until_s: float  # on the monotonic clock

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.until_s


class Lane:
    """For one event loop. Without a purse everything passes."""

    def __init__(self, purse: Purse | None) -> None:
        self._purse = purse
        self._sleeps: dict[Payer | None, _Sleep] = {}  # `None`: of all
        self._under_way: dict[Granted, Payers] = {}
        self._bills = 0
        self._billed = asyncio.Event()
        self._log = structlog.get_logger()

    async def enter(self, money: Decimal, payers: Payers = ()) -> Granted | None:
        """Set the most that a request can cost aside; `None` without a purse.

        Raises:
            OutOfBudgetError: it must not be sent.
        """
        if self._purse is None:
            return None
        self._refuse_in_sleep(money, (None, *payers))
        while True:
            bills = self._bills
            answer = await self._asked(self._purse, money, payers)
            if isinstance(answer, Granted):
                self._under_way[answer] = payers
                return answer
            if bills != self._bills and answer.may_pass:
                continue
            if not answer.may_pass or not self._is_under_way(answer.payer):
                self._sleep(answer, money)
                raise OutOfBudgetError(answer.why)
            await self._billed.wait()

    async def _asked(
        self, purse: Purse, money: Decimal, payers: Payers
    ) -> Granted | Denied:
        try:
            return await asyncio.to_thread(purse.reserve, money, payers)
        except (PermanentError, TemporaryError) as error:
            raise OutOfBudgetError(
                f"what was spent today cannot be looked up, so nothing is: {error}"
            ) from error

    def _is_under_way(self, payer: Payer | None) -> bool:
        """Tell whether anything is that this payer, or anybody, pays for."""
        if payer is None:
            return bool(self._under_way)
        return any(payer in payers for payers in self._under_way.values())

    async def leave(self, granted: Granted | None, cost: Decimal) -> None:
        """Book what the request did cost; all that was set aside if that fails."""
        if self._purse is None or granted is None:
            return
        try:
            await asyncio.to_thread(self._purse.settle, granted, cost)
        except (PermanentError, TemporaryError) as error:
            self._log.warning("model request booked in full", why=str(error))
        finally:
            self._under_way.pop(granted, None)
            self._bills += 1
            self._billed.set()
            self._billed = asyncio.Event()

    def _refuse_in_sleep(self, money: Decimal, whose: Iterable[Payer | None]) -> None:
        for each in whose:
            sleep = self._sleeps.get(each)
            if sleep is not None and money >= sleep.least and not sleep.is_over:
                raise OutOfBudgetError(sleep.why)

    def _sleep(self, denied: Denied, money: Decimal) -> None:
        sleep_s = min(denied.wait_s, _LONGEST_SLEEP_S)
        sleep = _Sleep(denied.why, money, time.monotonic() + sleep_s)
        # Pages come and go: what is over is forgotten.
        left = {each: one for each, one in self._sleeps.items() if not one.is_over}
        self._sleeps = {**left, denied.payer: sleep}
        whose = denied.payer.kind.value if denied.payer else "all"
        self._log.info(
            "model asleep", whose=whose, why=denied.why, sleep_s=round(sleep_s)
        )
