"""What MariaDB does not answer in time is given up, by us and by itself."""

import time

import pytest
from sqlalchemy import Connection, text

from bot.store.database import (
    Transactions,
    explained,
    is_worth_a_retry,
    open_engine,
    parse_url,
)
from handlers.ports import TemporaryError
from tests.soak.links import Fault, linking


@pytest.mark.mariadb
def test_a_silent_database_connection_is_dropped_and_retried(
    mariadb_url: str,
) -> None:
    here = parse_url(mariadb_url)
    with linking(seed=1) as links:
        link = links.open("database", str(here.query["unix_socket"]))
        url = here.set(host="127.0.0.1", port=link.port, query={})
        engine = open_engine(url, lock_timeout_s=0.5, answer_s=0.5)
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
        links.suffer(link, Fault.HALF_OPEN)
        began_s = time.monotonic()

        with pytest.raises(TemporaryError) as caught, explained("here"):
            engine.connect()

        assert is_worth_a_retry(caught.value)
        assert time.monotonic() - began_s < 15
        links.suffer(link, None)
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT 2")) == 2
        engine.dispose()


@pytest.mark.mariadb
def test_a_statement_that_takes_too_long_is_ended_by_the_server(
    mariadb_url: str,
) -> None:
    engine = open_engine(parse_url(mariadb_url), lock_timeout_s=1, answer_s=1)

    with (
        engine.connect() as connection,
        pytest.raises(TemporaryError, match="took too long") as caught,
        explained("here"),
    ):
        connection.execute(text("SELECT SLEEP(30)"))

    assert not is_worth_a_retry(caught.value)
    engine.dispose()


@pytest.mark.mariadb
def test_a_copy_of_everything_may_take_as_long_as_it_takes(mariadb_url: str) -> None:
    engine = open_engine(
        parse_url(mariadb_url), lock_timeout_s=30, connections=1, answer_s=5
    )
    database = Transactions(engine, "here")

    def longest_s(connection: Connection) -> float:
        return float(connection.scalar(text("SELECT @@max_statement_time")) or 0)

    assert database.read(longest_s) == 34
    assert database.read_at_one_moment(longest_s) == 0
    assert database.read(longest_s) == 34, "the same connection, used again"
    engine.dispose()


@pytest.mark.mariadb
def test_who_says_how_long_an_answer_may_take_is_heard(mariadb_url: str) -> None:
    for more, longest_s in (("&read_timeout=90", 89), ("", 34)):
        engine = open_engine(parse_url(f"{mariadb_url}{more}"), lock_timeout_s=30)
        with engine.connect() as connection:
            limit_s = connection.scalar(text("SELECT @@max_statement_time"))
        assert limit_s == longest_s
        engine.dispose()
