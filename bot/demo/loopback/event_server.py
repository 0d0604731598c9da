"""A small EventStreams server on loopback that behaves like Wikimedia's.

It sends `:ok`, then `event`, `id` and `data`; the id gives, for each topic, the time of
its last event plus one millisecond. It resumes from `Last-Event-ID` or `?since`, allows
two connections at a time, and cuts each after a while, in the middle of an event if one
is being sent. (EventStreams 0.20, KafkaSSE 0.4.)
"""

import asyncio
import bisect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from aiohttp import web

from bot.demo.loopback.recent_changes import STREAM, Event, RecentChanges

DATA_CENTRES = ("eqiad", "codfw")
_HISTORY_MS = 1000
_LINE_ENDS = re.compile("[\r\n]+")
END = -1  # the offset of the next event


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in the log of a topic."""

    topic: str
    offset: int
    timestamp_ms: int
    data: str  # JSON


class Topic:
    """The log of one topic.

    As in Kafka behind Wikimedia's feed, an event has an offset in its topic and the
    time in its `meta.dt`.

    Args:
        most: how many events are kept; the oldest are dropped.
    """

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self._most = most
        self._entries: list[Entry] = []
        self._latest_ms: list[int] = []  # up to and including each entry
        self._first = 0  # offset of the first entry kept

    @property
    def end(self) -> int:
        """The offset that the next event gets."""
        return self._first + len(self._entries)

    def append(self, event: Mapping[str, Any]) -> Entry:
        """Store `event`, with its position written into its `meta`."""
        meta = {
            **event["meta"],
            "topic": self.name,
            "partition": 0,
            "offset": self.end,
        }
        at = datetime.fromisoformat(meta["dt"])
        entry = Entry(
            self.name,
            self.end,
            round(at.timestamp() * _HISTORY_MS),
            json.dumps(
                {**event, "meta": meta}, separators=(",", ":"), ensure_ascii=False
            ),
        )
        latest = max(self._latest_ms[-1:], default=0)
        self._entries.append(entry)
        self._latest_ms.append(max(latest, entry.timestamp_ms))
        if len(self._entries) > self._most:
            gone = len(self._entries) - self._most // 2
            self.forget(gone)
        return entry

    def forget(self, count: int) -> None:
        """Drop the oldest events, as retention does."""
        del self._entries[:count]
        del self._latest_ms[:count]
        self._first += count

    def from_time(self, timestamp_ms: int) -> int:
        """Return the offset of the first event at that time or later, else `END`."""
        index = bisect.bisect_left(self._latest_ms, timestamp_ms)
        return END if index == len(self._entries) else self._first + index

    def after(self, offset: int, most: int) -> Sequence[Entry]:
        """Return up to `most` events from `offset` on, of those still kept."""
        begin = max(offset - self._first, 0)
        return self._entries[begin : begin + most]


class Place:
    """How far one reader has come in the topics that it reads.

    Args:
        begins: the offset to begin at for each topic, `END` for what comes next.
    """

    def __init__(self, begins: Mapping[str, tuple[Topic, int]]) -> None:
        self._topics = [topic for topic, _ in begins.values()]
        self._next = {
            name: topic.end if offset == END else offset
            for name, (topic, offset) in begins.items()
        }
        # A topic keeps the offset it was given until its first event.
        self._positions: dict[str, dict[str, Any]] = {
            name: {"topic": name, "partition": 0, "offset": offset}
            for name, (_, offset) in begins.items()
        }

    @property
    def id(self) -> str:
        """The id of the event that was read last."""
        return json.dumps(list(self._positions.values()), separators=(",", ":"))

    def take(self, most: int) -> Iterator[tuple[str, Entry]]:
        """Yield the next events, each with the id that it gets."""
        for topic in self._topics:
            for entry in topic.after(self._next[topic.name], most):
                self._next[topic.name] = entry.offset + 1
                self._positions[topic.name] = {
                    "topic": topic.name,
                    "partition": 0,
                    "timestamp": entry.timestamp_ms + 1,
                }
                yield self.id, entry


def frame(kind: str, identity: str, data: str) -> bytes:
    """Return a server-sent event, its fields in the order that the real server has."""
    lines = "".join(f"data: {line}\n" for line in _LINE_ENDS.split(data))
    return f"event: {kind}\nid: {identity}\n{lines}\n".encode()


PAGE_CHANGE = "mediawiki.page_change.v1"
_ALIASES = {"recentchange": STREAM}
_SCHEMAS = {
    STREAM: "/mediawiki/recentchange/1.0.0",
    PAGE_CHANGE: "/mediawiki/page/change/1.2.0",
}
_AT_ONCE = 100  # events of one topic, before the next topic has its turn
_MS = 1000
_WHO = ("user", "performer")


@dataclass(frozen=True, slots=True)
class Habits:
    """What Wikimedia's server does, with its values."""

    cut_after_s: float = 900.0
    connections: int = 2  # at once, from one address
    retry_after_s: int | None = None  # sent with 429; the real one sends none
    canary_s: float = 3600.0
    kept: int = 100_000  # events of each topic
    redacted: frozenset[str] = frozenset()  # titles whose events name no user


