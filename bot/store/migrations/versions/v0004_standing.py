"""What people asked to be watched, what is planned for them, and what they saw."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0004"
down_revision = "0003"

_MARIADB = ("mysql", "mariadb")
_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mariadb_engine": "InnoDB",
    "mysql_default_charset": "utf8mb4",
    "mariadb_default_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_nopad_bin",
    "mariadb_collate": "utf8mb4_nopad_bin",
    "if_not_exists": True,
}


def upgrade() -> None:
    """Make the tables, and tell of each post what it came of."""
    _make_watches()
    _make_watched_pages()
    _make_plans()
    _make_told_notes()
    _make_small_tables()
    _widen_posts()
    op.create_index(
        "ix_suggestions_identity", "suggestions", ["identity"], if_not_exists=True
    )


def _make_watches() -> None:
    op.create_table(
        "watches",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("watcher", sa.String(255), nullable=False),
        sa.Column("checks", _long_text(), nullable=False),
        sa.Column("surfaces", _long_text(), nullable=False),
        sa.Column("languages", _long_text(), nullable=False),
        sa.Column("report", sa.String(255)),
        sa.Column("interval_s", sa.BigInteger(), nullable=False),
        sa.Column("most_count", sa.BigInteger(), nullable=False),
        sa.Column("most_per", sa.String(100), nullable=False),
        sa.Column("min_confidence", _share()),
        sa.Column("kept_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_watches"),
        sa.UniqueConstraint("wiki", "place", name="uq_watches_wiki"),
        **_OPTIONS,
    )


def _make_watched_pages() -> None:
    op.create_table(
        "watched_pages",
        sa.Column("watch", _row_id(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.PrimaryKeyConstraint("watch", "position", name="pk_watched_pages"),
        sa.ForeignKeyConstraint(
            ["watch"],
            ["watches.id"],
            name="fk_watched_pages_watch",
            ondelete="CASCADE",
        ),
        **_OPTIONS,
    )
    _index("watched_pages", ["wiki", "title"])


def _make_plans() -> None:
    op.create_table(
        "plans",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", _moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", _moment()),
        sa.Column("again", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("note", _long_text()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
        sa.UniqueConstraint("kind", "wiki", "subject", name="uq_plans_kind"),
        **_OPTIONS,
    )
    _index("plans", ["state", "due_at"])
    _index("plans", ["kind", "state", "due_at"])


def _make_told_notes() -> None:
    op.create_table(
        "told_notes",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("short", sa.String(64), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("article", sa.String(255), nullable=False),
        sa.Column("check_kind", sa.String(100), nullable=False),
        sa.Column("watcher", sa.String(255), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("told_at", _moment(), nullable=False),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_told_notes"),
        sa.UniqueConstraint("wiki", "place", "short", name="uq_told_notes_wiki"),
        **_OPTIONS,
    )
    _index("told_notes", ["wiki", "told_at"])
    _index("told_notes", ["told_at"])


def _make_small_tables() -> None:
    op.create_table(
        "versions",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_versions"),
        **_OPTIONS,
    )
    op.create_table(
        "communities",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("text", _long_text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("faults", _long_text(), nullable=False),
        sa.Column("read_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", name="pk_communities"),
        **_OPTIONS,
    )
    op.create_table(
        "turns",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("holder", sa.String(100), nullable=False),
        sa.Column("began_at", _moment(), nullable=False),
        sa.Column("until", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_turns"),
        **_OPTIONS,
    )


def _widen_posts() -> None:
    known = {each["name"] for each in sa.inspect(op.get_bind()).get_columns("posts")}
    for column in (
        sa.Column("plan", sa.String(100)),
        sa.Column("subject", sa.String(255)),
        sa.Column("adds", _long_text()),
        sa.Column("settles", _long_text()),
    ):
        if column.name not in known:
            op.add_column("posts", column)


def _index(table: str, columns: list[str]) -> None:
    op.create_index(f"ix_{table}_{columns[0]}", table, columns, if_not_exists=True)


def _row_id() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)


def _share() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)
