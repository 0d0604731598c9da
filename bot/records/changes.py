"""What happened on a wiki, as its change feed tells it, and how far it was read.

These values go from intake to the store. No name of a user is among them, since
nothing that we do with a change needs one: whoever made it is only of a kind. Pure.
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
    HIDDEN = "hidden"  # the feed does not tell


@dataclass(frozen=True, slots=True)
class FeedOffset:
    """Where an event stands in the feed's own log."""

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one page.

    A moved page has its old title and namespace; `moved_to` is the new title.
    `event_id` is the same each time the event is delivered. `page_id` is missing
    where the feed gives none (recentchange).
    """

    kind: ChangeKind
    wiki: str  # host name, with the port of a wiki on another than the usual one
    title: str  # with spaces and namespace
    namespace: int
    changed_at: datetime
    user: UserKind
    event_id: str
    page_id: int | None = None
    revision_id: int | None = None
    moved_to: str | None = None
    is_minor: bool = False
    comment: str = ""  # can name users: to be purged like any other name
    offset: FeedOffset | None = None


class DeadReason(Enum):
    """Why an event could not be read."""

    TOO_LARGE = "too large"
    BAD_JSON = "not JSON"
    BAD_SHAPE = "not as its schema says"
    UNKNOWN_SCHEMA = "of a schema that is not known"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be read, for a person to look at."""

    reason: DeadReason
    detail: str  # one line
    raw: bytes  # its beginning, names of users removed where they were recognised
    size_bytes: int  # of the whole; of what was kept, where it was too large


@checked(frozen=True, slots=True, config=ConfigDict(extra="ignore"))
class TopicPosition:
    """How far one topic was read.

    `timestamp` is in milliseconds, one more than that of the last event that was
    seen. Where no event of the topic came it is `None`, or for a `quiet` topic when
    we began to listen.
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
        """When the event came about that was seen last, if one was."""
        if not self.timestamp or self.quiet:
            return None
        return datetime.fromtimestamp((self.timestamp - 1) / _MS, UTC)


_TOPICS: TypeAdapter[tuple[TopicPosition, ...]] = TypeAdapter(
    Annotated[tuple[TopicPosition, ...], Field(min_length=1, max_length=_MAX_TOPICS)]
)


@dataclass(frozen=True, slots=True)
class Position:
    """How far the feed was read: the time of the last event of each topic.

    Times, not offsets: those differ between the data centres that a feed can
    move to.
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
        """The position in the form of the ids that the feed gives its events."""
        return _written([_entry(one) for one in self.topics])

    @property
    def text(self) -> str:
        """The whole position, to be kept."""
        return _written(
            [
                {**_entry(one), **({"quiet": True} if one.quiet else {})}
                for one in self.topics
            ]
        )

    def reached(self, place: tuple[str, int]) -> datetime | None:
        """Return when the newest event of one log came about that was read, if any was."""
        return next((one.at for one in self.topics if one.place == place), None)

    @property
    def newest_at(self) -> datetime | None:
        """When the newest event came about that was read, if any was."""
        seen = (one.at for one in self.topics)
        return max((at for at in seen if at is not None), default=None)

    def advanced(self, later: "Position", now: datetime) -> "Position":
        """Return the position after `later` was reached, too.

        No topic goes back, since events that a resumed feed repeats were read
        before; and none goes beyond `now`, whatever its events claim, since what
        is in between would never be sent.
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

        The feed gives such a topic the end that it had on connecting. To resume at
        its end of a later day would pass over all that came meanwhile.
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

        A feed resumes after the millisecond of the last event, and most events of
        a second carry the same one: hence the overlap.
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
class Hole:
    """A time whose changes the feed did not give; they are to be asked for elsewhere.

    `until` is `None` where the feed went on from the moment of connecting.
    """

    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Batch:
    """What was read since the last batch, to be kept in one transaction.

    Whoever keeps the position without the changes loses them. Without a `position`
    the one that was kept before stays.
    """

    received_at: datetime
    position: Position | None
    changes: tuple[Change, ...] = ()
    dead_letters: tuple[DeadLetter, ...] = ()
    holes: tuple[Hole, ...] = ()


class ChangeSink(Protocol):
    """Keeps what intake reads."""

    async def position(self) -> Position | None:
        """Return the position of the last batch that was kept, if there is one.

        Raises:
            TemporaryError: try again later.
        """
        ...

    async def commit(self, batch: Batch) -> None:
        """Keep all of `batch`, or nothing of it.

        A change can come again in a later batch: some do after each restart, with
        the same `event_id`, and a revision can come from two feeds.

        Raises:
            TemporaryError: nothing is known to be kept; the same batch comes again,
                and nothing is read until it is kept.
            PermanentError: intake ends.
        """
        ...
