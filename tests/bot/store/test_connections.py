"""One process has so many connections to a MariaDB, whatever it does at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event, Semaphore

import pymysql
import pytest
from sqlalchemy import Connection, text

from bot.records.tasks import TaskKind
from bot.records.watches import IntendedPost, PlanKind
from bot.store import open_store
from bot.store.database import Transactions, open_engine, parse_url
from tests.bot.store.runs import NOON, WIKI

pytestmark = pytest.mark.mariadb

_AT_ONCE = 12
_MOST = 2


@pytest.fixture
def database(mariadb_url: str) -> Iterator[Transactions]:
    engine = open_engine(parse_url(mariadb_url), lock_timeout_s=5, connections=_MOST)
    yield Transactions(engine, "here")
    engine.dispose()


def _connections(socket: str, url: str) -> int:
    name = parse_url(url).database
    with (
        closing(pymysql.connect(user="root", unix_socket=socket)) as server,
        server.cursor() as cursor,
    ):
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.processlist WHERE db = %s", (name,)
        )
        [[count]] = cursor.fetchall()
        return int(count)


def test_what_needs_another_connection_waits_for_one(
    database: Transactions, mariadb_url: str, mariadb_socket: str
) -> None:
    has_begun, go_on = Semaphore(0), Event()

    def query(connection: Connection) -> int:
        has_begun.release()
        assert go_on.wait(20)
        return int(connection.scalar(text("SELECT 1")) or 0)

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        queries = [threads.submit(database.read, query) for _ in range(_AT_ONCE)]
        for _ in range(_MOST):
            assert has_begun.acquire(timeout=20)
        another = has_begun.acquire(timeout=0.3)
        held = _connections(mariadb_socket, mariadb_url)
        go_on.set()
        found = [one.result() for one in queries]

    assert not another
    assert held == _MOST
    assert found == [1] * _AT_ONCE
    assert _connections(mariadb_socket, mariadb_url) <= _MOST


def test_all_of_the_store_works_with_one_connection(mariadb_url: str) -> None:
    with open_store(mariadb_url, connections=1) as store:
        store.plans.ask([IntendedPost(PlanKind.TALK, WIKI, "One", NOON)], NOON)
        plan = store.tasks.lease([TaskKind.PLAN_TALK], "me", NOON)
        assert plan is not None
        store.plans.finish(plan, (), NOON)
        store.back_up(lambda _: None, NOON)
        assert store.status(NOON).at == NOON
