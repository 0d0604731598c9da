"""A server on loopback in a wiki's place, which says what the test says."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from json import dumps

from aiohttp import web

from bot.wiki.pages import WikiPage
from bot.wiki.reader import WikiReader

AGENT = "SidenoteTests/0 (loopback only)"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        yield f"{host}:{port}"
    finally:
        await runner.cleanup()


@dataclass(frozen=True)
class Answer:
    """What a server says to every request."""

    body: object = ""  # sent as it is if text or bytes, else as JSON
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        body = self.body if isinstance(self.body, str | bytes) else dumps(self.body)
        body = body.encode() if isinstance(body, str) else body
        return web.Response(body=body, status=self.status, headers=self.headers)


def error(code: str, **more: object) -> Answer:
    return Answer({"error": {"code": code, "info": "Why.", **more}})


async def read_from(answer: Answer) -> WikiPage:
    async def handler(_request: web.Request) -> web.Response:
        return answer.response()

    async with serving(handler) as host:
        return await WikiReader(host, user_agent=AGENT, timeout_s=60).page("X")
