import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.daemon.intake.event_stream import Framer, read_frame
from tests.shared_data import shared_data

_MAX_BYTES = 1_000_000
_PIECES = st.sampled_from(
    [
        b"\n",
        b"\r",
        b"\r\n",
        b"data: x",
        b"data:",
        b"data",
        b"id: 7",
        b"event: error",
        b":ok",
        b"\xef\xbb\xbf",
        b"\xef",
        b"\xe2\x80\xa8",
        b"\xff",
        b"\0",
        b"retry: 5",
        b" ",
        b"a" * 40,
    ]
)


def _frames(chunks: Sequence[bytes], max_bytes: int = _MAX_BYTES) -> list[bytes]:
    framer = Framer(max_bytes)
    return [frame for chunk in chunks for frame in framer.feed(chunk)]


def _divided(text: bytes, sizes: Sequence[int]) -> list[bytes]:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(text[at : at + size])
        at += size
    return [*chunks, text[at:]]


@settings(deadline=None)
@given(st.lists(_PIECES).map(b"".join), st.lists(st.integers(0, 9)))
def test_any_division_of_any_bytes_gives_the_same_frames(
    text: bytes, sizes: list[int]
) -> None:
    whole = _frames([text])

    assert _frames(_divided(text, sizes)) == whole
    assert _frames(_divided(text, [1] * len(text))) == whole


@settings(deadline=None)
@given(st.lists(_PIECES).map(b"".join), st.lists(st.integers(0, 9)))
def test_the_size_cap_does_not_depend_on_the_division(
    text: bytes, sizes: list[int]
) -> None:
    whole = _frames([text], 8)

    assert _frames(_divided(text, sizes), 8) == whole
    assert _frames(_divided(text, [1] * len(text)), 8) == whole


@settings(deadline=None)
@given(st.lists(_PIECES).map(b"".join))
def test_the_frames_are_the_lines_between_blank_lines(text: bytes) -> None:
    lines = (
        text.removeprefix(b"\xef\xbb\xbf")
        .replace(b"\r\n", b"\n")
        .replace(b"\r", b"\n")
        .split(b"\n")
    )
    expected: list[bytes] = []
    frame: list[bytes] = []
    for line in lines[:-1]:
        if line:
            frame.append(line)
        elif frame:
            expected.append(b"\n".join(frame))
            frame = []

    assert _frames([text]) == expected


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading_of_a_frame(frame: bytes) -> None:
    read_frame(frame.replace(b"\r", b"\n"))


def test_a_frame_at_the_cap_is_kept_and_a_larger_one_is_passed_over() -> None:
    framer = Framer(8)

    frames = framer.feed(b"data:678\n\ndata:6789\n\ndata:x\n\n")

    assert frames == [b"data:678", b"data:x"]
    assert [cut.beginning for cut in framer.take_cut()] == [b"data:6789"]
    assert framer.take_cut() == []


def test_a_line_without_end_is_passed_over_in_little_memory() -> None:
    framer = Framer(10_000)

    for _ in range(1_000):
        assert framer.feed(b"x" * 10_000) == []
        assert len(framer._held) <= 20_002
    frames = framer.feed(b"\n\ndata: ok\n\n")

    assert frames == [b"data: ok"]
    [cut] = framer.take_cut()
    assert cut.beginning == b"x" * 2_000


def test_a_million_lines_of_data_are_one_frame_that_is_too_large() -> None:
    framer = Framer(100_000)

    for _ in range(1_000):
        assert framer.feed(b"data: x\n" * 1_000) == []
    frames = framer.feed(b"\ndata: ok\n\n")

    assert frames == [b"data: ok"]
    assert len(framer.take_cut()) == 1


# --- the conformance vectors ----------------------------------------------------


def _vectors() -> Iterator[Any]:
    path = shared_data("security_corpora/sse-vectors/sse_vectors.json")
    yield from json.loads(path.read_text("utf-8"))["byte_vectors"]


def _read(chunks: Sequence[bytes]) -> tuple[list[dict[str, str]], str, int | None]:
    """Read chunks as a client does that remembers the last id."""
    events, last_id, wait_ms = [], "", None
    for raw in _frames(chunks):
        frame = read_frame(raw)
        last_id = last_id if frame.last_id is None else frame.last_id
        wait_ms = wait_ms if frame.wait_ms is None else frame.wait_ms
        if frame.event is not None:
            event = {"type": frame.event.event, "data": frame.event.data}
            events.append({**event, "last_event_id": last_id})
    return events, last_id, wait_ms


@pytest.mark.shared_data
@pytest.mark.parametrize("size", [None, 1, 2, 3, 7])
def test_every_conformance_vector_is_read_in_any_division(size: int | None) -> None:
    count = 0
    for vector in _vectors():
        chunks = [base64.b64decode(chunk) for chunk in vector["chunks_b64"]]
        if size:
            text = b"".join(chunks)
            chunks = [text[at : at + size] for at in range(0, len(text), size)]

        events, last_id, wait_ms = _read(chunks)

        name = vector["id"]
        assert events == vector["expect_events"], name
        assert last_id == vector["expect_reconnect_last_event_id"], name
        if "expect_retry_ms" in vector:
            assert wait_ms == int(vector["expect_retry_ms"]), name
        count += 1
    assert count >= 70
