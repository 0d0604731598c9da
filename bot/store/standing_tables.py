"""The tables of what people asked for, what is planned for them, and what they saw."""

from sqlalchemy import (
    BigInteger,
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
    row_id,
    share,
)

IDENTITY_CHARS = 64

# How often something was changed, so that it is cheap to ask whether it was.
versions = Table(
    "versions",
    metadata,
    Column("name", String(NAME_CHARS), primary_key=True),
    Column("number", BigInteger, nullable=False),
    **OPTIONS,
)

watches = Table(
    "watches",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("place", String(KEY_CHARS), nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("watcher", String(KEY_CHARS), nullable=False),
    Column("checks", long_text, nullable=False),  # JSON list of names, as the two below
    Column("surfaces", long_text, nullable=False),
    Column("languages", long_text, nullable=False),
    Column("report", String(KEY_CHARS)),
    Column("interval_s", BigInteger, nullable=False),
    Column("most_count", BigInteger, nullable=False),
    Column("most_per", String(NAME_CHARS), nullable=False),
    Column("min_confidence", share),
    Column("kept_at", Moment, nullable=False),
    UniqueConstraint("wiki", "place"),
    **OPTIONS,
)

# `wiki` stands here, too, so that the watches of a page are found by one index.
watched_pages = Table(
    "watched_pages",
    metadata,
    Column("watch", ForeignKey(watches.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Index("ix_watched_pages_wiki", "wiki", "title"),
    **OPTIONS,
)

# One row for each plan that was ever asked for, or was in the last month.
plans = Table(
    "plans",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("subject", String(KEY_CHARS), nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("leased_until", Moment),
    Column("again", Boolean(create_constraint=False), nullable=False),
    Column("note", long_text),  # the last failure
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("kind", "wiki", "subject"),
    Index("ix_plans_state", "state", "due_at"),
    Index("ix_plans_kind", "kind", "state", "due_at"),
    **OPTIONS,
)

# `short` is the part of the identity that stands on pages.
told_notes = Table(
    "told_notes",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("place", String(KEY_CHARS), nullable=False),
    Column("short", String(IDENTITY_CHARS), nullable=False),
    Column("identity", String(IDENTITY_CHARS), nullable=False),
    Column("article", String(KEY_CHARS), nullable=False),
    Column("check_kind", String(NAME_CHARS), nullable=False),
    Column("watcher", String(KEY_CHARS), nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("told_at", Moment, nullable=False),
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("wiki", "place", "short"),
    Index("ix_told_notes_wiki", "wiki", "told_at"),
    Index("ix_told_notes_told_at", "told_at"),
    **OPTIONS,
)

communities = Table(
    "communities",
    metadata,
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("text", long_text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("faults", long_text, nullable=False),  # JSON list
    Column("read_at", Moment, nullable=False),
    **OPTIONS,
)

# Who does a task that only one process may do at a time.
turns = Table(
    "turns",
    metadata,
    Column("name", String(NAME_CHARS), primary_key=True),
    Column("holder", String(NAME_CHARS), nullable=False),
    Column("began_at", Moment, nullable=False),
    Column("until", Moment, nullable=False),
    **OPTIONS,
)
