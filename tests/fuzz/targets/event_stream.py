"""The change feed: frames, sieve and events, however the bytes are divided."""

import json
from zlib import crc32

from bot.daemon.intake.event_stream import Framer, read_frame
from bot.daemon.intake.harvest import ChangeSelection, ConnectionReader, Harvest
from bot.records.changes import ChangeKind, DeadReason, Position
from tests.fuzz.target import Target, require, storable

_SMALL = 64
_LARGE = 2_500  # bytes of an event; less than an input may have
_FEW_LETTERS = 100  # beyond, a chunk's letters are dropped by design
_WANTED = ChangeSelection(
    frozenset({"en.wikipedia.org"}), frozenset({0}), frozenset({ChangeKind.EDIT})
)


def check(data: bytes) -> None:
    """The same events in any chunks; the sieve drops nothing that is wanted."""
    pieces = _divided(data)
    single = [data[at : at + 1] for at in range(len(data))]
    frames = _by_the_book(data)
    for max_bytes in (_SMALL, _LARGE):
        found = _frames([data], max_bytes)
        require(found[0] == [one for one in frames if len(one) <= max_bytes], "frames")
        for chunks in (pieces, single):
            require(found == _frames(chunks, max_bytes), "frames depend on the chunks")
    whole = _read([data], ChangeSelection())
    parts = _read(pieces, ChangeSelection())
    require(_read_in_full(whole) == _read_in_full(parts), "events depend on the chunks")
    if _ids_grow(frames):
        require(set(whole.begun) == set(parts.begun), "beginnings depend on the chunks")
    storable(whole.changes)
    # Of an event that names its wiki once, as every event has done so far.
    if all(frame.count(b'"domain":"') <= 1 for frame in frames):
        wanted = [change for change in whole.changes if _WANTED.wants(change)]
        kept = _read([data], _WANTED).changes
        require(kept == wanted, "the sieve dropped a wanted change")


