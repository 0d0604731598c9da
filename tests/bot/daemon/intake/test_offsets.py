"""Events that are missing show by the numbers of those that come."""

import json

import pytest

from bot.daemon.intake.harvest import Offsets

_A, _B = ("a", 0), ("b", 0)


def _frame(topic: str, offset: object) -> bytes:
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
                one.encode() if one[0] == ":" else _frame(one[0], int(one[1:]))
                for one in chunk
            ],
            0,
        )
        for chunk in chunks
    ]

    assert found == expected


def test_what_was_too_large_to_be_kept_is_not_missing() -> None:
    offsets = Offsets()

    assert offsets.skipped([_frame("a", 1)], 0) is None
    assert offsets.skipped([], 1) is None
    assert offsets.skipped([_frame("a", 4)], 1) is None
    assert offsets.skipped([_frame("a", 6)], 0) == _A


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

    assert offsets.skipped([_frame("a", 1)], 0) is None
    assert offsets.skipped([frame], 0) is None
    assert offsets.skipped([_frame("a", 3)], 0) is None
