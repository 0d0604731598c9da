"""What happened on a wiki according to its change feed, and how far that was read.

These values go from intake to the store. They never contain a user's name, because
nothing that we do with a change needs one: only the kind of user is kept. Pure.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Protocol, Self

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

_MS = 1000
_MAX_POSITION_CHARS = 30_000
_MAX_TOPICS = 64


class ChangeKind(Enum):
    """What was done to the page."""

    EDIT = "edit"
    NEW = "new page"
    MOVE = "move"
    DELETE = "deletion"
    RESTORE = "restoration"
    VISIBILITY = "visibility"  # a revision was hidden, or shown again
    CATEGORY = "category membership"  # `title` is the category
    OTHER = "other"  # logs that change no text, and edits on another wiki


class UserKind(Enum):
    """Who did it, as far as we need to know."""

    REGISTERED = "registered"
    TEMPORARY = "temporary account"
    ADDRESS = "IP address"
    BOT = "bot"
    OURS = "this bot"
    HIDDEN = "hidden"  # the feed does not say


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one page.

    For a moved page, title and namespace are the old ones; `moved_to` is the new title.
    `event_id` is the same each time the event is delivered. `page_id` is missing if the
    feed gives none (recentchange).
    """

    kind: ChangeKind
    wiki: str  # host name, with the port if it is not the usual one
    title: str  # with spaces and namespace
    namespace: int
    changed_at: datetime
    user: UserKind
    event_id: str
    page_id: int | None = None
    revision_id: int | None = None
    parent_id: int | None = None  # the revision before an edit
    moved_to: str | None = None
    is_minor: bool = False
    comment: str = ""  # may name users: to be removed like any other name


