"""A change feed with the events of all wikis, and among them those of one real wiki.

A process of its own. Most events are of wikis that nobody watches, as in the real
stream; of the wiki that is watched, most are of other pages. They are made from the
events that ship, which have the shapes of recorded ones. The share of the watched wiki
(2 of 24) is that of `tests.benchmarks.stream_server`; it is assumed, not measured.
"""

import asyncio
import multiprocessing
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files
from multiprocessing.connection import Connection
from typing import Any

from aiohttp import web

from bot.demo.loopback.event_server import (
    DATA_CENTRES,
    Entry,
    EventServer,
    Habits,
    Place,
)
from bot.demo.loopback.recent_changes import STREAM, Event
from bot.demo.loopback.replaying import recorded

_WIKIS = (
    *("www.wikidata.org",) * 9,
    *("commons.wikimedia.org",) * 7,
    *("",) * 2,  # the one that is watched
    *("de.wikipedia.org", "fr.wikipedia.org", "ja.wikipedia.org"),
    *("es.wikipedia.org", "ru.wikipedia.org", "zh.wikipedia.org"),
)
_WATCHED = 0.05  # of the events of the watched wiki
_TWICE = 0.005
_BROKEN = 0.0001
_OTHER_CENTRE = 0.02
_AT_ONCE = 50
_MOST_AHEAD = 2_000  # events that were not sent yet
_KEPT = 40_000
_CUT_AFTER_S = 120.0
_POLL_S = 0.002
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Wished:
    """What is to be sent.

    `pages` are the watched ones of `wiki`, with a revision that each has. `per_s` bounds
    the pace; without it, events come as fast as they are read.
    """

    seed: int
    wiki: str
    pages: Mapping[str, int]
    changes_port: int
    port: int = 0
    per_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is. `sent` counts made-up events, `real` those of the wiki itself."""

    sent: int
    real: int
    broken: int
    watched: int
    connections: int


@dataclass
class Firehose:
    """Speaks to the process of the feed."""

    address: str
    _pipe: Connection

    def send(self, until: int) -> None:
        """Let it make and send so many events in all."""
        self._pipe.send(("send", until))

    def move(self, moved_s: float) -> None:
        """Let the times of events be so far from ours from now on."""
        self._pipe.send(("move", moved_s))

    def progress(self) -> Progress:
        """Return how far it is."""
        self._pipe.send(("tell", None))
        progress = self._pipe.recv()
        assert isinstance(progress, Progress)
        return progress


@contextmanager
def pouring(wished: Wished) -> Iterator[Firehose]:
    """Serve the feed from a process of its own."""
    here, there = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(wished, there), daemon=True)
    process.start()
    there.close()
    try:
        yield Firehose(here.recv(), here)
    finally:
        process.terminate()
        process.join()


def _serve(wished: Wished, pipe: Connection) -> None:
    asyncio.run(_pour(wished, pipe))


class _Feed(EventServer):
    """Knows how far its reader is, and moves the times of all that it is sent."""

    moved = timedelta()
    place: Place | None = None
    real = 0

    def publish(
        self, event: Event, *, stream: str = STREAM, centre: str = DATA_CENTRES[0]
    ) -> Entry:
        self.real += 1
        return self.pass_on(_moved(event, self.moved), centre=centre, stream=stream)

    def pass_on(
        self, event: Event, *, centre: str = DATA_CENTRES[0], stream: str = STREAM
    ) -> Entry:
        return super().publish(event, stream=stream, centre=centre)

    def _place(self, request: web.Request) -> Place:
        self.place = super()._place(request)
        return self.place

    def ahead(self) -> int:
        """Count the events that the reader was not sent; many where there is none."""
        if self.place is None or not self.connected:
            return _MOST_AHEAD
        return sum(
            topic.end - self.place._next[topic.name] for topic in self.place._topics
        )


def _moved(event: Event, by: timedelta) -> Event:
    at = datetime.fromisoformat(event["meta"]["dt"]) + by
    meta = {**event["meta"], "dt": _iso(at)}
    return {**event, "meta": meta, "timestamp": int(at.timestamp())}


def _is_read(event: Event) -> bool:
    return "title" in event and str(event["$schema"]).endswith("/1.0.0")


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class _Pourer:
    wished: Wished
    feed: _Feed
    wanted: int = 0
    sent: int = 0
    broken: int = 0
    watched: int = 0
    began_s: float = 0.0
    shapes: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.wished.seed)
        self.titles = sorted(self.wished.pages)
        with as_file(files("bot") / "demo" / "events.jsonl.gz") as place:
            shapes = [dict(event) for event in recorded(place)]
        self.shapes = [each for each in shapes if _is_read(each)]

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        began_s, before = loop.time(), 0
        while True:
            is_ahead = self.feed.ahead() >= _MOST_AHEAD
            due = (
                self.wished.per_s * (loop.time() - began_s)
                if self.wished.per_s
                else 1e18
            )
            if is_ahead or self.sent >= self.wanted or self.sent - before >= due:
                if self.sent >= self.wanted:
                    began_s, before = loop.time(), self.sent
                await asyncio.sleep(_POLL_S)
                continue
            until = min(self.sent + _AT_ONCE, self.wanted)
            while self.sent < until:
                self._one()
            await asyncio.sleep(0)

    def _one(self) -> None:
        event, chance = self._made(), self.chance
        self.sent += 1
        far = chance.random() < _OTHER_CENTRE
        centre = DATA_CENTRES[far]
        self.feed.pass_on(event, centre=centre)
        if chance.random() < _TWICE and self.sent < self.wanted:
            self.sent += 1
            self.feed.pass_on(event, centre=centre)

    def _made(self) -> Event:
        chance, number = self.chance, self.sent
        shape = self.shapes[number % len(self.shapes)]
        now = datetime.now(UTC) + self.feed.moved
        host = chance.choice(_WIKIS)
        event = {
            **shape,
            "meta": {
                **shape["meta"],
                "id": f"{chance.getrandbits(64):016x}-{number:012d}",
                "dt": _iso(now),
                "domain": host or self.wished.wiki,
            },
            "id": 9_200_000_000 + number,
            "timestamp": int(now.timestamp()),
            "title": f"Demonstration page {chance.randrange(200_000)}",
        }
        if "revision" in shape:
            newest = 9_100_000_000 + number
            event["revision"] = {"old": newest - 1, "new": newest}
        if not host and chance.random() < _WATCHED:
            return self._of_a_watched_page(event)
        if not host and chance.random() < _BROKEN * len(_WIKIS) / 2:
            self.broken += 1
            event["title"] = 5
        return event

    def _of_a_watched_page(self, event: dict[str, Any]) -> Event:
        """Return a change that is sent again, as when feeds change their data centre."""
        title = self.chance.choice(self.titles)
        newest = self.wished.pages[title]
        self.watched += 1
        return {
            **event,
            "type": "edit",
            "namespace": 0,
            "title": title,
            "revision": {"old": newest - 1, "new": newest},
            "bot": False,
            "minor": False,
        }

    def progress(self) -> Progress:
        return Progress(
            self.sent,
            self.feed.real,
            self.broken,
            self.watched,
            len(self.feed.requests),
        )


async def _pour(wished: Wished, pipe: Connection) -> None:
    habits = Habits(cut_after_s=_CUT_AFTER_S, kept=_KEPT)
    async with _Feed(habits, port=wished.port) as feed:
        await feed.listen(wished.changes_port)
        pourer = _Pourer(wished, feed)
        loop = asyncio.get_running_loop()

        def obey() -> None:
            try:
                what, value = pipe.recv()
            except EOFError:
                loop.remove_reader(pipe.fileno())
                return
            if what == "send":
                pourer.wanted = value
            elif what == "move":
                feed.moved = timedelta(seconds=value)
            else:
                pipe.send(pourer.progress())

        loop.add_reader(pipe.fileno(), obey)
        pipe.send(feed.address)
        await pourer.run()
