"""What a language model may cost and how it is asked, and the ledger of one run."""

import sys
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Self

from bot.records.spending import SharedBudget
from bot.settings import JsonSupport
from handlers.model import ModelUse


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens, in one currency."""

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)

    def of(self, input_tokens: int, output_tokens: int) -> Decimal:
        """Return what this many tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use at most: money and requests."""

    money: Decimal
    calls: int

    @property
    def without_end(self) -> Self:
        """The same without end, for a run that a shared budget limits; zero stays zero."""
        return replace(
            self,
            money=Decimal("Infinity") if self.money else self.money,
            calls=sys.maxsize if self.calls else 0,
        )


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a question may take, and how it is retried.

    `longest_wait_s` limits how long a server may ask us to wait (Retry-After), and
    `all_waits_s` the total wait for one question.
    """

    timeout_s: float = 60.0
    attempts: int = 4
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    all_waits_s: float = 120.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model at one address. The key is not in its `repr`.

    `shared_budget` is the money that several processes share, in addition to `budget`.
    """

    address: str  # such as https://host/v1; "/chat/completions" is appended
    name: str
    budget: Budget
    user_agent: str
    key: str = field(default="", repr=False)
    shared_budget: SharedBudget | None = None
    prices: Prices = Prices()
    retry: RetryPolicy = RetryPolicy()
    json: JsonSupport = JsonSupport.AUTO
    max_output_tokens: int = 8_000  # of each answer, reasoning included
    at_once: int = 4
    max_answer_bytes: int = 1024 * 1024
    cache_folder: Path | None = None
    cache_max_bytes: int = 50_000_000


# No tokenizer averages more bytes per token on prose; a lower count is not believed.
_MOST_BYTES_PER_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one request: those sent and those received."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class Reservation:
    """The most that one request can cost, by its largest possible size."""

    most: Tokens
    money: Decimal


class Ledger:
    """Money and calls of one run. For a single thread; never waits.

    Before a request is sent, the most it can cost is set aside; if that does not fit,
    the request is not sent. Afterwards the actual cost is booked: the server's own
    count; the whole amount set aside if that count is missing or impossible, or if the
    answer was lost; nothing if the server turned the request away. So the budget cannot
    be exceeded. A daily budget that several processes share is another: see `Lane` in
    `sender`.
    """

    def __init__(self, budget: Budget, prices: Prices) -> None:
        self._budget = budget
        self._prices = prices
        self._reserved = Decimal(0)
        self._spent = Decimal(0)
        self._calls = 0
        self._distrusted = False

    @property
    def spent(self) -> Decimal:
        """Return what has been booked so far."""
        return self._spent

    @property
    def calls(self) -> int:
        """Return how many requests were sent, or are about to be."""
        return self._calls

    @property
    def why_stopped(self) -> str:
        """Say what prevents the next request, for people to read."""
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
        """Set aside the cost of a request; `None` if it must not be sent."""
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
            counted: by the server; `None` if it is not known what the server did, which
                books the whole amount set aside.
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
        """Book a call, but no money: the server refused or never got the request."""
        self._reserved -= reserved.money
        return ModelUse(calls=1)


def _can_be(counted: Tokens, most: Tokens) -> bool:
    return counted.input * _MOST_BYTES_PER_TOKEN >= most.input
