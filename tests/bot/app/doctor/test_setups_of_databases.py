"""Set-ups whose database is not as it should be."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import make_url

from bot.app.doctor.trial import Group, State
from bot.records.heartbeat import Heartbeat
from bot.store import open_store
from tests.bot.app.doctor.place import (
    MakeUser,
    Place,
    fault,
    users_of,
)
from tests.rig.databases import ready_sqlite

mariadb = pytest.mark.mariadb


@pytest.fixture
def user_of(mariadb_socket: str, mariadb_url: str) -> Iterator[MakeUser]:
    with users_of(mariadb_socket, str(make_url(mariadb_url).database)) as make:
        yield make


@mariadb
async def test_a_mariadb_is_tried_with_its_rights_and_limits(
    place: Place, user_of: MakeUser
) -> None:
    fine = user_of("ALL PRIVILEGES")
    few = user_of("ALL PRIVILEGES", "WITH MAX_USER_CONNECTIONS 3")
    reader = user_of("SELECT, INSERT, UPDATE, DELETE")
    groups = (Group.DATABASE, Group.PROCESSES)

    healthy = await place.examine(*groups, database=fine)
    crowded = await place.examine(*groups, database=few)
    poor = await place.examine(*groups, database=reader)
    wrong = await place.examine(*groups, database=fine.replace("pw-of-u0", "other-pw"))
    nowhere = await place.examine(*groups, database="mysql://u:p@127.0.0.1:1/x")

    assert {one.state for one in healthy} == {State.FINE}
    [tried] = [one.seen for one in healthy if one.name == "rights"]
    assert "SKIP LOCKED" in tried
    assert "GET_LOCK" in tried
    assert fault(crowded, "connections").seen.startswith("3 allowed, 1 in use")
    assert "SIDENOTE_DATABASE_CONNECTIONS to 3" in fault(crowded, "connections").remedy
    assert "CREATE is not allowed" in fault(poor, "rights").seen
    assert "GRANT ALL PRIVILEGES" in fault(poor, "rights").remedy
    assert "'@'" in fault(poor, "rights").remedy
    assert "refuses this user" in fault(wrong, "connection").seen
    assert "check the name and password" in fault(wrong, "connection").remedy.lower()
    assert "cannot be reached" in fault(nowhere, "connection").seen
    assert not [s for s in ("pw-of-u", "other-pw") if s in repr((healthy, wrong, poor))]


async def test_processes_that_fell_silent_or_are_old_are_reported(place: Place) -> None:
    place.folder.mkdir()
    now = datetime.now(UTC)
    silent = now - timedelta(hours=2)
    with open_store(ready_sqlite(place.folder / "sidenote.sqlite")) as store:
        for role, version, seen_at in (
            ("intake", "0.0.9", now),
            ("work", "0.0.9", silent),
        ):
            store.processes.beat(
                Heartbeat(role, role, "host", 7, version, silent, seen_at)
            )

    found = await place.examine(Group.DATABASE, Group.PROCESSES)

    assert "is Sidenote 0.0.9" in fault(found, "intake").seen
    assert "last heartbeat 2 hours ago" in fault(found, "work").seen
    assert "sidenote work" in fault(found, "work").remedy
    assert "publish, serve" in fault(found, "roles").seen


@pytest.mark.parametrize(
    ("version", "seen", "remedy"),
    [("0003", "this release needs", "backup"), ("9999", "newer release", "Update")],
)
async def test_tables_of_another_version_are_reported(
    place: Place, version: str, seen: str, remedy: str
) -> None:
    place.folder.mkdir()
    file = place.folder / "sidenote.sqlite"
    with open_store(ready_sqlite(file)):
        pass
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", [version])
        database.commit()

    found = await place.examine(Group.DATABASE)

    assert seen in fault(found, "tables").seen
    assert remedy in fault(found, "tables").remedy


async def test_a_damaged_or_foreign_database_file_is_reported(place: Place) -> None:
    place.folder.mkdir()
    file = place.folder / "sidenote.sqlite"
    file.write_bytes(b"no database at all" * 500)

    found = await place.examine(Group.DATABASE, Group.PROCESSES)

    assert "is not a database" in fault(found, "connection").seen
    assert "move the file away" in fault(found, "connection").remedy.lower()
    assert found[-1].state is State.SKIPPED  # no processes to be asked for
