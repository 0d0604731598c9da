"""The tables come to be, whatever happened on the way."""

import functools
import itertools
import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, Table, event, inspect, text

from bot.records.accounts import SignIn, SignInWay
from bot.records.dossiers import DraftOrder, NamedTopic
from bot.records.posts import Append, Post
from bot.records.tasks import TaskKind
from bot.store import open_store
from bot.store.schema import VERSION, metadata
from bot.store.upgrade import tables_of
from handlers.findings import Details
from handlers.ports import PermanentError
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, connected, run, start, suggestion

_GONE = ("drafts", "jobs", "plans", "readings")
_LATER_COLUMNS = {
    "suggestions": (
        *("flag_kind", "flag_threshold", "place", "remedies", "details"),
        *("update_kind", "is_sensitive"),
    ),
    "posts": ("plan", "subject", "adds", "settles"),
}
_LATER_TABLES = (
    *("reader_sessions", "sign_ins", "decisions", "closures", "judgements"),
    *("kept_answers", "looks", "discoveries", "kept_criteria", "dossiers"),
    *("watched_pages", "watches", "tasks", "told_notes", "turns"),
)


def _say_older(connection: Connection, version: str) -> None:
    """Say that tables are of an older version, when each kind of work had its own."""
    known, gone = _before_tasks()
    known.create_all(connection, gone)
    connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))  # noqa: S608 - our own words


@functools.cache
def _before_tasks() -> tuple[MetaData, list[Table]]:
    """Return what the tables of 0014 were, and which of them are no more."""
    known = tables_of("0014")
    return known, [known.tables[name] for name in _GONE]


def _differences(empty_url: str) -> list[object]:
    with connected(empty_url) as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        return list(compare_metadata(context, metadata))


def test_the_migrations_make_exactly_the_tables_of_the_schema(empty_url: str) -> None:
    with open_store(empty_url):
        pass

    assert _differences(empty_url) == []


def test_the_schema_knows_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", "bot.store:migrations")

    scripts = ScriptDirectory.from_config(config)

    assert scripts.get_heads() == [VERSION]
    for script in scripts.walk_revisions():
        assert Path(script.path).name.startswith(f"v{script.revision}_")


@pytest.mark.mariadb
def test_every_text_on_mariadb_compares_byte_by_byte(mariadb_url: str) -> None:
    with open_store(mariadb_url):
        pass

    with connected(mariadb_url) as connection:
        collations = connection.scalars(
            text(
                "SELECT DISTINCT collation_name FROM information_schema.columns"
                " WHERE table_schema = DATABASE() AND collation_name IS NOT NULL"
                " AND table_name <> 'alembic_version'"
            )
        ).all()

    assert collations == ["utf8mb4_nopad_bin"]


def test_opening_again_keeps_everything(empty_url: str) -> None:
    with open_store(empty_url) as store:
        store.save_check(run(), [suggestion()])

    with open_store(empty_url) as store:
        assert len(store.suggestions_of(WIKI, TITLE)) == 1


def test_a_migration_that_was_interrupted_is_finished(empty_url: str) -> None:
    with open_store(empty_url) as store:
        store.save_check(run(), [])
    with connected(empty_url) as connection:
        connection.execute(text("DROP TABLE suggestions"))
        connection.execute(text("DELETE FROM alembic_version"))

    with open_store(empty_url) as store:
        assert store.last_check(WIKI, TITLE)

    assert _differences(empty_url) == []


def test_what_an_early_version_stored_is_kept(empty_url: str) -> None:
    """It knew no flags, no panel, no updates, no drafts and no opt-ins."""
    post = Post("a" * 64, WIKI, TITLE, "talk", Append("x"), "s", NOON)
    with open_store(empty_url) as store:
        store.save_check(run(), [suggestion(flag=builders.flag())])
        [before] = store.suggestions_of(WIKI, TITLE)
        store.outbox.ask(post)
    with connected(empty_url) as connection:
        for table, columns in _LATER_COLUMNS.items():
            for column in columns:
                connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))
        for table in _LATER_TABLES:
            connection.execute(text(f"DROP TABLE {table}"))
        _say_older(connection, "0003")

    with open_store(empty_url) as store:
        bare = replace(
            before.suggestion, flag=None, place=0, remedies=(), details=Details()
        )
        assert store.suggestions_of(WIKI, TITLE) == (replace(before, suggestion=bare),)
        assert store.last_check(WIKI, TITLE)
        store.save_check(run(revision=11, at=NOON + timedelta(hours=1)), [])
        assert store.suggestions_of(WIKI, TITLE) == ()
        [stored] = store.outbox.posts()
        assert stored.post == post
        named = (NamedTopic("Clock", "User:Ada/Sidenote drafts/Clock"),)
        store.drafts.ask(DraftOrder(WIKI, "User:Ada/S", "Ada", named), NOON)
        assert store.tasks.lease([TaskKind.DRAFT], "me", NOON)

    assert _differences(empty_url) == []


