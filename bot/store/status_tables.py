"""The tables that are only for sight: processes that run, and what a model took."""

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table

from bot.store.schema import (
    NAME_CHARS,
    OPTIONS,
    Moment,
    long_text,
    metadata,
    row_id,
    share,
)

PROCESS_CHARS = 255

processes = Table(
    "processes",
    metadata,
    Column("name", String(PROCESS_CHARS), primary_key=True),
    Column("role", String(NAME_CHARS), nullable=False),
    Column("host", String(PROCESS_CHARS), nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("version", String(NAME_CHARS), nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("every_s", share, nullable=False),
    Column("problem", long_text, nullable=False),
    Column("figures", long_text, nullable=False),  # JSON object of numbers
    **OPTIONS,
)

# What a language model took, in a check that was saved.
model_uses = Table(
    "model_uses",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("used_at", Moment, nullable=False),
    Column("model", String(NAME_CHARS), nullable=False),
    Column("calls", Integer, nullable=False),
    Column("remembered", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("billionths", BigInteger, nullable=False),  # money; SQLite has no decimals
    Index("ix_model_uses_used_at", "used_at"),
    **OPTIONS,
)
