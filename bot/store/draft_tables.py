"""The table of the drafts that people asked for."""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from bot.store.schema import (
    KEY_CHARS,
    NAME_CHARS,
    OPTIONS,
    Moment,
    long_text,
    metadata,
    row_id,
)

HASH_CHARS = 64

# One row for each page that a draft was ever asked for; titles hold names of people,
# and so a row goes a while after nobody asks for it any longer.
drafts = Table(
    "drafts",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("page", String(KEY_CHARS), nullable=False),
    Column("place", String(KEY_CHARS), nullable=False),
    Column("watcher", String(KEY_CHARS), nullable=False),
    Column("topic", String(KEY_CHARS), nullable=False),
    Column("asked_in", BigInteger, nullable=False),  # a revision of the place
    Column("state", String(NAME_CHARS), nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("note", long_text, nullable=False),
    Column("text", long_text, nullable=False),  # until it is posted
    Column("text_sha256", String(HASH_CHARS), nullable=False),
    Column("drafted_at", Moment),
    Column("revision", BigInteger),
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("wiki", "page"),
    Index("ix_drafts_place", "wiki", "place"),
    Index("ix_drafts_state", "state", "due_at"),
    **OPTIONS,
)
