"""A language model behind an OpenAI-compatible address, as the port wants it.

From memory where the same was asked before; else within the budget, and once more
where the answer has another form than the one asked for.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from hashlib import sha256
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from bot.adapters.language_model.cache import AnswerCache
from bot.adapters.language_model.failures import (
    NotAnsweredError,
    OutOfBudgetError,
    RefusedError,
    TooLongError,
)
from bot.adapters.language_model.ledger import Ledger
from bot.adapters.language_model.prompt import messages, once_more, schema_of
from bot.adapters.language_model.replies import (
    Completion,
    NotTheFormError,
    read_answer,
)
from bot.adapters.language_model.sending import Account, Sender
from bot.adapters.language_model.settings import ModelSettings
from bot.spending import Payers
from handlers.model import Engine, ModelUse, Setback
from handlers.ports import (
    ModelAnswer,
    ModelOutOfReachError,
    ModelReply,
    ModelRequest,
    ModelSilence,
    ModelUnusableError,
    T,
)

_ENGINE = "language model"
_MOST_CUT_OFFS = 3
_AFTER_CUT_OFFS_S = 3_600.0


class ChatModel:
    """Fulfils `handlers.ports.LanguageModel`; an async context manager."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._ledger = Ledger(settings.budget, settings.prices)
        self._sender = Sender(settings, self._ledger)
        self._turns = asyncio.Semaphore(settings.at_once)
        self._unusable: str | None = None
        self._away: str | None = None
        self._back_at_s = 0.0  # on the monotonic clock
        self._cut_offs = 0  # in a row
        self._cache = (
            AnswerCache(settings.cache_folder, settings.cache_max_bytes, time.time)
            if settings.cache_folder
            else None
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._sender.close()

    @property
    def engine(self) -> Engine:
        """Name and version, stored with each answer that counts."""
        return Engine(_ENGINE, self._settings.name)

    @property
    def ledger(self) -> Ledger:
        """What the run has spent so far."""
        return self._ledger

    def paid_by(self, payers: Payers) -> "PaidChat":
        """Return the same model, for questions that these pay for, too."""
        return PaidChat(self, payers)

    async def ask(self, request: ModelRequest[T], payers: Payers = ()) -> ModelReply[T]:
        """Return the answer, or why there is none that can be used.

        Once the server is found to be unusable or out of reach, it is not asked
        again: for the rest of the run, or until it may be back.
        """
        question = self._question(request)
        known = await self._recalled(question, request.answer)
        if known is not None:
            return ModelAnswer(known, ModelUse(remembered=1))
        async with self._turns:
            self._refuse_if_known_bad()
            reply = await self._asked(request, payers)
        self._count_cut_offs(reply)
        if isinstance(reply, ModelAnswer) and self._cache is not None:
            kept = reply.value.model_dump_json()
            await asyncio.to_thread(self._cache.put, question, kept)
        return reply

    def _refuse_if_known_bad(self) -> None:
        if self._unusable is not None:
            raise ModelUnusableError(self._unusable)
        left_s = self._back_at_s - time.monotonic()
        if self._away is not None and left_s > 0:
            raise ModelOutOfReachError(self._away, retry_in_s=left_s)

    def _count_cut_offs(self, reply: ModelReply[T]) -> None:
        """Leave a model alone that is cut off again and again: that costs, and says nothing."""
        is_cut_off = isinstance(reply, ModelSilence) and reply.why is Setback.CUT_OFF
        self._cut_offs = self._cut_offs + 1 if is_cut_off else 0
        if self._cut_offs >= _MOST_CUT_OFFS:
            self._cut_offs = 0
            self._away = (
                f"{_MOST_CUT_OFFS} answers in a row were cut off at"
                f" {self._settings.max_output_tokens:,} tokens; set"
                " SIDENOTE_LANGUAGE_MODEL_OUTPUT_TOKENS to allow longer ones, or name a"
                " model that reasons less"
            )
            self._back_at_s = time.monotonic() + _AFTER_CUT_OFFS_S

    async def _asked(self, request: ModelRequest[T], payers: Payers) -> ModelReply[T]:
        account = Account(payers)
        try:
            return await self._answered(request, account)
        except ModelUnusableError as error:
            self._unusable = str(error)
            raise
        except ModelOutOfReachError as error:
            self._away = str(error)
            self._back_at_s = time.monotonic() + error.retry_in_s
            raise
        except OutOfBudgetError as error:
            return ModelSilence(Setback.OUT_OF_BUDGET, str(error), account.use)
        except TooLongError:
            return _silence(Setback.TOO_LONG, account)
        except RefusedError:
            return _silence(Setback.REFUSED, account)
        except (NotAnsweredError, NotTheFormError) as error:
            return ModelSilence(Setback.UNREADABLE, str(error), account.use)

    async def _answered(
        self, request: ModelRequest[T], account: Account
    ) -> ModelReply[T]:
        schema = schema_of(request.answer)
        asking = messages(request)
        said = await self._sender.send(asking, schema, account)
        try:
            return _read(said, request.answer, account)
        except NotTheFormError as error:
            again = once_more(asking, said.text, str(error))
            said = await self._sender.send(again, schema, account)
            return _read(said, request.answer, account)

    async def _recalled(self, question: str, form: type[T]) -> T | None:
        if self._cache is None:
            return None
        kept = await asyncio.to_thread(self._cache.get, question)
        try:
            return form.model_validate_json(kept) if kept is not None else None
        except (ValidationError, ValueError):
            return None

    def _question(self, request: ModelRequest[T]) -> str:
        """Return what names the question and its model, whatever mark it is sent with."""
        parts = [
            self._settings.address,
            self._settings.name,
            request.instructions,
            schema_of(request.answer),
            self._settings.max_output_tokens,
            [(one.label, one.text) for one in request.content],
        ]
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PaidChat:
    """A model's answers at the expense of `payers`; fulfils the port."""

    chat: ChatModel
    payers: Payers

    @property
    def engine(self) -> Engine:
        """Name and version of the model."""
        return self.chat.engine

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        """Ask the model; raises what it raises."""
        return await self.chat.ask(request, self.payers)


def _read(said: Completion, form: type[T], account: Account) -> ModelReply[T]:
    if said.is_refused:
        return _silence(Setback.REFUSED, account)
    if said.is_cut_off:
        return _silence(Setback.CUT_OFF, account)
    return ModelAnswer(read_answer(said.text, form), account.use)


def _silence(why: Setback, account: Account) -> ModelSilence:
    return ModelSilence(why, why.value, account.use)
