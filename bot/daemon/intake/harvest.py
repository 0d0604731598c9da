"""Turns the bytes of a connection to the feed into changes. Pure."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.daemon.intake.change_events import Decoder, dead_letter
from bot.daemon.intake.event_stream import CutFrame, Frame, Framer, read_frame
from bot.records.changes import (
    Change,
    ChangeKind,
    DeadLetter,
    DeadReason,
    Position,
    TopicPosition,
    UserKind,
)

_TYPES = {  # recentchange's `type` and page_change's `page_change_kind`
    ChangeKind.EDIT: ("edit",),
    ChangeKind.NEW: ("new", "create"),
    ChangeKind.MOVE: ("log", "move"),
    ChangeKind.DELETE: ("log", "delete"),
    ChangeKind.RESTORE: ("log", "undelete"),
    ChangeKind.VISIBILITY: ("log", "visibility_change"),
    ChangeKind.CATEGORY: ("categorize",),
}
_BOTS = (UserKind.BOT, UserKind.OURS)
_MESSAGE = b"event: message\n"
_DOMAIN = b'"domain":"'
_LINE = b"\ndata"


@dataclass(frozen=True, slots=True)
class ChangeSelection:
    """The changes to pass on; an empty set means all."""

    wikis: frozenset[str] = frozenset()  # host names
    namespaces: frozenset[int] = frozenset()
    kinds: frozenset[ChangeKind] = frozenset()
    bots: bool = True  # whether changes by bots are wanted, ours among them

    def wants(self, change: Change) -> bool:
        """Whether `change` should be passed on."""
        return (
            (not self.wikis or change.wiki in self.wikis)
            and (not self.namespaces or change.namespace in self.namespaces)
            and (not self.kinds or change.kind in self.kinds)
            and (self.bots or change.user not in _BOTS)
        )


class EventFilter:
    """Drops frames that cannot hold a wanted change.

    Quotes inside a JSON string are escaped, so no text of a page or comment can look
    like a field. A field that is not found drops nothing; the wiki's is found only in
    JSON written without white space, as Wikimedia's services do.
    """

    def __init__(self, wanted: ChangeSelection) -> None:
        self._wiki = _wiki_pattern(wanted.wikis) if wanted.wikis else None
        self._fields = tuple(_fields(wanted))

    def passing(self, frames: Iterable[bytes]) -> list[bytes]:
        """Return those of `frames` that have to be decoded, all but messages among them.

        Nearly every event of the feed ends in this loop, so it calls as little as can be.
        """
        if self._wiki is None:
            return [frame for frame in frames if self._may_be_wanted(frame)]
        wiki_in = self._wiki.search
        passed = []
        for frame in frames:
            wiki = wiki_in(frame)
            if (
                wiki is not None
                and wiki.lastgroup is not None
                # A second one, in some log's parameters, leaves it undecided.
                and (wiki.lastgroup == "in_meta" or frame.find(_DOMAIN, wiki.end()) < 0)
                and frame.startswith(_MESSAGE)
            ):
                continue
            if self._may_be_wanted(frame):
                passed.append(frame)
        return passed

    def _may_be_wanted(self, frame: bytes) -> bool:
        return (
            not frame.startswith(_MESSAGE)
            or frame.count(_LINE) > 1  # a line may end between a name and its value
            or all(one.may_be_wanted(frame) for one in self._fields)
        )


def _wiki_pattern(wanted: Iterable[str]) -> re.Pattern[bytes]:
    """Return what finds the first wiki in a frame; it has a group if none wants it.

    The group is `in_meta` if the name stands beside that of the stream, as nowhere else.
    """
    names = "|".join(re.escape(json.dumps(wiki)[1:-1]) for wiki in sorted(wanted))
    other = rf'(?!(?:{names})")[^"\\]*+"(?:(?P<in_meta>,"stream":")|(?P<alone>))'
    return re.compile(f"{_DOMAIN.decode()}(?:{other}|)".encode())


@dataclass(frozen=True, slots=True)
class _Field:
    """A field with its wanted values; patterns begin after its name."""

    names: tuple[bytes, ...]
    any_value: re.Pattern[bytes]
    wanted: re.Pattern[bytes]

    def may_be_wanted(self, frame: bytes) -> bool:
        """Whether the field has a wanted value somewhere, or is absent."""
        has_value = False
        for name in self.names:
            end = frame.find(name) + len(name)
            while end >= len(name):
                if self.wanted.match(frame, end):
                    return True
                has_value = has_value or self.any_value.match(frame, end) is not None
                end = frame.find(name, end) + len(name)
        return not has_value


def _fields(wanted: ChangeSelection) -> Iterable[_Field]:
    if wanted.namespaces:
        numbers = (str(number) for number in sorted(wanted.namespaces))
        yield _field(
            ("namespace", "namespace_id"), f"(?:{'|'.join(numbers)}|-0)\\s*[,}}]"
        )
    if wanted.kinds and ChangeKind.OTHER not in wanted.kinds:
        types = sorted({name for kind in wanted.kinds for name in _TYPES[kind]})
        # Escaped letters are read only when the event is decoded.
        yield _field(
            ("type", "page_change_kind"), f'"(?:(?:{"|".join(types)})"|[^"]*\\\\)'
        )
    if not wanted.bots:
        yield _field(("bot", "is_bot"), "false")


def _field(names: Iterable[str], value: str) -> _Field:
    return _Field(
        tuple(f'"{name}"'.encode() for name in names),
        re.compile(rb"\s*:"),
        re.compile(rf"\s*:\s*{value}".encode()),
    )


_META = b'"meta":{'
_Place = tuple[str, int]


class Offsets:
    """Notices events that one connection skips, from its beginning on.

    A feed numbers the events of each topic in sequence. If a number has grown by more
    than the number of events that came, of whatever topic, the server has left some
    out, as it does when its own source was reset. It is checked once per chunk, because
    nearly all of a feed is never decoded; a few missing among many of another topic go
    unnoticed.
    """

    def __init__(self) -> None:
        self._frames = 0
        self._last: dict[
            _Place, tuple[int, int]
        ] = {}  # the offset, and frames until then

    def skipped(self, frames: Sequence[bytes], cut: int) -> _Place | None:
        """Return the topic and partition in which events are missing, if any are.

        Args:
            frames: of the next chunk.
            cut: how many more it had that were too large to keep.
        """
        if not frames:
            self._frames += cut
            return None
        if not self._last:
            self._note(frames[0], self._frames + 1)
        self._frames += len(frames) + cut
        return self._note(frames[-1], self._frames)

    def _note(self, frame: bytes, count: int) -> _Place | None:
        found = _place_in(frame)
        if found is None:
            return None
        place, offset = found
        before, counted = self._last.get(place, (offset, count))
        self._last[place] = offset, count
        return place if offset - before > count - counted else None


def _place_in(frame: bytes) -> tuple[_Place, int] | None:
    """Return an event's position; `None` if it does not say so clearly."""
    begin = frame.find(_META)
    end = frame.find(b"}", begin)
    if begin < 0 or end < 0:
        return None
    try:
        answer = json.loads(frame[begin + len(_META) - 1 : end + 1])
    except (ValueError, RecursionError):  # lists within lists, many thousands deep
        return None
    topic, partition = answer.get("topic"), answer.get("partition", 0)
    offset = answer.get("offset")
    if type(topic) is str and type(partition) is int and type(offset) is int:
        return (topic, partition), offset
    return None


