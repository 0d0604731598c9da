"""Sends one question until it is answered or not worth another try.

Each request, first or repeated, goes through the budget. Which parts of the protocol a
server understands is learnt from what it refuses.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from json import dumps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import structlog

from bot.models.language_model.budget import Ledger, ModelSettings, Reservation, Tokens
from bot.models.language_model.prompt import Message
from bot.models.language_model.replies import (
    Completion,
    FailedTryError,
    HttpAnswer,
    OutOfBudgetError,
    failure,
    read_completion,
    tokens_counted,
)
from bot.records.spending import Denied, Granted, Payer, Payers, SharedBudget
from bot.settings import JsonSupport
from bot.sources.manners import backoff_s
from handlers.model import ModelUse
from handlers.ports import (
    ModelOutOfReachError,
    ModelUnusableError,
    PermanentError,
    TemporaryError,
)

if TYPE_CHECKING:
    from bot.models.language_model.server import Post

# Room for what a server adds around the messages (roles, templates).
_OVERHEAD_TOKENS = 512
_LATER_S = 60.0
_LONGEST_SLEEP_S = 600.0
_WEAKER = {JsonSupport.SCHEMA: JsonSupport.OBJECT, JsonSupport.OBJECT: JsonSupport.NONE}
_JSON_WORDS = ("response_format", "json_schema", "json_object", "guided")


class Dialect:
    """The parameters of a request, besides model and messages.

    The protocol has grown: newer models want `max_completion_tokens` and take no
    `temperature`, older servers know no `response_format`. A server that refuses one
    names it in its error; the next request goes without.
    """

    def __init__(self, json: JsonSupport) -> None:
        self._may_weaken = json is JsonSupport.AUTO
        self._json = JsonSupport.SCHEMA if self._may_weaken else json
        self._limit = "max_tokens"
        self._steady = True

    def parameters(
        self, schema: dict[str, object], max_output_tokens: int
    ) -> dict[str, Any]:
        """Return the parameters, in the form that the server is known to accept."""
        chosen: dict[str, Any] = {self._limit: max_output_tokens}
        if self._steady:
            chosen["temperature"] = 0
        if self._json is JsonSupport.OBJECT:
            chosen["response_format"] = {"type": "json_object"}
        if self._json is JsonSupport.SCHEMA:
            chosen["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
        return chosen

    def learn(self, words: str, sent: dict[str, Any]) -> bool:
        """Learn from a refusal; return whether another form is worth a request.

        Args:
            words: of the server's error, in lower case.
            sent: the parameters that were refused. Concurrent requests are refused
                together; those after the first only adopt what it taught.
        """
        if self._limit in words and "max_tokens" in sent:
            self._limit = "max_completion_tokens"
            return True
        if "temperature" in words and "temperature" in sent:
            self._steady = False
            return True
        if self._may_weaken and any(word in words for word in _JSON_WORDS):
            return self._weaken(sent)
        return False

    def _weaken(self, sent: dict[str, Any]) -> bool:
        refused = sent.get("response_format", {}).get("type")
        if refused is None:
            return False
        if self._json is not JsonSupport.NONE and self._json.value in refused:
            self._json = _WEAKER[self._json]
        return True


@dataclass(frozen=True, slots=True)
class _Sleep:
    """Until when requests of at least this size are held back."""

    why: str
    least: Decimal
    until_s: float  # on the monotonic clock

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.until_s


class Lane:
    """Checks requests against the shared budget of a day, which many processes share.

    For one event loop. Without one everything passes. Once the cap is reached the
    lane sleeps: it does not ask for it again for requests of that size until the
    next day, or for some minutes if someone may raise the cap. If only one payer's
    share is spent, it sleeps for that payer and the others continue. But while requests
    under way here may cost less than was set aside for them, the next one waits for
    their bills. If the budget cannot be reached, nothing is sent, because nobody knows
    how much has been spent.
    """

    def __init__(self, shared_budget: SharedBudget | None) -> None:
        self._shared_budget = shared_budget
        self._sleeps: dict[Payer | None, _Sleep] = {}  # `None`: of all payers
        self._under_way: dict[Granted, Payers] = {}
        self._asking = asyncio.Lock()
        self._bills = 0
        self._billed = asyncio.Event()
        self._log = structlog.get_logger()

    async def enter(self, money: Decimal, payers: Payers = ()) -> Granted | None:
        """Set aside the most that a request can cost; `None` without a shared budget.

        Raises:
            OutOfBudgetError: it must not be sent.
        """
        if self._shared_budget is None:
            return None
        while True:
            # One at a time: whoever is denied then knows of all that were granted.
            async with self._asking:
                self._refuse_in_sleep(money, (None, *payers))
                bills = self._bills
                answer = await self._reserved(self._shared_budget, money, payers)
                if isinstance(answer, Granted):
                    self._under_way[answer] = payers
                    return answer
                is_billed = bills != self._bills
                if not answer.may_pass or not (
                    is_billed or self._is_under_way(answer.payer)
                ):
                    self._sleep(answer, money)
                    raise OutOfBudgetError(answer.why)
            if not is_billed:
                await self._billed.wait()

    async def _reserved(
        self, shared_budget: SharedBudget, money: Decimal, payers: Payers
    ) -> Granted | Denied:
        try:
            return await asyncio.to_thread(shared_budget.reserve, money, payers)
        except (PermanentError, TemporaryError) as error:
            raise OutOfBudgetError(
                "what was spent today cannot be looked up, so no request is sent:"
                f" {error}"
            ) from error

    def _is_under_way(self, payer: Payer | None) -> bool:
        """Return whether a request of this payer, or of anyone, is under way."""
        if payer is None:
            return bool(self._under_way)
        return any(payer in payers for payers in self._under_way.values())

    async def leave(self, granted: Granted | None, cost: Decimal) -> None:
        """Book the actual cost of the request; if that fails, all set aside."""
        if self._shared_budget is None or granted is None:
            return
        try:
            await asyncio.to_thread(self._shared_budget.settle, granted, cost)
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
        # Pages come and go, so what has expired is forgotten.
        left = {each: one for each, one in self._sleeps.items() if not one.is_over}
        self._sleeps = {**left, denied.payer: sleep}
        whose = denied.payer.kind.value if denied.payer else "all"
        self._log.info(
            "model asleep", whose=whose, why=denied.why, sleep_s=round(sleep_s)
        )


@dataclass(slots=True)
class Account:
    """What one question has taken so far, over all its tries, and who pays for it."""

    payers: Payers = ()
    use: ModelUse = field(default_factory=ModelUse)


@dataclass(slots=True)
class _Payment:
    """How a request will be booked; initially, as the whole amount set aside."""

    counted: Tokens | None = None
    is_free: bool = False


class Sender:
    """One server and its budget. Close it after use."""

    def __init__(self, settings: ModelSettings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger
        self._lane = Lane(settings.shared_budget)
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
        """Return what the model says, and add what that took to `account`.

        Raises:
            OutOfBudgetError, TooLongError, RefusedError, NotAnsweredError,
            NotTheFormError: there is no answer to this question.
            ModelOutOfReachError, ModelUnusableError: as in the port.
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
        """Send it once; `None` if the server wants another form."""
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
            from bot.models.language_model.server import Post  # noqa: PLC0415 - slow to import

            self._post = Post(self._settings)
        return await self._post.post(messages, parameters)

    @asynccontextmanager
    async def _paying(self, most: Tokens, account: Account) -> AsyncIterator[_Payment]:
        """Set aside the worst case, and book the actual cost, whatever happens."""
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
    """How often and how long one question waits before we give up."""

    def __init__(self, settings: ModelSettings) -> None:
        self._retry = settings.retry
        self._failures = 0
        self._waited_s = 0.0

    def after(self, failed: FailedTryError) -> float | None:
        """Return how long to wait before another try; `None` to give up."""
        self._failures += 1
        wait_s = failed.wait_s
        if wait_s is None:
            chance = random.random()  # noqa: S311 - no secret hangs on it
            wait_s = backoff_s(self._retry.first_wait_s, self._failures, chance)
        self._waited_s += wait_s
        too_often = self._failures >= self._retry.attempts
        too_long = wait_s > self._retry.longest_wait_s
        if too_often or too_long or self._waited_s > self._retry.all_waits_s:
            return None
        return wait_s


def _most_tokens(messages: Sequence[Message], parameters: dict[str, Any]) -> int:
    """Return a bound on the tokens of a request: no token is below one byte."""
    texts = [message["content"] for message in messages]
    return _OVERHEAD_TOKENS + sum(
        len(text.encode("utf-8", "replace")) for text in (*texts, dumps(parameters))
    )
