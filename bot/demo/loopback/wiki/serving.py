"""Serves a copy of the built wiki on loopback, and can reset it.

A reset copies the original database over the current one in an SQLite transaction, so
no process needs to end. Sessions are stored elsewhere and stay: whoever was logged in
still is.
"""

import http.client
import shutil
import socket
import sqlite3
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.demo.loopback.service import Service, give_to_server, program, server_folder
from bot.demo.loopback.wiki.building import (
    DATABASES,
    MAIN,
    ROUTER,
    configured,
    packed_wiki,
    revisions_in,
)
from bot.demo.loopback.wiki.code import Code, preferred_code
from bot.demo.loopback.wiki.seeds import Seeds
from handlers.ports import PermanentError

_FIRST = Path("first")
_RESTORED = ("wiki.sqlite", "wiki_jobqueue.sqlite")
_SITE = "/w/api.php?action=query&meta=siteinfo&format=json"
_HTTP_OK = 200
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Wiki:
    """A wiki that is being served."""

    host: str  # such as "127.0.0.1:40123"
    version: str  # of MediaWiki
    revisions: Mapping[str, tuple[int, ...]]  # of each seeded page, oldest first
    folder: Path

    @property
    def database(self) -> Path:
        """The SQLite file with its pages, read-only."""
        return self.folder / MAIN

    def reset(self) -> None:
        """Reset it to its original state, in milliseconds.

        Accounts, pages, revisions and blocks made since are gone, and their numbers
        will be reused. Nobody may be writing to the wiki meanwhile.
        """
        for name in _RESTORED:
            first, now = self.folder / _FIRST / name, self.folder / DATABASES / name
            with (
                closing(sqlite3.connect(first)) as source,
                closing(sqlite3.connect(now, timeout=_TIMEOUT_S)) as target,
            ):
                source.backup(target)
        get(self.host, "/forget")


@contextmanager
def serve_wiki(
    seeds: Seeds,
    cache: Path,
    *,
    code: Code | None = None,
    port: int = 0,
    known_as: str = "",
    changes_port: int = 0,
    workers: int = 2,
    runs_jobs: bool = False,
    has_replies: bool = False,
) -> Iterator[Wiki]:
    """Serve a fresh copy of the wiki that `seeds` describe.

    Args:
        seeds: what it holds.
        cache: folder in which the built wiki is kept.
        code: which MediaWiki; the preferred one by default.
        port: on loopback; any free one by default.
        known_as: host name that the wiki uses for itself, if a proxy is in front of it.
        changes_port: UDP port on loopback to which each change is sent; 0: none.
        workers: how many requests are answered at once.
        runs_jobs: whether each request also runs one of the waiting jobs.
        has_replies: whether people can reply on talk pages (1.43), which makes each
            post there slower.

    Raises:
        PermanentError: MediaWiki or PHP is not installed, or the port is taken; the
            message has the remedy.
        ServiceFailed: the wiki could not be built or does not start.
    """
    code = code or preferred_code()
    php = program("php")
    port = port or free_port()
    require_free(port)
    packed = packed_wiki(code, seeds, cache)
    host = f"127.0.0.1:{port}"
    folder = server_folder("wiki")
    revisions = _unpack(packed, code, folder)
    service = Service(
        [php, "-S", host, "-t", "www", ROUTER],
        folder,
        {
            **configured(folder),
            "TEST_WIKI_HOST": known_as or host,
            "TEST_WIKI_CHANGES": str(changes_port),
            "TEST_WIKI_JOBS": str(int(runs_jobs)),
            "TEST_WIKI_TALK": "1" if has_replies else "",
            "PHP_CLI_SERVER_WORKERS": str(workers),
        },
    )
    try:
        service.wait_until(lambda: _answers(host))
        yield Wiki(host, code.version, revisions, folder)
    finally:
        service.stop()


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """Return an unused port on loopback."""
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def require_free(port: int) -> None:
    """Reject a port on loopback that is in use; 0 means any free one.

    Raises:
        PermanentError: it is taken.
    """
    try:
        with socket.create_server(("127.0.0.1", port)):
            pass
    except OSError as error:
        raise PermanentError(
            f"the port {port} cannot be used ({error.strerror}); choose another"
            " with --port"
        ) from error


def get(host: str, path: str) -> tuple[int, bytes]:
    """Send a request to a server on loopback; return the status and body.

    Raises:
        OSError, http.client.HTTPException: it does not answer.
    """
    connection = http.client.HTTPConnection(host, timeout=_TIMEOUT_S)
    with closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()


def _unpack(packed: Path, code: Code, folder: Path) -> dict[str, tuple[int, ...]]:
    try:
        with tarfile.open(packed, "r") as kept:
            kept.extractall(folder, filter="data")
        (folder / _FIRST).mkdir()
        for name in _RESTORED:
            shutil.copyfile(folder / DATABASES / name, folder / _FIRST / name)
        revisions = revisions_in(folder / MAIN)
        (folder / "www").mkdir()
        give_to_server(folder, *folder.rglob("*"))
        (folder / "www" / "w").symlink_to(code.folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return revisions


def _answers(host: str) -> bool:
    try:
        status, said = get(host, _SITE)
    except (OSError, http.client.HTTPException):
        return False
    return status == _HTTP_OK and b"MediaWiki" in said
