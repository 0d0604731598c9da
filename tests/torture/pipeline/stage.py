"""Everything around the daemon: wiki, proxy, change feed, sources, and its settings."""

import asyncio
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.app.wiring.demo import BOT_TOKEN
from bot.demo.loopback.event_server import DATA_CENTRES, Entry, EventServer, Habits
from bot.demo.loopback.recent_changes import STREAM, Event
from bot.demo.loopback.wiki.building import APP
from bot.demo.loopback.wiki.serving import free_port, serve_wiki
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.wiki.mediawiki import CACHE, Wiki, test_seeds
from tests.rig.wiki.recorder import Recorder, recording
from tests.torture.pipeline.people import BOT
from tests.torture.pipeline.scene import Library, library

SECRET = "for-the-torture-on-loopback-only"  # noqa: S105 - as it says
_COMMUNITY = "MediaWiki:Sidenote.json"
_PLENTY = {
    "limits": {
        "max": "900000",
        "notesPerPage": 900_000,
        "notesPerWiki": 900_000,
        "talkPosts": 900_000,
    }
}
_CUT_AFTER_S = 30.0


@dataclass(frozen=True, slots=True)
class Told:
    """An edit that the feed told, with the time that it gave for it."""

    timestamp_ms: int
    title: str
    revision: int


class Feed(EventServer):
    """The change feed; it remembers its edits, and when it sent its last event."""

    told_at: datetime | None = None

    def __init__(self, habits: Habits | None = None) -> None:
        super().__init__(habits)
        self.told: list[Told] = []

    def publish(
        self, event: Event, *, stream: str = STREAM, centre: str = DATA_CENTRES[0]
    ) -> Entry:
        self.told_at = datetime.now(UTC)
        entry = super().publish(event, stream=stream, centre=centre)
        if event.get("type") in {"edit", "new"} and "revision" in event:
            title, revision = str(event["title"]), int(event["revision"]["new"])
            self.told.append(Told(entry.timestamp_ms, title, revision))
        return entry


@dataclass(frozen=True, slots=True)
class Stage:
    """What a torture plays on."""

    wiki: Wiki
    recorder: Recorder
    feed: Feed
    library: Library
    folder: Path

    @property
    def database(self) -> Path:
        """The store of the daemon."""
        return self.folder / "sidenote.sqlite"

    @property
    def log(self) -> Path:
        """What all lives of the daemon said."""
        return self.folder / "daemon.log"

    @property
    def holdings(self) -> Path:
        """What all lives of the daemon took, and their steps with it."""
        return self.folder / "holdings.jsonl"

    def environment(self) -> dict[str, str]:
        """Return the settings of the daemon."""
        often = "1000000"
        settings = {
            "wiki": f"http://{self.recorder.host}",
            "stream": self.feed.address,
            "data_dir": str(self.folder),
            "bot_account": BOT,
            "bot_login": f"{BOT}@{APP}",
            "bot_password": BOT_TOKEN,
            "bot_secret": SECRET,
            "posting": "live",
            "posting_pause_s": "0",
            "posts_per_page": often,
            "posts_per_user": often,
            "posts_per_wiki": often,
            "settle_s": "0",
            "stream_silence_s": "60",
            "verifier": "lexical",
            "searches": "",
            "internal_addresses": self.library.host,
            "host_delay_s": "0",
            "cache_max_age_h": "0",
            "serve_port": "0",
            "log_level": "info",
        }
        named = {f"SIDENOTE_{name.upper()}": value for name, value in settings.items()}
        return {**named, "NO_PROXY": "*", "PYWIKIBOT_DIR": str(self.folder)}


@contextmanager
def stage_on(
    wiki: Wiki, recorder: Recorder, changes: int, folder: Path
) -> Iterator[Stage]:
    """Set the stage on a wiki that is served, and is known as the recorder."""
    wiki.reset()
    (folder / "user-config.py").touch(0o600)
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    admin.edit(_COMMUNITY, json.dumps(_PLENTY))
    admin.web.close()
    with library() as sources, _feed(changes) as feed:
        yield Stage(wiki, recorder, feed, sources, folder)


@contextmanager
def whole_stage(folder: Path) -> Iterator[Stage]:
    """Serve a wiki of our own, and set the stage on it."""
    os.environ["NO_PROXY"] = "*"
    changes = free_port(socket.SOCK_DGRAM)
    with ExitStack() as stack:
        recorder = stack.enter_context(recording())
        wiki = stack.enter_context(
            serve_wiki(
                test_seeds(),
                CACHE,
                known_as=recorder.host,
                changes_port=changes,
                workers=4,
            )
        )
        recorder.wiki = wiki.host
        yield stack.enter_context(stage_on(wiki, recorder, changes, folder))


@contextmanager
def _feed(port: int) -> Iterator[Feed]:
    """Serve the feed from a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def begin() -> Feed:
        feed = Feed(Habits(cut_after_s=_CUT_AFTER_S))
        await feed.__aenter__()
        await feed.listen(port)
        return feed

    async def end(feed: Feed) -> None:
        await feed.__aexit__(None, None, None)

    feed = asyncio.run_coroutine_threadsafe(begin(), loop).result(30)
    try:
        yield feed
    finally:
        asyncio.run_coroutine_threadsafe(end(feed), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
