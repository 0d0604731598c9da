"""What the language model adapter needs to know, gathered once from the settings."""

import sys
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Self

from bot.records.spending import Purse
from bot.settings import JsonSupport


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
