"""The tables between the change feed and the workers."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
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
from bot.store.tenant_tables import PARTY_CHARS

NOBODY = "-"
"""The party of pages that nobody in particular asked for, or an older program put."""

# One row for each page that ever waited. `revision` is the newest that was asked for,
# `begun_revision` the one that the last lease was for. `party` is who the work counts
# for, see `bot.store.tenants`.
jobs = Table(
    "jobs",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("wiki_page_id", BigInteger),
    Column("revision", BigInteger),
    Column("reason", String(NAME_CHARS), nullable=False),
    Column("urgency", Integer, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("pause_s", share, nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("leased_until", Moment),
    Column("worker", String(NAME_CHARS)),
    Column("begun_at", Moment),
    Column("begun_revision", BigInteger),
    Column("again", Boolean(create_constraint=False), nullable=False),
    Column("note", long_text),  # the last failure, or why it is parked
    Column("changed_at", Moment, nullable=False),  # of this row
    Column("party", String(PARTY_CHARS), nullable=False, server_default=NOBODY),
    UniqueConstraint("wiki", "title"),
    Index("ix_jobs_state", "state", "urgency", "due_at"),
    Index("ix_jobs_wiki", "wiki", "party", "state", "urgency", "due_at"),
    **OPTIONS,
)

# How far each feed was read: committed with the jobs that came of it.
positions = Table(
    "positions",
    metadata,
    Column("feed", String(KEY_CHARS), primary_key=True),
    Column("position", long_text, nullable=False),
    Column("received_at", Moment, nullable=False),
    **OPTIONS,
)

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("feed", ForeignKey(positions.c.feed, ondelete="CASCADE"), nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("reason", String(NAME_CHARS), nullable=False),
    Column("detail", long_text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Index("ix_dead_letters_received_at", "received_at"),
    **OPTIONS,
)

holes = Table(
    "holes",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("feed", ForeignKey(positions.c.feed, ondelete="CASCADE"), nullable=False),
    Column("since", Moment, nullable=False),
    Column("until", Moment),
    Column("filled_at", Moment),
    **OPTIONS,
)
