"""Preferences and reviews that are collected for evaluation, as verbs on values."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from bot.records.accounts import (
    ErrorKind,
    Judgement,
    JudgementKind,
    Preferred,
    ReviewOutcome,
)
from bot.store import sanitise
from bot.store.reader_tables import HASH_CHARS, judgements
from bot.store.schema import NAME_CHARS
from bot.store.transactions import Transactions
from handlers.model import Engine

_AT_ONCE = 1000


class Judgements:
    """What readers judged. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def add(self, reader_key: str, judgement: Judgement) -> None:
        """Keep a judgement; it replaces the reader's earlier one of the same thing.

        Raises:
            ValueError: it is neither a preference nor a review, or both.
            PermanentError: a number in it is no probability.
        """
        if (judgement.preferred is None) == (judgement.outcome is None):
            raise ValueError("a judgement is either a preference or a review")
        self._database.write(lambda made: _add(made, reader_key, judgement))

    def done(self, reader_key: str, kind: JudgementKind) -> frozenset[str]:
        """Return the identities of what a reader judged already."""
        chosen = select(judgements.c.identity).filter_by(
            reader=reader_key, kind=kind.name
        )
        return self._database.read(lambda made: frozenset(made.scalars(chosen)))

    def all(
        self, kind: JudgementKind, since: datetime | None = None
    ) -> Iterator[tuple[str | None, Judgement]]:
        """Yield judgements in their order, each with the key of its reader.

        It is many small transactions; the key is `None` once it was forgotten.
        """
        after = 0
        while True:
            rows = self._database.read(_next(kind, since, after))
            if not rows:
                return
            yield from ((row.reader, _judgement(row)) for row in rows)
            after = rows[-1].id


def _add(connection: Connection, reader: str, judgement: Judgement) -> None:
    values = _columns(judgement)
    reader = sanitise.key(reader, "reader", HASH_CHARS)
    named = {
        "reader": reader,
        **{name: values[name] for name in ("kind", "wiki", "identity")},
    }
    known = connection.scalar(
        select(judgements.c.id).filter_by(**named).limit(1).with_for_update()
    )
    if known is None:
        connection.execute(insert(judgements).values(reader=reader, **values))
    else:
        same = judgements.c.id == known
        connection.execute(update(judgements).where(same).values(**values))


def _next(
    kind: JudgementKind, since: datetime | None, after: int
) -> Callable[[Connection], list[Row[Any]]]:
    chosen = (
        select(judgements)
        .filter_by(kind=kind.name)
        .where(judgements.c.id > after)
        .order_by(judgements.c.id)
        .limit(_AT_ONCE)
    )
    if since is not None:
        chosen = chosen.where(judgements.c.judged_at >= since)
    return lambda made: list(made.execute(chosen))


def _columns(one: Judgement) -> dict[str, Any]:
    return {
        "kind": one.kind.name,
        "wiki": sanitise.key(one.wiki, "wiki"),
        "title": sanitise.key(one.title, "title"),
        "identity": sanitise.key(one.identity, "identity", HASH_CHARS),
        "answer": json.dumps(_answer(one)),
        "engine_name": sanitise.key(one.engine.name, "engine's name", NAME_CHARS),
        "engine_version": sanitise.text(one.engine.version, NAME_CHARS),
        "judged_at": one.judged_at,
    }


def _answer(one: Judgement) -> dict[str, Any]:
    chances = {
        "present_probability": one.present_probability,
        "recommended_probability": one.recommended_probability,
    }
    return {
        "preferred": one.preferred.name if one.preferred else None,
        "shown_first": one.shown_first.name if one.shown_first else None,
        "outcome": one.outcome.name if one.outcome else None,
        "errors": [each.name for each in dict.fromkeys(one.errors)],
        **{
            name: None if chance is None else sanitise.share(chance)
            for name, chance in chances.items()
        },
    }


def _judgement(row: Row[Any]) -> Judgement:
    kept: dict[str, Any] = json.loads(row.answer)
    outcome = kept["outcome"]
    return Judgement(
        kind=JudgementKind[row.kind],
        wiki=row.wiki,
        title=row.title,
        identity=row.identity,
        engine=Engine(row.engine_name, row.engine_version),
        judged_at=row.judged_at,
        preferred=_preferred(kept["preferred"]),
        shown_first=_preferred(kept["shown_first"]),
        present_probability=kept["present_probability"],
        recommended_probability=kept["recommended_probability"],
        outcome=ReviewOutcome[outcome] if outcome else None,
        errors=tuple(ErrorKind[name] for name in kept["errors"]),
    )


def _preferred(name: str | None) -> Preferred | None:
    return Preferred[name] if name else None
