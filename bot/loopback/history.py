"""What a server of events keeps: a log for each topic, and where to begin in it.

As in Kafka behind Wikimedia's feed, an event has an offset in its topic and the time
that its `meta.dt` says. Pure.
"""

import bisect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

DATA_CENTRES = ("eqiad", "codfw")
_MS = 1000
_LINE_ENDS = re.compile("[\r\n]+")
END = -1  # the offset of what comes next


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in the log of a topic."""

    topic: str
    offset: int
    timestamp_ms: int
    data: str  # JSON


class Topic:
    """The log of one topic.

    Args:
        most: how many events are kept; the oldest go.
    """

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self._most = most
        self._entries: list[Entry] = []
        self._latest_ms: list[int] = []  # up to and with each entry
        self._first = 0  # offset of the first entry kept

    @property
    def end(self) -> int:
        """The offset that the next event gets."""
        return self._first + len(self._entries)

    def append(self, event: Mapping[str, Any]) -> Entry:
        """Keep `event`, with its place written into its `meta`."""
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
            round(at.timestamp() * _MS),
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
        # A topic stands with the offset it was given until its first event.
        self._told: dict[str, dict[str, Any]] = {
            name: {"topic": name, "partition": 0, "offset": offset}
            for name, (_, offset) in begins.items()
        }

    @property
    def id(self) -> str:
        """The id of the event that was read last."""
        return json.dumps(list(self._told.values()), separators=(",", ":"))

    def take(self, most: int) -> Iterator[tuple[str, Entry]]:
        """Yield the next events, each with the id that it gets."""
        for topic in self._topics:
            for entry in topic.after(self._next[topic.name], most):
                self._next[topic.name] = entry.offset + 1
                self._told[topic.name] = {
                    "topic": topic.name,
                    "partition": 0,
                    "timestamp": entry.timestamp_ms + 1,
                }
                yield self.id, entry


def frame(kind: str, identity: str, data: str) -> bytes:
    """Return a server-sent event, its fields in the order that the real server has."""
    lines = "".join(f"data: {line}\n" for line in _LINE_ENDS.split(data))
    return f"event: {kind}\nid: {identity}\n{lines}\n".encode()
