"""What a suggestion is shown with; what readers of the panel ask for and decide."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import (
    OPTIONS,
    add,
    double,
    index,
    long_text,
    moment,
    number,
)

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add what is missing."""
    add("suggestions", sa.Column("details", long_text()))
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
        sa.Column("created_at", moment(), nullable=False),
        sa.Column("expires_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("token_sha256", name="pk_reader_sessions"),
        **OPTIONS,
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
        sa.Column("confirmed_at", moment()),
        sa.Column("problem", long_text()),
        sa.Column("begun_at", moment(), nullable=False),
        sa.Column("expires_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("state", name="pk_sign_ins"),
        **OPTIONS,
    )
    for table in ("reader_sessions", "sign_ins"):
        index(table, ["expires_at"])


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("reader", sa.String(64)),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("reason", sa.String(100)),
        sa.Column("right_verdict", sa.String(100)),
        sa.Column("verdict", sa.String(100), nullable=False),
        sa.Column("flag_kind", sa.String(100)),
        sa.Column("flag_probability", double()),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("decided_at", moment(), nullable=False),
        sa.Column("undone_at", moment()),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        **OPTIONS,
    )
    index("decisions", ["wiki", "identity"])
    index("decisions", ["wiki", "title"], named="title")
    index("decisions", ["reader", "wiki"])
    index("decisions", ["decided_at"])
    op.create_table(
        "closures",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("closed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "identity", name="pk_closures"),
        **OPTIONS,
    )


def _judgements() -> None:
    op.create_table(
        "judgements",
        sa.Column("id", number(), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("reader", sa.String(64)),
        sa.Column("answer", long_text(), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("judged_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_judgements"),
        **OPTIONS,
    )
    index("judgements", ["kind", "judged_at"])
    index("judgements", ["reader", "kind"])


def _requests() -> None:
    op.create_table(
        "kept_answers",
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("answer", long_text(), nullable=False),
        sa.Column("kept_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("request", name="pk_kept_answers"),
        **OPTIONS,
    )
    index("kept_answers", ["kept_at"])
    op.create_table(
        "looks",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("asked_at", moment(), nullable=False),
        sa.Column("begun_at", moment()),
        sa.Column("ended_at", moment()),
        sa.Column("reading", long_text()),
        sa.Column("sources", sa.Integer(), nullable=False),
        sa.Column("sources_read", sa.Integer(), nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("claims_checked", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("problem", long_text()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "title", name="pk_looks"),
        **OPTIONS,
    )
    index("looks", ["changed_at"])
