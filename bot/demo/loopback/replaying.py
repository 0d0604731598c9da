"""Replays recorded events to an event server, as if they happened now."""

import gzip
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.demo.loopback.recent_changes import Event
from handlers.ports import PermanentError

_MAX_LINE_BYTES = 4 * 1024 * 1024


def recorded(path: Path) -> Iterator[Event]:
    """Yield the events of a file with one JSON object per line, gzipped or not.

    Raises:
        PermanentError: the file cannot be read, or a line is not an event.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                yield _event(line, f"{path}, line {number}")
    except OSError as error:
        raise PermanentError(f"{path} cannot be read: {error}") from error


def moved(events: Iterable[Event], begins_at: datetime) -> Iterator[Event]:
    """Yield the events, the first at `begins_at`, with the times between them kept."""
    shift: timedelta | None = None
    for event in events:
        at = datetime.fromisoformat(event["meta"]["dt"])
        if shift is None:
            shift = begins_at - at
        now = at + shift
        timestamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        shifted: dict[str, Any] = {**event, "meta": {**event["meta"], "dt": timestamp}}
        if "timestamp" in event:
            shifted["timestamp"] = int(now.timestamp())
        yield shifted


async def replay(
    events: Iterable[Event],
    publish: Callable[[Event], object],
    *,
    per_s: float,
    sleep: Callable[[float], Awaitable[None]],
) -> int:
    """Publish `events` at an even pace; return how many there were."""
    count = 0
    for event in events:
        publish(event)
        count += 1
        await sleep(1 / per_s)
    return count


def _event(line: bytes, place: str) -> Event:
    try:
        event = json.loads(line[:_MAX_LINE_BYTES])
        datetime.fromisoformat(event["meta"]["dt"])
    except (ValueError, KeyError, TypeError) as error:
        raise PermanentError(f"{place} is not an event: {error}") from error
    return dict(event)
