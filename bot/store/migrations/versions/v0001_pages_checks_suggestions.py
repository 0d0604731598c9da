"""Pages and revisions, checks with their claims and readings, and suggestions."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None

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
    """Make the tables, referenced ones first."""
    _make_pages()
    _make_checks()
    _make_results()
    _make_claim_readings()
    _make_suggestions()


def _make_pages() -> None:
    op.create_table(
        "pages",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("wiki_page_id", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_pages"),
        sa.UniqueConstraint("wiki", "title", name="uq_pages_wiki"),
        **_OPTIONS,
    )
    op.create_table(
        "revisions",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("page", _row_id(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("revised_at", _moment()),
        sa.PrimaryKeyConstraint("id", name="pk_revisions"),
        _owned("revisions", "page", "pages"),
        sa.UniqueConstraint("page", "number", "text_sha256", name="uq_revisions_page"),
        **_OPTIONS,
    )


def _make_checks() -> None:
    counts = (
        "claims",
        "supported",
        "partially_supported",
        "not_supported",
        "contradicted",
        "unchecked",
    )
    op.create_table(
        "checks",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("revision", _row_id(), nullable=False),
        sa.Column("checked_at", _moment(), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in counts),
        sa.PrimaryKeyConstraint("id", name="pk_checks"),
        _owned("checks", "revision", "revisions"),
        sa.UniqueConstraint(
            "revision",
            "checked_at",
            "engine_name",
            "engine_version",
            name="uq_checks_revision",
        ),
        **_OPTIONS,
    )


def _make_results() -> None:
    shares = ("supported", "partially_supported", "not_supported", "contradicted")
    op.create_table(
        "claim_checks",
        sa.Column("check_id", _row_id(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("claim", _long_text(), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("section", _long_text(), nullable=False),
        sa.Column("verdict", sa.String(100)),
        *(sa.Column(f"p_{name}", _share()) for name in shares),
        sa.Column("advice", _long_text()),
        sa.PrimaryKeyConstraint("check_id", "position", name="pk_claim_checks"),
        _owned("claim_checks", "check_id", "checks"),
        **_OPTIONS,
    )
    op.create_table(
        "source_readings",
        sa.Column("check_id", _row_id(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source_key", _long_text(), nullable=False),
        sa.Column("outcome", sa.String(100), nullable=False),
        sa.Column("detail", _long_text(), nullable=False),
        sa.Column("url", _long_text()),
        sa.Column("origin", sa.String(100)),
        sa.Column("read_at", _moment()),
        sa.Column("content_sha256", sa.String(64)),
        sa.Column("http_status", sa.Integer()),
        sa.PrimaryKeyConstraint("check_id", "position", name="pk_source_readings"),
        _owned("source_readings", "check_id", "checks"),
        **_OPTIONS,
    )


def _make_claim_readings() -> None:
    op.create_table(
        "claim_readings",
        sa.Column("check_id", _row_id(), nullable=False),
        sa.Column("claim", sa.Integer(), nullable=False),
        sa.Column("reading", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "check_id", "claim", "reading", name="pk_claim_readings"
        ),
        sa.ForeignKeyConstraint(
            ["check_id", "claim"],
            ["claim_checks.check_id", "claim_checks.position"],
            name="fk_claim_readings_claim",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["check_id", "reading"],
            ["source_readings.check_id", "source_readings.position"],
            name="fk_claim_readings_reading",
            ondelete="CASCADE",
        ),
        **_OPTIONS,
    )


def _make_suggestions() -> None:
    op.create_table(
        "suggestions",
        sa.Column("page", _row_id(), nullable=False),
        sa.Column("identity", sa.String(255), nullable=False),
        sa.Column("revision", _row_id(), nullable=False),
        sa.Column("claim", _long_text(), nullable=False),
        sa.Column("section", _long_text(), nullable=False),
        sa.Column("source_keys", _long_text(), nullable=False),
        sa.Column("verdict", sa.String(100), nullable=False),
        sa.Column("probability", _share(), nullable=False),
        sa.Column("quote", _long_text()),
        sa.Column("quote_url", _long_text()),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("first_seen", _moment(), nullable=False),
        sa.Column("last_seen", _moment(), nullable=False),
        sa.Column("closed_at", _moment()),
        sa.PrimaryKeyConstraint("page", "identity", name="pk_suggestions"),
        _owned("suggestions", "page", "pages"),
        sa.ForeignKeyConstraint(
            ["revision"], ["revisions.id"], name="fk_suggestions_revision"
        ),
        **_OPTIONS,
    )


def _owned(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    """Tie a row to the one it belongs to, with which it goes."""
    return sa.ForeignKeyConstraint(
        [column], [f"{owner}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )


def _row_id() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)


def _share() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)
