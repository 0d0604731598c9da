"""What language models took, kept with the check that it was for."""

from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection, delete, func, insert, select

from bot.store import sanitise
from bot.store.schema import NAME_CHARS
from bot.store.sight.values.found import ModelCost
from bot.store.status_tables import model_uses
from handlers.model import Consultation, ModelUse

_KEPT_DAYS = 90
_BILLION = 10**9


def keep(connection: Connection, told: Consultation | None, now: datetime) -> None:
    """Keep what a consultation of a model took; see `keep_use`."""
    if told is None:
        return
    keep_use(connection, told.engine.version, told.use, now)


def keep_use(connection: Connection, model: str, use: ModelUse, now: datetime) -> None:
    """Keep what asking `model` took, if it was asked; forget what is months old."""
    if not (use.calls or use.remembered):
        return
    old = model_uses.c.used_at < now - timedelta(days=_KEPT_DAYS)
    connection.execute(delete(model_uses).where(old))
    connection.execute(
        insert(model_uses).values(
            used_at=now,
            model=sanitise.text(model, NAME_CHARS),
            calls=use.calls,
            remembered=use.remembered,
            input_tokens=use.input_tokens,
            output_tokens=use.output_tokens,
            billionths=round(use.cost * _BILLION),
        )
    )


def since(connection: Connection, then: datetime) -> tuple[ModelCost, ...]:
    """Sum up what each model took in checks after `then`, by name."""
    counted = (
        model_uses.c.calls,
        model_uses.c.remembered,
        model_uses.c.input_tokens,
        model_uses.c.output_tokens,
        model_uses.c.billionths,
    )
    rows = connection.execute(
        select(model_uses.c.model, *map(func.sum, counted))
        .where(model_uses.c.used_at > then)
        .group_by(model_uses.c.model)
        .order_by(model_uses.c.model)
    )
    return tuple(
        ModelCost(
            model,
            int(calls),
            int(remembered),
            int(told_in),
            int(told_out),
            Decimal(int(billionths)) / _BILLION,
        )
        for model, calls, remembered, told_in, told_out, billionths in rows
    )
