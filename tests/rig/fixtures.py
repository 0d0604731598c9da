"""The services as fixtures; a `conftest.py` that wants them imports them."""

import itertools
import socket
from collections.abc import Iterator
from contextlib import closing

import pymysql
import pytest
from playwright.sync_api import Browser, sync_playwright

from bot.demo.loopback.wiki.serving import free_port
from tests.rig.browser import open_chromium
from tests.rig.databases import MariaDbs
from tests.rig.mariadb import serve_mariadb
from tests.rig.wiki.mediawiki import Wiki, serve_wiki
from tests.rig.wiki.recorder import Recorder, all_goes_well, recording

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def wiki_proxy() -> Iterator[Recorder]:
    """Return the proxy that the wiki is known as; it needs `wiki` behind it."""
    with recording() as recorder:
        yield recorder


@pytest.fixture(scope="session")
def changes_port() -> int:
    """Return the UDP port on loopback that the wiki tells its changes."""
    return free_port(socket.SOCK_DGRAM)


@pytest.fixture(scope="session")
def wiki(wiki_proxy: Recorder, changes_port: int) -> Iterator[Wiki]:
    """Return a real MediaWiki that holds the demo and `tests.rig.wiki.pages`."""
    with serve_wiki(known_as=wiki_proxy.host, changes_port=changes_port) as served:
        wiki_proxy.wiki = served.host
        yield served


@pytest.fixture(scope="session")
def recorder(wiki: Wiki, wiki_proxy: Recorder) -> Recorder:
    """Return the proxy through which whatever writes has to reach the wiki.

    Give the bot `recorder.host` and people `wiki.host`. A test that uses this fails
    if a write leaves the talk and user namespaces (see `no_write_leaves`).
    """
    assert wiki_proxy.wiki == wiki.host
    return wiki_proxy


@pytest.fixture(autouse=True)
def no_write_leaves(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which the bot sent a write beyond talk and user pages."""
    if "recorder" not in request.fixturenames:
        yield
        return
    recorder: Recorder = request.getfixturevalue("recorder")
    before = len(recorder.writes)
    yield
    recorder.plan = all_goes_well
    outside = recorder.outside(before)
    assert not outside, f"writes beyond talk and user pages: {outside}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a browser for the tests of one file: it keeps asynchronous ones waiting."""
    with sync_playwright() as playwright, open_chromium(playwright) as started:
        yield started


@pytest.fixture(scope="session")
def mariadb_socket() -> Iterator[str]:
    with serve_mariadb() as place:
        yield place


@pytest.fixture
def mariadb_url(mariadb_socket: str) -> Iterator[str]:
    """Return the address of a new empty database on a real MariaDB."""
    name = f"s1__sidenote_{next(_numbers)}"
    with closing(pymysql.connect(user="root", unix_socket=mariadb_socket)) as server:
        with server.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        yield f"mysql+pymysql://root@localhost/{name}?unix_socket={mariadb_socket}"
        with server.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def mariadbs(mariadb_socket: str) -> MariaDbs:
    return MariaDbs(mariadb_socket)


@pytest.fixture
def mariadb_ready_url(mariadbs: MariaDbs) -> Iterator[str]:
    """Return the address of a database with tables, on a real MariaDB."""
    with mariadbs.lend() as url:
        yield url
