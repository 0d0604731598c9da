"""Work of all kinds that waits or is in hand while the tables are brought up to date.

The tables are those of the last version with one for each kind. Nothing of it is lost,
and nothing is done twice.
"""

import os
import signal
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alembic.command import upgrade
from alembic.config import Config
from sqlalchemy import Connection, Engine, MetaData, event, insert, select

from bot.records.tasks import Lease, LeaseLost, TaskKind
from bot.records.watches import PLANS
from bot.store import Store, open_store
from bot.store.backup import Header, end_line, row_line, table_line
from bot.store.fetches import source_text
from handlers.model import Source, SourceForm
from tests.bot.store.runs import NOON, WIKI, connected, start

_BEFORE = "0014"
_SOON, _LATE = NOON + timedelta(seconds=30), NOON + timedelta(minutes=30)
_JOB = {
    "wiki": WIKI,
    "reason": "CHANGE",
    "urgency": 1,
    "asked_at": NOON,
    "pause_s": 60.0,
    "due_at": NOON,
    "attempts": 0,
    "token": 4,
    "again": False,
    "changed_at": NOON,
}
_LEASED = {"state": "LEASED", "attempts": 1, "token": 7, "leased_until": _SOON}
_JOBS = (
    {"title": "Waits", "state": "WAITING", "revision": 12, "note": "the wiki was away"},
    {"title": "In hand", "begun_at": NOON, "worker": "before", **_LEASED},
    {"title": "Again", "begun_at": NOON, **_LEASED, "again": True, "revision": 9},
    {"title": "Given up", "state": "PARKED", "attempts": 5, "note": "no such page"},
    {"title": "Done", "state": "IDLE", "begun_at": NOON},
)
_PLAN = {
    "wiki": WIKI,
    "due_at": NOON,
    "attempts": 0,
    "token": 40,
    "again": False,
    "changed_at": NOON,
}
_PLANS = (
    {"kind": "TALK", "subject": "Waits", "state": "WAITING"},
    {"kind": "REPORT", "subject": "In hand", **_LEASED, "token": 41},
    {"kind": "OPT_INS", "subject": "", "state": "IDLE"},
)


_READING = {
    "asked": source_text(Source(SourceForm.URL, "", url="https://a.example/1")),
    "asked_at": NOON,
    "wanted_until": NOON + timedelta(days=1),
    "attempts": 0,
    "token": 2,
    "changed_at": NOON,
}
_READINGS = (
    {"request": "a" * 64, "host": "a.example", "state": "WAITING"},
    {"request": "b" * 64, "host": "b.example", **_LEASED},
    {"request": "c" * 64, "host": "c.example", "state": "DONE", "answer": b"x"},
)


_DRAFT = {
    "wiki": WIKI,
    "place": "User:Ada/Sidenote",
    "watcher": "Ada",
    "topic": "Clock",
    "asked_in": 3,
    "due_at": NOON,
    "tries": 0,
    "token": 4,
    "note": "",
    "text": "",
    "text_sha256": "",
    "changed_at": NOON,
}
_DRAFTS = (
    {"page": "User:Ada/Waits", "state": "WAITING"},
    {"page": "User:Ada/In hand", "state": "WAITING", "tries": 1, "due_at": _SOON},
    {"page": "User:Ada/Drafted", "state": "DRAFTED", "text": "== Clock =="},
)
_WATCH = {
    "id": 1,
    "wiki": WIKI,
    "place": "User:Ada/Sidenote",
    "kind": "USER",
    "watcher": "Ada",
    "checks": '["UPDATES"]',
    "surfaces": "[]",
    "languages": "[]",
    "interval_s": 0,
    "most_count": 5,
    "most_per": "DAY",
    "kept_at": NOON,
}
_SEARCHED = sha256(f"{WIKI}\x1fSearched".encode()).hexdigest()
_TURN = {
    "name": f"updates of {_SEARCHED[:32]}",
    "holder": "0:before",
    "began_at": NOON,
    "until": _LATE - timedelta(minutes=1),
}


