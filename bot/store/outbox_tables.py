"""The tables of what is to be written to wikis, and how much was written."""

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
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

posts = Table(
    "posts",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("name", String(64), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("task", String(NAME_CHARS), nullable=False),
    Column("user", String(KEY_CHARS), nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("section", Integer),
    Column("expected", long_text),
    Column("text", long_text, nullable=False),
    Column("text_sha256", String(64), nullable=False),
    Column("summary", long_text, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("leased_until", Moment),
    Column("first_tried_at", Moment),  # set while a try may have made it
    Column("counted_on", Date),  # the day on which it is counted against the limits
    Column("revision", BigInteger),
    Column("refusal", String(NAME_CHARS)),
    Column("note", long_text),
    Column("changed_at", Moment, nullable=False),
    Column("plan", String(NAME_CHARS)),  # that it came of, with `subject`
    Column("subject", String(KEY_CHARS)),
    Column("adds", long_text),  # JSON list of identities, as the next
    Column("settles", long_text),
    UniqueConstraint("name"),
    Index("ix_posts_state", "state", "due_at"),
    Index("ix_posts_wiki", "wiki", "title"),
    **OPTIONS,
)

# Posts that were made, or may have been, on a day. `scope` says what `subject` names.
post_counts = Table(
    "post_counts",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("day", Date, nullable=False),
    Column("task", String(NAME_CHARS), nullable=False),
    Column("scope", String(NAME_CHARS), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("subject", String(KEY_CHARS), nullable=False),
    Column("used", Integer, nullable=False),
    # Its parts may be 3,072 bytes long together, four to a character.
    UniqueConstraint("day", "task", "scope", "wiki", "subject"),
    **OPTIONS,
)
