"""What a suggestion is shown with; what readers of the panel ask for and decide."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0007"
down_revision = "0006"

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
    """Add what is missing."""
    known = {
        one["name"] for one in sa.inspect(op.get_bind()).get_columns("suggestions")
    }
    if "details" not in known:
        op.add_column("suggestions", sa.Column("details", _long_text()))
    _sign_ins()
    _decisions()
    _judgements()
    _requests()


def _sign_ins() -> None:
    op.create_table(
        "reader_sessions",
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("user", sa.String(255), nullable=False),
        sa.Column("created_at", _moment(), nullable=False),
        sa.Column("expires_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("token_sha256", name="pk_reader_sessions"),
        **_OPTIONS,
    )
    op.create_table(
        "sign_ins",
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("way", sa.String(100), nullable=False),
        sa.Column("secret_sha256", sa.String(64), nullable=False),
        sa.Column("verifier", sa.String(255)),
        sa.Column("user", sa.String(255)),
        sa.Column("subject", sa.String(255)),
        sa.Column("confirmed_at", _moment()),
        sa.Column("problem", _long_text()),
        sa.Column("begun_at", _moment(), nullable=False),
        sa.Column("expires_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("state", name="pk_sign_ins"),
        **_OPTIONS,
    )
    for table in ("reader_sessions", "sign_ins"):
        _index(table, "expires_at", ["expires_at"])


def _decisions() -> None:
    op.create_table(
        "decisions",
        _id(),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("reader", sa.String(64)),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("reason", sa.String(100)),
        sa.Column("right_verdict", sa.String(100)),
        sa.Column("verdict", sa.String(100), nullable=False),
        sa.Column("flag_kind", sa.String(100)),
        sa.Column("flag_probability", _double()),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("decided_at", _moment(), nullable=False),
        sa.Column("undone_at", _moment()),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        **_OPTIONS,
    )
    _index("decisions", "wiki", ["wiki", "identity"])
    _index("decisions", "title", ["wiki", "title"])
    _index("decisions", "reader", ["reader", "wiki"])
    _index("decisions", "decided_at", ["decided_at"])
    op.create_table(
        "closures",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("closed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "identity", name="pk_closures"),
        **_OPTIONS,
    )


def _judgements() -> None:
    op.create_table(
        "judgements",
        _id(),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("reader", sa.String(64)),
        sa.Column("answer", _long_text(), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("judged_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_judgements"),
        **_OPTIONS,
    )
    _index("judgements", "kind", ["kind", "judged_at"])
    _index("judgements", "reader", ["reader", "kind"])


def _requests() -> None:
    op.create_table(
        "kept_answers",
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("answer", _long_text(), nullable=False),
        sa.Column("kept_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("request", name="pk_kept_answers"),
        **_OPTIONS,
    )
    _index("kept_answers", "kept_at", ["kept_at"])
    op.create_table(
        "looks",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("asked_at", _moment(), nullable=False),
        sa.Column("begun_at", _moment()),
        sa.Column("ended_at", _moment()),
        sa.Column("reading", _long_text()),
        sa.Column("sources", sa.Integer(), nullable=False),
        sa.Column("sources_read", sa.Integer(), nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("claims_checked", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("problem", _long_text()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "title", name="pk_looks"),
        **_OPTIONS,
    )
    _index("looks", "changed_at", ["changed_at"])


def _index(table: str, name: str, columns: list[str]) -> None:
    op.create_index(f"ix_{table}_{name}", table, columns, if_not_exists=True)


def _id() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("id", kind, nullable=False)


def _double() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
