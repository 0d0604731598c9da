"""The small server of events, asked as a client asks the real one."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest

from bot.demo.loopback.event_server import EventServer, Habits
from tests.bot.daemon.intake.world import edit

_AGENT = {"User-Agent": "test (mail@example.org)"}
_STREAM = "mediawiki.recentchange"
_TOPICS = [f"eqiad.{_STREAM}", f"codfw.{_STREAM}"]
_NOON_MS = 1_690_632_000_000


@asynccontextmanager
async def _opened(
    server: EventServer,
    *,
    streams: str = _STREAM,
    headers: Mapping[str, str] = _AGENT,
) -> AsyncIterator[aiohttp.ClientResponse]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(server.address + streams, headers=headers) as response,
    ):
        yield response


async def _frames(response: aiohttp.ClientResponse, count: int) -> list[str]:
    content = response.content
    async with asyncio.timeout(60):
        return [(await content.readuntil(b"\n\n")).decode() for _ in range(count)]


def _resumed(entries: list[dict[str, Any]]) -> dict[str, str]:
    return {**_AGENT, "Last-Event-ID": json.dumps(entries)}


async def test_it_writes_events_as_the_real_one_does() -> None:
    async with EventServer() as server, _opened(server) as response:
        [ok] = await _frames(response, 1)
        server.publish(edit(1))
        [frame] = await _frames(response, 1)

    assert response.headers["Content-Type"] == "text/event-stream"
    assert ok == ":ok\n\n"
    kind, identity, data, *end = frame.split("\n")
    assert (kind, end) == ("event: message", ["", ""])
    assert json.loads(identity.removeprefix("id: ")) == [
        {"topic": _TOPICS[0], "partition": 0, "timestamp": _NOON_MS + 1},
        {"topic": _TOPICS[1], "partition": 0, "offset": -1},
    ]
    event = json.loads(data.removeprefix("data: "))
    assert event["title"] == "Clock 1"
    assert event["meta"]["topic"] == _TOPICS[0]
    assert (event["meta"]["partition"], event["meta"]["offset"]) == (0, 0)
    assert '"domain":"en.wikipedia.org"' in data


async def test_resuming_begins_at_the_time_of_the_id_and_so_skips_its_millisecond() -> (
    None
):
    async with EventServer() as server:
        for number in range(6):  # three in each second
            server.publish(edit(number))
        at = {"topic": _TOPICS[0], "partition": 0, "timestamp": _NOON_MS + 1}
        async with _opened(server, headers=_resumed([at])) as response:
            frames = await _frames(response, 4)

    assert [json.loads(one.split("data: ")[1])["title"] for one in frames[1:]] == [
        "Clock 3",
        "Clock 4",
        "Clock 5",
    ]


async def test_a_time_after_the_last_event_means_what_comes_next() -> None:
    async with EventServer() as server:
        server.publish(edit(1))
        at = {"topic": _TOPICS[0], "partition": 0, "timestamp": _NOON_MS + 99_000}
        async with _opened(server, headers=_resumed([at])) as response:
            await _frames(response, 1)
            server.publish(edit(2))
            [frame] = await _frames(response, 1)

    assert '"Clock 2"' in frame


async def test_since_takes_a_time_or_milliseconds_and_an_id_wins_over_it() -> None:
    async with EventServer() as server:
        for number in range(6):
            server.publish(edit(number))
        titles = []
        for since in ("2023-07-29T12:00:01Z", str(_NOON_MS + 1000)):
            async with _opened(server, streams=f"{_STREAM}?since={since}") as response:
                titles.append((await _frames(response, 2))[1])
        first = _resumed([{"topic": _TOPICS[0], "partition": 0, "timestamp": 0}])
        async with _opened(
            server, streams=f"{_STREAM}?since={_NOON_MS + 1000}", headers=first
        ) as response:
            titles.append((await _frames(response, 2))[1])

    assert ['"Clock 3"' in titles[0], '"Clock 3"' in titles[1]] == [True, True]
    assert '"Clock 0"' in titles[2]


@pytest.mark.parametrize(
    ("streams", "headers"),
    [
        ("no.such.stream", _AGENT),
        (f"{_STREAM}?since=yesterday", _AGENT),
        (_STREAM, _resumed([{"topic": "other", "partition": 0, "timestamp": 1}])),
        (_STREAM, {**_AGENT, "Last-Event-ID": "garbage"}),
        (_STREAM, {**_AGENT, "Last-Event-ID": "[5]"}),
    ],
)
async def test_a_start_that_makes_no_sense_is_refused(
    streams: str, headers: Mapping[str, str]
) -> None:
    async with (
        EventServer() as server,
        _opened(server, streams=streams, headers=headers) as response,
    ):
        assert response.status == 400


async def test_who_does_not_say_who_they_are_is_refused() -> None:
    async with (
        EventServer() as server,
        _opened(server, headers={"User-Agent": ""}) as response,
    ):
        assert response.status == 403


async def test_a_third_connection_is_one_too_many_until_another_ends() -> None:
    async with EventServer(Habits(retry_after_s=7)) as server:
        async with _opened(server) as one, _opened(server) as two:
            await _frames(one, 1)
            await _frames(two, 1)
            async with _opened(server) as third:
                assert third.status == 429
                assert third.headers["Retry-After"] == "7"
        for _ in range(1_000):
            if not server.connected:
                break
            await asyncio.sleep(0.01)
        async with _opened(server) as response:
            assert response.status == 200


async def test_a_connection_is_cut_after_its_time_without_an_end() -> None:
    async with (
        EventServer(Habits(cut_after_s=0.2)) as server,
        _opened(server) as response,
    ):
        await _frames(response, 1)
        with pytest.raises(aiohttp.ClientPayloadError):
            await asyncio.wait_for(response.content.read(), 60)


async def test_an_error_is_an_event_of_its_own() -> None:
    async with EventServer() as server, _opened(server) as response:
        await _frames(response, 1)
        server.complain("Kafka is away")
        [frame] = await _frames(response, 1)

    assert frame.startswith("event: error\nid: [")
    assert frame.endswith('data: {"message": "Kafka is away"}\n\n')


async def test_canaries_come_in_every_topic() -> None:
    async with (
        EventServer(Habits(canary_s=0.05)) as server,
        _opened(server) as response,
    ):
        frames = await _frames(response, 3)

    events = [json.loads(one.split("data: ")[1]) for one in frames[1:]]
    assert {event["meta"]["domain"] for event in events} == {"canary"}
    assert [event["meta"]["topic"] for event in events] == _TOPICS


async def test_redacted_pages_name_no_user() -> None:
    habits = Habits(redacted=frozenset({"Clock 1"}))
    async with EventServer(habits) as server, _opened(server) as response:
        await _frames(response, 1)
        server.publish(edit(1))
        server.publish(edit(2))
        hidden, shown = await _frames(response, 2)

    assert "Ada Penrose" not in hidden
    assert "Ada Penrose" in shown


async def test_old_events_are_forgotten_and_offsets_go_on() -> None:
    async with EventServer(replace(Habits(), kept=10)) as server:
        for number in range(100):
            entry = server.publish(edit(number))
        first = _resumed([{"topic": _TOPICS[0], "partition": 0, "timestamp": 0}])
        async with _opened(server, headers=first) as response:
            frames = await _frames(response, 2)

    assert entry.offset == 99
    offset = json.loads(frames[1].split("data: ")[1])["meta"]["offset"]
    assert 90 <= offset < 100


async def test_a_wiki_tells_its_changes_over_udp() -> None:
    line = {
        "id": 3,
        "type": "edit",
        "namespace": 0,
        "title": "Rig article",
        "comment": "second [[edit]]",
        "timestamp": 1_795_170_184,
        "user": "SuggestBot",
        "bot": True,
        "minor": True,
        "patrolled": True,
        "length": {"old": 30, "new": 60},
        "revision": {"old": 2, "new": 3},
        "server_url": "http://127.0.0.1:8180",
        "server_name": "127.0.0.1",
        "server_script_path": "/w",
        "wiki": "wiki",
    }
    async with EventServer() as server:
        port = await server.listen()
        async with _opened(server) as response:
            await _frames(response, 1)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wiki:
                for datagram in (b"garbage", b"[]", b"{}", json.dumps(line).encode()):
                    wiki.sendto(datagram, ("127.0.0.1", port))
            [frame] = await _frames(response, 1)

    event = json.loads(frame.split("data: ")[1])
    meta = event.pop("meta")
    assert meta.pop("id") != meta.pop("request_id")
    assert meta == {
        "uri": "http://127.0.0.1:8180/wiki/Rig_article",
        "dt": datetime.fromtimestamp(1_795_170_184, UTC).isoformat().replace("+00:00", "Z"),
        "domain": "127.0.0.1:8180",
        "stream": _STREAM,
        "topic": _TOPICS[0],
        "partition": 0,
        "offset": 0,
    }  # fmt: skip
    assert event == {
        "$schema": "/mediawiki/recentchange/1.0.0",
        **line,
        "title_url": "http://127.0.0.1:8180/wiki/Rig_article",
        "notify_url": "http://127.0.0.1:8180/w/index.php?diff=3&oldid=2",
        "parsedcomment": "second [[edit]]",
    }
