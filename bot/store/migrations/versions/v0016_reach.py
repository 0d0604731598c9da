"""Texts that people supply, results of visits to addresses, and reports of problems."""

import sqlalchemy as sa

from bot.store.migrations.steps import (
    long_bytes,
    long_text,
    make,
    moment,
    number,
    optional,
    required,
)

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add what is missing."""
    make(
        "supplied_texts",
        required(sa.String(64), "name reader"),
        required(sa.String(255), "wiki title"),
        required(long_text(), "source_key"),
        required(moment(), "supplied_at expires_at"),
        optional(long_bytes(), "body"),
        optional(moment(), "ended_at"),
        optional(long_text(), "answer problem"),
        key=["name"],
        indexes={"expires_at": ["expires_at"]},
    )
    make(
        "link_visits",
        required(number(), "id"),
        required(sa.String(64), "address_sha256"),
        required(long_text(), "address"),
        required(sa.String(100), "outcome"),
        required(sa.String(255), "seen_from"),
        required(moment(), "first_seen last_seen"),
        required(sa.Integer(), "times"),
        optional(sa.Integer(), "http_status"),
        optional(long_text(), "led_to"),
        indexes={
            "address_sha256": ["address_sha256", "last_seen"],
            "last_seen": ["last_seen"],
        },
    )
    make(
        "problem_reports",
        required(number(), "id"),
        required(sa.String(255), "wiki"),
        required(sa.String(64), "name identity"),
        required(sa.String(100), "verdict"),
        required(moment(), "reported_at"),
        optional(sa.BigInteger(), "revision"),
        optional(sa.String(100), "flag_kind answer"),
        optional(moment(), "answered_at"),
        unique=["wiki", "name"],
        indexes={"reported_at": ["reported_at"]},
    )
