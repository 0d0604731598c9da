"""Copies are asked for of what was read, once, a few at a time; off without keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from aiohttp import web

from bot.daemon.sources import ArchiveRequests, SavePageNow
from bot.settings import Settings
from bot.store import Store
from handlers.model import LinkVisit, Seen
from handlers.ports import PermanentError, TemporaryError
from tests import builders
from tests.bot.store.runs import NOON, hour, run


@dataclass
class _Archive:
    """Save Page Now on loopback: takes a form, and says what `status` says."""

    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.asked.append(form | {"by": request.headers["Authorization"]})
        return web.json_response({"job_id": "spn2-1"}, status=self.status)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def requests(self, store: Store, port: int, per_day: int = 9) -> ArchiveRequests:
        address = f"http://127.0.0.1:{port}/save"
        archive = SavePageNow(address, "KEY:SECRET", "SidenoteTests/0")
        return ArchiveRequests(store.links, archive, per_day, lambda: NOON, self.sleep)


@asynccontextmanager
async def _served(archive: _Archive) -> AsyncIterator[int]:
    app = web.Application()
    app.router.add_post("/save", archive.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _visited(store: Store, **seen: Seen) -> None:
    checks = [
        builders.claim_check(
            fetches=(
                replace(
                    builders.fetch(),
                    visit=LinkVisit(f"https://{name}.example/", what, hour(-1)),
                ),
            )
        )
        for name, what in seen.items()
    ]
    store.save_check(run(checks=checks), [])


async def test_what_was_read_is_asked_for_once(store: Store) -> None:
    _visited(store, here=Seen.WORKS, gone=Seen.GONE, other=Seen.WORKS)
    archive = _Archive()
    async with _served(archive) as port:
        for _ in range(2):
            await archive.requests(store, port).run()

    assert sorted(one["url"] for one in archive.asked) == [
        "https://here.example/",
        "https://other.example/",
    ]
    assert {one["by"] for one in archive.asked} == {"LOW KEY:SECRET"}
    assert archive.asked[0]["if_not_archived_within"] == "365d"
    assert archive.waits == [15.0], "one after the other"


async def test_a_day_has_an_end(store: Store) -> None:
    _visited(store, here=Seen.WORKS, other=Seen.WORKS)
    archive = _Archive(status=400)  # it will not have that page
    async with _served(archive) as port:
        for _ in range(2):
            await archive.requests(store, port, per_day=1).run()

    assert len(archive.asked) == 1
    assert store.links.submitted_since(NOON - timedelta(days=1)) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, TemporaryError), (503, TemporaryError), (401, PermanentError)],
)
async def test_an_archive_that_is_away_is_asked_again(
    store: Store, status: int, error: type[Exception]
) -> None:
    _visited(store, here=Seen.WORKS)
    archive = _Archive(status)
    async with _served(archive) as port:
        with pytest.raises(error) as raised:
            await archive.requests(store, port).run()

    assert "SECRET" not in str(raised.value)
    assert store.links.to_archive(hour(-2), 9) == ("https://here.example/",)


def test_nothing_is_asked_for_without_keys() -> None:
    default = Settings.model_fields["save_page_keys"].get_default()
    assert not default.get_secret_value()
