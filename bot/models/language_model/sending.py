"""Sends one question until it is answered or not worth another try.

Each request, the first or a repeated one, passes through the budget.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from json import dumps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import structlog

from bot.models.language_model.dialect import Dialect
from bot.models.language_model.failures import (
    FailedTryError,
    HttpAnswer,
    OutOfBudgetError,
    failure,
)
from bot.models.language_model.lane import Lane
from bot.models.language_model.ledger import Ledger, Reservation, Tokens
from bot.models.language_model.prompt import Message
from bot.models.language_model.replies import (
    Completion,
    read_completion,
    tokens_counted,
)
from bot.models.language_model.settings import ModelSettings
from bot.records.spending import Granted, Payers
from bot.sources.waiting import backoff_s
from handlers.model import ModelUse
from handlers.ports import ModelOutOfReachError, ModelUnusableError

if TYPE_CHECKING:
    from bot.models.language_model.posting import Post

# What a server adds around the messages (roles, templates) fits in this.
_OVERHEAD_TOKENS = 512
_LATER_S = 60.0


@dataclass(slots=True)
class Account:
    """What one question took so far, over all its tries, and who pays for it."""

    payers: Payers = ()
    use: ModelUse = field(default_factory=ModelUse)


@dataclass(slots=True)
class _Payment:
    """How a request is to be booked; at first, with all that was set aside."""

    counted: Tokens | None = None
    is_free: bool = False


class Sender:
    """One server and its budget. Close it after use."""

    def __init__(self, settings: ModelSettings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger
        self._lane = Lane(settings.purse)
        self._dialect = Dialect(settings.json)
        self._post: Post | None = None
        self._place = urlsplit(settings.address).netloc
        self._log = structlog.get_logger().bind(model=settings.name, at=self._place)

    async def close(self) -> None:
        """Close all connections."""
        if self._post is not None:
            await self._post.close()

    async def send(
        self,
        messages: Sequence[Message],
        schema: dict[str, object],
        account: Account,
    ) -> Completion:
        """Return what the model says, and add to `account` what that took.

        Raises:
            OutOfBudgetError, TooLongError, RefusedError, NotAnsweredError,
            NotTheFormError: there is no answer to this question.
            ModelOutOfReachError, ModelUnusableError: as the port says.
        """
        waits = _Waits(self._settings)
        most_out = self._settings.max_output_tokens
        while True:
            parameters = self._dialect.parameters(schema, most_out)
            most = Tokens(_most_tokens(messages, parameters), most_out)
            try:
                answer = await self._request(messages, parameters, most, account)
            except FailedTryError as failed:
                wait_s = waits.after(failed)
                self._log.info("model request failed", why=failed.why, wait_s=wait_s)
                if wait_s is None:
                    raise self._out_of_reach(failed, account) from failed
                await asyncio.sleep(wait_s)
                continue
            except ModelUnusableError as error:
                raise ModelUnusableError(str(error), use=account.use) from error
            if answer is not None:
                return read_completion(answer.body)

    async def _request(
        self,
        messages: Sequence[Message],
        parameters: dict[str, Any],
        most: Tokens,
        account: Account,
    ) -> HttpAnswer | None:
        """Send it once; `None` where the server wants it in another form."""
        async with self._paying(most, account) as payment:
            answer = await self._posted(messages, parameters)
            payment.counted = tokens_counted(answer.body)
            payment.is_free = not answer.is_fine and not answer.may_be_billed
        if answer.is_fine:
            return answer
        if self._dialect.learn(answer.words, parameters):
            return None
        raise failure(answer, model=self._settings.name, address=self._place)

    async def _posted(
        self, messages: Sequence[Message], parameters: dict[str, Any]
    ) -> HttpAnswer:
        if self._post is None:
            from bot.models.language_model.posting import Post  # noqa: PLC0415 - slow to import

            self._post = Post(self._settings)
        return await self._post.post(messages, parameters)

    @asynccontextmanager
    async def _paying(self, most: Tokens, account: Account) -> AsyncIterator[_Payment]:
        """Set the worst case aside, and book what it was in the end, come what may."""
        reserved = self._ledger.reserve(most)
        if reserved is None:
            raise OutOfBudgetError(self._ledger.why_stopped)
        granted = await self._granted(reserved, account.payers)
        payment = _Payment()
        try:
            yield payment
        except FailedTryError as failed:
            payment.is_free = not failed.may_be_billed
            raise
        finally:
            use = (
                self._ledger.cancel(reserved)
                if payment.is_free
                else self._ledger.settle(reserved, payment.counted)
            )
            account.use += use
            await self._lane.leave(granted, use.cost)

    async def _granted(self, reserved: Reservation, payers: Payers) -> Granted | None:
        try:
            return await self._lane.enter(reserved.money, payers)
        except BaseException:
            self._ledger.take_back(reserved)
            raise

    def _out_of_reach(
        self, failed: FailedTryError, account: Account
    ) -> ModelOutOfReachError:
        return ModelOutOfReachError(
            f"the language model at {self._place} {failed.why}; try again later",
            retry_in_s=max(failed.wait_s or 0.0, _LATER_S),
            use=account.use,
        )


class _Waits:
    """How often and how long one question waits before it is given up."""

    def __init__(self, settings: ModelSettings) -> None:
        self._patience = settings.patience
        self._failures = 0
        self._waited_s = 0.0

    def after(self, failed: FailedTryError) -> float | None:
        """Return how long to wait before another try; `None` to give up."""
        self._failures += 1
        wait_s = failed.wait_s
        if wait_s is None:
            chance = random.random()  # noqa: S311 - no secret hangs on it
            wait_s = backoff_s(self._patience.first_wait_s, self._failures, chance)
        self._waited_s += wait_s
        too_often = self._failures >= self._patience.attempts
        too_long = wait_s > self._patience.longest_wait_s
        if too_often or too_long or self._waited_s > self._patience.all_waits_s:
            return None
        return wait_s


def _most_tokens(messages: Sequence[Message], parameters: dict[str, Any]) -> int:
    """Return a bound on the tokens of a request: no token is shorter than a byte."""
    texts = [message["content"] for message in messages]
    return _OVERHEAD_TOKENS + sum(
        len(text.encode("utf-8", "replace")) for text in (*texts, dumps(parameters))
    )
