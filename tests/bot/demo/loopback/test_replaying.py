import asyncio
import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.daemon.intake.harvest import ChangeSelection
from bot.demo.loopback.event_server import EventServer
from bot.demo.loopback.replaying import moved, recorded, replay
from bot.records.changes import ChangeKind, DeadReason, UserKind
from handlers.ports import PermanentError
from tests.bot.daemon.intake.world import WIKI, MemorySink, edit, following
from tests.shared_data import shared_data

_NOON = datetime(2026, 12, 24, 12, tzinfo=UTC)
_DEMO = Path(__file__).parents[4] / "bot" / "demo"
_INVENTED = re.compile(  # names that nobody has, and addresses for documentation
    r"Demonstration (editor|bot) \d+|~2026-00000-\d+"
    r"|(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+|2001:DB8:[0-9A-F:]+"
)


def test_recorded_events_keep_their_distances_when_they_are_moved() -> None:
    first, second = moved([edit(0), edit(6)], _NOON)

    assert first["meta"]["dt"] == "2026-12-24T12:00:00.000Z"
    assert second["meta"]["dt"] == "2026-12-24T12:00:02.000Z"
    assert second["timestamp"] - first["timestamp"] == 2
    assert first["timestamp"] == int(_NOON.timestamp())


def test_a_gzipped_file_is_read_like_a_plain_one(tmp_path: Path) -> None:
    lines = b"".join(json.dumps(edit(number)).encode() + b"\n" for number in range(3))
    (tmp_path / "a.ndjson").write_bytes(lines)
    (tmp_path / "a.ndjson.gz").write_bytes(gzip.compress(lines))

    plain = list(recorded(tmp_path / "a.ndjson"))

    assert plain == [edit(number) for number in range(3)]
    assert plain == list(recorded(tmp_path / "a.ndjson.gz"))


@pytest.mark.parametrize("line", ["{", "[]", "5", '{"meta":{}}', '{"meta":{"dt":"x"}}'])
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text(f"{json.dumps(edit(1))}\n{line}\n")

    with pytest.raises(PermanentError, match="line 2 is not an event"):
        list(recorded(path))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"not gzip")

    for name in ("none.ndjson", "a.gz"):
        with pytest.raises(PermanentError, match=name):
            list(recorded(tmp_path / name))


@pytest.mark.shared_data
async def test_recorded_events_go_through_intake_as_they_happened() -> None:
    path = shared_data("recentchange") / "enwiki_2023-07-29.ndjson"
    events = list(recorded(path))
    sink = MemorySink()
    async with EventServer() as server, following(server.address, sink) as run:
        await run.until(lambda: server.connected != [])
        count = await replay(
            moved(events, datetime.now(UTC)),
            server.publish,
            per_s=10_000,
            sleep=asyncio.sleep,
        )
        await run.until(lambda: len(sink.changes) >= 100)

    assert count == 100
    assert sink.ids == [event["meta"]["id"] for event in events]
    assert [change.title for change in sink.changes] == [
        event["title"] for event in events
    ]
    assert sink.dead_letters == []


def test_the_events_that_ship_name_no_person() -> None:
    events = list(recorded(_DEMO / "events.jsonl.gz"))

    users = {event.get("user") for event in events} - {None}

    assert [name for name in users if not _INVENTED.fullmatch(str(name))] == []
    assert len(users) > 15


async def test_the_events_that_ship_touch_every_article_that_ships() -> None:
    events = list(recorded(_DEMO / "events.jsonl.gz"))
    articles = {path.stem for path in (_DEMO / "articles").glob("*.wikitext")}
    wanted = ChangeSelection(frozenset({WIKI}), frozenset({0}), bots=False)
    sink = MemorySink()
    async with (
        EventServer() as server,
        following(server.address, sink, wanted=wanted) as run,
    ):
        await run.until(lambda: server.connected != [])
        for event in moved(events, datetime.now(UTC)):
            server.publish(event)
        await run.until(lambda: run.intake.health.events == len(events))
        await run.until(lambda: len(sink.changes) == run.intake.health.changes)
        health = run.intake.health

    edited = {one.title for one in sink.changes if one.kind is ChangeKind.EDIT}
    assert articles and articles <= edited  # noqa: PT018
    assert len(edited) > 2 * len(articles)
    assert health.repeated > 0
    assert {one.reason for one in sink.dead_letters} == {
        DeadReason.BAD_SHAPE,
        DeadReason.UNKNOWN_SCHEMA,
    }
    assert UserKind.BOT not in {one.user for one in sink.changes}
    titles = {one.title for one in sink.changes if one.revision_id}
    assert edited <= titles
