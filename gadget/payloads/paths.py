"""The names that stand in a path."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from gadget.payloads.base import Payload
from gadget.payloads.fields import Identity, Token, whole


class CardName(Payload):
    """Which card."""

    identity: Identity


class DecisionName(Payload):
    """Which decision."""

    id: Annotated[int, Field(ge=1, le=10**15, strict=True), BeforeValidator(whole)]


class ComparisonName(Payload):
    """Which comparison, as it was handed out."""

    comparison: Token


class SignInName(Payload):
    """Which sign-in, as it was handed out."""

    state: Token
