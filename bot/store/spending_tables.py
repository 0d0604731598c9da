"""The tables that keep what is spent on language models within the cap of a day."""

from sqlalchemy import BigInteger, Column, Date, Index, Integer, String, Table

from bot.store.schema import OPTIONS, Moment, metadata

_TOKEN_CHARS = 64

# By day of UTC, at the database's clock; money in billionths.
spending = Table(
    "spending",
    metadata,
    Column("day", Date, primary_key=True),
    Column("reserved", BigInteger, nullable=False),
    Column("settled", BigInteger, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("refused_at", Moment),  # NULL: the last request was let through
    Column("changed_at", Moment, nullable=False),
    **OPTIONS,
)

# Requests of which it is not known what they cost: under way, or of a process that died.
reservations = Table(
    "reservations",
    metadata,
    Column("token", String(_TOKEN_CHARS), primary_key=True),
    Column("day", Date, nullable=False),
    Column("money", BigInteger, nullable=False),
    Index("ix_reservations_day", "day"),
    **OPTIONS,
)
