"""`sidenote run` on what ships, with the local page, in a thread of its own."""

import asyncio
import threading
from pathlib import Path

from bot.app.wiring.daemon import WHOLE
from bot.app.wiring.demo import open_embedded
from bot.daemon.roles import run_roles
from bot.settings import Settings
from gadget.wiring import open_backend

_PATIENCE_S = 180  # on a machine that is busy with other tests


class Running:
    """The program until the end of a context; `address` is where it serves."""

    def __init__(self, folder: Path) -> None:
        self._settings = Settings.model_validate({"data_dir": folder, "serve_port": 0})
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self.address = ""
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._run(),)
        )

    async def _run(self) -> None:
        opening = open_embedded(self._settings, WHOLE, lambda _: None, open_backend)
        async with opening as opened:
            daemon, idle = opened.daemon, opened.idle
            self.address = daemon.address

            async def tell(_: asyncio.Event) -> None:
                await idle(asyncio.Event())
                self._ready.set()

            await run_roles({**daemon.roles, "teller": tell}, self._stop)

    def __enter__(self) -> "Running":
        self._thread.start()
        assert self._ready.wait(_PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
        self._loop.close()
