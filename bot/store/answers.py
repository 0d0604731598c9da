"""What was answered to requests that may be sent again, as verbs on values.

A script that gets no answer sends its request once more, under the same key. What was
asked for is then done already, and only the answer is given again.
"""

from typing import Any

from sqlalchemy import Connection, Row, insert, select

from bot.records.accounts import KeptAnswer
from bot.store import sanitise
from bot.store.reader_tables import HASH_CHARS, kept_answers
from bot.store.schema import TEXT_CHARS
from bot.store.transactions import Transactions
from handlers.ports import PermanentError


class Answers:
    """Answers that are kept for a day. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def get(self, request_sha256: str) -> KeptAnswer | None:
        """Return what was answered to a request; `None` if nothing was."""
        return self._database.read(lambda made: _get(made, request_sha256))

    def keep(self, answer: KeptAnswer) -> KeptAnswer:
        """Keep an answer, and return the one that stands: the first that was kept.

        Where that is not the given one, the same request came twice at once; whether
        it said the same, `body_sha256` tells.

        Raises:
            PermanentError: it is too long to be kept.
        """
        if len(answer.answer) > TEXT_CHARS:
            raise PermanentError(
                f"an answer of {len(answer.answer):,} characters is too long to be kept"
            )
        return self._database.write(lambda made: _keep(made, answer))


def _keep(connection: Connection, answer: KeptAnswer) -> KeptAnswer:
    known = _get(connection, answer.request)
    if known is not None:
        return known
    connection.execute(insert(kept_answers).values(**_columns(answer)))
    return answer


def _get(connection: Connection, request: str) -> KeptAnswer | None:
    chosen = select(kept_answers).filter_by(request=request)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else _answer(row)


def _columns(one: KeptAnswer) -> dict[str, Any]:
    return {
        "request": sanitise.key(one.request, "request", HASH_CHARS),
        "body_sha256": sanitise.key(one.body_sha256, "hash", HASH_CHARS),
        "status": one.status,
        "answer": sanitise.text(one.answer),
        "kept_at": one.kept_at,
    }


def _answer(row: Row[Any]) -> KeptAnswer:
    return KeptAnswer(row.request, row.body_sha256, row.status, row.answer, row.kept_at)
