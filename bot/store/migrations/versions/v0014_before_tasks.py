"""All tables as they were before there was one table of tasks.

This joins the first fourteen migrations. A database at any of them is brought here,
because each table is made if it is missing, and else given the columns it lacks. What
an older row does not have is not known: its suggestions are shown after the next check
of their page, which then checks every claim.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import (
    double,
    long_bytes,
    long_text,
    make,
    moment,
    number,
    optional,
    required,
)

revision = "0014"
down_revision = None


def upgrade() -> None:
    """Make what is missing, referenced tables first."""
    _pages()
    _queue()
    _posts()
    _watches()
    _readers()
    _updates_and_drafts()
    _processes()
    _spending()
    _forget_what_misleads()


def _pages() -> None:
    make(
        "pages",
        required(number(), "id"),
        required(sa.String(255), "wiki title"),
        optional(sa.BigInteger(), "wiki_page_id"),
        unique=["wiki", "title"],
    )
    make(
        "revisions",
        required(number(), "id page"),
        required(sa.BigInteger(), "number"),
        required(sa.String(64), "text_sha256"),
        optional(moment(), "revised_at"),
        unique=["page", "number", "text_sha256"],
        owners={"page": "pages.id"},
    )
    make(
        "checks",
        required(number(), "id revision"),
        required(moment(), "checked_at"),
        required(sa.String(100), "engine_name engine_version"),
        required(
            sa.Integer(),
            "claims supported partially_supported not_supported contradicted unchecked",
        ),
        unique=["revision", "checked_at", "engine_name", "engine_version"],
        owners={"revision": "revisions.id"},
    )
    make(
        "claim_checks",
        required(number(), "check_id"),
        required(sa.Integer(), "position"),
        required(long_text(), "claim section"),
        required(sa.String(100), "kind"),
        optional(sa.String(100), "verdict"),
        optional(
            double(), "p_supported p_partially_supported p_not_supported p_contradicted"
        ),
        optional(long_text(), "advice"),
        optional(sa.String(64), "fingerprint"),
        optional(moment(), "looked_at"),
        key=["check_id", "position"],
        owners={"check_id": "checks.id"},
    )
    make(
        "source_readings",
        required(number(), "check_id"),
        required(sa.Integer(), "position"),
        required(long_text(), "source_key detail"),
        required(sa.String(100), "outcome"),
        optional(long_text(), "url"),
        optional(sa.String(100), "origin"),
        optional(moment(), "read_at"),
        optional(sa.String(64), "content_sha256"),
        optional(sa.Integer(), "http_status"),
        key=["check_id", "position"],
        owners={"check_id": "checks.id"},
    )
    make(
        "claim_readings",
        required(number(), "check_id"),
        required(sa.Integer(), "claim reading"),
        key=["check_id", "claim", "reading"],
        owners={
            "check_id claim": "claim_checks.check_id claim_checks.position",
            "check_id reading": "source_readings.check_id source_readings.position",
        },
    )
    make(
        "suggestions",
        required(number(), "page revision"),
        required(sa.String(255), "identity"),
        required(long_text(), "claim section source_keys"),
        required(sa.String(100), "verdict engine_name engine_version"),
        required(double(), "probability"),
        optional(long_text(), "quote quote_url remedies details flag_expected"),
        required(moment(), "first_seen last_seen"),
        optional(moment(), "closed_at"),
        optional(sa.String(100), "flag_kind update_kind"),
        optional(double(), "flag_probability flag_threshold flag_precision"),
        optional(sa.Integer(), "place"),
        optional(sa.Boolean(), "is_sensitive"),
        key=["page", "identity"],
        owners={"page": "pages.id"},
        refers={"revision": "revisions.id"},
        indexes={"identity": ["identity"], "closed_at": ["closed_at"]},
    )


def _queue() -> None:
    make(
        "jobs",
        required(number(), "id"),
        required(sa.String(255), "wiki title"),
        optional(sa.BigInteger(), "wiki_page_id revision begun_revision"),
        required(sa.String(100), "reason state"),
        required(sa.Integer(), "urgency attempts"),
        required(moment(), "asked_at due_at changed_at"),
        required(double(), "pause_s"),
        required(sa.BigInteger(), "token"),
        optional(moment(), "leased_until begun_at"),
        optional(sa.String(100), "worker"),
        required(sa.Boolean(), "again"),
        optional(long_text(), "note"),
        required(sa.String(64), "party", default="-"),
        unique=["wiki", "title"],
        indexes={
            "state": ["state", "urgency", "due_at"],
            "wiki": ["wiki", "party", "state", "urgency", "due_at"],
        },
    )
    make(
        "positions",
        required(sa.String(255), "feed"),
        required(long_text(), "position"),
        required(moment(), "received_at"),
        key=["feed"],
    )
    make(
        "dead_letters",
        required(number(), "id"),
        required(sa.String(255), "feed"),
        required(moment(), "received_at"),
        required(sa.String(100), "reason"),
        required(long_text(), "detail"),
        required(sa.LargeBinary(), "raw"),
        required(sa.BigInteger(), "size_bytes"),
        owners={"feed": "positions.feed"},
        indexes={"received_at": ["received_at"]},
    )
    make(
        "holes",
        required(number(), "id"),
        required(sa.String(255), "feed"),
        required(moment(), "since"),
        optional(moment(), "until filled_at"),
        owners={"feed": "positions.feed"},
    )


def _posts() -> None:
    make(
        "posts",
        required(number(), "id"),
        required(sa.String(64), "name text_sha256"),
        required(sa.String(255), "wiki title user"),
        required(sa.String(100), "task kind state"),
        optional(sa.Integer(), "section"),
        optional(long_text(), "expected note adds settles"),
        required(long_text(), "text summary"),
        required(moment(), "asked_at due_at changed_at"),
        required(sa.Integer(), "tries"),
        required(sa.BigInteger(), "token"),
        optional(moment(), "leased_until first_tried_at"),
        optional(sa.Date(), "counted_on"),
        optional(sa.BigInteger(), "revision"),
        optional(sa.String(100), "refusal plan"),
        optional(sa.String(255), "subject"),
        unique=["name"],
        indexes={"state": ["state", "due_at"], "wiki": ["wiki", "title"]},
    )
    make(
        "post_counts",
        required(number(), "id"),
        required(sa.Date(), "day"),
        required(sa.String(100), "task scope"),
        required(sa.String(255), "wiki subject"),
        required(sa.Integer(), "used"),
        unique=["day", "task", "scope", "wiki", "subject"],
    )
    make(
        "plans",
        required(number(), "id"),
        required(sa.String(100), "kind state"),
        required(sa.String(255), "wiki subject"),
        required(moment(), "due_at changed_at"),
        required(sa.Integer(), "attempts"),
        required(sa.BigInteger(), "token"),
        optional(moment(), "leased_until"),
        required(sa.Boolean(), "again"),
        optional(long_text(), "note"),
        unique=["kind", "wiki", "subject"],
        indexes={"state": ["state", "due_at"], "kind": ["kind", "state", "due_at"]},
    )
    make(
        "told_notes",
        required(number(), "id"),
        required(sa.String(255), "wiki place article watcher"),
        required(sa.String(64), "short identity"),
        required(sa.String(100), "check_kind state"),
        required(moment(), "told_at changed_at"),
        unique=["wiki", "place", "short"],
        indexes={"wiki": ["wiki", "told_at"], "told_at": ["told_at"]},
    )


def _watches() -> None:
    make(
        "watches",
        required(number(), "id"),
        required(sa.String(255), "wiki place watcher"),
        required(sa.String(100), "kind most_per"),
        required(long_text(), "checks surfaces languages"),
        optional(sa.String(255), "report"),
        required(sa.BigInteger(), "interval_s most_count"),
        optional(double(), "min_confidence"),
        required(moment(), "kept_at"),
        unique=["wiki", "place"],
    )
    make(
        "watched_pages",
        required(number(), "watch"),
        required(sa.Integer(), "position"),
        required(sa.String(255), "wiki title"),
        key=["watch", "position"],
        owners={"watch": "watches.id"},
        indexes={"wiki": ["wiki", "title"]},
    )
    make(
        "versions",
        required(sa.String(100), "name"),
        required(sa.BigInteger(), "number"),
        key=["name"],
    )
    make(
        "communities",
        required(sa.String(255), "wiki"),
        required(long_text(), "text faults"),
        required(sa.BigInteger(), "revision"),
        required(moment(), "read_at"),
        key=["wiki"],
    )
    make(
        "turns",
        required(sa.String(100), "name holder"),
        required(moment(), "began_at until"),
        key=["name"],
    )


def _readers() -> None:
    make(
        "reader_sessions",
        required(sa.String(64), "token_sha256"),
        required(sa.String(255), "wiki subject user"),
        required(moment(), "created_at expires_at"),
        key=["token_sha256"],
        indexes={"expires_at": ["expires_at"]},
    )
    make(
        "sign_ins",
        required(sa.String(64), "state secret_sha256"),
        required(sa.String(255), "wiki"),
        required(sa.String(100), "way"),
        optional(sa.String(255), "verifier user subject"),
        optional(moment(), "confirmed_at"),
        optional(long_text(), "problem"),
        required(moment(), "begun_at expires_at"),
        optional(sa.BigInteger(), "revision_before log_before"),
        optional(sa.String(100), "browser system"),
        key=["state"],
        indexes={"expires_at": ["expires_at"]},
    )
    make(
        "decisions",
        required(number(), "id"),
        required(sa.String(255), "wiki title"),
        required(sa.String(64), "identity"),
        optional(sa.String(64), "reader"),
        required(sa.String(100), "kind verdict engine_name engine_version"),
        optional(sa.String(100), "reason right_verdict flag_kind"),
        optional(double(), "flag_probability"),
        optional(sa.BigInteger(), "revision"),
        required(moment(), "decided_at"),
        optional(moment(), "undone_at"),
        indexes={
            "wiki": ["wiki", "identity"],
            "title": ["wiki", "title"],
            "reader": ["reader", "wiki"],
            "decided_at": ["decided_at"],
        },
    )
    make(
        "closures",
        required(sa.String(255), "wiki"),
        required(sa.String(64), "identity"),
        required(moment(), "closed_at"),
        key=["wiki", "identity"],
    )
    make(
        "judgements",
        required(number(), "id"),
        required(sa.String(100), "kind engine_name engine_version"),
        required(sa.String(255), "wiki title"),
        required(sa.String(64), "identity"),
        optional(sa.String(64), "reader"),
        required(long_text(), "answer"),
        required(moment(), "judged_at"),
        indexes={"kind": ["kind", "judged_at"], "reader": ["reader", "kind"]},
    )
    make(
        "kept_answers",
        required(sa.String(64), "request body_sha256"),
        required(sa.Integer(), "status"),
        required(long_text(), "answer"),
        required(moment(), "kept_at"),
        key=["request"],
        indexes={"kept_at": ["kept_at"]},
    )
    make(
        "looks",
        required(sa.String(255), "wiki title"),
        required(moment(), "asked_at changed_at"),
        optional(moment(), "begun_at ended_at"),
        optional(long_text(), "reading problem"),
        required(sa.Integer(), "sources sources_read claims claims_checked"),
        optional(sa.BigInteger(), "revision"),
        key=["wiki", "title"],
        indexes={"changed_at": ["changed_at"]},
    )


def _updates_and_drafts() -> None:
    make(
        "discoveries",
        required(number(), "id page revision"),
        required(moment(), "searched_at"),
        optional(sa.String(10), "since until"),
        required(sa.String(100), "stopped engine_name engine_version"),
        required(sa.Integer(), "updates"),
        required(double(), "took_s"),
        required(long_text(), "trace troubles"),
        required(sa.Boolean(), "is_sensitive"),
        unique=["page", "searched_at"],
        owners={"page": "pages.id"},
        indexes={"searched_at": ["searched_at"]},
    )
    make(
        "kept_criteria",
        required(number(), "id"),
        required(sa.String(255), "wiki title"),
        required(sa.String(64), "outline_sha256"),
        required(sa.String(100), "engine_name engine_version"),
        required(long_text(), "criteria"),
        required(moment(), "kept_at"),
        unique=["wiki", "title"],
        indexes={"kept_at": ["kept_at"]},
    )
    make(
        "drafts",
        required(number(), "id"),
        required(sa.String(255), "wiki page place watcher topic"),
        required(sa.BigInteger(), "asked_in token"),
        required(sa.String(100), "state"),
        required(moment(), "due_at changed_at"),
        required(sa.Integer(), "tries"),
        required(long_text(), "note text"),
        required(sa.String(64), "text_sha256"),
        optional(moment(), "drafted_at"),
        optional(sa.BigInteger(), "revision"),
        unique=["wiki", "page"],
        indexes={"place": ["wiki", "place"], "state": ["state", "due_at"]},
    )


def _processes() -> None:
    make(
        "processes",
        required(sa.String(255), "name host"),
        required(sa.String(100), "role version"),
        required(sa.BigInteger(), "pid"),
        required(moment(), "started_at seen_at"),
        required(double(), "every_s"),
        required(long_text(), "problem figures"),
        key=["name"],
    )
    make(
        "shares",
        required(sa.String(255), "wiki"),
        required(sa.String(64), "party"),
        required(double(), "ends clock"),
        required(sa.BigInteger(), "served"),
        required(moment(), "changed_at"),
        key=["wiki", "party"],
        indexes={"wiki": ["wiki", "ends", "party"], "party": ["party", "ends", "wiki"]},
    )
    make(
        "hosts",
        required(sa.String(255), "host"),
        required(sa.BigInteger(), "token"),
        optional(moment(), "until weary_until"),
        required(moment(), "free_at changed_at"),
        key=["host"],
        indexes={"changed_at": ["changed_at"]},
    )
    make(
        "readings",
        required(number(), "id"),
        required(sa.String(64), "request"),
        required(sa.String(255), "host"),
        required(long_text(), "asked"),
        required(sa.String(100), "state"),
        required(moment(), "asked_at wanted_until changed_at"),
        required(sa.Integer(), "attempts"),
        required(sa.BigInteger(), "token"),
        optional(moment(), "leased_until"),
        optional(sa.String(100), "worker"),
        optional(long_bytes(), "answer"),
        unique=["request"],
        indexes={
            "state": ["state", "asked_at"],
            "worker": ["worker", "state"],
            "changed_at": ["changed_at"],
        },
    )


def _spending() -> None:
    make(
        "model_uses",
        required(number(), "id"),
        required(moment(), "used_at"),
        required(sa.String(100), "model"),
        required(sa.Integer(), "calls remembered"),
        required(sa.BigInteger(), "input_tokens output_tokens billionths"),
        indexes={"used_at": ["used_at"]},
    )
    make(
        "spending",
        required(sa.Date(), "day"),
        required(sa.BigInteger(), "reserved settled"),
        required(sa.Integer(), "calls"),
        optional(moment(), "refused_at"),
        required(moment(), "changed_at"),
        key=["day"],
    )
    make(
        "reservations",
        required(sa.String(64), "token"),
        required(sa.Date(), "day"),
        required(sa.BigInteger(), "money"),
        optional(sa.String(255), "payers"),
        key=["token"],
        indexes={"day": ["day"]},
    )
    make(
        "spending_parts",
        required(sa.Date(), "day"),
        required(sa.String(64), "payer"),
        required(sa.BigInteger(), "reserved settled"),
        required(sa.Integer(), "calls"),
        optional(moment(), "refused_at"),
        required(moment(), "changed_at"),
        key=["day", "payer"],
    )


def _forget_what_misleads() -> None:
    """Delete what older versions wrote without knowing enough.

    A sign-in by edit that began without the page before it proves nothing; it lasts ten
    minutes at most, and whoever had begun one begins again. The precision of flags was
    measured on claims of which two thirds failed, which misleads readers of a real
    article.
    """
    sign_ins = sa.table("sign_ins", sa.column("way"), sa.column("revision_before"))
    is_proof = (sign_ins.c.way == "PROOF") & sign_ins.c.revision_before.is_(None)
    op.execute(sign_ins.delete().where(is_proof))
    flags = sa.table("suggestions", sa.column("flag_precision"))
    is_known = flags.c.flag_precision.is_not(None)
    op.execute(flags.update().values(flag_precision=None).where(is_known))
