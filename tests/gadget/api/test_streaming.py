"""Following a look: events, comments, ends, and how many may."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from structlog.testing import capture_logs

from bot.daemon.web.connections import Bounds
from bot.records.accounts import CheckState, Reader
from bot.store import Store
from handlers.ports import TemporaryError
from tests.bot.store.runs import NOON, WIKI
from tests.gadget.api.rig import ORIGIN, RULES, Asker, parts, served

EVENTS = f"/api/v1/checks/events?wiki={WIKI}&title=Lighthouse"
LOOK = CheckState(WIKI, "Lighthouse", NOON, NOON)


class Steps:
    """A look whose steps are given; it waits where there is none."""

    def __init__(self, *steps: CheckState | Exception, ends: bool = True) -> None:
        self.steps = steps
        self.ends = ends
        self.left = asyncio.Event()

    async def ask(self, reader: Reader, wiki: str, title: str) -> CheckState:
        raise NotImplementedError

    async def state(self, wiki: str, title: str) -> CheckState | None:
        raise NotImplementedError

    async def events(
        self, wiki: str, title: str, since: datetime | None
    ) -> AsyncIterator[CheckState]:
        del wiki, title, since
        try:
            for step in self.steps:
                if isinstance(step, Exception):
                    raise step
                yield step
            if not self.ends:
                await asyncio.sleep(60)
        finally:
            self.left.set()


def _served(
    store: Store, folder: Path, checks: Steps, **changes: object
) -> AbstractAsyncContextManager[Asker]:
    rules = replace(RULES, **changes)  # type: ignore[arg-type]
    return served(store, folder, rules, replace(parts(store), checks=checks))


async def test_each_step_is_an_event_and_the_end_is_said(
    store: Store, tmp_path: Path
) -> None:
    done = replace(LOOK, ended_at=NOON + timedelta(seconds=3), reading="a\nb: c")
    async with _served(store, tmp_path, Steps(LOOK, done)) as ask:
        answer = await ask("GET", EVENTS)

    events = answer.text.split("\n\n")
    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert answer.headers["Cache-Control"] == "no-cache"
    assert events[0] == "retry: 3000"
    assert events[1].startswith('event: check\ndata: {"wiki":"en.wikipedia.org"')
    assert '"reading":"a\\nb: c"' in events[2]
    assert events[3:] == ["event: end\ndata: {}", ""]


async def test_a_quiet_check_gets_comments_and_stops_without_an_end(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.05)
    steps = Steps(LOOK, ends=False)
    async with _served(store, tmp_path, steps, stream_s=0.3) as ask:
        answer = await ask("GET", EVENTS)

    assert answer.text.count(": ping\n\n") >= 2
    assert "event: end" not in answer.text
    assert steps.left.is_set()


async def test_a_store_that_is_away_ends_it_without_an_end(
    store: Store, tmp_path: Path
) -> None:
    steps = Steps(LOOK, TemporaryError("away: secret", retry_in_s=1))
    async with _served(store, tmp_path, steps) as ask:
        answer = await ask("GET", EVENTS)

    assert answer.status == 200
    assert "event: check" in answer.text
    assert "event: end" not in answer.text
    assert "secret" not in answer.text


async def test_a_fault_ends_it_and_shows_nothing_of_itself_not_even_in_the_log(
    store: Store, tmp_path: Path
) -> None:
    steps = Steps(LOOK, ValueError("inner secret"))
    with capture_logs() as log:
        async with _served(store, tmp_path, steps) as ask:
            with pytest.raises(aiohttp.ClientPayloadError):
                await ask("GET", EVENTS)
            assert (await ask("GET", "/api/v1/health")).status == 200

    assert "fault while answering" in {one["event"] for one in log}
    assert "secret" not in json.dumps(log)


async def test_who_goes_is_noticed_and_who_is_one_too_many_waits(
    store: Store, tmp_path: Path
) -> None:
    steps = Steps(LOOK, ends=False)
    async with _served(store, tmp_path, steps, streams_each=1) as ask:
        following = ask.session.get(ask.address + EVENTS)
        async with following as stream:
            assert (await stream.content.readline()) == b"retry: 3000\n"
            metrics = await ask.as_of(None)("GET", "/metrics")
            assert "sidenote_api_event_streams 1.0" in metrics.text
            refused = await ask("GET", EVENTS)
            assert refused.status == 429
            assert refused.headers["Retry-After"] == "10"
        await asyncio.wait_for(steps.left.wait(), 5)
        metrics = await ask.as_of(None)("GET", "/metrics")
        assert "sidenote_api_event_streams 0.0" in metrics.text


class Flood(Steps):
    """A look that tells more than anybody takes."""

    async def events(
        self, wiki: str, title: str, since: datetime | None
    ) -> AsyncIterator[CheckState]:
        del wiki, title, since
        self.count = 0
        try:
            while True:
                self.count += 1
                yield replace(LOOK, problem="x" * 10_000)
        finally:
            self.left.set()


async def test_who_takes_nothing_is_cut_off_and_nothing_piles_up(
    store: Store, tmp_path: Path
) -> None:
    steps = Flood()
    bounds = Bounds(unread_s=0.2, check_s=0.05)
    services = replace(parts(store), checks=steps)
    async with served(store, tmp_path, services=services, bounds=bounds) as ask:
        host, port = ask.address.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port), limit=1024)
        writer.write(f"GET {EVENTS} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await asyncio.wait_for(steps.left.wait(), 60)
        assert (await ask("GET", "/api/v1/health")).status == 200
        writer.close()
    assert steps.count < 5000


@pytest.mark.parametrize("is_read", [True, False])
async def test_the_server_ends_though_somebody_follows(
    store: Store, tmp_path: Path, is_read: bool
) -> None:
    steps = Steps(LOOK, ends=False)
    async with asyncio.timeout(60), aiohttp.ClientSession() as session:
        async with _served(store, tmp_path, steps) as ask:
            stream = await session.get(ask.address + EVENTS)
            if is_read:
                await stream.content.readline()
        stream.close()
    assert steps.left.is_set()
