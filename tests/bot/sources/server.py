"""A web server on loopback that answers byte for byte what a test tells it to."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Answer = bytes | Script


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case


@dataclass
class Site:
    """Paths and their answers; what is not listed is a 404."""

    pages: dict[str, Answer] = field(default_factory=dict)
    on_connect: Script | None = None  # instead of speaking HTTP
    requests: list[Request] = field(default_factory=list)
    port: int = 0
    at_once: int = 0
    most_at_once: int = 0

    def asked(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    def url(self, path: str, host: str = "pub.test") -> str:
        return f"http://{host}:{self.port}{path}"

    async def speak_http(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, path, _ = first.split(" ")
        named = (line.split(": ", 1) for line in lines)
        headers = {name.lower(): value for name, value in named}
        self.requests.append(Request(method, path, headers))
        page = self.pages.get(path, answer("nothing here", "404 Not Found"))
        if isinstance(page, bytes):
            writer.write(page)
            await writer.drain()
        else:
            await page(reader, writer)


def answer(body: bytes | str = b"", status: str = "200 OK", **headers: str) -> bytes:
    """One HTTP answer; `content_type="text/plain"` becomes a header."""
    raw = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named.setdefault("content-length", str(len(raw)))
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("utf-8", "surrogateescape") + raw


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer(status=status, location=location)


def endless(head: bytes, piece: bytes, pause_s: float = 0.0) -> Script:
    """Send `head`, then `piece` again and again until the reader has had enough."""

    async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return script


async def hang(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Answer nothing until the other side gives up."""
    await reader.read()


@contextlib.asynccontextmanager
async def serving(site: Site, tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """Serve `site` on a free port of 127.0.0.1."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        site.at_once += 1
        site.most_at_once = max(site.most_at_once, site.at_once)
        with (
            contextlib.suppress(ConnectionError, asyncio.IncompleteReadError),
            contextlib.closing(writer),
        ):
            await (site.on_connect or site.speak_http)(reader, writer)
        site.at_once -= 1
        tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
