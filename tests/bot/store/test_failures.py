"""What the databases themselves can do to us, each reported in one line."""

import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pymysql
import pytest
from sqlalchemy import Engine, event

from bot.store import open_store
from bot.store.database import Transactions, open_engine, parse_url
from handlers.ports import PermanentError, TemporaryError
from tests.bot.store.cutting_proxy import losing_answers_to_commit
from tests.bot.store.runs import TITLE, WIKI, hour, run, start, suggestion


def _saved(url: str, number: int = 1) -> None:
    with open_store(url, lock_timeout_s=0.2) as store:
        store.save_check(run(number, hour(number)), [suggestion("x" * 50_000)])


def _saved_many(url: str, numbers: int) -> None:
    for number in range(2, numbers):
        _saved(url, number)


# --- SQLite -----------------------------------------------------------------


@pytest.fixture
def sqlite_url(sqlite_file: Path) -> str:
    """Return the address of a database that holds one run."""
    url = f"sqlite:///{sqlite_file}"
    _saved(url)
    return url


def test_a_database_that_another_program_holds_is_worth_another_try(
    sqlite_url: str, sqlite_file: Path
) -> None:
    with closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(
            TemporaryError, match="is locked by another program"
        ) as caught:
            _saved(sqlite_url, 2)

    assert str(sqlite_file) in str(caught.value)
    assert caught.value.retry_in_s > 0
    _saved(sqlite_url, 2)


def test_another_driver_for_sqlite_makes_no_difference(tmp_path: Path) -> None:
    with open_store(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}"):
        assert (tmp_path / "x.sqlite").exists()


def test_a_sqlite_address_has_no_options(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="is not the address of a database"):
        parse_url(f"sqlite:///{tmp_path / 'x.sqlite'}?nosuch=1")


@pytest.mark.parametrize(
    "option", ["nosuch=1", "connect_timeout=soon", "ssl_ca=/nowhere/ca.pem"]
)
def test_an_option_that_the_driver_cannot_use_is_reported(option: str) -> None:
    url = f"mysql+pymysql://me:hunter2@127.0.0.1:9/side?{option}"

    with pytest.raises(PermanentError, match='option after its "\\?"') as caught:
        _saved(url)

    assert "hunter2" not in str(caught.value)


def test_readers_do_not_wait_for_a_writer(sqlite_url: str, sqlite_file: Path) -> None:
    with (
        closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other,
        open_store(sqlite_url, lock_timeout_s=0.2) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM suggestions")

        assert len(store.suggestions_of(WIKI, TITLE)) == 1


@contextmanager
def _every_connection_says(pragma: str) -> Iterator[None]:
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(pragma)

    event.listen(Engine, "connect", prepare)
    try:
        yield
    finally:
        event.remove(Engine, "connect", prepare)


def test_a_full_disk_is_reported_and_nothing_is_half_saved(sqlite_url: str) -> None:
    with (
        _every_connection_says("PRAGMA max_page_count = 40"),
        pytest.raises(TemporaryError, match="the disk is full; free some space"),
    ):
        _saved_many(sqlite_url, 50)

    with open_store(sqlite_url) as store:
        last = store.last_check(WIKI, TITLE)
        [suggestion] = store.suggestions_of(WIKI, TITLE)
    assert last
    assert suggestion.suggestion.page == last.page


def test_a_database_that_may_not_be_written_is_reported(sqlite_url: str) -> None:
    with (
        _every_connection_says("PRAGMA query_only = ON"),
        pytest.raises(PermanentError, match="cannot be written; check the permissions"),
    ):
        _saved(sqlite_url, 2)


def test_a_damaged_database_is_reported(sqlite_url: str, sqlite_file: Path) -> None:
    size = sqlite_file.stat().st_size
    with sqlite_file.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))

    with pytest.raises(PermanentError, match="is damaged; restore a backup"):
        _saved(sqlite_url, 2)


def test_a_file_that_is_no_database_is_reported(sqlite_file: Path) -> None:
    sqlite_file.write_text("Dear diary, " * 1000)

    with pytest.raises(PermanentError, match="is not a database; move the file away"):
        _saved(f"sqlite:///{sqlite_file}")


def test_a_folder_in_the_place_of_the_database_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="cannot be opened; check that its folder"):
        _saved(f"sqlite:///{tmp_path}")


def test_a_folder_that_goes_while_the_program_runs_is_worth_another_try(
    sqlite_url: str, sqlite_file: Path
) -> None:
    gone = sqlite_file.parent.with_name("gone")
    with open_store(sqlite_url) as store:
        with store._database.engine.connect():  # so that another one is needed
            sqlite_file.parent.rename(gone)
            with pytest.raises(TemporaryError, match="its folder is gone"):
                store.jobs.state()
            gone.rename(sqlite_file.parent)
        assert store.suggestions_of(WIKI, TITLE)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(PermanentError, match=r"cannot be created .*; use another"):
        _saved(f"sqlite:///{tmp_path / 'file' / 'deeper' / 'x.sqlite'}")


