"""Starts a MariaDB server with a data folder of its own, on a Unix socket.

Set up as Wikimedia's ToolsDB is where that matters to the store: its character
set and collation, and the number of connections a tool may have.
"""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from bot.loopback.service import ServiceFailed
from tests.rig.service import Service, program, run_once, server_folder

_SMALL = ("--no-defaults", "--innodb-log-file-size=4M")
_LIKE_TOOLSDB = (
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_unicode_ci",
    "--max-user-connections=20",
    "--max-allowed-packet=32M",
)


@contextmanager
def serve_mariadb() -> Iterator[str]:
    """Serve an empty database server; yield its socket, for user root, no password."""
    server, setup = program("mariadbd"), program("mariadb-install-db")
    folder = server_folder("mariadb")
    data = f"--datadir={folder}/data"
    try:
        run_once(
            [
                setup,
                *_SMALL,
                data,
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
    try:
        service.wait_until(lambda: _accepts(str(place)))
        yield str(place)
    finally:
        service.stop()


def _accepts(place: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(place)
        except OSError:
            return False
        return bool(probe.recv(1))
