"""The tables that keep what is spent on language models within the caps of a day."""

from sqlalchemy import BigInteger, Column, Date, Index, Integer, String, Table

from bot.store.schema import OPTIONS, Moment, metadata

_TOKEN_CHARS = 64
_PAYER_CHARS = 64
_PAYERS_CHARS = 255

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

# The same by whom it was spent for; see `bot.records.spending.Payer`, as which text it stands.
spending_parts = Table(
    "spending_parts",
    metadata,
    Column("day", Date, primary_key=True),
    Column("payer", String(_PAYER_CHARS), primary_key=True),
    Column("reserved", BigInteger, nullable=False),
    Column("settled", BigInteger, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("refused_at", Moment),
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
    Column("payers", String(_PAYERS_CHARS)),  # with commas between; NULL: of none
    Index("ix_reservations_day", "day"),
    **OPTIONS,
)
