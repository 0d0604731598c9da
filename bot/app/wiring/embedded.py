"""The daemon on what ships with the program: articles, sources and recorded events.

Nothing of it leaves this machine. The events are sent by a server of ours on loopback,
as the real feed sends them; the articles are the wiki, and what would be posted is
left in a folder.
"""

import asyncio
import fcntl
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from datetime import datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.app.wiring.backend import Backend
from bot.app.wiring.daemon import Daemon, Part, open_daemon
from bot.app.wiring.folders import make_folder
from bot.app.wiring.store import open_store
from bot.app.wiring.world import EMBEDDED_BOT, embedded_world, now
from bot.daemon.idle import LeftInStore, UntilIdle
from bot.settings import Posting, Settings
from handlers.ports import PermanentError, TemporaryError

if TYPE_CHECKING:
    from bot.demo.loopback.event_server import EventServer
    from bot.demo.loopback.recent_changes import Event
    from bot.report import PageReport

_PER_S = 200.0
_LOOK_S = 0.05


def embedded_settings(settings: Settings) -> Settings:
    """Return the settings with what the embedded defaults decide themselves."""
    return settings.model_copy(
        update={
            "data_dir": settings.data_dir / "demo",
            "database": "",
            "posting": Posting.DRY,
            "bot_account": EMBEDDED_BOT,
            "bot_secret": SecretStr(secrets.token_hex(32)),
            "streams": ("recentchange",),
            "stream_silence_s": 3600.0,
            "settle_s": 0.0,
            "trivial_settle_s": 0.0,
            "report_pause_s": 0.0,
        }
    )


@asynccontextmanager
async def open_embedded(
    settings: Settings,
    parts: frozenset[Part],
    shown: "Callable[[PageReport], None]",
    backend: Backend | None = None,
) -> AsyncIterator[tuple[Daemon, UntilIdle]]:
    """Give the daemon on the embedded defaults, and what tells when it has done all.

    Each time it begins with nothing, in a folder of its own in `data_dir`.

    Raises:
        PermanentError: another one uses that folder now, or it cannot be made.
    """
    from bot.demo.loopback.event_server import EventServer  # noqa: PLC0415 - only for this
    from bot.demo.loopback.replaying import recorded  # noqa: PLC0415

    settings = embedded_settings(settings)
    async with AsyncExitStack() as opened:
        opened.enter_context(alone_in(settings.data_dir))
        demo = opened.enter_context(as_file(files("bot") / "demo"))
        events = tuple(recorded(demo / "events.jsonl.gz"))
        server = await opened.enter_async_context(EventServer())
        world = embedded_world(settings, demo, server.address)
        store = opened.enter_context(open_store(settings))
        daemon = await opened.enter_async_context(
            open_daemon(settings, store, world, parts, shown=shown, backend=backend)
        )
        replay = _Replay(daemon, server, events)
        daemon.roles["replay"] = replay.run
        yield daemon, UntilIdle(LeftInStore(store, now), replay.is_read)


class _Replay:
    """Plays the recording once the daemon listens and knows what is watched."""

    def __init__(
        self, daemon: Daemon, server: "EventServer", events: "Sequence[Event]"
    ) -> None:
        self._daemon = daemon
        self._server = server
        self._events = events
        self._sent = 0

    async def run(self, stop: asyncio.Event) -> None:
        from bot.demo.loopback.replaying import moved, replay  # noqa: PLC0415 - see above

        while not stop.is_set() and not await asyncio.to_thread(self._is_awaited):  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(_LOOK_S)
        played = moved(self._events, now() - _span(self._events))
        self._sent = await replay(
            played, self._server.publish, per_s=_PER_S, sleep=asyncio.sleep
        )

    def _is_awaited(self) -> bool:
        health = self._daemon.health
        if health is None or not health().is_connected:
            return False
        with suppress(TemporaryError):  # the store is away: look again
            return bool(self._daemon.store.watches.all())
        return False

    def is_read(self) -> bool:
        """Tell whether all events were sent, and have been read."""
        health = self._daemon.health
        read = 0 if health is None else health().events
        return bool(self._sent) and read >= self._sent


def _span(events: "Sequence[Event]") -> timedelta:
    times = [datetime.fromisoformat(event["meta"]["dt"]) for event in events]
    return max(times) - min(times)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder empty, unless another process uses it."""
    make_folder(folder.parent)
    with (folder.parent / f"{folder.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PermanentError(
                f"another `sidenote run` uses {folder}; end it first, or set"
                " SIDENOTE_DATA_DIR to another folder"
            ) from None
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        yield