class EventServer:
    """Serves what is published. Use it as an async context manager.

    Args:
        now: for canaries; events bring their own time.
    """

    def __init__(
        self,
        habits: Habits | None = None,
        *,
        port: int = 0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: str(uuid4()),
    ) -> None:
        self.habits = habits or Habits()
        self.connected: list[str] = []  # the addresses of current listeners
        self.requests: list[Mapping[str, str]] = []  # their headers
        self._port = port
        self._now = now
        self._new_id = new_id
        self._topics = {
            f"{centre}.{stream}": Topic(f"{centre}.{stream}", self.habits.kept)
            for stream in _SCHEMAS
            for centre in DATA_CENTRES
        }
        self._news = asyncio.Event()
        self._complaints: list[str] = []
        self._canaries: asyncio.Task[None] | None = None
        self._runner: web.AppRunner | None = None
        self._udp: list[asyncio.DatagramTransport] = []

    @property
    def address(self) -> str:
        """Where the streams are; their names follow it."""
        return f"http://127.0.0.1:{self._port}/v2/stream/"

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/v2/stream/{streams}", self._serve)
        # A reader that disconnects is noticed at once, and its place is free again.
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, access_log=None, handler_cancellation=True
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self._canaries = asyncio.create_task(self._send_canaries())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for transport in self._udp:
            transport.close()
        if self._canaries is not None:
            self._canaries.cancel()
        if self._runner is not None:
            await self._runner.cleanup()

    # --- publishing -----------------------------------------------------------

    def publish(
        self, event: Event, *, stream: str = STREAM, centre: str = DATA_CENTRES[0]
    ) -> Entry:
        """Send it to all listeners, and again to those who resume before it.

        The same event, published twice, is delivered twice under one `meta.id`, as
        happens with the real server.
        """
        if event.get("title") in self.habits.redacted:
            event = {name: value for name, value in event.items() if name not in _WHO}
        entry = self._topics[f"{centre}.{stream}"].append(event)
        self._tell()
        return entry

    def publish_canary(self) -> None:
        """Send a canary event in every topic."""
        for name, topic in self._topics.items():
            stream = name.partition(".")[2]
            topic.append(_canary(stream, self._now(), self._new_id()))
        self._tell()

    def complain(self, message: str) -> None:
        """Send an error to everyone who listens now."""
        self._complaints.append(message)
        self._tell()

    def forget(self, count: int, *, centre: str = "") -> None:
        """Drop the oldest events of every topic, or of one centre's, as retention does."""
        for name, topic in self._topics.items():
            if name.startswith(centre):
                topic.forget(min(count, topic.end))

    async def listen(self, port: int = 0) -> int:
        """Publish what wikis send to a UDP port on loopback; return the port."""
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: RecentChanges(self.publish, self._new_id),
            local_addr=("127.0.0.1", port),
        )
        self._udp.append(transport)
        return int(transport.get_extra_info("sockname")[1])

    # --- listeners --------------------------------------------------------------

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.headers)
        if not request.headers.get("User-Agent"):
            return web.Response(status=403, text="Please set a user-agent")
        who = request.remote or ""
        if self.connected.count(who) >= self.habits.connections:
            return self._too_many()
        try:
            place = self._place(request)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return web.json_response({"message": str(error)}, status=400)
        self.connected.append(who)
        try:
            return await self._stream(request, place)
        finally:
            self.connected.remove(who)

    def _too_many(self) -> web.Response:
        asked = self.habits.retry_after_s
        return web.Response(
            status=429,
            text="Too Many Concurrent Connections From Your Client IP",
            headers={} if asked is None else {"Retry-After": str(asked)},
        )

    def _place(self, request: web.Request) -> Place:
        names = request.match_info["streams"].split(",")
        streams = [_ALIASES.get(name, name) for name in names]
        topics = {
            name: self._topics[name]
            for stream in streams
            for name in (f"{centre}.{stream}" for centre in DATA_CENTRES)
        }
        begins = dict.fromkeys(topics, END)
        since = request.query.get("since")
        resumed = request.headers.get("Last-Event-ID")
        if resumed:
            for position in json.loads(resumed):
                topic = topics[position["topic"]]
                begins[topic.name] = (
                    topic.from_time(int(position["timestamp"]))
                    if "timestamp" in position
                    else int(position["offset"])
                )
        elif since:
            at_ms = _since_ms(since)
            begins = {name: topic.from_time(at_ms) for name, topic in topics.items()}
        return Place({name: (topics[name], begins[name]) for name in topics})

    async def _stream(self, request: web.Request, place: Place) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-cache",
                "Access-Control-Allow-Origin": "*",
            }
        )
        await response.prepare(request)
        with suppress(ConnectionError):
            await response.write(b":ok\n\n")
            try:
                async with asyncio.timeout(self.habits.cut_after_s):
                    await self._send(response, place)
            except TimeoutError:
                await self._cut(request, response, place)
        return response

    async def _send(self, response: web.StreamResponse, place: Place) -> None:
        complaints = len(self._complaints)
        while True:
            news = self._news
            frames = [
                frame("message", position, entry.data)
                for position, entry in place.take(_AT_ONCE)
            ]
            for message in self._complaints[complaints:]:
                error = json.dumps({"message": message})
                frames.append(frame("error", place.id, error))
            complaints = len(self._complaints)
            for one in frames:
                await response.write(one)
            if not frames:
                await news.wait()

    async def _cut(
        self, request: web.Request, response: web.StreamResponse, place: Place
    ) -> None:
        """Close without notice, in the middle of the next event if there is one."""
        for position, entry in place.take(1):
            whole = frame("message", position, entry.data)
            await response.write(whole[: len(whole) // 2])
            break
        if request.transport is not None:
            request.transport.close()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _send_canaries(self) -> None:
        while True:
            await asyncio.sleep(self.habits.canary_s)
            self.publish_canary()


def _since_ms(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return round(datetime.fromisoformat(text).timestamp() * _MS)


def _canary(stream: str, now: datetime, event_id: str) -> dict[str, Any]:
    meta = {
        "dt": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "id": event_id,
        "domain": "canary",
        "stream": stream,
    }
    return {"$schema": _SCHEMAS[stream], "meta": meta}
