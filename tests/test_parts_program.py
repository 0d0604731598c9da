"""The parts of the daemon as processes of their own, which share a MariaDB and a wiki."""

import asyncio
import json
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape
from typing import Any

import pytest
import requests

from bot.app.wiring.demo import BOT, BOT_TOKEN
from bot.demo.loopback.event_server import EventServer
from bot.demo.loopback.wiki.building import APP
from bot.store import Store, open_store
from tests.bot.sources.server import Site
from tests.bot.writing.people import PASSWORD, Person
from tests.program import Program, Started, cites, local, program, site
from tests.rig.fixtures import (
    changes_port,
    mariadb_socket,
    mariadb_url,
    no_write_leaves,
    recorder,
    wiki,
    wiki_proxy,
)
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder

__all__ = [
    "changes_port",
    "mariadb_socket",
    "mariadb_url",
    "no_write_leaves",
    "program",
    "recorder",
    "site",
    "wiki",
    "wiki_proxy",
]

pytestmark = pytest.mark.mediawiki

END_S = 30.0  # on a busy machine
LOOK_S = 0.1
ARTICLE = "Lighthouse of Eastmere"
PLACE, REPORT = "User:Alice/Sidenote", "User:Alice/Sidenote report"
PARTS = ("intake", "work", "work", "read", "publish", "publish", "serve")
WRONG = "Parrots of Eastmere migrate to Peru."
RIGHT = "The clock was built in 1874 by Ada Penrose."


@dataclass
class Part:
    """One process, and what it has logged."""

    name: str
    process: Started
    said: list[str] = field(default_factory=list)

    @property
    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said if line.startswith("{")]

    async def listen(self) -> None:
        async with asyncio.TaskGroup() as both:
            for stream in (self.process.stdout, self.process.stderr):
                both.create_task(self._listen(stream))

    async def _listen(self, stream: asyncio.StreamReader | None) -> None:
        assert stream is not None
        async for line in stream:
            self.said.append(line.decode().rstrip())


@dataclass
class Parts:
    """All processes, and the people on their wiki."""

    program: Program
    alice: Person
    bob: Person
    running: list[Part] = field(default_factory=list)
    listening: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self, name: str) -> Part:
        part = Part(name, await self.program.start(name))
        self.running.append(part)
        self.listening.append(asyncio.create_task(part.listen()))
        return part

    async def until(
        self, is_so: Callable[[], bool], what: str, within_s: float = 120.0
    ) -> None:
        """Wait until something is so, with all processes that should running."""
        try:
            async with asyncio.timeout(within_s):
                while not await asyncio.to_thread(is_so):  # noqa: ASYNC110 - elsewhere
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            output = "\n".join(
                f"{each.name} {each.process.pid}: {line}"
                for each in self.running
                for line in each.said
            )
            pytest.fail(
                f"in {within_s:.0f} s it did not come to this: {what}\n{output}"
            )

    def reads(self, title: str) -> str:
        """Return the text of a page, its words unmarked; empty where there is none."""
        try:
            return unescape(re.sub("</?u>", "", self.alice.text(title)))
        except KeyError:
            return ""

    def status(self) -> dict[str, Any]:
        """Return what the process that serves tells."""
        address = self.named("serve")[0].said[0].split()[0]
        status: dict[str, Any] = requests.get(
            f"{address}status.json", timeout=60
        ).json()
        return status

    def named(self, name: str) -> list[Part]:
        return [part for part in self.running if part.name == name]

    def lines(self, event: str) -> list[dict[str, Any]]:
        return [
            line for part in self.running for line in part.log if line["event"] == event
        ]

    async def stop(self) -> list[int]:
        """Tell all to end; return their codes, unless one takes too long."""
        for part in self.running:
            if part.process.returncode is None:
                part.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(END_S):
            return [await part.process.wait() for part in self.running]

    async def kill(self) -> None:
        for part in self.running:
            if part.process.returncode is None:
                part.process.kill()
        await asyncio.gather(*self.listening)
        for part in self.running:
            await part.process.wait()


