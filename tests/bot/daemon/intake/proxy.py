"""A proxy before a server of events that divides the stream anew, cuts and spoils it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
# How an answer with events begins; a `chunk` may follow.
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


@dataclass
class Proxy:
    """What is done to each connection, one after the other.

    `cuts` gives after how many bytes of the body a connection is cut; a connection
    after the last is left alone. `piece_bytes` is the size of the chunks sent on.
    `scripts` answer instead of the server, one for each connection, at first.
    """

    upstream: str
    piece_bytes: int = 16_384
    cuts: Iterator[int] = field(default_factory=lambda: iter(()))
    scripts: list[Script] = field(default_factory=list)
    port: int = 0
    heads: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v2/stream/"

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head.decode())
        if self.scripts:
            await self.scripts.pop(0)(reader, writer)
            return
        place = urlsplit(self.upstream)
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", place.port)
        try:
            up_writer.write(head)
            writer.write(await up_reader.readuntil(b"\r\n\r\n"))
            await self._pass_on(up_reader, writer, next(self.cuts, None))
        finally:
            up_writer.close()

    async def _pass_on(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        cut: int | None,
    ) -> None:
        held, sent = b"", 0
        while True:
            size = int((await reader.readuntil(b"\r\n")).strip(), 16)
            held += (await reader.readexactly(size + 2))[:-2]
            while held:
                piece, held = held[: self.piece_bytes], held[self.piece_bytes :]
                if cut is not None:
                    piece = piece[: cut - sent]
                sent += len(piece)
                writer.write(chunk(piece) if piece else b"")
                await writer.drain()
                if cut is not None and sent >= cut:
                    return


def chunk(text: bytes) -> bytes:
    """Return a part of an answer whose length is not said beforehand."""
    return b"%x\r\n%b\r\n" % (len(text), text)


def answering(text: bytes, *, then_wait: bool = False) -> Script:
    """Answer with these bytes."""

    async def script(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(text)
        await writer.drain()
        if then_wait:
            await reader.read()

    return script


@contextlib.asynccontextmanager
async def proxying(proxy: Proxy) -> AsyncIterator[Proxy]:
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with (
            contextlib.suppress(ConnectionError, asyncio.IncompleteReadError),
            contextlib.closing(writer),
        ):
            await proxy.serve(reader, writer)
        tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
