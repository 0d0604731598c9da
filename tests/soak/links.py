"""Links on loopback that can fail as networks do, between the program and its servers.

Each link is a port that passes bytes on, both ways, and knows nothing of what they
mean. What can be done to it is what toxiproxy does to links, and three things more:
jitter, an outage, and connections that stay half open.
"""

import asyncio
import random
import socket
import struct
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

_T = TypeVar("_T")
_PIECE_BYTES = 64 * 1024
_LATENCY_S = 1.0
_SLICE_BYTES = 40
_RATE_BYTES_S = 20_000
_LIMIT_BYTES = 700
_RESET_WITHIN_BYTES = 3_000
_NOW = struct.pack("ii", 1, 0)  # of SO_LINGER: end with a reset


class Fault(Enum):
    """What is done to a link; the value says it in a word or two."""

    LATENCY = "latency"  # a second each way
    JITTER = "jitter"  # none to two seconds each way
    SLICES = "slices"  # of at most 40 bytes
    BANDWIDTH = "bandwidth"  # 20 kB a second
    RESET = "resets"  # all connections; new ones within 3 kB
    LIMIT = "cut answers"  # connections end after 700 bytes of answer
    SILENCE = "silence"  # nothing passes; then it goes on
    HALF_OPEN = "half open"  # the same, and these connections never speak again
    OUTAGE = "outage"  # nobody listens


@dataclass(eq=False, slots=True)
class _Connection:
    writers: tuple[asyncio.StreamWriter, asyncio.StreamWriter]
    passed: int = 0
    answered: int = 0
    is_dead: bool = False

    def reset(self) -> None:
        for writer in self.writers:
            with suppress(OSError, AttributeError):
                end = writer.get_extra_info("socket")
                if end.family != socket.AF_UNIX:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NOW)
            writer.transport.abort()


@dataclass(eq=False)
class Link:
    """One link. `upstream` is where its bytes go: host and port, or a socket's path."""

    name: str
    upstream: str = ""
    seed: int = 0
    port: int = 0
    fault: Fault | None = None
    connections: set[_Connection] = field(default_factory=set)
    accepted: int = 0

    def __post_init__(self) -> None:
        self._chance = random.Random(f"{self.name} {self.seed}")
        self._change = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def host(self) -> str:
        """Where the program finds it."""
        return f"127.0.0.1:{self.port}"

    async def open(self) -> None:
        """Listen, on the port it had before if it had one."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """End it with all its connections."""
        await self.suffer(None)
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def suffer(self, fault: Fault | None) -> None:
        """Begin a fault, or end the one there is."""
        before, self.fault = self.fault, fault
        await self._mend(before)
        if fault is Fault.OUTAGE and self._server is not None:
            self._server.close()
        for one in tuple(self.connections):
            if fault in (Fault.OUTAGE, Fault.RESET):
                one.reset()
            one.is_dead |= fault is Fault.HALF_OPEN
        self._change.set()
        self._change = asyncio.Event()

    async def _mend(self, before: Fault | None) -> None:
        if before is Fault.OUTAGE:
            await self.open()
        if before is Fault.HALF_OPEN:  # servers notice in the end; we are told nothing
            for one in self.connections:
                if one.is_dead:
                    one.writers[1].transport.abort()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._join(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)

    async def _join(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.accepted += 1
        far_reader, far_writer = await self._dial()
        one = _Connection((writer, far_writer), is_dead=self.fault is Fault.HALF_OPEN)
        self.connections.add(one)
        ways = (
            asyncio.create_task(self._pass(one, reader, far_writer)),
            asyncio.create_task(self._pass(one, far_reader, writer, is_answer=True)),
        )
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()
            self.connections.discard(one)
            for each in one.writers:
                each.close()

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.upstream.startswith("/"):
            return await asyncio.open_unix_connection(self.upstream)
        host, _, port = self.upstream.rpartition(":")
        return await asyncio.open_connection(host, int(port))

    async def _pass(
        self,
        one: _Connection,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        *,
        is_answer: bool = False,
    ) -> None:
        while True:
            data = await source.read(_PIECE_BYTES)
            await self._hold(one)
            if not data:
                with suppress(OSError, RuntimeError):
                    target.write_eof()
                return
            one.passed += len(data)
            one.answered += len(data) if is_answer else 0
            async for piece in self._pieces(data):
                await self._hold(one)
                target.write(piece)
                await target.drain()
            self._cut_if_due(one)

    async def _hold(self, one: _Connection) -> None:
        """Wait while nothing passes."""
        while one.is_dead or self.fault is Fault.SILENCE:
            await self._change.wait()

    async def _pieces(self, data: bytes) -> AsyncIterator[bytes]:
        fault = self.fault
        if fault is Fault.LATENCY:
            await asyncio.sleep(_LATENCY_S)
        elif fault is Fault.JITTER:
            await asyncio.sleep(self._chance.uniform(0, 2 * _LATENCY_S))
        size = {Fault.SLICES: _SLICE_BYTES, Fault.BANDWIDTH: _RATE_BYTES_S // 10}
        most = size.get(fault, len(data)) if fault else len(data)
        for at in range(0, len(data), most):
            yield data[at : at + most]
            if fault is Fault.BANDWIDTH and self.fault is fault:
                await asyncio.sleep(most / _RATE_BYTES_S)
            elif fault is Fault.SLICES:
                await asyncio.sleep(0)

    def _cut_if_due(self, one: _Connection) -> None:
        if self.fault is Fault.RESET:
            if one.passed > self._chance.uniform(0, _RESET_WITHIN_BYTES):
                one.reset()
        elif self.fault is Fault.LIMIT and one.answered > _LIMIT_BYTES:
            for writer in one.writers:
                writer.close()


@dataclass(frozen=True, slots=True)
class Links:
    """All links, served by a thread of their own."""

    loop: asyncio.AbstractEventLoop
    seed: int
    made: list[Link] = field(default_factory=list)

    def open(self, name: str, upstream: str = "") -> Link:
        """Open another one; its upstream may be said later."""

        async def begin() -> Link:
            link = Link(name, upstream, self.seed)
            await link.open()
            return link

        link = self._done(begin())
        self.made.append(link)
        return link

    def suffer(self, link: Link, fault: Fault | None) -> None:
        """Begin a fault of a link, or end the one there is."""
        self._done(link.suffer(fault))

    def close(self) -> None:
        """End all."""
        for link in self.made:
            self._done(link.close())

    def _done(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)


@contextmanager
def linking(seed: int) -> Iterator[Links]:
    """Serve links for as long as the block lasts."""
    with loop_in_thread() as loop:
        links = Links(loop, seed)
        try:
            yield links
        finally:
            links.close()


@contextmanager
def loop_in_thread() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