def _fill(connection: Connection, rows: dict[str, list[dict[str, Any]]]) -> None:
    known = MetaData()
    known.reflect(connection)
    for table, some in rows.items():
        for row in some:
            naive = {
                name: value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value
                for name, value in row.items()
            }
            connection.execute(insert(known.tables[table]).values(**naive))


@pytest.fixture
def url(empty_url: str) -> str:
    """Return the address of a database of before, with everything in flight."""
    if empty_url.startswith("sqlite"):
        with open_store(empty_url):  # which makes its folder
            pass
        with connected(empty_url) as connection:
            known = MetaData()
            known.reflect(connection)
            known.drop_all(connection)
    config = Config()
    config.set_main_option("script_location", "bot.store:migrations")
    with connected(empty_url) as connection:
        config.attributes["connection"] = connection
        upgrade(config, _BEFORE)
    with connected(empty_url) as connection:
        rows = {
            "jobs": [_JOB | one for one in _JOBS],
            "plans": [_PLAN | one for one in _PLANS],
            "watches": [_WATCH],
            "watched_pages": [
                {"watch": 1, "position": at, "wiki": WIKI, "title": title}
                for at, title in enumerate(("Searched", "Fresh"))
            ],
            "turns": [_TURN],
            "drafts": [_DRAFT | one for one in _DRAFTS],
            "readings": [_READING | one for one in _READINGS],
        }
        _fill(connection, rows)
    return empty_url


def _backup_of_before(url: str) -> list[str]:
    """Return a backup as the version of before made it."""
    known, counts = MetaData(), {}
    with connected(url) as connection:
        known.reflect(connection)
        lines = [Header(_BEFORE, NOON.isoformat()).line()]
        for table in known.sorted_tables:
            if table.name == "alembic_version":
                continue
            rows = connection.execute(select(table)).all()
            lines.append(table_line(table.name, [one.name for one in table.columns]))
            lines += [row_line([_plain(value) for value in row]) for row in rows]
            counts[table.name] = len(rows)
    return [*lines, end_line(counts)]


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def test_a_backup_of_before_comes_back(url: str, tmp_path: Path) -> None:
    lines = _backup_of_before(url)
    with open_store(url) as upgraded:
        expected = upgraded.jobs.state(), upgraded.plans.state()

    with open_store(f"sqlite:///{tmp_path / 'other.sqlite'}") as other:
        other.restore(lambda: iter(lines))
        assert (other.jobs.state(), other.plans.state()) == expected
        assert _leased(other, *PLANS)["In hand"].token == 42
    with open_store(f"sqlite:///{tmp_path / 'other.sqlite'}") as again:
        assert again.jobs.state() == expected[0]


def _leased(store: Store, *kinds: TaskKind) -> dict[str, Lease[Any]]:
    """Lease whatever is due now and once the leases of before have run out."""
    found = {}
    for at in (NOON, _LATE):
        while lease := store.tasks.lease(kinds, "after", at):
            assert lease.subject not in found
            found[lease.subject] = lease
            store.tasks.finish(lease, at)
    return found


def _upgrade_until(url: str, words: str) -> None:
    """Bring the tables up to date, and die before the first statement with these words."""

    def die_before(_: object, __: object, statement: str, *___: object) -> None:
        if words in " ".join(statement.split()):
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die_before)
    with open_store(url):
        pass