class DeadReason(Enum):
    """Why an event could not be read."""

    TOO_LARGE = "too large"
    BAD_JSON = "not JSON"
    BAD_SHAPE = "not as its schema says"
    UNKNOWN_SCHEMA = "of a schema that is not known"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be read, kept for a person to look at."""

    reason: DeadReason
    detail: str  # one line
    raw: bytes  # its beginning, without the user names that were recognised
    size_bytes: int  # of the whole event; if it was too large, of what was kept


@checked(frozen=True, slots=True, config=ConfigDict(extra="ignore"))
class TopicPosition:
    """How far one topic was read.

    `timestamp` is in milliseconds, one more than that of the last event seen. If the
    topic had no event, it is `None`, or for a `quiet` topic the time when we began to
    listen.
    """

    topic: Annotated[str, Field(max_length=255)]
    partition: Annotated[int, Field(ge=0, le=100_000)] = 0
    timestamp: Annotated[int, Field(ge=0, le=10**14)] | None = None
    quiet: bool = False

    @property
    def place(self) -> tuple[str, int]:
        """Which log it is a position in."""
        return self.topic, self.partition

    @property
    def at(self) -> datetime | None:
        """The time of the last event seen, if there was one."""
        if not self.timestamp or self.quiet:
            return None
        return datetime.fromtimestamp((self.timestamp - 1) / _MS, UTC)


_TOPICS: TypeAdapter[tuple[TopicPosition, ...]] = TypeAdapter(
    Annotated[tuple[TopicPosition, ...], Field(min_length=1, max_length=_MAX_TOPICS)]
)


@dataclass(frozen=True, slots=True)
class Position:
    """How far the feed was read: the time of the last event of each topic.

    Times, not offsets: those differ between the data centres that a feed can switch
    between.
    """

    topics: tuple[TopicPosition, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an event's id, or what `text` has written.

        Raises:
            ValueError: it is neither.
        """
        if len(text) > _MAX_POSITION_CHARS:
            raise ValueError(f"a position of {len(text):,} characters")
        try:
            return cls(_TOPICS.validate_json(text))
        except ValidationError as error:
            raise ValueError("not a position: " + error.errors()[0]["msg"]) from None

    @property
    def last_event_id(self) -> str:
        """The position in the form of the feed's event ids."""
        return _written([_entry(one) for one in self.topics])

    @property
    def text(self) -> str:
        """The whole position, to be stored."""
        return _written(
            [
                {**_entry(one), **({"quiet": True} if one.quiet else {})}
                for one in self.topics
            ]
        )

    def reached(self, place: tuple[str, int]) -> datetime | None:
        """Return the time of the newest event read from one log, if there is one."""
        return next((one.at for one in self.topics if one.place == place), None)

    @property
    def newest_at(self) -> datetime | None:
        """The time of the newest event that was read, if there is one."""
        seen = (one.at for one in self.topics)
        return max((at for at in seen if at is not None), default=None)

    def advanced(self, later: "Position", now: datetime) -> "Position":
        """Return the position after `later` has also been reached.

        No topic moves back, because a resumed feed repeats events that were read
        before. None moves beyond `now`, whatever its events claim, because the events
        in between would never be sent.
        """
        latest = int(now.timestamp() * _MS)
        known = {one.place: one for one in self.topics}
        for one in later.topics:
            place = one.place
            if one.timestamp is None:
                known.setdefault(place, one)
                continue
            bounded = replace(one, timestamp=min(one.timestamp, latest), quiet=False)
            mine = known.get(place)
            if mine is None or mine.quiet or (mine.timestamp or 0) <= one.timestamp:
                known[place] = bounded
        return Position(tuple(known.values())[-_MAX_TOPICS:])

    def filled(self, since: datetime) -> "Position":
        """Return the position where a topic without events was read up to `since`.

        The feed starts such a topic at the end that it has when we connect. Resuming
        later, at the end it has then, would skip everything that came in between.
        """
        at = int(since.timestamp() * _MS)
        return Position(
            tuple(
                one
                if one.timestamp is not None
                else replace(one, timestamp=at, quiet=True)
                for one in self.topics
            )
        )

    def rewound(self, overlap_s: float) -> "Position":
        """Return the position to resume from so that nothing is missed.

        A feed resumes after the millisecond of the last event, and most events of a
        second have the same millisecond: hence the overlap.
        """
        overlap_ms = int(overlap_s * _MS)
        return Position(
            tuple(
                one
                if one.timestamp is None
                else replace(one, timestamp=max(one.timestamp - overlap_ms, 0))
                for one in self.topics
            )
        )


def _entry(one: TopicPosition) -> dict[str, str | int]:
    entry: dict[str, str | int] = {"topic": one.topic, "partition": one.partition}
    if one.timestamp is None:
        return {**entry, "offset": -1}
    return {**entry, "timestamp": one.timestamp}


def _written(entries: Sequence[Mapping[str, str | int]]) -> str:
    return json.dumps(entries, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Gap:
    """A time whose changes the feed did not deliver; they are fetched elsewhere.

    `until` is `None` if the feed continued from the moment of connecting.
    """

    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Batch:
    """What was read since the last batch, stored in one transaction.

    Storing the position without the changes would lose them. Without a `position`, the
    stored one stays.
    """

    received_at: datetime
    position: Position | None
    changes: tuple[Change, ...] = ()
    dead_letters: tuple[DeadLetter, ...] = ()
    gaps: tuple[Gap, ...] = ()


class ChangeSink(Protocol):
    """Stores what intake reads."""

    async def position(self) -> Position | None:
        """Return the position of the last stored batch, if there is one.

        Raises:
            TemporaryError: try again later.
        """
        ...

    async def commit(self, batch: Batch) -> None:
        """Store all of `batch`, or nothing.

        A change can come again in a later batch: some do after each restart, with the
        same `event_id`, and a revision can come from two feeds.

        Raises:
            TemporaryError: it may not have been stored; the same batch comes again, and
                nothing is read until it is stored.
            PermanentError: intake ends.
        """
        ...
