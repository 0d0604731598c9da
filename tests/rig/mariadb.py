"""Starts a MariaDB server with a data folder of its own, on a Unix socket.

Set up as Wikimedia's ToolsDB is where that matters to the store: its character
set and collation, and the number of connections a tool may have.
"""

import os
import shutil
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from bot.demo.loopback.service import ServiceFailed
from tests.rig.service import Service, program, run_once, server_folder

_SMALL = ("--no-defaults", "--innodb-log-file-size=4M")
_LIKE_TOOLSDB = (
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_unicode_ci",
    "--max-user-connections=20",
    "--max-allowed-packet=32M",
)


# Whatever ends the server, it comes back, as under systemd.
_AGAIN = 'while :; do "$@" & echo $! >"$SERVICE_DIR/now"; wait $!; sleep 0.05; done'


@dataclass(frozen=True, slots=True)
class MariaDb:
    """A server that comes back with its data when it is killed.

    Its `socket` is for user root, without a password.
    """

    socket: str
    _service: Service

    def kill(self) -> None:
        """End the server at once, as `kill -9` does; it may be starting just now."""
        number = int((self._service.folder / "now").read_text() or 0)
        with suppress(ProcessLookupError):
            if number and os.getpgid(number) == self._service.group:
                os.kill(number, signal.SIGKILL)

    def wait(self) -> None:
        """Return when it takes connections."""
        self._service.wait_until(lambda: _accepts(self.socket))


@contextmanager
def serve_mariadb() -> Iterator[str]:
    """Serve an empty database server; yield its socket, for user root, no password."""
    with _serve([]) as server:
        yield server.socket


@contextmanager
def serve_mariadb_again_and_again() -> Iterator[MariaDb]:
    """Serve an empty database server that may be killed."""
    with _serve(["/bin/sh", "-c", _AGAIN, "sh"]) as server:
        yield server


@contextmanager
def _serve(by: Sequence[str]) -> Iterator[MariaDb]:
    server, setup = program("mariadbd"), program("mariadb-install-db")
    folder = server_folder("mariadb")
    data = f"--datadir={folder}/data"
    try:
        run_once(
            [
                setup,
                *_SMALL,
                data,
                f"--tmpdir={folder}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ],
            folder,
        )
    except ServiceFailed:
        shutil.rmtree(folder)
        raise
    place = folder / "s"
    service = Service(
        [
            *by,
            server,
            *_SMALL,
            *_LIKE_TOOLSDB,
            data,
            f"--socket={place}",
            f"--pid-file={folder}/pid",
            "--skip-networking",
            "--innodb-buffer-pool-size=32M",
        ],
        folder,
    )
    mariadb = MariaDb(str(place), service)
    try:
        mariadb.wait()
        yield mariadb
    finally:
        service.stop()


def _accepts(place: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(place)
            return bool(probe.recv(1))
        except OSError:
            return False
