"""What every HTTP stand-in has in common: a port on loopback, and an end."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from aiohttp import web


class Served:
    """Serves its `routes` on loopback. Use it as an async context manager.

    `port` is the given one; by default any free one, known once it serves.
    """

    def __init__(self, *, port: int = 0) -> None:
        self.port = port
        self._runner: web.AppRunner | None = None

    def routes(self) -> Iterable[web.AbstractRouteDef]:
        """Return the routes; each stand-in has its own."""
        return ()

    @property
    def root(self) -> str:
        """The base address, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_routes(self.routes())
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
