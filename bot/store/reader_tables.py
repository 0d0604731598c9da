"""The tables of what readers of the panel ask for, and what they decide.

A reader is known by a keyed hash of the number that the wiki gives them; it goes after a
month, and what they decided stays. A name stands only where somebody is signed in.
"""

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table

from bot.store.schema import (
    KEY_CHARS,
    NAME_CHARS,
    OPTIONS,
    Moment,
    long_text,
    metadata,
    row_id,
    share,
)

HASH_CHARS = 64

# Who is signed in; of the token that their script keeps only the hash is known.
reader_sessions = Table(
    "reader_sessions",
    metadata,
    Column("token_sha256", String(HASH_CHARS), primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("subject", String(KEY_CHARS), nullable=False),  # what the wiki knows them by
    Column("user", String(KEY_CHARS), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("ix_reader_sessions_expires_at", "expires_at"),
    **OPTIONS,
)

# Who is about to sign in, for some minutes.
sign_ins = Table(
    "sign_ins",
    metadata,
    Column("state", String(HASH_CHARS), primary_key=True),
    Column("wiki", String(KEY_CHARS), nullable=False),
    Column("way", String(NAME_CHARS), nullable=False),
    Column("secret_sha256", String(HASH_CHARS), nullable=False),
    Column("verifier", String(KEY_CHARS)),  # of PKCE
    Column("user", String(KEY_CHARS)),
    Column("subject", String(KEY_CHARS)),  # once the wiki said who it is
    Column("confirmed_at", Moment),
    Column("problem", long_text),
    Column("begun_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    # How the page stood when a proof was begun; no proof without them counts.
    Column("revision_before", BigInteger),
    Column("log_before", BigInteger),
    Column("browser", String(NAME_CHARS)),
    Column("system", String(NAME_CHARS)),
    Index("ix_sign_ins_expires_at", "expires_at"),
    **OPTIONS,
)

decisions = Table(
    "decisions",
    metadata,
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
    Index("ix_decisions_wiki", "wiki", "identity"),
    Index("ix_decisions_title", "wiki", "title"),
    Index("ix_decisions_reader", "reader", "wiki"),
    Index("ix_decisions_decided_at", "decided_at"),
    **OPTIONS,
)

# What two readers refused: closed for everyone, and nobody's name is needed any longer.
closures = Table(
    "closures",
    metadata,
    Column("wiki", String(KEY_CHARS), primary_key=True),
    Column("identity", String(HASH_CHARS), primary_key=True),
    Column("closed_at", Moment, nullable=False),
    **OPTIONS,
)

# Preferences between two citations, and reviews, for evaluation.
judgements = Table(
    "judgements",
    metadata,
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
    **OPTIONS,
)

# What was answered to a request that may be sent again, for a day.
kept_answers = Table(
    "kept_answers",
    metadata,
    Column("request", String(HASH_CHARS), primary_key=True),  # hash of who and key
    Column("body_sha256", String(HASH_CHARS), nullable=False),
    Column("status", Integer, nullable=False),
    Column("answer", long_text, nullable=False),
    Column("kept_at", Moment, nullable=False),
    Index("ix_kept_answers_kept_at", "kept_at"),
    **OPTIONS,
)

# Where a look at a page that a person asked for stands.
looks = Table(
    "looks",
    metadata,
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
    **OPTIONS,
)
