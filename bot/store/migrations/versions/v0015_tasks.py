"""One table of tasks in place of one for each kind.

The old tables are renamed first: an older program that still runs can no longer change
anything, and its work comes back when its leases expire. Each step can be repeated from
its start.
"""

from collections.abc import Iterator
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import (
    double,
    is_there,
    long_bytes,
    long_text,
    make,
    moment,
    number,
    optional,
    required,
)

revision = "0015"
down_revision = "0014"

_NOTHING = {
    "party": "'-'",
    "priority": "0",
    "worker": "NULL",
    "note": "NULL",
    "reason": "NULL",
    "wiki_page_id": "NULL",
    "revision": "NULL",
    "pause_s": "NULL",
}
"""The defaults of a kind of task."""

_SAME = ("state", "due_at", "attempts", "token", "leased_until", "again", "changed_at")
_PLANS = dict.fromkeys(("wiki", "subject", "note", *_SAME), "") | {
    "kind": "{plan}",
    "asked_at": "changed_at",
    "begun_at": "changed_at",
}

_JOBS = dict.fromkeys(
    (
        *("wiki", "party", "note", "asked_at", "worker", "reason", "wiki_page_id"),
        *("revision", "pause_s", *_SAME),
    ),
    "",
) | {
    "kind": "'CHECK'",
    "subject": "title",
    "priority": "urgency",
    "begun_at": "begun_at",
}

_READINGS = dict.fromkeys(("asked_at", "worker", *_SAME), "") | {
    "kind": "'FETCH'",
    "wiki": "host",
    "subject": "request",
    "state": "CASE state WHEN 'DONE' THEN 'IDLE' ELSE state END",
    "due_at": "asked_at",
    "begun_at": "NULL",
    "again": "0",
}
_DRAFTS = dict.fromkeys(("wiki", "due_at", "token", "changed_at"), "") | {
    "kind": "'DRAFT'",
    "subject": "page",
    "state": "CASE state WHEN 'WAITING' THEN 'WAITING' ELSE 'IDLE' END",
    "attempts": "CASE state WHEN 'WAITING' THEN tries ELSE 0 END",
    "asked_at": "changed_at",
    "begun_at": "NULL",
    "leased_until": "NULL",
    "again": "0",
}
_DOSSIERS = """
    INSERT INTO dossiers (wiki, page, place, watcher, topic, asked_in, state, note, text,
      text_sha256, drafted_at, revision, changed_at)
    SELECT wiki, page, place, watcher, topic, asked_in, state, note, text, text_sha256,
      drafted_at, revision, changed_at
    FROM {table} AS moved WHERE NOT EXISTS (SELECT 1 FROM dossiers AS known
      WHERE known.wiki = moved.wiki AND known.page = moved.page)
"""
_SEARCH = """
    INSERT INTO tasks (kind, wiki, subject, party, priority, state, asked_at, due_at,
      attempts, token, again, changed_at)
    SELECT 'UPDATE', :wiki, :title, '-', 0, 'WAITING', :began_at, :until, 0, 0, 0,
      :began_at
    WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE kind = 'UPDATE' AND wiki = :wiki
      AND subject = :title)
"""
_FETCHES = """
    INSERT INTO fetches (request, host, asked, asked_at, wanted_until, answer, changed_at)
    SELECT request, host, asked, asked_at, wanted_until, answer, changed_at FROM {table}
    WHERE request NOT IN (SELECT request FROM fetches)
"""


def upgrade() -> None:
    """Make the table, and move into it what waits, is in progress, or is done."""
    _make_tasks()
    _move("jobs", _JOBS)
    _move("plans", _PLANS)
    _move_searches()
    _make_dossiers()
    _move("drafts", _DRAFTS, _DOSSIERS)
    _make_fetches()
    _move("readings", _READINGS, _FETCHES)