@pytest.mark.parametrize(
    ("kind", "is_refused"),
    [("nfs4", True), ("cifs", True), ("fuse.sshfs", True), ("ext4", False)],
)
def test_sqlite_is_refused_where_files_come_over_a_network(
    tmp_path: Path, kind: str, is_refused: bool
) -> None:
    shared = tmp_path / "our files"
    shared.mkdir()
    mounts = tmp_path / "mounts"
    place = str(shared).replace(" ", "\\040")
    mounts.write_text(
        "/dev/vda / ext4 rw 0 0\nproc /proc proc rw 0 0\n\n"
        f"tmpfs {place} tmpfs rw 0 0\nserver:/x {place} {kind} rw 0 0\n"
        f"tmpfs {place}2 tmpfs rw 0 0\n"
    )
    url = parse_url(f"sqlite:///{shared / 'a' / 'x.sqlite'}")

    if not is_refused:
        open_engine(url, lock_timeout_s=1, mounts=mounts).dispose()
        return
    message = rf"lies on a network file system \({re.escape(kind)}\).*use MariaDB"
    with pytest.raises(PermanentError, match=message):
        open_engine(url, lock_timeout_s=1, mounts=mounts)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "sidenote.sqlite",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=ro&uri=true",
        "postgresql://user:secret@host/x",
        "mysql+pymysql://user:secret@host",
        "mysql+pymysql://user:secret@host:port/x",
    ],
)
def test_what_is_no_address_of_a_database_is_reported_without_its_password(
    url: str,
) -> None:
    with pytest.raises(
        PermanentError, match="is not the address of a database"
    ) as caught:
        _saved(url)

    assert "secret" not in str(caught.value)


# --- MariaDB ----------------------------------------------------------------


@pytest.mark.mariadb
def test_a_database_that_was_never_made_is_reported(mariadb_url: str) -> None:
    with pytest.raises(PermanentError, match="does not have this database; create it"):
        _saved(re.sub(r"/s1__\w+", "/s1__nothing", mariadb_url))


@pytest.mark.mariadb
def test_a_user_whom_the_server_refuses_is_reported_without_the_password(
    mariadb_url: str,
) -> None:
    with pytest.raises(PermanentError, match="refuses this user; check") as caught:
        _saved(mariadb_url.replace("root@", "root:opensesame@"))

    assert "opensesame" not in str(caught.value)
    assert "root:***@localhost/s1__sidenote" in str(caught.value)


def test_a_server_that_is_away_is_worth_another_try() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(
        TemporaryError, match="cannot be reached; check that the server"
    ):
        _saved(f"mysql+pymysql://root@127.0.0.1:{port}/x")


@pytest.mark.mariadb
def test_a_row_that_another_worker_holds_is_worth_another_try(
    mariadb_url: str, mariadb_socket: str
) -> None:
    _saved(mariadb_url)

    with _other_client(mariadb_url, mariadb_socket) as other, other.cursor() as cursor:
        cursor.execute("SELECT * FROM pages FOR UPDATE")

        with pytest.raises(TemporaryError, match="busy with the same rows"):
            _saved(mariadb_url, 2)


@pytest.mark.mariadb
def test_a_connection_that_the_server_ends_is_replaced(
    mariadb_url: str, mariadb_socket: str
) -> None:
    with (
        open_store(mariadb_url) as store,
        _other_client(mariadb_url, mariadb_socket) as admin,
    ):
        store.save_check(run(1, hour(1)), [suggestion()])

        _end_all_others(admin)

        assert store.save_check(run(2, hour(2)), [suggestion()])


@pytest.fixture
def tool_url(mariadb_url: str, mariadb_socket: str) -> Iterator[str]:
    """Return the address of a database with one run, for a user without privileges."""
    _saved(mariadb_url)
    with _other_client(mariadb_url, mariadb_socket) as admin:
        cursor = admin.cursor()
        cursor.execute("CREATE USER tool@localhost IDENTIFIED BY 'hunter2'")
        cursor.execute(
            f"GRANT ALL ON {parse_url(mariadb_url).database}.* TO tool@localhost"
        )
        yield mariadb_url.replace("root@", "tool:hunter2@")
        cursor.execute("DROP USER tool@localhost")


@contextmanager
def _global(url: str, place: str, name: str, value: int) -> Iterator[None]:
    with _other_client(url, place) as admin:
        cursor = admin.cursor()
        cursor.execute(f"SELECT @@GLOBAL.{name}")
        before = cursor.fetchone()
        cursor.execute(f"SET GLOBAL {name} = {value}")
        try:
            yield
        finally:
            cursor.execute(f"SET GLOBAL {name} = %s", before)


