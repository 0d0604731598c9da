"""The operator is notified of a change by mail and webhook, once, and again if nobody was reached."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email import message_from_string
from email.policy import default
from typing import Any

import pytest
from aiohttp import web

from bot.daemon.health_watch import Alert, HealthWatch, Mail, Webhook
from bot.daemon.status.situation import Situation
from bot.records.heartbeat import (
    HealthChange,
    HealthProblem,
    HealthProblemKind,
    Incident,
)
from bot.store import Store
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki.pages import ListedUser, PageText
from handlers.ports import TemporaryError
from tests.bot.daemon.status.filled import MEANS
from tests.bot.store.runs import NOON, WIKI

_BOT = MEANS.account
_REPORT = stop_page(_BOT, Task.REPORT)


@dataclass
class _Wiki:
    """Stop pages and the account."""

    pages: dict[str, str] = field(default_factory=lambda: {_REPORT: "run"})
    is_blocked: bool = False
    is_away: bool = False

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        if self.is_away:
            raise TemporaryError("the wiki is away", retry_in_s=1)
        return {
            title: PageText(
                title,
                2,
                1,
                1,
                self.pages[title],
                "wikitext",
                is_redirect=False,
                revised_at=NOON,
            )
            for title in titles
            if title in self.pages
        }

    async def user(self, name: str) -> ListedUser | None:
        return ListedUser(name, 100, self.is_blocked)


@dataclass
class _Channel:
    """A channel that keeps what it was sent, or takes nothing."""

    alerts: list[Alert] = field(default_factory=list)
    is_deaf: bool = False

    async def send(self, alert: Alert) -> None:
        if self.is_deaf:
            raise TemporaryError("no mail today", retry_in_s=1)
        self.alerts.append(alert)


@dataclass
class _World:
    store: Store
    wiki: _Wiki = field(default_factory=_Wiki)
    channels: list["_Channel"] = field(default_factory=list)
    minutes: int = 0
    is_live: bool = True

    def now(self) -> datetime:
        return NOON + timedelta(minutes=self.minutes)

    def situation(self) -> Situation:
        means = replace(MEANS, is_live=self.is_live)
        return Situation(self.store.status(self.now()), means)

    async def later(self, minutes: int = 1) -> None:
        self.minutes += minutes
        watch = HealthWatch(
            self.store,
            self.situation,
            [WIKI],
            lambda _: self.wiki,
            self.channels,
            self.now,
        )
        await watch()

    def kinds(self) -> list[HealthProblemKind]:
        return [one.problem.kind for one in self.store.health.known()]


async def test_a_stop_and_a_block_are_reported_with_nothing_to_post(
    store: Store,
) -> None:
    channel = _Channel()
    world = _World(store, channels=[channel])
    await world.later()
    assert channel.alerts == []

    world.wiki.pages[_REPORT] = "stop, please"
    world.wiki.is_blocked = True
    for _ in range(3):
        await world.later()
    [alert] = channel.alerts
    assert alert.subject.startswith(f"{_BOT} is unwell: stopped on {WIKI}: {_REPORT}")
    assert "and 1 more" in alert.subject
    assert "blocked" in alert.text
    assert "just the word “run”" in alert.text

    world.wiki.pages[_REPORT] = "run"
    await world.later()
    await world.later(6)
    await world.later()
    assert [one.subject for one in channel.alerts[1:]] == [
        f"{_BOT} is well again: stopped on {WIKI}: {_REPORT}"
    ]
    assert world.kinds() == [HealthProblemKind.BLOCKED]


async def test_a_wiki_that_is_away_says_what_it_said_last(store: Store) -> None:
    world = _World(store)
    world.wiki.is_blocked = True
    await world.later()
    world.wiki.is_away = True
    await world.later(30)

    assert world.kinds() == [HealthProblemKind.BLOCKED]


async def test_a_dry_run_asks_no_wiki(store: Store) -> None:
    world = _World(store, is_live=False)
    world.wiki.is_blocked = True
    await world.later()

    assert world.kinds() == []


async def test_what_no_channel_took_is_reported_later(store: Store) -> None:
    deaf, channel = _Channel(is_deaf=True), _Channel()
    world = _World(store, channels=[deaf])
    world.wiki.is_blocked = True
    with pytest.raises(TemporaryError, match="no mail today"):
        await world.later()
    world.channels.append(channel)
    await world.later()
    await world.later()

    assert len(channel.alerts) == 1


@asynccontextmanager
async def _mail_server() -> AsyncIterator[tuple[str, list[str]]]:
    """Take mail as RFC 5321 says, on loopback; give its address and what it took."""
    taken: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).strip():
            match line.upper()[:4]:
                case b"DATA":
                    writer.write(b"354 go on\r\n")
                    text = await reader.readuntil(b"\r\n.\r\n")
                    taken.append(text.decode())
                    writer.write(b"250 taken\r\n")
                case b"QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                case _:
                    writer.write(b"250 fine\r\n")
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()[:2]
        yield f"{host}:{port}", taken


async def test_a_mail_and_a_webhook_say_what_is_wrong(store: Store) -> None:
    posted: list[dict[str, Any]] = []

    async def take(request: web.Request) -> web.Response:
        posted.append(await request.json())
        return web.Response(status=204)

    app = web.Application()
    app.router.add_post("/hook", take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    async with _mail_server() as (server, taken):
        mail = Mail(server, "operator@example.org")
        hook = Webhook(f"http://{host}:{port}/hook")
        world = _World(store, channels=[mail, hook])
        world.wiki.is_blocked = True
        await world.later()
        await world.later()
    await runner.cleanup()

    [sent], [body] = taken, posted
    message = message_from_string(sent, policy=default)
    assert message["To"] == "operator@example.org"
    assert message["Auto-Submitted"] == "auto-generated"
    assert (
        str(message["Subject"]).strip()
        == f"{_BOT} is unwell: the account {_BOT} is blocked on {WIKI}"
    )
    assert "resolve it with the community" in message.get_body().get_content()
    assert str(message["Subject"]).strip() in body["text"]
    assert [one["kind"] for one in body["begun"]] == ["blocked"]


async def test_a_channel_that_fails_says_so_without_its_address() -> None:
    async with _mail_server() as (server, _):
        pass
    blocked = HealthProblem(HealthProblemKind.BLOCKED, "the account is blocked", "Ask.")
    alert = Alert(_BOT, HealthChange((Incident(blocked, NOON),)))
    with pytest.raises(TemporaryError, match="took no mail"):
        await Mail(server, "operator@example.org").send(alert)
    with pytest.raises(TemporaryError) as failed:
        await Webhook(f"http://{server}/key-of-mine").send(alert)
    assert "key-of-mine" not in str(failed.value)
