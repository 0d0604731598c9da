"""Values that records work out: positions of a feed, rounds, heartbeats."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.changes import Position, TopicPosition
from bot.records.heartbeat import Heartbeat, LastSeen
from bot.records.tasks import Poller, rounds
from handlers.ports import TemporaryError
from tests.bot.store.runs import NOON

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_NOW_MS = round(_NOW.timestamp() * 1000)
_ID = (
    '[{"topic":"eqiad.mediawiki.recentchange","partition":0,"timestamp":1657648455001},'
    '{"topic":"codfw.mediawiki.recentchange","partition":0,"offset":-1}]'
)


def _at(**milliseconds: int | None) -> Position:
    return Position(
        tuple(TopicPosition(name, 0, at) for name, at in milliseconds.items())
    )


def test_an_id_is_read_and_written_as_it_was() -> None:
    position = Position.parse(_ID)

    assert position.text == position.last_event_id == _ID
    assert position.newest_at == datetime(2022, 7, 12, 17, 54, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "[]",
        "{}",
        "[{}]",
        '[{"topic":1}]',
        '[{"topic":"a","timestamp":-1}]',
        '[{"topic":"a","timestamp":1e300}]',
        "[" * 5_000,
        json.dumps([{"topic": "a"}] * 65),
        json.dumps([{"topic": "a" * 40_000}]),
    ],
)
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="position"):
        Position.parse(text)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    try:
        Position.parse(text)
    except ValueError:
        return


def test_it_never_goes_back() -> None:
    position = _at(a=50, b=70).advanced(_at(a=40, b=90), _NOW)

    assert position == _at(a=50, b=90)


def test_it_never_goes_beyond_the_present() -> None:
    position = _at(a=50).advanced(_at(a=_NOW_MS + 10**9), _NOW)

    assert position == _at(a=_NOW_MS)
    assert Position(()).advanced(_at(a=_NOW_MS + 5), _NOW) == _at(a=_NOW_MS)


def test_topics_without_number_do_not_pile_up() -> None:
    position = Position(())
    for number in range(300):
        position = position.advanced(_at(**{f"topic-{number}": number}), _NOW)

    assert len(position.topics) == 64
    assert Position.parse(position.text) == position


def test_a_topic_that_is_silent_keeps_its_place() -> None:
    position = _at(a=50, b=70).advanced(_at(a=90, b=None), _NOW)

    assert position == _at(a=90, b=70)


def test_a_topic_without_any_event_was_read_up_to_when_we_began() -> None:
    position = _at(a=90, b=None).filled(_NOW)

    assert position.topics[1] == TopicPosition("b", 0, _NOW_MS, quiet=True)
    assert position.newest_at == datetime(1970, 1, 1, 0, 0, 0, 89_000, tzinfo=UTC)
    assert Position.parse(position.text) == position
    assert "quiet" not in position.last_event_id
    assert position.advanced(_at(b=70), _NOW) == _at(a=90, b=70)


def test_it_resumes_a_little_before_the_last_event_of_each_topic() -> None:
    position = _at(a=90_000, b=500).rewound(60.0)

    assert position == _at(a=30_000, b=0)


def test_the_newest_event_is_that_of_any_topic() -> None:
    newest = _NOW - timedelta(milliseconds=1)

    assert _at(a=_NOW_MS - 5, b=_NOW_MS, c=None).newest_at == newest
    assert _at(a=None).newest_at is None


def _found(*given: bool) -> Callable[[], Awaitable[bool]]:
    left = list(given)

    async def work() -> bool:
        return left.pop(0)

    return work


async def test_whoever_finds_nothing_looks_less_and_less_often() -> None:
    looking = Poller(_found(*[False] * 5, True, False), 2.0, lambda: 0.5)

    rests = [await looking() for _ in range(8)]

    assert rests == [0.5, 2.0, 3.0, 4.5, 6.0, 6.0, 0.0, 2.0]


async def test_the_rests_of_many_differ_also_after_a_failure_of_all() -> None:
    async def rest_s(draw: float) -> float:
        stop, began_s = asyncio.Event(), asyncio.get_running_loop().time()
        is_away = [True]

        async def once() -> float:
            if is_away.pop():
                is_away.append(False)
                raise TemporaryError("away", retry_in_s=0.1)
            stop.set()
            return 0.0

        await rounds(stop, once, lambda: draw)
        return asyncio.get_running_loop().time() - began_s

    soon, late = await asyncio.gather(rest_s(0.0), rest_s(1.0))

    assert 0.1 <= soon < late
    assert late >= 0.13


def _beat(at_s: float, name: str = "a:1") -> Heartbeat:
    seen = NOON + timedelta(seconds=at_s)
    return Heartbeat(name, "read", "a", 1, "1", NOON, seen, every_s=15)


@pytest.mark.parametrize("off_s", [-3600, -50, 0, 50, 3600])
def test_a_process_is_heard_of_until_it_is_silent(off_s: float) -> None:
    now_s = [0.0]
    last_seen = LastSeen(lambda: now_s[0])

    def runs(beaten_s: float | None, at_s: float) -> bool:
        now_s[0] = at_s
        beats = [] if beaten_s is None else [_beat(beaten_s + off_s)]
        return last_seen.any_runs(beats, NOON + timedelta(seconds=at_s))

    assert not runs(None, 0)
    assert runs(1, 2) is (off_s >= 0)  # not known before, so its time is believed
    assert runs(16, 17)
    assert runs(16, 60)
    assert not runs(16, 70)
    assert runs(76, 77)


def test_one_that_runs_is_enough() -> None:
    last_seen = LastSeen(lambda: 0.0)

    assert last_seen.any_runs([_beat(-900, "b:1"), _beat(-1)], NOON)
    assert not last_seen.any_runs([_beat(-900, "b:1")], NOON)