@pytest.mark.mariadb
def test_a_server_that_takes_no_writes_just_now_is_worth_another_try(
    tool_url: str, mariadb_url: str, mariadb_socket: str
) -> None:
    with open_store(tool_url) as store:
        with (
            _global(mariadb_url, mariadb_socket, "read_only", 1),
            pytest.raises(
                TemporaryError, match="is read-only at the moment; if"
            ) as caught,
        ):
            store.save_check(run(2, hour(2)), [])

        assert store.save_check(run(2, hour(2)), [])
    assert "hunter2" not in str(caught.value)


@pytest.mark.mariadb
def test_a_server_with_too_many_connections_is_worth_another_try(
    tool_url: str, mariadb_url: str, mariadb_socket: str
) -> None:
    with (
        _global(mariadb_url, mariadb_socket, "max_connections", 10),
        ExitStack() as others,
    ):
        with suppress(pymysql.err.OperationalError):
            while True:
                others.enter_context(_other_client(mariadb_url, mariadb_socket))

        with pytest.raises(TemporaryError, match="too many connections; try again"):
            _saved(tool_url, 2)

    _saved(tool_url, 2)


@pytest.mark.mariadb
def test_a_user_with_too_many_connections_is_worth_another_try(
    tool_url: str, mariadb_url: str, mariadb_socket: str
) -> None:
    with _other_client(mariadb_url, mariadb_socket) as admin:
        admin.cursor().execute("ALTER USER tool@localhost WITH MAX_USER_CONNECTIONS 1")

    with open_store(tool_url) as store:
        store.save_check(run(2, hour(2)), [])  # by the one that it may have

        with pytest.raises(TemporaryError, match="too many connections of ours; stop"):
            _saved(tool_url, 3)


def test_threads_that_wait_too_long_for_a_connection_try_again(tmp_path: Path) -> None:
    engine = open_engine(parse_url(f"sqlite:///{tmp_path / 'x'}"), lock_timeout_s=1)
    engine.pool._timeout = 0  # type: ignore[attr-defined]
    held = [engine.connect() for _ in range(15)]  # as many as a pool gives

    with pytest.raises(TemporaryError, match="all connections of this program"):
        Transactions(engine, "x").read(
            lambda connection: connection.exec_driver_sql("SELECT 1")
        )

    for each in held:
        each.close()
    engine.dispose()


@pytest.mark.mariadb
def test_a_transaction_that_the_server_cuts_is_made_again(
    mariadb_url: str, mariadb_socket: str
) -> None:
    _saved(mariadb_url)
    with _other_client(mariadb_url, mariadb_socket) as other, other.cursor() as cursor:
        cursor.execute("SELECT * FROM pages FOR UPDATE")
        worker = start(_save_patiently, mariadb_url)
        _wait_until_waiting(cursor)

        _end_all_others(other)
        other.rollback()
        worker.join(60)

    assert worker.exitcode == 0
    with open_store(mariadb_url) as store:
        last = store.last_check(WIKI, TITLE)
    assert last
    assert last.page.revision_id == 2


@pytest.mark.mariadb
def test_a_run_whose_commit_is_never_confirmed_is_saved_once(
    mariadb_url: str, mariadb_socket: str, tmp_path: Path
) -> None:
    with open_store(mariadb_url):
        pass

    with (
        losing_answers_to_commit(mariadb_socket, tmp_path) as (place, proxy),
        open_store(mariadb_url.replace(mariadb_socket, place)) as store,
    ):
        for number, claim in ((1, "First"), (2, "Second")):
            proxy.cuts_left = 1
            store.save_check(run(number, hour(number)), [suggestion(claim)])
            assert proxy.cuts_left == 0

    with open_store(mariadb_url) as store:
        everything = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert [(one.suggestion.claim, one.closed_at) for one in everything] == [
        ("First", hour(2)),
        ("Second", None),
    ]


def _save_patiently(url: str) -> None:
    with open_store(url) as store:
        store.save_check(run(2, hour(2)), [suggestion()])


@contextmanager
def _other_client(
    url: str, place: str
) -> Iterator["pymysql.Connection[pymysql.cursors.Cursor]"]:
    name = parse_url(url).database
    connection = pymysql.connect(user="root", unix_socket=place, database=name)
    with closing(connection) as client:
        yield client


def _end_all_others(client: "pymysql.Connection[pymysql.cursors.Cursor]") -> None:
    with client.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM information_schema.processlist WHERE db = DATABASE()"
            " AND id <> CONNECTION_ID()"
        )
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {int(number)}")


def _wait_until_waiting(cursor: pymysql.cursors.Cursor) -> None:
    for _ in range(200):
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.innodb_trx"
            " WHERE trx_state = 'LOCK WAIT'"
        )
        if cursor.fetchone() != (0,):
            return
        time.sleep(0.3)  # the server renews its answer only when left alone for a while
    pytest.fail("the worker never came to wait for the row")
