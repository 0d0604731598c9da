"""The tables, on SQLite and MariaDB alike.

On MariaDB every text compares byte by byte, trailing spaces included, as SQLite
does: titles that differ only in case or accents are different pages. Keys are
short enough for its indexes (3072 bytes, four to a character).
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.mysql import DATETIME, DOUBLE, MEDIUMTEXT
from sqlalchemy.types import TypeDecorator

VERSION = "0014"  # of the newest migration
# The oldest version of the tables whose program may work on these, beside ours or after a
# rollback. Raise it only where such a program would do harm: migrations add tables and
# columns that may be empty, and what a state means stays.
OLDEST = "0009"

KEY_CHARS = 255
NAME_CHARS = 100
ADDRESS_CHARS = 2000
TEXT_CHARS = 100_000

_MARIADB = ("mysql", "mariadb")
OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in _MARIADB
    for option, value in (
        ("engine", "InnoDB"),
        ("default_charset", "utf8mb4"),
        ("collate", "utf8mb4_nopad_bin"),
    )
}


class Moment(TypeDecorator[datetime]):
    """A point in time to the microsecond, kept in UTC."""

    impl = DateTime().with_variant(DATETIME(fsp=6), *_MARIADB)
    cache_ok = True

    def process_bind_param(
        self, value: datetime | None, _dialect: Dialect
    ) -> datetime | None:
        """Refuse times without a zone; nobody could say what they mean."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(
        self, value: datetime | None, _dialect: Dialect
    ) -> datetime | None:
        """Give the time its zone back."""
        return value and value.replace(tzinfo=UTC)


row_id = BigInteger().with_variant(Integer(), "sqlite")
long_text = Text().with_variant(MEDIUMTEXT(), *_MARIADB)
share = Float(53).with_variant(DOUBLE(asdecimal=False), *_MARIADB)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

pages = Table(
    "pages",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("wiki_page_id", BigInteger),
    UniqueConstraint("wiki", "title"),
    **OPTIONS,
)

# A page from a file has no revision number; 0 and its text's hash stand for it.
revisions = Table(
    "revisions",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("page", ForeignKey(pages.c.id, ondelete="CASCADE"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("text_sha256", String(64), nullable=False),
    Column("revised_at", Moment),
    UniqueConstraint("page", "number", "text_sha256"),
    **OPTIONS,
)

checks = Table(
    "checks",
    metadata,
    Column("id", row_id, primary_key=True),
    Column("revision", ForeignKey(revisions.c.id, ondelete="CASCADE"), nullable=False),
    Column("checked_at", Moment, nullable=False),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("claims", Integer, nullable=False),
    Column("supported", Integer, nullable=False),
    Column("partially_supported", Integer, nullable=False),
    Column("not_supported", Integer, nullable=False),
    Column("contradicted", Integer, nullable=False),
    Column("unchecked", Integer, nullable=False),
    UniqueConstraint("revision", "checked_at", "engine_name", "engine_version"),
    **OPTIONS,
)

claim_checks = Table(
    "claim_checks",
    metadata,
    Column("check_id", ForeignKey(checks.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("claim", long_text, nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("section", long_text, nullable=False),  # JSON list of headings
    Column("verdict", String(NAME_CHARS)),
    Column("p_supported", share),
    Column("p_partially_supported", share),
    Column("p_not_supported", share),
    Column("p_contradicted", share),
    Column("advice", long_text),
    Column("fingerprint", String(64)),  # of what the result rests on
    Column("looked_at", Moment),
    **OPTIONS,
)

source_readings = Table(
    "source_readings",
    metadata,
    Column("check_id", ForeignKey(checks.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("source_key", long_text, nullable=False),
    Column("outcome", String(NAME_CHARS), nullable=False),
    Column("detail", long_text, nullable=False),
    Column("url", long_text),
    Column("origin", String(NAME_CHARS)),
    Column("read_at", Moment),
    Column("content_sha256", String(64)),
    Column("http_status", Integer),
    **OPTIONS,
)

claim_readings = Table(
    "claim_readings",
    metadata,
    Column("check_id", row_id, primary_key=True, autoincrement=False),
    Column("claim", Integer, primary_key=True, autoincrement=False),
    Column("reading", Integer, primary_key=True, autoincrement=False),
    ForeignKeyConstraint(
        ["check_id", "claim"],
        [claim_checks.c.check_id, claim_checks.c.position],
        name="fk_claim_readings_claim",
        ondelete="CASCADE",
    ),
    ForeignKeyConstraint(
        ["check_id", "reading"],
        [source_readings.c.check_id, source_readings.c.position],
        name="fk_claim_readings_reading",
        ondelete="CASCADE",
    ),
    **OPTIONS,
)

suggestions = Table(
    "suggestions",
    metadata,
    Column("page", ForeignKey(pages.c.id, ondelete="CASCADE"), primary_key=True),
    Column("identity", String(KEY_CHARS), primary_key=True),
    Column("revision", ForeignKey(revisions.c.id), nullable=False),
    Column("claim", long_text, nullable=False),
    Column("section", long_text, nullable=False),  # JSON list of headings
    Column("source_keys", long_text, nullable=False),  # JSON list
    Column("verdict", String(NAME_CHARS), nullable=False),
    Column("probability", share, nullable=False),
    Column("quote", long_text),
    Column("quote_url", long_text),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("first_seen", Moment, nullable=False),
    Column("last_seen", Moment, nullable=False),
    Column("closed_at", Moment),
    Column("flag_kind", String(NAME_CHARS)),  # NULL: not flagged
    Column("flag_probability", share),
    Column("flag_threshold", share),
    Column("flag_precision", share),  # NULL: only versions before 0014 knew it
    Column("flag_expected", long_text),  # JSON object
    Column("place", Integer),
    Column("remedies", long_text),  # JSON list
    Column("details", long_text),  # JSON object
    Column("update_kind", String(NAME_CHARS)),  # NULL: of a citation; or "WRITING"
    Column("is_sensitive", Boolean(create_constraint=False)),  # NULL: no
    Index("ix_suggestions_identity", "identity"),
    Index("ix_suggestions_closed_at", "closed_at"),
    **OPTIONS,
)
