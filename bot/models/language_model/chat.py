"""A language model behind an OpenAI-compatible address; implements the port.

A question asked before is answered from the cache. Otherwise the model is asked within
the budget, and once more if its answer does not have the form asked for.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from pydantic import ValidationError

from bot.models.language_model.budget import Ledger, ModelSettings
from bot.models.language_model.prompt import messages, once_more, schema_of
from bot.models.language_model.replies import (
    Completion,
    NotAnsweredError,
    NotTheFormError,
    OutOfBudgetError,
    RefusedError,
    TooLongError,
    read_answer,
)
from bot.models.language_model.sender import Account, Sender
from bot.records.spending import Payers
from handlers.model import Engine, ModelFailure, ModelUse
from handlers.ports import (
    ModelAnswer,
    ModelOutOfReachError,
    ModelReply,
    ModelRequest,
    ModelSilence,
    ModelUnusableError,
    T,
)

_VERSION = 1
_SCHEMA = f"""
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS answers (
        question TEXT PRIMARY KEY, kept_at REAL NOT NULL, answer TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS by_age ON answers (kept_at);
    PRAGMA user_version = {_VERSION};
"""
_FILE = "answers.sqlite3"
_LOCK_WAIT_S = 5.0
_TROUBLES = (sqlite3.Error, OSError, ValueError)


class AnswerCache:
    """Answers by the hash of their question. Blocking: call it from a thread.

    The same question is paid for once. An SQLite file like the cache of sources:
    private, disposable, shared by several processes, and never on a network file
    system. A damaged file is started again; a row that cannot be read back counts as
    missing.

    Args:
        folder: created if missing, only for this user.
        max_bytes: of all answers; the oldest are removed first.
        now: seconds since 1970.
    """

    def __init__(self, folder: Path, max_bytes: int, now: Callable[[], float]) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._now = now
        self._is_open = False
        self._log = structlog.get_logger().bind(folder=str(folder))

    def get(self, question: str) -> str | None:
        """Return the cached answer, if there is one."""
        try:
            with self._file() as file:
                row = file.execute(
                    "SELECT answer FROM answers WHERE question = ?", (question,)
                ).fetchone()
        except _TROUBLES as error:
            self._log.warning("model cache not read", error=type(error).__name__)
            return None
        return row[0] if row and isinstance(row[0], str) else None

    def put(self, question: str, answer: str) -> None:
        """Cache `answer`, and remove the oldest ones beyond the limit."""
        try:
            with self._file() as file:
                file.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)",
                    (question, self._now(), answer),
                )
                self._evict(file)
        except _TROUBLES as error:
            self._log.warning("model cache not written", error=type(error).__name__)

    def _evict(self, file: sqlite3.Connection) -> None:
        file.execute(
            "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM (SELECT rowid,"
            " SUM(LENGTH(CAST(answer AS BLOB))) OVER (ORDER BY kept_at DESC, rowid DESC)"
            " AS held FROM answers) WHERE held > ?)",
            (self._max_bytes,),
        )

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        self._open()
        path = self._folder / _FILE
        with closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S)) as file, file:
            yield file

    def _open(self) -> None:
        if self._is_open:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._prepare()
        except sqlite3.OperationalError:
            raise  # busy or full, not damaged
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm"):
                (self._folder / (_FILE + ending)).unlink(missing_ok=True)
            self._prepare()
        self._is_open = True

    def _prepare(self) -> None:
        path = self._folder / _FILE
        with closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S)) as file, file:
            (version,) = file.execute("PRAGMA user_version").fetchone()
            if version not in {0, _VERSION}:
                raise sqlite3.DatabaseError("a cache of another version")
            file.executescript(_SCHEMA)


_ENGINE = "language model"
_MOST_CUT_OFFS = 3
_AFTER_CUT_OFFS_S = 3_600.0


class ChatModel:
    """Implements `handlers.ports.LanguageModel`; an async context manager."""

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
        """Return the same model, with these as the payers of its questions."""
        return PaidChat(self, payers)

    async def ask(self, request: ModelRequest[T], payers: Payers = ()) -> ModelReply[T]:
        """Return the answer, or why there is no usable one.

        Once the server turns out to be unusable or out of reach, it is not asked again:
        for the rest of the run, or until it may be back.
        """
        question = self._question(request)
        known = await self._recalled(question, request.answer)
        if known is not None:
            return ModelAnswer(known, ModelUse(remembered=1))
        async with self._turns:
            self._refuse_if_known_bad()
            reply = await self._reply_to(request, payers)
        self._count_cut_offs(reply)
        if isinstance(reply, ModelAnswer) and self._cache is not None:
            stored = reply.value.model_dump_json()
            await asyncio.to_thread(self._cache.put, question, stored)
        return reply

    def _refuse_if_known_bad(self) -> None:
        if self._unusable is not None:
            raise ModelUnusableError(self._unusable)
        left_s = self._back_at_s - time.monotonic()
        if self._away is not None and left_s > 0:
            raise ModelOutOfReachError(self._away, retry_in_s=left_s)

    def _count_cut_offs(self, reply: ModelReply[T]) -> None:
        """Stop asking a model whose answers keep being cut off: that wastes money."""
        is_cut_off = (
            isinstance(reply, ModelSilence) and reply.why is ModelFailure.CUT_OFF
        )
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

    async def _reply_to(
        self, request: ModelRequest[T], payers: Payers
    ) -> ModelReply[T]:
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
            return ModelSilence(ModelFailure.OUT_OF_BUDGET, str(error), account.use)
        except TooLongError:
            return _silence(ModelFailure.TOO_LONG, account)
        except RefusedError:
            return _silence(ModelFailure.REFUSED, account)
        except (NotAnsweredError, NotTheFormError) as error:
            return ModelSilence(ModelFailure.UNREADABLE, str(error), account.use)

    async def _answered(
        self, request: ModelRequest[T], account: Account
    ) -> ModelReply[T]:
        schema = schema_of(request.answer)
        asking = messages(request)
        completion = await self._sender.send(asking, schema, account)
        try:
            return _read(completion, request.answer, account)
        except NotTheFormError as error:
            again = once_more(asking, completion.text, str(error))
            completion = await self._sender.send(again, schema, account)
            return _read(completion, request.answer, account)

    async def _recalled(self, question: str, form: type[T]) -> T | None:
        if self._cache is None:
            return None
        stored = await asyncio.to_thread(self._cache.get, question)
        try:
            return form.model_validate_json(stored) if stored is not None else None
        except (ValidationError, ValueError):
            return None

    def _question(self, request: ModelRequest[T]) -> str:
        """Return a name for the question and its model, whatever its delimiter is."""
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
    """A model whose answers `payers` pay for; implements the port."""

    chat: ChatModel
    payers: Payers

    @property
    def engine(self) -> Engine:
        """Name and version of the model."""
        return self.chat.engine

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        """Ask the model; raises whatever it raises."""
        return await self.chat.ask(request, self.payers)


def _read(completion: Completion, form: type[T], account: Account) -> ModelReply[T]:
    if completion.is_refused:
        return _silence(ModelFailure.REFUSED, account)
    if completion.is_cut_off:
        return _silence(ModelFailure.CUT_OFF, account)
    return ModelAnswer(read_answer(completion.text, form), account.use)


def _silence(why: ModelFailure, account: Account) -> ModelSilence:
    return ModelSilence(why, why.value, account.use)