MAX_EVENT_BYTES = 4 * 1024 * 1024  # Wikimedia's feeds carry messages of at most 4 MiB
_MAX_LETTERS = 100  # of one chunk; a broken stream must not fill the table
_ID = (b"id:", b"\nid:")
_COMMENT = b":"
_SHOWN_CHARS = 300


@dataclass(slots=True)
class Harvest:
    """What one chunk gave.

    `position` is that of the last event in it, wanted or not; `begun` is where topics
    begin, each reported once, with its first event of the connection. `skipped` is the
    topic and partition whose events are missing. `complaint` is what the server says
    went wrong on its side.
    """

    events: int = 0  # comments not counted
    changes: list[Change] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    begun: tuple[TopicPosition, ...] = ()
    skipped: tuple[str, int] | None = None
    position: Position | None = None
    complaint: str | None = None
    wait_ms: int | None = None


class ConnectionReader:
    """Reads one connection from its beginning.

    Args:
        our_names: the accounts that the program writes with.
    """

    def __init__(
        self,
        wanted: ChangeSelection,
        our_names: Collection[str] = (),
        max_event_bytes: int = MAX_EVENT_BYTES,
    ) -> None:
        self._wanted = wanted
        self._filter = EventFilter(wanted)
        self._decoder = Decoder(our_names)
        self._framer = Framer(max_event_bytes)
        self._max_event_bytes = max_event_bytes
        self._offsets = Offsets()
        self._begun: set[tuple[str, int]] = set()  # topics that gave an event

    def take(self, chunk: bytes) -> Harvest:
        """Return what the next bytes complete; oversized events come last."""
        harvest = Harvest()
        frames = self._framer.feed(chunk)
        passed = self._filter.passing(frames)
        harvest.events = len(frames) - len(passed)
        for raw in passed:
            self._decode(raw, harvest)
        harvest.position = _position_in(reversed(frames))
        if harvest.position is not None:
            harvest.begun = self._begun_in(frames, harvest.position)
        cut = self._framer.take_cut()
        harvest.skipped = self._offsets.skipped(frames, len(cut))
        self._bury(cut, harvest)
        del harvest.dead_letters[_MAX_LETTERS:]
        return harvest

    def _begun_in(
        self, frames: Iterable[bytes], last: Position
    ) -> tuple[TopicPosition, ...]:
        """Return where the topics begin whose first event is in `frames`.

        An id names all topics, those without an event yet without a time. So the `last`
        id shows whether there is anything to look for, which is rare.
        """
        known = {one.place for one in last.topics if one.timestamp is not None}
        fresh = known - self._begun
        self._begun |= fresh
        begun: dict[tuple[str, int], TopicPosition] = {}
        each = iter(frames)
        while fresh - begun.keys() and (position := _position_in(each)) is not None:
            for one in position.topics:
                if one.place in fresh and one.timestamp is not None:
                    begun.setdefault(one.place, one)
        return tuple(begun.values())

    def _decode(self, raw: bytes, harvest: Harvest) -> None:
        frame = read_frame(raw)
        if frame.wait_ms is not None:
            harvest.wait_ms = frame.wait_ms
        event = frame.event
        if event is None:
            return
        harvest.events += 1
        if event.event == "error":
            harvest.complaint = str(event.data)[:_SHOWN_CHARS]
            return
        message = self._decoder.decode(event.data)
        if isinstance(message, DeadLetter):
            harvest.dead_letters.append(message)
        elif message is not None and self._wanted.wants(message):
            harvest.changes.append(message)

    def _bury(self, cut: Iterable[CutFrame], harvest: Harvest) -> None:
        for one in cut:
            detail = f"an event of more than {self._max_event_bytes:,} bytes"
            harvest.dead_letters.append(
                dead_letter(DeadReason.TOO_LARGE, detail, one.beginning)
            )


def _position_in(frames: Iterator[bytes]) -> Position | None:
    """Return the first position that any of `frames` names."""
    for raw in frames:
        if raw.startswith(_COMMENT) or not any(mark in raw for mark in _ID):
            continue
        position = _position_of(read_frame(raw))
        if position is not None:
            return position
    return None


def _position_of(frame: Frame) -> Position | None:
    try:
        return Position.parse(frame.last_id) if frame.last_id else None
    except ValueError:
        return None
