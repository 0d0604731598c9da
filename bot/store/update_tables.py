"""The tables of update discovery: what was looked for, and what belongs into sections."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
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
    pages,
    row_id,
    share,
)

DAY_CHARS = 10  # in ISO form
HASH_CHARS = 64

# One row for each run; of each page at least the last one stays.
discoveries = Table(
    "discoveries",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("page", ForeignKey(pages.c.id, ondelete="CASCADE"), nullable=False),
    Column("revision", row_id, nullable=False),  # the wiki's number of it, 0: none
    Column("searched_at", Moment, nullable=False),
    Column("since", String(DAY_CHARS)),
    Column("until", String(DAY_CHARS)),
    Column("stopped", String(NAME_CHARS), nullable=False),
    Column("updates", Integer, nullable=False),
    Column("took_s", share, nullable=False),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("trace", long_text, nullable=False),  # JSON list
    Column("troubles", long_text, nullable=False),  # JSON list
    Column("is_sensitive", Boolean(create_constraint=False), nullable=False),
    UniqueConstraint("page", "searched_at"),
    Index("ix_discoveries_searched_at", "searched_at"),
    **OPTIONS,
)

kept_criteria = Table(
    "kept_criteria",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("outline_sha256", String(HASH_CHARS), nullable=False),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("criteria", long_text, nullable=False),  # JSON list
    Column("kept_at", Moment, nullable=False),
    UniqueConstraint("wiki", "title"),
    Index("ix_kept_criteria_kept_at", "kept_at"),
    **OPTIONS,
)
