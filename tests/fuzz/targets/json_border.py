"""JSON that other programs send us: events, positions, wiki answers, extractions."""

import json

from pydantic import ValidationError

from bot.daemon.intake.change_events import Decoder
from bot.records.changes import Change, DeadLetter, Position
from bot.sources.extraction.text import Extraction
from bot.store import sanitise
from bot.wiki import answers as wiki_answers
from handlers.ports import PermanentError
from tests.fuzz.target import Target, require, storable
from tests.fuzz.targets.event_stream import EVENT, MOVED, PAGE

_KEPT = 2_000
_DECODER = Decoder(("SidenoteBot",))


def check(data: bytes) -> None:
    """A value that a database takes, or the failure that is declared."""
    text = data.decode("utf-8", "surrogateescape")
    _events(text.encode("utf-8", "replace").decode())
    _positions(text)
    _columns(text)
    for read in (_extraction, _wiki_answer):
        read(data)


def _events(text: str) -> None:
    change = _DECODER.decode(text)
    if isinstance(change, Change):
        storable(change)
        change.changed_at.isoformat()
        require(change.title, "a change without a title")
        require("\0" not in change.title + change.comment, "a change with a NUL")
    if isinstance(change, DeadLetter):
        storable(change.detail)
        require(len(change.raw) <= _KEPT, "a letter is too long")


def _positions(text: str) -> None:
    try:
        position = Position.parse(text)
    except ValueError:
        return
    storable(position.text)
    require(Position.parse(position.text) == position, "a position is not read back")
    Position.parse(position.rewound(60).last_event_id)
    _ = position.newest_at


def _columns(text: str) -> None:
    kept = sanitise.text(text, 100)
    storable(kept)
    require(len(kept) <= 100 and "\0" not in kept, "a text does not fit its column")
    storable(sanitise.unlisted(sanitise.listed([text, text[:5]])))
    try:
        storable(sanitise.key(text, "title"))
    except PermanentError:
        return


def _extraction(data: bytes) -> None:
    try:
        found = Extraction.from_json(data)
    except ValueError:
        return
    storable((found.detail, found.document), "an extraction")


def _wiki_answer(data: bytes) -> None:
    try:
        answer = wiki_answers.Page.model_validate_json(data)
    except ValidationError:
        return
    for revision in answer.revisions:
        for slot in revision.slots.values():
            storable(slot.content or "")


_EXTRACTED = (
    b'{"outcome":"read","detail":"5 characters","document":{"text":"Words","title":null,'
    b'"site":null,"author":"A","published":null,"language":"en","page_starts":[0],'
    b'"imprint":{"kind":null,"authors":[{"name":"A B","family":"B","given":"A"}]}}}'
)
_PAGE_ANSWER = (
    b'{"title":"Oslo","pageid":4,"ns":0,"revisions":[{"revid":2,"timestamp":'
    b'"2026-11-01T10:00:00Z","slots":{"main":{"content":"Words","contentmodel":"wikitext"}}}]}'
)


def _written(value: object) -> bytes:
    return json.dumps(value).encode()


TARGET = Target(
    name="json_border",
    promises="values that a database takes in UTF-8, or the declared failure",
    check=check,
    words=(
        b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"1e400", b"-0", b"NaN",
        b"\\u0000", b"\\ud800", b"\\udc00", b"\xed\xa0\x80", b"\xff", b"\0", b'"meta":',
        b'"dt":"9999-12-31T23:59:59-23:59"', b'"dt":"0001-01-01T00:00:00+23:59"',
        b'"timestamp":99999999999', b'"title":', b'"comment":', b'"log_params":{"target":',
        b'"topic":', b'"partition":', b'"page_starts":[0]', b'"slots":{"main":{"content":',
        b"9223372036854775808", b"[" * 60, b'{"a":' * 60,
    ),
    seeds=(
        _written(EVENT), _written(PAGE), _EXTRACTED, _PAGE_ANSWER,
        b'[{"topic":"a","partition":0,"timestamp":1793527200000,"quiet":true}]',
        b'[{"topic":"a","partition":0,"offset":-1}]', b"{}", b"[]", b"null",
        _written(MOVED), b'{"a":' * 800, b"[" * 3_000, _written({**EVENT, "user": "192.0.2.7"}),
        _written({**PAGE, "performer": {
            "user_text": "B", "user_id": 5, "is_temp": True, "user_edit_count": 3,
            "registration_dt": "2020-01-02T03:04:05Z", "groups": ["sysop"]}}),
        _written({**PAGE, "page_change_kind": "delete", "prior_state": None}),
    ),
)  # fmt: skip
