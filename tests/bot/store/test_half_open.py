"""A connection to MariaDB that says nothing any more is given up after a while."""

import time

import pytest
from sqlalchemy import text

from bot.store.connection import open_engine, parse_url
from bot.store.failures import explained, is_worth_a_retry
from handlers.ports import TemporaryError
from tests.soak.links import Fault, linking


@pytest.mark.mariadb
def test_a_database_that_falls_silent_is_given_up_and_asked_anew(
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

        with pytest.raises(TemporaryError) as told, explained("here"):
            engine.connect()

        assert is_worth_a_retry(told.value)
        assert time.monotonic() - began_s < 15
        links.suffer(link, None)
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT 2")) == 2
        engine.dispose()
