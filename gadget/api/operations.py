"""What an operation is, what it is given, and what it gives. Routes and document follow."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import TypeVar

from pydantic import BaseModel

from bot.records.accounts import Reader
from gadget.api.parts import Parts, Rules
from gadget.api.problems import Refusal, signed_out
from gadget.payloads.requests import Nothing

_Model = TypeVar("_Model", bound=BaseModel)


class Need(Enum):
    """Whether it takes somebody who is signed in."""

    NOBODY = "nobody"  # a token is not looked at
    ANYBODY = "anybody"  # who is signed in is told more
    READER = "reader"


class Cost(Enum):
    """Which limit an operation counts towards, beside that of its address."""

    READ = "read"
    WRITE = "write"
    LOOK = "look"
    SIGN_IN = "sign-in"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, read and checked."""

    parts: Parts
    rules: Rules
    now: datetime
    reader: Reader | None = None
    token: str | None = field(default=None, repr=False)
    user_agent: str = ""
    names: BaseModel = field(default_factory=Nothing)  # of the path
    query: BaseModel = field(default_factory=Nothing)
    body: BaseModel = field(default_factory=Nothing)

    def known(self) -> Reader:
        """Return who asks.

        Raises:
            Refusal: nobody is signed in.
        """
        if self.reader is None:
            raise signed_out()
        return self.reader

    def own(self, wiki: str) -> Reader:
        """Return who asks, if they are signed in on this wiki.

        Raises:
            Refusal: they are not; a name on one wiki may be another person's elsewhere.
        """
        self.served(wiki)
        reader = self.known()
        if reader.wiki != wiki:
            raise Refusal(
                403, "You are signed in on another wiki. Sign in on this one."
            )
        return reader

    def served(self, wiki: str) -> None:
        """Let only wikis through that are looked after.

        Raises:
            Refusal: it is not one.
        """
        if wiki not in self.rules.wikis:
            raise Refusal(404, "This server does not look after that wiki.")


def of(kind: type[_Model], value: BaseModel) -> _Model:
    """Return a value as what the table says that it is."""
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} is not {kind.__name__}")
    return value


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered; without a payload there is nothing to say."""

    payload: BaseModel | None = None
    status: int = 200


Act = Callable[[Asked], Awaitable[Answer]]
Stream = Callable[[Asked], AsyncGenerator[BaseModel, None]]
Version = Callable[[Asked], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for.

    Exactly one of `act` and `stream` is there. `version` gives, at little cost, what
    changes when the answer does. A `repeatable` one wants a key, under which it is done
    once however often it is sent.
    """

    name: str
    method: str
    path: str
    summary: str
    answers: Mapping[int, type[BaseModel] | None]
    act: Act | None = None
    stream: Stream | None = None
    need: Need = Need.ANYBODY
    cost: Cost = Cost.READ
    names: type[BaseModel] = Nothing
    query: type[BaseModel] = Nothing
    body: type[BaseModel] | None = None
    version: Version | None = None
    is_repeatable: bool = False
    is_kept: bool = False
    about: str = ""
