"""The tables by which many processes share the work: parts of it, hosts, and readings."""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
)
from sqlalchemy.dialects.mysql import MEDIUMBLOB

from bot.store.schema import (
    KEY_CHARS,
    NAME_CHARS,
    OPTIONS,
    Moment,
    long_text,
    metadata,
    row_id,
    share,
)

PARTY_CHARS = 64
_HASH_CHARS = 64
_long_bytes = LargeBinary().with_variant(MEDIUMBLOB(), "mysql", "mariadb")

# How much of the work each wiki had, and each party in it; see `bot.store.sharing`.
# The row without a party is of the wiki itself, that without a wiki of all of them.
shares = Table(
    "shares",
    metadata,
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("party", String(PARTY_CHARS), primary_key=True),
    Column("ends", share, nullable=False),
    Column("clock", share, nullable=False),
    Column("served", BigInteger, nullable=False),
    Column("changed_at", Moment, nullable=False),
    Index("ix_shares_wiki", "wiki", "ends", "party"),
    Index("ix_shares_party", "party", "ends", "wiki"),
    **OPTIONS,
)

# Whose turn it is to ask a host, and when the last answer came; by the database's clock.
hosts = Table(
    "hosts",
    metadata,
    Column("host", String(KEY_CHARS), primary_key=True),
    Column("token", BigInteger, nullable=False),
    Column("until", Moment),  # NULL: nobody asks it now
    Column("free_at", Moment, nullable=False),
    Column("weary_until", Moment),
    Column("changed_at", Moment, nullable=False),
    Index("ix_hosts_changed_at", "changed_at"),
    **OPTIONS,
)

# Sources that processes of the role `read` are asked for, and what came of them.
readings = Table(
    "readings",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("request", String(_HASH_CHARS), nullable=False),
    Column("host", String(KEY_CHARS), nullable=False),
    Column("asked", long_text, nullable=False),  # JSON
    Column("state", String(NAME_CHARS), nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("wanted_until", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("leased_until", Moment),
    Column("worker", String(NAME_CHARS)),
    Column("answer", _long_bytes),  # JSON, compressed
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("request"),
    Index("ix_readings_state", "state", "asked_at"),
    Index("ix_readings_worker", "worker", "state"),
    Index("ix_readings_changed_at", "changed_at"),
    **OPTIONS,
)
