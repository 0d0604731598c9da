"""A feed that is cut, divided and spoilt by chance: nothing of it may be lost.

The server resumes at the time of the last event plus a millisecond, as Wikimedia's
does, and many events have the same millisecond: whoever believes its id loses some.
"""

import asyncio
import itertools
import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil

from bot.daemon.intake.event_stream import Framer, read_frame
from bot.demo.loopback.event_server import EventServer, Habits
from tests.bot.daemon.intake.proxy import Proxy, Script, proxying
from tests.bot.daemon.intake.world import MemorySink, edit, following, patient
from tests.hardening.figures import Figures, measured

_BEGAN = datetime(2023, 7, 29, 12, tzinfo=UTC)
_ALL_FROM = _BEGAN - timedelta(days=1)
_PIECES = (
    b"\n", b"\r", b"\r\n", b"\n\n", b"data: x", b"data:", b"data", b"id: 7", b"id: \0",
    b"event: error", b":ok", b"\xef\xbb\xbf", b"\xef", b"\xe2\x80\xa8", b"\xff", b"\0",
    b"retry: 5", b"retry: 9999999999999999999", b" ", b"\t", b"a" * 40,
)  # fmt: skip
_MEGABYTE = 1_000_000
_CAP_BYTES = 4 * 1024 * 1024
_LINE_BYTES = 64 * 1024 * 1024


async def try_disconnects(cuts: int, seed: int, at_once: int = 50) -> Figures:
    """Cut feeds `cuts` times while events are sent, and compare what was kept."""
    random_ = random.Random(seed)
    with measured("G4", "disconnects in bunches of one millisecond") as figures:
        events = connections = 0
        while figures.tried < cuts:
            delivered, opened = await _cut(figures, min(at_once, cuts), random_)
            events, connections = events + delivered, connections + opened
        figures.notes = [f"{events:,} events over {connections:,} connections"]
    return figures


async def _cut(figures: Figures, cuts: int, random_: random.Random) -> tuple[int, int]:
    events = list(_events(cuts * 2, random_))
    sink = MemorySink()
    async with EventServer(Habits(kept=len(events) + 1)) as server:
        lengths = iter([random_.randrange(200, 40_000) for _ in range(cuts)])
        size = random_.choice((61, 700, 5_000, 16_384))
        proxy = Proxy(server.address, piece_bytes=size, cuts=lengths)
        limits = patient(overlap_s=0.3, remembered=len(events))
        async with (
            proxying(proxy),
            following(proxy.address, sink, since=_ALL_FROM, limits=limits) as run,
        ):
            for event in events:
                server.publish(event)
            await run.until(lambda: len(sink.changes) >= len(events))
    figures.tried += cuts
    missing = {event["meta"]["id"] for event in events} - set(sink.ids)
    if missing or len(sink.ids) != len(set(sink.ids)):
        figures.fault(f"{len(missing)} lost, {len(sink.ids)} kept")
    return len(events), len(proxy.heads)


def _events(count: int, random_: random.Random) -> Iterator[dict[str, Any]]:
    at = _BEGAN
    number = 0
    while number < count:
        at += timedelta(milliseconds=random_.choice((1, 1, 7, 90)))
        for _ in range(random_.choice((1, 1, 2, 3, 5, 8))):
            dt = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            yield edit(number, meta={"dt": dt})
            number += 1


def try_streams(count: int, seed: int) -> Figures:
    """Divide `count` streams of bytes by chance; the events must be the same."""
    random_ = random.Random(seed)
    with measured("G4", "streams of bytes, each in four divisions") as figures:
        for _ in range(count):
            figures.tried += 1
            chosen = random_.choices(_PIECES, k=random_.randrange(40))
            text = b"".join(chosen) + b"\n\n"
            whole = _events_of([text])
            for size in (1, 2, random_.randrange(1, 20)):
                parts = [text[at : at + size] for at in range(0, len(text), size)]
                if _events_of(parts) != whole:
                    figures.fault(f"divided by {size}: {text!r}")
    return figures


def _events_of(chunks: Sequence[bytes]) -> list[object]:
    framer = Framer(_MEGABYTE)
    frames = [read_frame(one) for chunk in chunks for one in framer.feed(chunk)]
    return [
        (one.last_id, one.wait_ms, one.event and (one.event.event, one.event.data))
        for one in frames
    ]


async def try_endless_line(line_bytes: int = _LINE_BYTES) -> Figures:
    """Send one line of 64 MiB, and an event behind it."""
    sink = MemorySink()
    piece = b"x" * 65_536
    with measured("2", "one line without end, then an event") as figures:
        figures.tried = 1
        async with EventServer() as server:
            proxy = Proxy(server.address)
            proxy.scripts = [_flood(piece, line_bytes // len(piece))]
            at_first = psutil.Process().memory_info().rss
            async with (
                proxying(proxy),
                following(proxy.address, sink, since=_ALL_FROM) as run,
            ):
                await run.until(lambda: sink.changes != [])
                grown = psutil.Process().memory_info().rss - at_first
        if grown > 4 * _CAP_BYTES:
            figures.fault(f"grown by {grown:,} bytes")
        if len(sink.dead_letters) != 1 or len(proxy.heads) != 1:
            figures.fault(f"{len(sink.dead_letters)} letters, {len(proxy.heads)} tries")
        figures.notes = [f"grown by {grown / _MEGABYTE:.0f} MB at a cap of 4 MiB"]
    return figures


def _flood(piece: bytes, times: int) -> Script:
    async def script(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        writer.write(head + b":ok\n\ndata: ")
        for _ in itertools.repeat(None, times):
            writer.write(piece)
            await writer.drain()
        place = '[{"topic":"eqiad.mediawiki.recentchange","partition":0,"timestamp":1}]'
        event = json.dumps(edit(1))
        writer.write(f"\n\nid: {place}\ndata: {event}\n\n".encode())
        await writer.drain()
        await reader.read()

    return script
