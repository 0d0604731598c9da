"""What the language model adapter needs to know, gathered once from the settings."""

import sys
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Self

from bot.records.spending import Purse
from bot.settings import JsonSupport
from handlers.model import ModelUse


@dataclass(frozen=True, slots=True)
class Prices:
    """For a million tokens each, in one currency."""

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)

    def of(self, input_tokens: int, output_tokens: int) -> Decimal:
        """Return what so many tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may take at most: money, and requests sent."""

    money: Decimal
    calls: int

    @property
    def without_end(self) -> Self:
        """The same for a run without end, which a purse bounds: nothing stays nothing."""
        return replace(
            self,
            money=Decimal("Infinity") if self.money else self.money,
            calls=sys.maxsize if self.calls else 0,
        )


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a question may take, and how its failures are tried again.

    `longest_wait_s` bounds what a server may ask us to wait (Retry-After), and
    `all_waits_s` all waiting for one question.
    """

    timeout_s: float = 60.0
    attempts: int = 4
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    all_waits_s: float = 120.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model at one address. The key shows in no `repr`.

    `purse` is of what several processes spend together, beside `budget`.
    """

    address: str  # such as https://host/v1, to which "/chat/completions" is added
    name: str
    budget: Budget
    user_agent: str
    key: str = field(default="", repr=False)
    purse: Purse | None = None
    prices: Prices = Prices()
    patience: Patience = Patience()
    json: JsonSupport = JsonSupport.AUTO
    max_output_tokens: int = 8_000  # of each answer, thoughts included
    at_once: int = 4
    max_answer_bytes: int = 1024 * 1024
    cache_folder: Path | None = None
    cache_max_bytes: int = 50_000_000


# The budget of one run, kept so that it cannot be passed.
#
# Where many processes share the budget of a day, that is kept beside it; see `lane`.
#
# Before a request is sent, the most that it can cost is set aside; a request for
# which that does not fit is not sent. Afterwards what it did cost is booked: the
# server's own count, all that was set aside where that count is missing or cannot be
# or the answer was lost on the way, and nothing where the server turned the request
# away.

# No tokenizer makes of prose so few tokens; a count below this is not believed.
_MOST_BYTES_PER_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Tokens:
    """Of one request: what went in, and what came out."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is set aside for one request: its largest possible size."""

    most: Tokens
    money: Decimal


class Ledger:
    """Money and calls of one run. For one thread; never waits."""

    def __init__(self, budget: Budget, prices: Prices) -> None:
        self._budget = budget
        self._prices = prices
        self._reserved = Decimal(0)
        self._spent = Decimal(0)
        self._calls = 0
        self._distrusted = False

    @property
    def spent(self) -> Decimal:
        """Return what was booked so far."""
        return self._spent

    @property
    def calls(self) -> int:
        """Return how many requests were sent, or are about to be."""
        return self._calls

    @property
    def why_stopped(self) -> str:
        """Say what keeps the next request back, for a person."""
        if self._distrusted:
            return (
                "the server counted more tokens than it was asked for, so its bill"
                " cannot be foreseen; check its settings"
            )
        if self._calls >= self._budget.calls:
            return (
                f"the {self._budget.calls} calls allowed for a run were made; set"
                " SIDENOTE_LANGUAGE_MODEL_CALLS to allow more"
            )
        return (
            f"{self._spent:.4f} of the {self._budget.money} allowed for a run was spent"
            " and the next call could pass it; set SIDENOTE_LANGUAGE_MODEL_BUDGET to"
            " allow more"
        )

    def reserve(self, most: Tokens) -> Reservation | None:
        """Set aside the cost of a request, or return `None`: it must not be sent."""
        money = self._prices.of(most.input, most.output)
        if (
            self._distrusted
            or self._calls >= self._budget.calls
            or self._spent + self._reserved + money > self._budget.money
        ):
            return None
        self._calls += 1
        self._reserved += money
        return Reservation(most, money)

    def take_back(self, reserved: Reservation) -> None:
        """Undo `reserve`: the request was not sent after all."""
        self._calls -= 1
        self._reserved -= reserved.money

    def settle(self, reserved: Reservation, counted: Tokens | None) -> ModelUse:
        """Book what a request took, and return it.

        Args:
            reserved: from `reserve`, used once.
            counted: by the server; `None` where it is not known what it did, which
                books all that was set aside.
        """
        most = reserved.most
        used = counted if counted and _can_be(counted, most) else most
        if used.input > most.input or used.output > most.output:
            self._distrusted = self._distrusted or reserved.money > 0
            used = Tokens(min(used.input, most.input), min(used.output, most.output))
        money = self._prices.of(used.input, used.output)
        self._reserved -= reserved.money
        self._spent += money
        return ModelUse(1, 0, used.input, used.output, money)

    def cancel(self, reserved: Reservation) -> ModelUse:
        """Book a request that the server turned away or never got: a call, no money."""
        self._reserved -= reserved.money
        return ModelUse(calls=1)


def _can_be(counted: Tokens, most: Tokens) -> bool:
    return counted.input * _MOST_BYTES_PER_TOKEN >= most.input