@asynccontextmanager
async def parts_of(
    program: Program, wiki: Wiki, recorder: Recorder, changes_port: int
) -> AsyncIterator[Parts]:
    wiki.reset()
    async with AsyncExitStack() as stack:
        events = await stack.enter_async_context(EventServer())
        await events.listen(changes_port)
        program.settings |= {
            "SIDENOTE_WIKI": f"http://{recorder.host}",
            "SIDENOTE_STREAM": events.address,
            "SIDENOTE_BOT_ACCOUNT": BOT,
            "SIDENOTE_BOT_LOGIN": f"{BOT}@{APP}",
            "SIDENOTE_BOT_PASSWORD": BOT_TOKEN,
            "SIDENOTE_BOT_SECRET": "a-secret-of-the-tests-alone",
            "SIDENOTE_POSTING": "live",
            "SIDENOTE_VERIFIER": "lexical",
            "SIDENOTE_SEARCHES": "",
            "SIDENOTE_LOG_LEVEL": "info",
            "SIDENOTE_SERVE_PORT": "0",
            "SIDENOTE_HEARTBEAT_S": "0.5",
            "SIDENOTE_SETTLE_S": "0",
            "SIDENOTE_POSTING_PAUSE_S": "0",
        }
        alice = Person(wiki.host, "Alice").log_in(PASSWORD)
        bob = Person(wiki.host, "Bob").log_in(PASSWORD)
        parts = Parts(program, alice, bob)
        try:
            yield parts
        finally:
            await parts.kill()
            alice.web.close()
            bob.web.close()


@pytest.fixture
async def parts(
    program: Program, wiki: Wiki, recorder: Recorder, changes_port: int
) -> AsyncIterator[Parts]:
    async with parts_of(program, wiki, recorder, changes_port) as running_parts:
        yield running_parts


@pytest.fixture
def store(program: Program, mariadb_url: str) -> Iterator[Store]:
    """Open what all processes share; the first of them to come makes the tables."""
    program.settings["SIDENOTE_DATABASE"] = mariadb_url
    with open_store(mariadb_url) as opened_store:
        yield opened_store


def article(site: Site, *sentences: str) -> str:
    return "".join(cites(each, local(site, "/clock")) for each in sentences)


def alive(status: dict[str, Any]) -> Counter[str]:
    at = datetime.fromisoformat(status["status"]["at"])
    return Counter(
        each["role"]
        for each in status["status"]["processes"]
        if (at - datetime.fromisoformat(each["seen_at"])).total_seconds()
        <= 3 * each["every_s"]
    )


async def test_processes_of_their_own_do_together_what_the_daemon_does(
    parts: Parts, store: Store, site: Site
) -> None:
    parts.program.settings["SIDENOTE_SOURCES_READ"] = "elsewhere"
    await asyncio.to_thread(parts.bob.edit, ARTICLE, article(site, RIGHT))
    await asyncio.gather(*(parts.start(name) for name in PARTS))
    await parts.until(lambda: bool(parts.lines("stream connected")), "it listens")

    call = f"{{{{User:{BOT}/watch |pages={ARTICLE} |report={REPORT}}}}}"
    await asyncio.to_thread(parts.alice.edit, PLACE, call)
    await parts.until(lambda: "watches 1 page" in parts.reads(PLACE), "an answer")
    await asyncio.to_thread(parts.bob.edit, ARTICLE, article(site, RIGHT, WRONG))
    await parts.until(lambda: WRONG in parts.reads(REPORT), "a note")
    assert len(re.findall("sidenote note", parts.reads(REPORT))) == 1
    status = await asyncio.to_thread(parts.status)
    assert alive(status) == Counter(PARTS)

    killed, stays = parts.named("work")
    killed.process.kill()
    await killed.process.wait()
    await asyncio.to_thread(parts.bob.edit, ARTICLE, article(site, RIGHT))
    await parts.until(lambda: WRONG not in parts.reads(REPORT), "no note")
    left = Counter(PARTS) - Counter(["work"])
    await parts.until(lambda: alive(parts.status()) == left, "one is missed")
    assert stays.log

    codes = await parts.stop()
    assert codes == [-signal.SIGKILL if part is killed else 0 for part in parts.running]
    assert [each.pid for each in store.processes.known()] == [killed.process.pid]

    done = Counter(line["task"] for line in parts.lines("scheduled task done"))
    assert set(done.values()) == {1}
    assert {"retention", "digests", "backfill", "re-checks"} < set(done)
    edits = await asyncio.to_thread(parts.alice.edits_of, BOT)
    assert Counter(each["title"] for each in edits) == {PLACE: 1, REPORT: 2}
    bad = {"error", "warning", "critical"}
    assert not [line for p in parts.running for line in p.log if line["level"] in bad]