def _divided(data: bytes) -> list[bytes]:
    """Cut at places that the data decide, so that an input can be tried again."""
    pieces, at, number = [], 0, crc32(data)
    while at < len(data):
        number = (number * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        size = (number >> 16) % 9
        pieces.append(data[at : at + size])
        at += size
    return pieces


def _ids_grow(frames: list[bytes]) -> bool:
    """Tell whether each id names all topics of those before it, as the service's do."""
    known: set[tuple[str, int]] = set()
    for raw in frames:
        try:
            position = Position.parse(read_frame(raw).last_id or "")
        except ValueError:
            continue
        named = {one.place for one in position.topics if one.timestamp is not None}
        if not known <= named:
            return False
        known = named
    return True


def _by_the_book(data: bytes) -> list[bytes]:
    """Cut all at once what is only ever cut in pieces."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    frames = text.split(b"\n\n")[:-1]
    return [lines for frame in frames if (lines := frame.lstrip(b"\n"))]


def _frames(chunks: list[bytes], max_bytes: int) -> tuple[list[bytes], list[bytes]]:
    framer = Framer(max_bytes)
    frames = [frame for chunk in chunks for frame in framer.feed(chunk)]
    return frames, [each.beginning[:max_bytes] for each in framer.take_cut()]


def _read(chunks: list[bytes], wanted: ChangeSelection) -> Harvest:
    reader = ConnectionReader(wanted, ("SidenoteBot",), _LARGE)
    total = Harvest()
    for chunk in chunks:
        one = reader.take(chunk)
        total.events += one.events
        total.changes += one.changes
        total.dead_letters += one.dead_letters
        total.begun += one.begun
        total.position = one.position or total.position
        total.complaint = (
            one.complaint if one.complaint is not None else total.complaint
        )
        total.wait_ms = one.wait_ms if one.wait_ms is not None else total.wait_ms
    return total


def _read_in_full(read: Harvest) -> tuple[object, ...]:
    # What is too large is buried after the others of its chunk; each kind has its order.
    letters = read.dead_letters[:_FEW_LETTERS]
    large = [one for one in letters if one.reason is DeadReason.TOO_LARGE]
    others = [one for one in letters if one.reason is not DeadReason.TOO_LARGE]
    return (
        read.events, read.changes, large, others, read.position, read.complaint,
        read.wait_ms,
    )  # fmt: skip


EVENT = {
    "$schema": "/mediawiki/recentchange/1.0.0",
    "meta": {
        "id": "a-1", "dt": "2026-11-01T10:00:00Z", "domain": "en.wikipedia.org",
        "stream": "mediawiki.recentchange", "topic": "eqiad.x", "partition": 0, "offset": 7,
    },
    "type": "edit", "title": "Oslo", "namespace": 0, "timestamp": 1793527200,
    "user": "A", "bot": False, "minor": False, "comment": "c",
    "length": {"old": 1, "new": 2}, "revision": {"old": 1, "new": 2},
}  # fmt: skip
PAGE = {
    "$schema": "/mediawiki/page/change/1.2.0",
    "meta": EVENT["meta"],
    "page_change_kind": "move", "dt": "2026-11-01T10:00:00Z",
    "page": {"page_id": 4, "page_title": "Oslo", "namespace_id": 0},
    "revision": {"rev_id": 2, "rev_parent_id": 1, "rev_size": 10, "is_minor_edit": False},
    "performer": {"user_text": "A", "user_id": 1, "is_bot": False, "is_temp": False},
    "prior_state": {"page": {"page_title": "Christiania"}},
}  # fmt: skip
MOVED = {
    **EVENT, "type": "log", "log_type": "move", "log_action": "move", "log_id": 5,
    "log_params": {"target": "Oslo (city)", "noredir": "0"}, "user": "~2026-1",
}  # fmt: skip
_ID = b'id: [{"topic":"eqiad.x","partition":0,"timestamp":1793527200000}]\n'


def _sent(event: object) -> bytes:
    data = json.dumps(event, separators=(",", ":")).encode()
    return b"event: message\n" + _ID + b"data: " + data + b"\n\n"


TARGET = Target(
    name="event_stream",
    promises="the same events in any chunks, the sieve drops nothing that is wanted",
    check=check,
    words=(
        b"\n", b"\r", b"\r\n", b"\n\n", b"data: ", b"data:", b"event: message\n",
        b"event: error\n", _ID, b"retry: 5\n", b":ok\n", b"\xef\xbb\xbf", b"\xe2\x80\xa8",
        b"\0", b"\\ud800", b"null", b'"type":"edit"', b'"bot":false', b'"namespace":0',
        b'"domain":"en.wikipedia.org"', b"1e999", b"-1", b"9223372036854775808",
        b"[", b"]", b"{", b"}", b'"', b",", b":", b'"domain":"en\\u002ewikipedia.org"',
        b'"type":"log"', b'"log_type":"delete"', b'"log_params":{"target":"A"}', b"data: \n" * 60,
    ),
    seeds=(
        b":ok\n\n", _sent(EVENT), _sent(PAGE), _sent(EVENT).replace(b"\n", b"\r\n"),
        b"event: error\ndata: oh\n\nretry: 100\n\n" + _sent(EVENT),
        _sent({"meta": {"domain": "canary"}}), b"data: {\n\n" * 3, _ID + b"data\n\n",
        _sent(MOVED), b"\xef\xbb\xbf" + _sent(EVENT), b"\r\n\n\r" + _sent(EVENT) + b"\n",
        _sent(EVENT).replace(b"en.wiki", b"en\\u002ewiki"),
        _sent({**EVENT, "comment": "c" * 2_600}) + _sent(EVENT),
        b"\n" + _sent({**EVENT, "comment": "c" * 2_600}).replace(b"\n", b"\r\n"),
    ),
)  # fmt: skip
