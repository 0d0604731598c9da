"""What all processes together may spend on language models in a day of UTC. Pure."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Allowance:
    """The cap of a day: money, and requests sent. Nothing at all where one is 0.

    A request that costs nothing needs no money, only to be counted.
    """

    money: Decimal
    calls: int


@dataclass(frozen=True, slots=True)
class Granted:
    """That a request may be sent: the most that it can cost is set aside.

    It stays so for that day if nobody ever settles it.
    """

    token: str


@dataclass(frozen=True, slots=True)
class Denied:
    """That a request must not be sent; worth another try in `wait_s` seconds.

    `booked` is what was spent or is set aside that day, and `calls` were made.
    """

    booked: Decimal
    calls: int
    allowance: Allowance
    wait_s: float

    @property
    def why(self) -> str:
        """Say so for a person, with what can be done."""
        if self.calls >= self.allowance.calls:
            return (
                f"the {self.allowance.calls} calls that all processes may make in a day"
                " of UTC were made; set SIDENOTE_LANGUAGE_MODEL_DAILY_CALLS to allow"
                " more"
            )
        return (
            f"{self.booked:.4f} of the {self.allowance.money} that all processes may"
            " spend in a day of UTC is spent or set aside, and the next call could"
            " pass it; set SIDENOTE_LANGUAGE_MODEL_DAILY_BUDGET to allow more"
        )


class Purse(Protocol):
    """Money that several processes spend. Its methods block; threads may share it.

    They raise PermanentError or TemporaryError where it cannot be reached.
    """

    def reserve(self, money: Decimal) -> Granted | Denied:
        """Set aside the most that a request can cost, before it is sent."""
        ...

    def settle(self, granted: Granted, cost: Decimal) -> None:
        """Book what it did cost in the place of that; a second time does nothing."""
        ...
