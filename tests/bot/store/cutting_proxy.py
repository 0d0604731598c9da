"""Stands between the store and MariaDB and loses the answer to a COMMIT."""

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

_COMMIT = b"\x03COMMIT"  # the protocol's "query", and the query


class _Proxy:
    def __init__(self, server: str, listener: socket.socket) -> None:
        self.cuts_left = 0
        self._server = server
        self._listener = listener

    def run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed: the test is over
                return
            with client, socket.socket(socket.AF_UNIX) as server:
                server.connect(self._server)
                self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Serve one connection to its end, or to the answer that is lost."""
        while True:
            ready, _, _ = select.select([client, server], [], [])
            if server in ready:
                answer = server.recv(65_536)
                if not answer:
                    return
                client.sendall(answer)
                continue
            data = client.recv(65_536)
            if not data:
                return
            server.sendall(data)
            if _COMMIT in data and self.cuts_left:
                self.cuts_left -= 1
                server.recv(65_536)  # it is committed now
                return


@contextmanager
def losing_answers_to_commit(server: str, folder: Path) -> Iterator[tuple[str, _Proxy]]:
    """Give the socket of a server that commits, and `cuts_left` times does not say so.

    It serves one connection after the other.
    """
    place = str(folder / "proxy")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        proxy = _Proxy(server, listener)
        thread = Thread(target=proxy.run, daemon=True)
        thread.start()
        yield place, proxy
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(30)
