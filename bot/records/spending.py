"""What all processes together may spend on language models in a day (UTC). Pure.

Each page, and each person who asked for pages, gets at most a share of it. Otherwise a
single long page, or whoever names the most pages, would leave nothing for others.
"""

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, Decimal
from enum import Enum
from hashlib import sha256
from typing import Protocol

from handlers.ports import LanguageModel

_KEY_CHARS = 32


class PayerKind(Enum):
    """Whose share of a day's money is limited."""

    PAGE = "page"
    PERSON = "person"  # or a project, or everyone together who never opted in


@dataclass(frozen=True, slots=True)
class Payer:
    """A page, or who asked for it. `key` is a hash: no names are stored here."""

    kind: PayerKind
    key: str

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.key}"


Payers = tuple[Payer, ...]
"""The kinds of share that one request draws on, each in full."""


def payers_of(wiki: str, title: str, tenant: str) -> Payers:
    """Return who pays for a page; `tenant` is whoever asked for it on that wiki."""
    return (
        Payer(PayerKind.PAGE, _key(wiki, title)),
        Payer(PayerKind.PERSON, _key(wiki, tenant)),
    )


def _key(wiki: str, name: str) -> str:
    named = f"{wiki}\x1f{name}".encode("utf-8", "replace")
    return sha256(named).hexdigest()[:_KEY_CHARS]


@dataclass(frozen=True, slots=True)
class Work:
    """What was done for pages; `fetches` are visits to cited addresses."""

    checks: int = 0
    fetches: int = 0
    tokens: int = 0
    money: Decimal = Decimal(0)

    def __add__(self, other: "Work") -> "Work":
        """Return the sum of both."""
        return Work(
            self.checks + other.checks,
            self.fetches + other.fetches,
            self.tokens + other.tokens,
            self.money + other.money,
        )


@dataclass(frozen=True, slots=True)
class PageCosts:
    """What some pages took on a day (UTC), and in its month up to that day.

    `held_back` is how many of them a cap on the language model holds back that day.
    """

    day: date
    today: Work
    month: Work
    held_back: int = 0


@dataclass(frozen=True, slots=True)
class Allowance:
    """The cap of a day: money, and requests sent. If one is 0, nothing is allowed.

    A request that costs nothing needs no money, but is counted. The shares say how much
    of both may go to one page, and to one person who asked.
    """

    money: Decimal
    calls: int
    page_share: Decimal = Decimal(1)
    person_share: Decimal = Decimal(1)

    def of(self, payer: Payer) -> "Allowance":
        """Return one payer's share of it; at least one request, if any is allowed."""
        is_page = payer.kind is PayerKind.PAGE
        share = self.page_share if is_page else self.person_share
        calls = (self.calls * share).to_integral_value(ROUND_CEILING)
        return Allowance(self.money * share, int(calls))


@dataclass(frozen=True, slots=True)
class Granted:
    """A request may be sent: the most that it can cost is set aside.

    If nobody ever settles it, it stays set aside for that day.
    """

    token: str


@dataclass(frozen=True, slots=True)
class Denied:
    """A request must not be sent; worth another try in `wait_s` seconds.

    `booked` is the money spent or set aside that day and `calls` the requests made, out
    of what `allowance` allows: for everyone, or for one `payer`. If `may_pass`, it may
    be let through once requests under way turn out to cost less than was set aside for
    them.
    """

    booked: Decimal
    calls: int
    allowance: Allowance
    wait_s: float
    payer: Payer | None = None
    may_pass: bool = False

    @property
    def why(self) -> str:
        """Say so for people, with what they can do."""
        whose, share = _WHOSE[self.payer.kind if self.payer else None]
        if self.calls >= self.allowance.calls:
            return (
                f"the {self.allowance.calls} calls that {whose} in a day of UTC were"
                f" made; set SIDENOTE_LANGUAGE_MODEL_DAILY_{share or 'CALLS'} to allow"
                " more"
            )
        money = self.allowance.money
        return (
            f"{self.booked:.4f} of the {f'{money:.4f}' if share else money} that {whose}"
            " in a day of UTC is spent or set aside, and the next call could pass it;"
            f" set SIDENOTE_LANGUAGE_MODEL_DAILY_{share or 'BUDGET'} to allow more"
        )


_WHOSE = {
    None: ("all processes have together", ""),
    PayerKind.PAGE: ("one page may take", "PAGE_SHARE"),
    PayerKind.PERSON: ("one who asked may take", "PERSON_SHARE"),
}


class SharedBudget(Protocol):
    """Money that several processes spend. Its methods block; threads may share it.

    They raise PermanentError or TemporaryError if it cannot be reached.
    """

    def reserve(self, money: Decimal, payers: Payers = ()) -> Granted | Denied:
        """Set aside the most that a request can cost, before it is sent."""
        ...

    def settle(self, granted: Granted, cost: Decimal) -> None:
        """Book the actual cost in its place; doing so twice changes nothing."""
        ...


class PaidModel(LanguageModel, Protocol):
    """A language model whose answers are paid for from such a budget."""

    def paid_by(self, payers: Payers) -> LanguageModel:
        """Return the same model, for questions that these payers share the cost of."""
        ...