def _make_tasks() -> None:
    make(
        "tasks",
        required(number(), "id"),
        required(sa.String(20), "kind state"),
        required(sa.String(255), "wiki subject"),
        required(sa.String(64), "party"),
        required(sa.Integer(), "priority attempts"),
        required(moment(), "asked_at due_at changed_at"),
        required(sa.BigInteger(), "token"),
        required(sa.Boolean(), "again"),
        optional(moment(), "leased_until begun_at"),
        optional(sa.String(100), "worker reason"),
        optional(long_text(), "note"),
        optional(sa.BigInteger(), "wiki_page_id revision"),
        optional(double(), "pause_s"),
        unique=["kind", "wiki", "subject"],
        indexes={
            "state": ["kind", "state", "due_at"],
            "wiki": ["kind", "wiki", "party", "state", "priority", "due_at"],
        },
    )


def _move_searches() -> None:
    """Make pages wait until the turns of their searches, and their rests, are over.

    They changed when the turn began: a change in the future would be taken for one of a
    wrong clock, and the page would be due at once.
    """
    bind = op.get_bind()
    turns = {
        row.name: {"began_at": row.began_at, "until": row.until}
        for row in bind.execute(sa.text("SELECT name, began_at, until FROM turns"))
        if row.name.startswith("updates of ")
    }
    watched = sa.text(
        "SELECT DISTINCT pages.wiki, pages.title FROM watched_pages AS pages"
        " JOIN watches ON watches.id = pages.watch WHERE watches.checks LIKE '%UPDATES%'"
    )
    for wiki, title in bind.execute(watched).all():
        name = sha256(f"{wiki}\x1f{title}".encode("utf-8", "replace")).hexdigest()
        turn = turns.get(f"updates of {name[:32]}")
        if turn is not None:
            bind.execute(sa.text(_SEARCH), {"wiki": wiki, "title": title} | turn)
    op.execute("DELETE FROM turns WHERE name LIKE 'updates of %'")


def _make_dossiers() -> None:
    make(
        "dossiers",
        required(number(), "id"),
        required(sa.String(255), "wiki page place watcher topic"),
        required(sa.BigInteger(), "asked_in"),
        required(sa.String(100), "state"),
        required(long_text(), "note text"),
        required(sa.String(64), "text_sha256"),
        optional(moment(), "drafted_at"),
        optional(sa.BigInteger(), "revision"),
        required(moment(), "changed_at"),
        unique=["wiki", "page"],
        indexes={"place": ["wiki", "place"], "state": ["state"]},
    )


def _make_fetches() -> None:
    make(
        "fetches",
        required(number(), "id"),
        required(sa.String(64), "request"),
        required(sa.String(255), "host"),
        required(long_text(), "asked"),
        required(moment(), "asked_at wanted_until changed_at"),
        optional(long_bytes(), "answer"),
        unique=["request"],
        indexes={"changed_at": ["changed_at"]},
    )


def _move(table: str, columns: dict[str, str], besides: str = "") -> None:
    """Move the rows of a table, unless that was done before.

    `columns` are expressions by column name; an empty one stands for that column.
    `besides` moves what does not depend on who works on a row.
    """
    for name in _tables_of_before(table):
        op.execute(_inserted(name, columns))
        if besides:
            op.execute(besides.format(table=name))
        op.drop_table(name)


def _inserted(table: str, columns: dict[str, str]) -> str:
    """Return the statement that turns rows into tasks, except those that are tasks already."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    plan = "'PLAN_' || kind" if is_sqlite else "CONCAT('PLAN_', kind)"
    given = _NOTHING | columns
    chosen = ", ".join(f"{said or name} AS {name}" for name, said in given.items())
    return (
        f"INSERT INTO tasks ({', '.join(given)})"  # noqa: S608 - our own words
        f" SELECT * FROM (SELECT {chosen.format(plan=plan)} FROM {table}) AS moved"
        " WHERE NOT EXISTS (SELECT 1 FROM tasks AS known WHERE"
        " known.kind = moved.kind AND known.wiki = moved.wiki"
        " AND known.subject = moved.subject)"
    )


def _tables_of_before(table: str) -> Iterator[str]:
    """Yield the new name of a table, under which older programs do not find it."""
    renamed = f"{table}_of_before"
    if is_there(renamed):
        yield renamed
    if is_there(table):
        op.rename_table(table, renamed)
        yield renamed