def test_what_was_kept_of_precision_is_forgotten_and_no_longer_reported(
    empty_url: str,
) -> None:
    with open_store(empty_url) as store:
        store.save_check(run(), [suggestion(flag=builders.flag())])
    with connected(empty_url) as connection:
        connection.execute(text("UPDATE suggestions SET flag_precision = 0.93"))
        connection.execute(text("ALTER TABLE suggestions DROP COLUMN flag_expected"))
        _say_older(connection, "0013")

    with open_store(empty_url) as store:
        [stored] = store.suggestions_of(WIKI, TITLE)
    with connected(empty_url) as connection:
        old = connection.execute(text("SELECT flag_precision FROM suggestions"))
        assert old.scalars().all() == [None]

    assert stored.suggestion.flag == builders.flag(expected=None)
    assert _differences(empty_url) == []


def _open(empty_url: str) -> None:
    with open_store(empty_url):
        pass


def _open_until(empty_url: str, statement: int) -> None:
    """Open a new database, and die before the statement with this number."""
    numbers = itertools.count(1)

    def die_before(*_: object) -> None:
        if next(numbers) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die_before)
    _open(empty_url)


@pytest.mark.parametrize("statement", [1, 13, 40, 90, 140, 185])
def test_a_start_that_is_killed_does_no_harm(empty_url: str, statement: int) -> None:
    process = start(_open_until, empty_url, statement)
    process.join(120)
    assert process.exitcode == -signal.SIGKILL

    with open_store(empty_url) as store:
        assert store.save_check(run(), [suggestion()])

    assert _differences(empty_url) == []


def _empty(empty_url: str) -> None:
    with connected(empty_url) as connection:
        names = reversed(metadata.sorted_tables)
        for name in [*(table.name for table in names), "alembic_version"]:
            connection.execute(text(f"DROP TABLE {name}"))
        assert inspect(connection).get_table_names() == []


def test_processes_that_start_at_once_all_find_the_tables(empty_url: str) -> None:
    processes = [start(_open, empty_url) for _ in range(6)]
    for process in processes:
        process.join(120)

    assert [process.exitcode for process in processes] == [0] * 6
    assert _differences(empty_url) == []


def test_tables_of_a_newer_program_are_left_alone(empty_url: str) -> None:
    with open_store(empty_url):
        pass
    with connected(empty_url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0417'"))
        connection.execute(text("UPDATE versions SET number = 417"))

    with (
        pytest.raises(
            PermanentError, match=r"newer version of Sidenote .*0417.*update"
        ),
        open_store(empty_url),
    ):
        pass


def test_tables_of_another_program_are_left_alone(empty_url: str) -> None:
    with open_store(empty_url):
        pass
    _empty(empty_url)
    with connected(empty_url) as connection:
        connection.execute(text("CREATE TABLE suggestions (box INT)"))

    with (
        pytest.raises(PermanentError, match=r"tables of another program .suggestions."),
        open_store(empty_url),
    ):
        pass


def test_proofs_that_were_begun_before_are_begun_again(empty_url: str) -> None:
    """What was saved since then nobody knows; sign-ins by OAuth go on."""
    sign_in = SignIn(
        "by-oauth", WIKI, SignInWay.OAUTH, "s" * 64, NOON, NOON + timedelta(hours=1)
    )
    proof = replace(sign_in, state="by-proof", way=SignInWay.PROOF, user="Ada")
    with open_store(empty_url) as store:
        store.readers.begin(sign_in)
        store.readers.begin(proof)
    with connected(empty_url) as connection:
        for name in ("revision_before", "log_before", "browser", "system"):
            connection.execute(text(f"ALTER TABLE sign_ins DROP COLUMN {name}"))
        _say_older(connection, "0012")

    with open_store(empty_url) as store:
        assert store.readers.sign_in("by-oauth", NOON) == sign_in
        assert store.readers.sign_in("by-proof", NOON) is None

    assert _differences(empty_url) == []