def test_an_upgrade_that_is_killed_again_and_again_moves_each_task_once(
    url: str,
) -> None:
    for words in (
        "FROM jobs_of_before",
        "DROP TABLE plans_of_before",
        "DELETE FROM turns",
        "INSERT INTO dossiers",
        "DROP TABLE readings_of_before",
    ):
        killed = start(_upgrade_until, url, words)
        killed.join(60)
        assert killed.exitcode == -signal.SIGKILL, words

    with open_store(url) as store:
        expected = {TaskKind.CHECK: 3, TaskKind.FETCH: 2, TaskKind.DRAFT: 2}
        leased = {kind: len(_leased(store, kind)) for kind in expected}
        assert leased == expected
        assert {one: held.token for one, held in _leased(store, *PLANS).items()} == {
            "Waits": 41,
            "In hand": 42,
        }
        [parked] = store.jobs.parked()
        assert parked.title == "Given up"
        drafted = store.drafts.of_page(WIKI, "User:Ada/Drafted")
        assert drafted is not None
        assert drafted.text == "== Clock =="


def test_pages_go_on_where_they_were(store: Store) -> None:
    counts = {one.name: count for one, count in store.jobs.state().counts.items()}
    assert counts == {"WAITING": 1, "LEASED": 2, "PARKED": 1, "IDLE": 1}
    first = store.tasks.lease([TaskKind.CHECK], "after", NOON)
    assert first is not None
    assert (first.subject, first.task.revision_id, first.token) == ("Waits", 12, 5)
    store.finish_check(first, NOON)

    found = _leased(store, TaskKind.CHECK)

    assert found.keys() == {"In hand", "Again"}
    assert found["In hand"].token == found["Again"].token == 8
    assert found["In hand"].attempt == 2
    assert found["Again"].attempt == 1, "what came meanwhile has all attempts before it"
    assert found["Again"].task.revision_id == 9
    [parked] = store.jobs.parked()
    assert (parked.title, parked.reason) == ("Given up", "no such page")


def test_plans_go_on_where_they_were_and_their_numbers_never_come_again(
    store: Store,
) -> None:
    found = _leased(store, *PLANS)

    assert {one: held.token for one, held in found.items()} == {
        "Waits": 41,
        "In hand": 42,
    }
    assert found["In hand"].attempt == 2


def test_sources_are_read_that_others_wait_for(store: Store) -> None:
    found = _leased(store, TaskKind.FETCH)

    assert {one: held.token for one, held in found.items()} == {
        "a" * 64: 3,
        "b" * 64: 8,
    }
    assert found["b" * 64].attempt == 2
    assert found["a" * 64].task.source.url == "https://a.example/1"
    assert found["a" * 64].task.host == "a.example"


def test_a_page_that_is_searched_is_searched_by_nobody_else(store: Store) -> None:
    assert store.set_back(NOON) == 0, "nothing was written by a wrong clock"
    store.discoveries.enrol(timedelta(days=7), NOON)

    first = store.tasks.lease([TaskKind.UPDATE], "after", NOON)
    assert first is not None
    assert first.task == "Fresh"
    assert store.tasks.lease([TaskKind.UPDATE], "after", NOON) is None
    store.tasks.finish(first, NOON)
    assert _leased(store, TaskKind.UPDATE).keys() == {"Searched"}


def test_drafts_are_made_that_people_wait_for(store: Store) -> None:
    found = _leased(store, TaskKind.DRAFT)

    assert {one: held.attempt for one, held in found.items()} == {
        "User:Ada/Waits": 1,
        "User:Ada/In hand": 2,
    }
    draft = store.drafts.of_page(WIKI, "User:Ada/Drafted")
    assert draft is not None
    assert (draft.state.name, draft.text) == ("DRAFTED", "== Clock ==")


def test_what_was_in_hand_before_is_lost_to_who_had_it(store: Store) -> None:
    def of_before(kind: TaskKind, token: int) -> Lease[Any]:
        return Lease(None, kind, WIKI, "In hand", token, 1, _SOON)

    _leased(store, *PLANS)
    _leased(store, TaskKind.CHECK)

    for late in (of_before(TaskKind.CHECK, 7), of_before(TaskKind.PLAN_REPORT, 41)):
        with pytest.raises(LeaseLost):
            store.tasks.finish(late, _LATE)
