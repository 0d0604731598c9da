"""The tables, on both SQLite and MariaDB.

On MariaDB every text compares byte by byte, trailing spaces included, as SQLite does:
titles that differ only in case or accents are different pages. Keys are short enough
for its indexes (3072 bytes, four to a character).

A reader of the panel is known by a keyed hash of the number that the wiki gives them;
it is removed after a month, and what they decided stays. Names are stored only for
readers who are signed in.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.mysql import DATETIME, DOUBLE, MEDIUMBLOB, MEDIUMTEXT
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator

VERSION = "0023"  # of the newest migration
# The oldest version of the program that may work on these tables, beside ours or after
# a rollback, as the version of its own tables. Raise it only if such a program would do
# harm: migrations add tables and nullable columns, and the meaning of a state does not
# change.
OLDEST = "0015"

KEY_CHARS = 255
NAME_CHARS = 100
HASH_CHARS = 64
IDENTITY_CHARS = 64
PROCESS_CHARS = 255
TENANT_CHARS = 64
KIND_CHARS = 20
ADDRESS_CHARS = 2000
TEXT_CHARS = 100_000

_MARIADB = ("mysql", "mariadb")
_OPTIONS: dict[str, Any] = {
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
        """Reject times without a zone; they are ambiguous."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(
        self, value: datetime | None, _dialect: Dialect
    ) -> datetime | None:
        """Add the time zone again."""
        return value and value.replace(tzinfo=UTC)


row_id = BigInteger().with_variant(Integer(), "sqlite")
long_text = Text().with_variant(MEDIUMTEXT(), *_MARIADB)
long_bytes = LargeBinary().with_variant(MEDIUMBLOB(), *_MARIADB)
share = Float(53).with_variant(DOUBLE(asdecimal=False), *_MARIADB)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def _table(name: str, *parts: SchemaItem) -> Table:
    return Table(name, metadata, *parts, **_OPTIONS)


pages = _table(
    "pages",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("wiki_page_id", BigInteger),
    Column("refusal", long_text),  # JSON: what its own text refuses; NULL: nothing
    UniqueConstraint("wiki", "title"),
)

