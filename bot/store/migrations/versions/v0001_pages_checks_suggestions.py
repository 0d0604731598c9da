"""Pages and revisions, checks with their claims and readings, and suggestions."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, double, long_text, moment, number

revision = "0001"
down_revision = None


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
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("wiki_page_id", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_pages"),
        sa.UniqueConstraint("wiki", "title", name="uq_pages_wiki"),
        **OPTIONS,
    )
    op.create_table(
        "revisions",
        sa.Column("id", number(), nullable=False),
        sa.Column("page", number(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("revised_at", moment()),
        sa.PrimaryKeyConstraint("id", name="pk_revisions"),
        _owned("revisions", "page", "pages"),
        sa.UniqueConstraint("page", "number", "text_sha256", name="uq_revisions_page"),
        **OPTIONS,
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
        sa.Column("id", number(), nullable=False),
        sa.Column("revision", number(), nullable=False),
        sa.Column("checked_at", moment(), nullable=False),
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
        **OPTIONS,
    )


def _make_results() -> None:
    shares = ("supported", "partially_supported", "not_supported", "contradicted")
    op.create_table(
        "claim_checks",
        sa.Column("check_id", number(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("claim", long_text(), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("section", long_text(), nullable=False),
        sa.Column("verdict", sa.String(100)),
        *(sa.Column(f"p_{name}", double()) for name in shares),
        sa.Column("advice", long_text()),
        sa.PrimaryKeyConstraint("check_id", "position", name="pk_claim_checks"),
        _owned("claim_checks", "check_id", "checks"),
        **OPTIONS,
    )
    op.create_table(
        "source_readings",
        sa.Column("check_id", number(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source_key", long_text(), nullable=False),
        sa.Column("outcome", sa.String(100), nullable=False),
        sa.Column("detail", long_text(), nullable=False),
        sa.Column("url", long_text()),
        sa.Column("origin", sa.String(100)),
        sa.Column("read_at", moment()),
        sa.Column("content_sha256", sa.String(64)),
        sa.Column("http_status", sa.Integer()),
        sa.PrimaryKeyConstraint("check_id", "position", name="pk_source_readings"),
        _owned("source_readings", "check_id", "checks"),
        **OPTIONS,
    )


def _make_claim_readings() -> None:
    op.create_table(
        "claim_readings",
        sa.Column("check_id", number(), nullable=False),
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
        **OPTIONS,
    )


def _make_suggestions() -> None:
    op.create_table(
        "suggestions",
        sa.Column("page", number(), nullable=False),
        sa.Column("identity", sa.String(255), nullable=False),
        sa.Column("revision", number(), nullable=False),
        sa.Column("claim", long_text(), nullable=False),
        sa.Column("section", long_text(), nullable=False),
        sa.Column("source_keys", long_text(), nullable=False),
        sa.Column("verdict", sa.String(100), nullable=False),
        sa.Column("probability", double(), nullable=False),
        sa.Column("quote", long_text()),
        sa.Column("quote_url", long_text()),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("first_seen", moment(), nullable=False),
        sa.Column("last_seen", moment(), nullable=False),
        sa.Column("closed_at", moment()),
        sa.PrimaryKeyConstraint("page", "identity", name="pk_suggestions"),
        _owned("suggestions", "page", "pages"),
        sa.ForeignKeyConstraint(
            ["revision"], ["revisions.id"], name="fk_suggestions_revision"
        ),
        **OPTIONS,
    )


def _owned(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    """Reference a parent row; deleting that deletes this one, too."""
    return sa.ForeignKeyConstraint(
        [column], [f"{owner}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )
