"""The sources: one server with several hosts, in a process that notes who asks when.

A host is an address of loopback; each has its own line of requests.
"""

import asyncio
import multiprocessing
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

_forked = multiprocessing.get_context("fork")
_HEAD = re.compile(
    rb"GET (\S+) HTTP/1\.1\r\n(?:.*\r\n)*?Host: ([0-9.]+)", re.IGNORECASE
)
_TAKES_S = 0.02


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """A request, on the clock of this machine."""

    host: str
    path: str
    began_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class Site:
    """Where the sources are: `port` of each of `hosts`."""

    hosts: tuple[str, ...]
    port: int
    _log: Path

    def address(self, number: int) -> str:
        """Return that of one source; the hosts have them in turn."""
        host = self.hosts[number % len(self.hosts)]
        return f"http://{host}:{self.port}/source/{number}"

    def asked(self) -> list[RequestOutcome]:
        """Return all requests so far."""
        found = []
        for line in self._log.read_text("utf-8").splitlines():
            host, path, began, ended = line.split("\t")
            found.append(RequestOutcome(host, path, float(began), float(ended)))
        return found


@contextmanager
def serving(hosts: Sequence[str], folder: Path) -> Iterator[Site]:
    """Serve the sources of `hosts` until the block ends."""
    log = folder / "asked.tsv"
    log.touch()
    ours, theirs = _forked.Pipe()
    server = _forked.Process(
        target=_serve, args=(tuple(hosts), log, theirs), daemon=True
    )
    server.start()
    try:
        yield Site(tuple(hosts), ours.recv(), log)
    finally:
        server.kill()
        server.join()


def impolite(requests: Sequence[RequestOutcome], delay_s: float) -> list[str]:
    """Return a line for each request that came too soon after the one before."""
    faults = []
    for host in sorted({one.host for one in requests}):
        line = sorted(
            (one for one in requests if one.host == host), key=lambda one: one.began_s
        )
        for before, after in pairwise(line):
            pause_s = after.began_s - before.ended_s
            if pause_s < delay_s:
                fault = f"{before.path}, then {after.path} after {pause_s:.3f} s"
                faults.append(f"{host} was asked too soon: {fault}")
    return faults


def _serve(hosts: tuple[str, ...], log: Path, port: Any) -> None:
    asyncio.run(_serve_forever(hosts, log, port))


async def _serve_forever(hosts: tuple[str, ...], log: Path, port: Any) -> None:
    with log.open("a", buffering=1, encoding="utf-8") as lines:

        async def answer(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                began_s = time.monotonic()
                found = _HEAD.match(head)
                path, host = (
                    (found[1].decode(), found[2].decode()) if found else ("?", "?")
                )
                await asyncio.sleep(_TAKES_S)
                writer.write(_page(path))
                await writer.drain()
                lines.write(f"{host}\t{path}\t{began_s}\t{time.monotonic()}\n")
            writer.close()

        server = await asyncio.start_server(answer, hosts[0], 0)
        number = server.sockets[0].getsockname()[1]
        for host in hosts[1:]:
            await asyncio.start_server(answer, host, number)
        port.send(number)
        await server.serve_forever()


def _page(path: str) -> bytes:
    if not path.startswith("/source/"):
        return (
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    number = path.rpartition("/")[2]
    text = "".join(
        f"<p>Sentence {at} of this report tells of the town of number {number}, its"
        " harbour, the people who came there, and what they thought of the bridge.</p>"
        for at in range(8)
    )
    body = (
        f"<html><body><article><h1>Report {number}</h1>{text}</article></body></html>"
    )
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8"
    return f"{head}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
