"""The bytes of a feed: what is passed on, and what is noticed to be missing."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.daemon.intake.change_events import Decoder
from bot.daemon.intake.harvest import (
    ChangeSelection,
    ConnectionReader,
    EventFilter,
    Offsets,
)
from bot.demo.loopback.event_server import frame
from bot.records.changes import Change, ChangeKind
from tests.bot.daemon.intake.world import edit
from tests.shared_data import shared_data

_WIKIS = ["en.wikipedia.org", "de.wikipedia.org", "127.0.0.1:8180", "xn--x.example"]
_COMPACT = (",", ":")
_LOOSE = (", ", ": ")


def _frame(event: object, separators: tuple[str, str] = _COMPACT) -> bytes:
    return frame("message", "[]", json.dumps(event, separators=separators))


_WANTED = st.builds(
    ChangeSelection,
    wikis=st.frozensets(st.sampled_from(_WIKIS)),
    namespaces=st.frozensets(st.sampled_from([0, 1, 2, 10])),
    kinds=st.frozensets(st.sampled_from(ChangeKind)),
    bots=st.booleans(),
)


@st.composite
def _events(draw: st.DrawFn) -> dict[str, Any]:
    lookalike = draw(
        st.sampled_from(
            [
                "",
                '"domain":"de.wikipedia.org"',
                '","namespace":10,"bot":true,"type":"log"',
                "event: message",
            ]
        )
    )
    inner = st.sampled_from([0, 10, "log", "de.wikipedia.org", True])
    names = st.sampled_from(["domain", "namespace", "type", "bot", "target"])
    domain = draw(st.sampled_from(_WIKIS))
    if draw(st.booleans()):
        return edit(
            1,
            meta={"domain": domain},
            type=draw(st.sampled_from(["edit", "new", "log", "categorize", "odd"])),
            namespace=draw(st.sampled_from([0, 1, 2, 10, 100])),
            bot=draw(st.booleans()),
            user=draw(st.sampled_from(["Ada", "SidenoteBot"])),
            comment=lookalike,
            log_type=draw(st.sampled_from(["move", "delete", "block"])),
            log_action=draw(st.sampled_from(["move", "delete", "restore", "revision"])),
            log_params=draw(st.dictionaries(names, inner)),
        )
    return {
        "$schema": "/mediawiki/page/change/1.2.0",
        "meta": {"id": "x", "dt": "2023-07-29T12:00:00Z", "domain": domain},
        "page_change_kind": draw(
            st.sampled_from(["edit", "create", "move", "delete", "undelete", "odd"])
        ),
        "dt": "2023-07-29T12:00:00Z",
        "comment": lookalike,
        "page": {"page_title": "A", "namespace_id": draw(st.sampled_from([0, 2, 10]))},
        "performer": {"user_text": "Ada", "is_bot": draw(st.booleans())},
        "prior_state": {
            "page": {"page_title": "B", "namespace_id": draw(st.sampled_from([0, 2]))}
        },
    }


@settings(deadline=None, max_examples=400)
@given(_WANTED, _events(), st.sampled_from([_COMPACT, _LOOSE]), st.booleans())
def test_the_sieve_never_drops_what_is_wanted(
    wanted: ChangeSelection,
    event: dict[str, Any],
    separators: tuple[str, str],
    reverse: bool,
) -> None:
    if reverse:  # so that nested fields come before those that count
        event = dict(reversed(event.items()))
    change = Decoder(["SidenoteBot"]).decode(json.dumps(event))
    assert isinstance(change, Change)

    if wanted.wants(change):
        assert EventFilter(wanted).passing([_frame(event, separators)])


def test_another_wiki_in_the_parameters_of_a_log_leaves_it_open() -> None:
    moved = {"log_params": {"domain": "fr.wikipedia.org"}, **edit(1)}

    assert EventFilter(ChangeSelection(frozenset({"en.wikipedia.org"}))).passing(
        [_frame(moved)]
    )


def test_a_field_that_is_not_there_drops_nothing() -> None:
    bare = {"meta": {"domain": "en.wikipedia.org"}, "about": ["bot", "type"]}
    wanted = ChangeSelection(
        namespaces=frozenset({0}), kinds=frozenset({ChangeKind.EDIT}), bots=False
    )

    assert EventFilter(wanted).passing([_frame(bare)])


@pytest.mark.parametrize(
    "event",
    [
        edit(1, meta={"domain": "fr.wikipedia.org"}),
        edit(1, meta={"domain": "canary"}),
        edit(1, namespace=3),
        edit(1, type="log"),
        edit(1, bot=True),
        edit(1, namespace=3, comment='"namespace":0,"domain":"en.wikipedia.org"'),
    ],
)
def test_the_sieve_drops_what_is_not_wanted(event: dict[str, Any]) -> None:
    wanted = ChangeSelection(
        frozenset({"en.wikipedia.org"}),
        frozenset({0}),
        frozenset({ChangeKind.EDIT, ChangeKind.NEW}),
        bots=False,
    )
    sieve = EventFilter(wanted)

    assert not sieve.passing([_frame(event)])
    assert sieve.passing([_frame(edit(1))])


def test_what_is_not_a_message_passes_the_sieve() -> None:
    sieve = EventFilter(ChangeSelection(frozenset({"en.wikipedia.org"})))

    assert sieve.passing([b'event: error\ndata: {"meta":{"domain":"x"}}'])
    assert sieve.passing([b":ok"])


def _recorded() -> Iterator[bytes]:
    folder = shared_data("recentchange")
    yield from (folder / "enwiki_2023-07-29.ndjson").read_bytes().splitlines()
    yield from gzip.decompress(
        (folder / "wikidata_2018.ndjson.gz").read_bytes()
    ).splitlines()


@pytest.mark.shared_data
@pytest.mark.parametrize("chunk_bytes", [997, 65_536])
def test_recorded_events_are_sieved_as_if_each_were_decoded(chunk_bytes: int) -> None:
    wanted = ChangeSelection(
        frozenset({"en.wikipedia.org"}), frozenset({0}), bots=False
    )
    lines = list(_recorded())
    stream = b"".join(b"event: message\nid: []\ndata: %b\n\n" % line for line in lines)
    decoded = [Decoder().decode(line.decode()) for line in lines]
    expected = [one for one in decoded if isinstance(one, Change) and wanted.wants(one)]

    reader, found, events = ConnectionReader(wanted), [], 0
    for at in range(0, len(stream), chunk_bytes):
        harvest = reader.take(stream[at : at + chunk_bytes])
        found += harvest.changes
        events += harvest.events

    assert found == expected
    assert 0 < len(found) <= 100
    assert events == len(lines)


# Events that are missing show by the numbers of those that come.

_A, _B = ("a", 0), ("b", 0)


def _numbered(topic: str, offset: object) -> bytes:
    meta = {"uri": "x", "topic": topic, "partition": 0, "offset": offset}
    text = json.dumps({"type": "edit", "meta": meta}, separators=(",", ":"))
    return f"event: message\nid: []\ndata: {text}".encode()


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([["a5", "a6"], ["a7"]], [None, None]),
        ([["a5", "a6"], ["a8"]], [None, _A]),
        ([["a5", "a9"], ["a10"]], [_A, None]),
        ([["a5"], ["b1", "b2"], ["a6"]], [None, None, None]),
        ([["a5"], ["b1"], ["a8"]], [None, None, _A]),
        ([["a5"], ["b1"], ["b3"]], [None, None, _B]),
        ([["a5"], ["a3"], ["a4", "a5"]], [None, None, None]),  # said again
        ([["a5"], [":ok"], ["a6"]], [None, None, None]),
    ],
)
def test_a_number_that_grows_by_more_than_came_is_noticed(
    chunks: list[list[str]], expected: list[object]
) -> None:
    offsets = Offsets()
    found = [
        offsets.skipped(
            [
                one.encode() if one[0] == ":" else _numbered(one[0], int(one[1:]))
                for one in chunk
            ],
            0,
        )
        for chunk in chunks
    ]

    assert found == expected


def test_what_was_too_large_to_be_kept_is_not_missing() -> None:
    offsets = Offsets()

    assert offsets.skipped([_numbered("a", 1)], 0) is None
    assert offsets.skipped([], 1) is None
    assert offsets.skipped([_numbered("a", 4)], 1) is None
    assert offsets.skipped([_numbered("a", 6)], 0) == _A


@pytest.mark.parametrize(
    "frame",
    [
        b'data: {"meta":{"uri":"}","topic":"a","offset":9}}',
        b'data: {"meta":{"topic":"a","offset":"9"}}',
        b'data: {"meta":{"topic":["a"],"offset":9}}',
        b'data: {"meta":{',
        b'data: {"meta":{"topic":' + b"[" * 100_000 + b"}",
        b"data: 7",
    ],
)
def test_what_does_not_say_where_it_stands_says_nothing(frame: bytes) -> None:
    offsets = Offsets()

    assert offsets.skipped([_numbered("a", 1)], 0) is None
    assert offsets.skipped([frame], 0) is None
    assert offsets.skipped([_numbered("a", 3)], 0) is None