# A page from a file has no revision number; it has 0 and the hash of its text.
revisions = _table(
    "revisions",
    Column("id", row_id, primary_key=True),
    Column("page", ForeignKey(pages.c.id, ondelete="CASCADE"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("text_sha256", String(HASH_CHARS), nullable=False),
    Column("revised_at", Moment),
    UniqueConstraint("page", "number", "text_sha256"),
)

checks = _table(
    "checks",
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
)

claim_checks = _table(
    "claim_checks",
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
    Column("fingerprint", String(HASH_CHARS)),  # of what the result depends on
    Column("looked_at", Moment, key="checked_at"),
)

source_fetches = _table(
    "source_readings",
    Column("check_id", ForeignKey(checks.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("source_key", long_text, nullable=False),
    Column("outcome", String(NAME_CHARS), nullable=False),
    Column("detail", long_text, nullable=False),
    Column("url", long_text),
    Column("origin", String(NAME_CHARS)),
    Column("read_at", Moment),
    Column("content_sha256", String(HASH_CHARS)),
    Column("http_status", Integer),
)

claim_fetches = _table(
    "claim_readings",
    Column("check_id", row_id, primary_key=True, autoincrement=False),
    Column("claim", Integer, primary_key=True, autoincrement=False),
    Column("reading", Integer, key="fetch", primary_key=True, autoincrement=False),
    ForeignKeyConstraint(
        ["check_id", "claim"],
        [claim_checks.c.check_id, claim_checks.c.position],
        name="fk_claim_readings_claim",
        ondelete="CASCADE",
    ),
    ForeignKeyConstraint(
        ["check_id", "fetch"],
        [source_fetches.c.check_id, source_fetches.c.position],
        name="fk_claim_readings_reading",
        ondelete="CASCADE",
    ),
)

suggestions = _table(
    "suggestions",
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
    Column("flag_precision", share),  # NULL; only versions before 0014 set it
    Column("flag_expected", long_text),  # JSON object
    Column("place", Integer),
    Column("remedies", long_text),  # JSON list
    Column("details", long_text),  # JSON object
    Column("update_kind", String(NAME_CHARS)),  # NULL: about a citation; or "WRITING"
    Column("is_sensitive", Boolean(create_constraint=False)),  # NULL: no
    Index("ix_suggestions_identity", "identity"),
    Index("ix_suggestions_closed_at", "closed_at"),
)

NOBODY = "-"
"""The tenant of pages that nobody in particular asked for, or that an older version queued."""

# How far each feed was read: committed with the jobs that resulted.
positions = _table(
    "positions",
    Column("feed", String(KEY_CHARS), primary_key=True),
    Column("position", long_text, nullable=False),
    Column("received_at", Moment, nullable=False),
)

dead_letters = _table(
    "dead_letters",
    Column("id", row_id, primary_key=True),
    Column("feed", ForeignKey(positions.c.feed, ondelete="CASCADE"), nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("reason", String(NAME_CHARS), nullable=False),
    Column("detail", long_text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Index("ix_dead_letters_received_at", "received_at"),
)

gaps = _table(
    "holes",
    Column("id", row_id, primary_key=True),
    Column("feed", ForeignKey(positions.c.feed, ondelete="CASCADE"), nullable=False),
    Column("since", Moment, nullable=False),
    Column("until", Moment),
    Column("filled_at", Moment),
)

# Change counters: a cheap way to ask whether something was changed.
versions = _table(
    "versions",
    Column("name", String(NAME_CHARS), primary_key=True),
    Column("number", BigInteger, nullable=False),
)

watches = _table(
    "watches",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("place", String(KEY_CHARS), nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("watcher", String(KEY_CHARS), nullable=False),
    Column("checks", long_text, nullable=False),  # JSON list of names, as the two below
    Column("surfaces", long_text, nullable=False),
    Column("languages", long_text, nullable=False),
    Column("report", String(KEY_CHARS)),
    Column("interval_s", BigInteger, nullable=False),
    Column("most_count", BigInteger, nullable=False),
    Column("most_per", String(NAME_CHARS), nullable=False),
    Column("min_confidence", share),
    Column("refuses", long_text),  # JSON list of kinds; NULL: none
    Column("kept_at", Moment, nullable=False),
    UniqueConstraint("wiki", "place"),
)

# `wiki` is repeated here so that the watches of a page are found by one index.
watched_pages = _table(
    "watched_pages",
    Column("watch", ForeignKey(watches.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Index("ix_watched_pages_wiki", "wiki", "title"),
)

# All work that is waiting, in progress, or was done in the last month; see
# `bot.store.tasks`. `tenant` is who it counts for. For a page to be checked, `revision`
# is the newest that was asked for. For edits that are looked at, `since_revision` is the
# one before the first of them.
tasks = _table(
    "tasks",
    Column("id", row_id, primary_key=True),
    Column("kind", String(KIND_CHARS), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("subject", String(KEY_CHARS), nullable=False),
    Column("party", String(TENANT_CHARS), key="tenant", nullable=False),
    Column("priority", Integer, nullable=False),
    Column("state", String(KIND_CHARS), nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("leased_until", Moment),
    Column("worker", String(NAME_CHARS)),
    Column("begun_at", Moment),  # when it was last leased
    Column("again", Boolean(create_constraint=False), nullable=False),
    Column("note", long_text),  # the last failure, or why it is parked
    Column("changed_at", Moment, nullable=False),
    Column("reason", String(NAME_CHARS)),
    Column("wiki_page_id", BigInteger),
    Column("revision", BigInteger),
    Column("pause_s", share),
    Column("since_revision", BigInteger),
    Column("is_by_bots", Boolean(create_constraint=False)),  # NULL: no
    UniqueConstraint("kind", "wiki", "subject"),
    Index("ix_tasks_state", "kind", "state", "due_at"),
    Index("ix_tasks_wiki", "kind", "wiki", "tenant", "state", "priority", "due_at"),
)

# `short` is the part of the identity that is written on pages.
shown_notes = _table(
    "told_notes",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("place", String(KEY_CHARS), nullable=False),
    Column("short", String(IDENTITY_CHARS), nullable=False),
    Column("identity", String(IDENTITY_CHARS), nullable=False),
    Column("article", String(KEY_CHARS), nullable=False),
    Column("check_kind", String(NAME_CHARS), nullable=False),
    Column("watcher", String(KEY_CHARS), nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("told_at", Moment, key="shown_at", nullable=False),
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("wiki", "place", "short"),
    Index("ix_told_notes_wiki", "wiki", "shown_at"),
    Index("ix_told_notes_told_at", "shown_at"),
)

communities = _table(
    "communities",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("text", long_text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("faults", long_text, nullable=False),  # JSON list
    Column("read_at", Moment, nullable=False),
)

# Who does a task that only one process may do at a time.
role_leases = _table(
    "turns",
    Column("name", String(NAME_CHARS), primary_key=True),
    Column("holder", String(NAME_CHARS), nullable=False),
    Column("began_at", Moment, nullable=False),
    Column("until", Moment, nullable=False),
)

# Readers who are signed in; the token in their script is stored only as a hash.
reader_sessions = _table(
    "reader_sessions",
    Column("token_sha256", String(HASH_CHARS), primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("subject", String(KEY_CHARS), nullable=False),  # what the wiki knows them by
    Column("user", String(KEY_CHARS), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("ix_reader_sessions_expires_at", "expires_at"),
)

# Sign-ins in progress; each lasts some minutes.
sign_ins = _table(
    "sign_ins",
    Column("state", String(HASH_CHARS), primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("way", String(NAME_CHARS), nullable=False),
    Column("secret_sha256", String(HASH_CHARS), nullable=False),
    Column("verifier", String(KEY_CHARS)),  # of PKCE
    Column("user", String(KEY_CHARS)),
    Column("subject", String(KEY_CHARS)),  # once the wiki has said who it is
    Column("confirmed_at", Moment),
    Column("problem", long_text),
    Column("begun_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    # The page before a sign-in by edit began; without these no such sign-in counts.
    Column("revision_before", BigInteger),
    Column("log_before", BigInteger),
    Column("browser", String(NAME_CHARS)),
    Column("system", String(NAME_CHARS)),
    Index("ix_sign_ins_expires_at", "expires_at"),
)

decisions = _table(
    "decisions",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("identity", String(HASH_CHARS), nullable=False),
    Column("reader", String(HASH_CHARS)),  # keyed hash; NULL after a month
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("reason", String(NAME_CHARS)),
    Column("right_verdict", String(NAME_CHARS)),
    Column("verdict", String(NAME_CHARS), nullable=False),
    Column("flag_kind", String(NAME_CHARS)),
    Column("flag_probability", share),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("revision", BigInteger),
    Column("decided_at", Moment, nullable=False),
    Column("undone_at", Moment),
    # Whether it holds for its reader alone, who is new to the wiki. NULL: no.
    Column("is_own", Boolean(create_constraint=False)),
    # Its part of its reader's one voice, set when the reader is forgotten.
    Column("voice", share),
    Index("ix_decisions_wiki", "wiki", "identity"),
    Index("ix_decisions_title", "wiki", "title"),
    Index("ix_decisions_reader", "reader", "wiki"),
    Index("ix_decisions_decided_at", "decided_at"),
)

# What two readers dismissed: closed for everyone, and no names are needed any longer.
closures = _table(
    "closures",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("identity", String(HASH_CHARS), primary_key=True),
    Column("closed_at", Moment, nullable=False),
)

# Preferences between two citations, and reviews, for evaluation.
judgements = _table(
    "judgements",
    Column("id", row_id, primary_key=True),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("identity", String(HASH_CHARS), nullable=False),
    Column("reader", String(HASH_CHARS)),  # as above
    Column("answer", long_text, nullable=False),  # JSON object
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("judged_at", Moment, nullable=False),
    Index("ix_judgements_kind", "kind", "judged_at"),
    Index("ix_judgements_reader", "reader", "kind"),
)

# Answers to requests that may be repeated, kept for a day.
stored_answers = _table(
    "kept_answers",
    Column("request", String(HASH_CHARS), primary_key=True),  # hash of reader and key
    Column("body_sha256", String(HASH_CHARS), nullable=False),
    Column("status", Integer, nullable=False),
    Column("answer", long_text, nullable=False),
    Column("kept_at", Moment, nullable=False),
    Index("ix_kept_answers_kept_at", "kept_at"),
)

# The state of a check that a person asked for.
check_states = _table(
    "looks",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("title", String(KEY_CHARS), primary_key=True),
    Column("asked_at", Moment, nullable=False),
    Column("begun_at", Moment),
    Column("ended_at", Moment),
    Column("reading", long_text),  # the host that is being read
    Column("sources", Integer, nullable=False),
    Column("sources_read", Integer, nullable=False),
    Column("claims", Integer, nullable=False),
    Column("claims_checked", Integer, nullable=False),
    Column("revision", BigInteger),
    Column("problem", long_text),
    Column("changed_at", Moment, nullable=False),
    Index("ix_looks_changed_at", "changed_at"),
)

# One row for each run; at least the last run of each page is kept.
discoveries = _table(
    "discoveries",
    Column("id", row_id, primary_key=True),
    Column("page", ForeignKey(pages.c.id, ondelete="CASCADE"), nullable=False),
    Column("revision", row_id, nullable=False),  # the wiki's number; 0: none
    Column("searched_at", Moment, nullable=False),
    Column("since", String(10)),  # a day in ISO form, like the next
    Column("until", String(10)),
    Column("stopped", String(NAME_CHARS), nullable=False),
    Column("updates", Integer, nullable=False),
    Column("took_s", share, nullable=False),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("trace", long_text, nullable=False),  # JSON list
    Column("troubles", long_text, nullable=False),  # JSON list
    Column("is_sensitive", Boolean(create_constraint=False), nullable=False),
    UniqueConstraint("page", "searched_at"),
    Index("ix_discoveries_searched_at", "searched_at"),
)

stored_criteria = _table(
    "kept_criteria",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("outline_sha256", String(HASH_CHARS), nullable=False),
    Column("engine_name", String(NAME_CHARS), nullable=False),
    Column("engine_version", String(NAME_CHARS), nullable=False),
    Column("criteria", long_text, nullable=False),  # JSON list
    Column("kept_at", Moment, nullable=False),
    UniqueConstraint("wiki", "title"),
    Index("ix_kept_criteria_kept_at", "kept_at"),
)

# One row for each page that a draft was ever asked for. Titles contain names of people,
# so a row is removed a while after nobody asks for it any longer.
drafts = _table(
    "dossiers",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("page", String(KEY_CHARS), nullable=False),
    Column("place", String(KEY_CHARS), nullable=False),
    Column("watcher", String(KEY_CHARS), nullable=False),
    Column("topic", String(KEY_CHARS), nullable=False),
    Column("asked_in", BigInteger, nullable=False),  # a revision of the page that asks
    Column("state", String(NAME_CHARS), nullable=False),
    Column("note", long_text, nullable=False),
    Column("text", long_text, nullable=False),  # until it is posted
    Column("text_sha256", String(HASH_CHARS), nullable=False),
    Column("drafted_at", Moment),
    Column("revision", BigInteger),
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("wiki", "page"),
    Index("ix_dossiers_place", "wiki", "place"),
    Index("ix_dossiers_state", "state"),
)

posts = _table(
    "posts",
    Column("id", row_id, primary_key=True),
    Column("name", String(HASH_CHARS), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("task", String(NAME_CHARS), nullable=False),
    Column("user", String(KEY_CHARS), nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("section", Integer),
    Column("expected", long_text),
    Column("text", long_text, nullable=False),
    Column("text_sha256", String(HASH_CHARS), nullable=False),
    Column("summary", long_text, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("leased_until", Moment),
    Column("first_tried_at", Moment),  # set while an attempt may have made it
    Column("first_base", BigInteger),  # the page's revision then; 0: there was none
    Column("counted_on", Date),  # the day it is counted on
    Column("revision", BigInteger),
    Column("refusal", String(NAME_CHARS)),
    Column("note", long_text),
    Column("changed_at", Moment, nullable=False),
    Column("plan", String(NAME_CHARS)),  # the plan it comes from, with `subject`
    Column("subject", String(KEY_CHARS)),
    Column("adds", long_text),  # JSON list of identities, like the next
    Column("settles", long_text),
    UniqueConstraint("name"),
    Index("ix_posts_state", "state", "due_at"),
    Index("ix_posts_wiki", "wiki", "title"),
)

# Posts that were made on a day, or may have been. `scope` says what `subject` names.
post_counts = _table(
    "post_counts",
    Column("id", row_id, primary_key=True),
    Column("day", Date, nullable=False),
    Column("task", String(NAME_CHARS), nullable=False),
    Column("scope", String(NAME_CHARS), nullable=False),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("subject", String(KEY_CHARS), nullable=False),
    Column("used", Integer, nullable=False),
    # The columns may take 3,072 bytes together, four to a character.
    UniqueConstraint("day", "task", "scope", "wiki", "subject"),
)

processes = _table(
    "processes",
    Column("name", String(PROCESS_CHARS), primary_key=True),
    Column("role", String(NAME_CHARS), nullable=False),
    Column("host", String(PROCESS_CHARS), nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("version", String(NAME_CHARS), nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("every_s", share, nullable=False),
    Column("problem", long_text, nullable=False),
    Column("figures", long_text, nullable=False),  # JSON object of numbers
)

# What a language model used in a check that was saved.
model_uses = _table(
    "model_uses",
    Column("id", row_id, primary_key=True),
    Column("used_at", Moment, nullable=False),
    Column("model", String(NAME_CHARS), nullable=False),
    Column("calls", Integer, nullable=False),
    Column("remembered", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("billionths", BigInteger, nullable=False),  # money; SQLite has no decimals
    Index("ix_model_uses_used_at", "used_at"),
)

# How much of the work each wiki had, and each tenant of it; see `bot.store.tasks`.
# The row without a tenant is the wiki's own, the one without a wiki is for all of them.
shares = _table(
    "shares",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("party", String(TENANT_CHARS), key="tenant", primary_key=True),
    Column("ends", share, nullable=False),
    Column("clock", share, nullable=False),
    Column("served", BigInteger, nullable=False),
    Column("changed_at", Moment, nullable=False),
    Index("ix_shares_wiki", "wiki", "ends", "tenant"),
    Index("ix_shares_party", "tenant", "ends", "wiki"),
)

# Whose turn it is to ask a host, and when it last answered; by the database's clock.
hosts = _table(
    "hosts",
    Column("host", String(KEY_CHARS), primary_key=True),
    Column("token", BigInteger, nullable=False),
    Column("until", Moment),  # NULL: nobody is asking it
    Column("free_at", Moment, nullable=False),
    Column("weary_until", Moment, key="throttled_until"),
    Column("changed_at", Moment, nullable=False),
    Index("ix_hosts_changed_at", "changed_at"),
)

# Sources that processes of the role `read` should read, and the results.
fetches = _table(
    "fetches",
    Column("id", row_id, primary_key=True),
    Column("request", String(HASH_CHARS), nullable=False),
    Column("host", String(KEY_CHARS), nullable=False),
    Column("asked", long_text, nullable=False),  # JSON
    Column("asked_at", Moment, nullable=False),
    Column("wanted_until", Moment, nullable=False),
    Column("answer", long_bytes),  # JSON, compressed; NULL: not yet
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("request"),
    Index("ix_fetches_changed_at", "changed_at"),
)

# By day (UTC, the database's clock); money in billionths.
spending = _table(
    "spending",
    Column("day", Date, primary_key=True),
    Column("reserved", BigInteger, nullable=False),
    Column("settled", BigInteger, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("refused_at", Moment),  # NULL: the last request was allowed
    Column("changed_at", Moment, nullable=False),
)

# The same for each payer, stored as the text of a `bot.records.spending.Payer`.
spending_parts = _table(
    "spending_parts",
    Column("day", Date, primary_key=True),
    Column("payer", String(HASH_CHARS), primary_key=True),
    Column("reserved", BigInteger, nullable=False),
    Column("settled", BigInteger, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("refused_at", Moment),
    Column("changed_at", Moment, nullable=False),
    # The other work for it that day; NULL: none, or before 0018.
    Column("checks", Integer),
    Column("fetches", Integer),
    Column("tokens", BigInteger),
)

# Requests whose cost is not known: in progress, or of a process that died.
reservations = _table(
    "reservations",
    Column("token", String(HASH_CHARS), primary_key=True),
    Column("day", Date, nullable=False),
    Column("money", BigInteger, nullable=False),
    Column("payers", String(KEY_CHARS)),  # separated by commas; NULL: none
    Index("ix_reservations_day", "day"),
)

# What a person supplied in place of a source that could not be read, for an hour or
# until it has been read; `body` is deleted then. It is in no backup.
supplied_texts = _table(
    "supplied_texts",
    Column("name", String(HASH_CHARS), primary_key=True),
    Column("reader", String(HASH_CHARS), nullable=False),  # keyed hash
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("title", String(KEY_CHARS), nullable=False),
    Column("source_key", long_text, nullable=False),
    Column("body", long_bytes),
    Column("supplied_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("answer", long_text),  # JSON list
    Column("problem", long_text),
    Index("ix_supplied_texts_expires_at", "expires_at"),
)

# What was seen at cited addresses: one row for successive visits with the same result.
link_visits = _table(
    "link_visits",
    Column("id", row_id, primary_key=True),
    Column("address_sha256", String(HASH_CHARS), nullable=False),
    Column("address", long_text, nullable=False),
    Column("outcome", String(NAME_CHARS), nullable=False),
    Column("http_status", Integer),
    Column("led_to", long_text),
    Column("seen_from", String(KEY_CHARS), nullable=False),  # a machine
    Column("first_seen", Moment, nullable=False),
    Column("last_seen", Moment, nullable=False),
    Column("times", Integer, nullable=False),
    Column("archive_asked_at", Moment),  # when an archive was asked to save a copy
    Index("ix_link_visits_address_sha256", "address_sha256", "last_seen"),
    Index("ix_link_visits_last_seen", "last_seen"),
)

# What people reported on a wiki's page for problems with notes, and the answers there.
problem_reports = _table(
    "problem_reports",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("name", String(HASH_CHARS), nullable=False),
    Column("identity", String(HASH_CHARS), nullable=False),
    Column("revision", BigInteger),
    Column("verdict", String(NAME_CHARS), nullable=False),
    Column("flag_kind", String(NAME_CHARS)),
    Column("answer", String(NAME_CHARS)),  # NULL: none yet
    Column("reported_at", Moment, nullable=False),
    Column("answered_at", Moment),
    UniqueConstraint("wiki", "name"),
    Index("ix_problem_reports_reported_at", "reported_at"),
)

# What is wrong with the program as a whole, and whether the operator was alerted.
incidents = _table(
    "ailments",
    Column("kind", String(NAME_CHARS), primary_key=True),
    Column("subject", String(KEY_CHARS), primary_key=True),
    Column("what", long_text, nullable=False),
    Column("remedy", long_text, nullable=False),
    Column("since", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("told_at", Moment, key="alerted_at"),
)

# Edits that readers saved through the panel, and whether they were kept. Neither page
# nor person is stored: the wiki shows both, by the revision, to anyone allowed to see
# them.
panel_edits = _table(
    "panel_edits",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("found_by", String(NAME_CHARS), nullable=False),
    Column("saved_at", Moment, nullable=False),
    Column("state", String(NAME_CHARS), nullable=False),
    Column("looked_at", Moment, key="checked_at", nullable=False),
    UniqueConstraint("wiki", "revision"),
    Index("ix_panel_edits_saved_at", "saved_at"),
)

# Up to when the recent changes of a wiki were searched for such edits.
panel_edit_sweeps = _table(
    "panel_edit_sweeps",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("until", Moment, nullable=False),
)

# How accurate the notes of a wiki are, and what they cost, by day (UTC); no names.
accuracy_days = _table(
    "accuracy_days",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("figures", long_text, nullable=False),  # JSON object
    Column("kept_at", Moment, nullable=False),
)

# How many edits of a wiki were looked at by day (UTC), and what came of it; the columns
# are those of `bot.records.patrol.PatrolCounts`.
patrol_days = _table(
    "patrol_days",
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("events", Integer, nullable=False),
    Column("diffs", Integer, nullable=False),
    Column("not_read", Integer, nullable=False),
    Column("candidates", Integer, nullable=False),
    Column("over_budget", Integer, nullable=False),
    Column("sources", Integer, nullable=False),
    Column("notes", Integer, nullable=False),
)

# Edits that were noted, and what became of them: one row for each note, by its identity.
# What they changed is in the suggestion, as long as that is kept.
noted_edits = _table(
    "noted_edits",
    Column("id", row_id, primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("identity", String(HASH_CHARS), nullable=False),
    Column("kind", String(NAME_CHARS), nullable=False),
    Column("noted_at", Moment, nullable=False),
    Column("became", String(NAME_CHARS)),  # NULL: not looked at yet
    Column("is_final", Boolean(create_constraint=False)),  # NULL: no
    Column("looked_at", Moment),
    UniqueConstraint("wiki", "identity"),
    Index("ix_noted_edits_wiki", "wiki", "noted_at"),
    Index("ix_noted_edits_noted_at", "noted_at"),
)
