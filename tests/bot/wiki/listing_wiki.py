"""A wiki on loopback that answers lists in the forms of MediaWiki 1.39, or fails.

It tells of changes in parts of a few, as a real one does of hundreds. What a real one
never says is scripted: an answer, or a failure, instead of the next.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)
Says = Callable[[Mapping[str, str]], web.StreamResponse | None]


def at(second: float) -> datetime:
    return BEGAN + timedelta(seconds=second)


def entry(number: int, **fields: Any) -> dict[str, Any]:
    """An edit of a page of its own; three in a row happen in the same second."""
    return {
        "type": "edit",
        "ns": 0,
        "title": f"Clock {number}",
        "pageid": 1 + number,
        "revid": 1_000 + number,
        "old_revid": number,
        "rcid": 1 + number,
        "user": "Ada Penrose",
        "bot": False,
        "new": False,
        "minor": False,
        "oldlen": 10,
        "newlen": 15,
        "timestamp": at(number // 3).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "comment": "repaired",
        **fields,
    }


@dataclass
class ListingWiki:
    """What it tells. `says` may answer a request instead of it."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    part: int = 7  # entries in one answer
    says: Says = lambda _: None
    delay_s: float = 0.0
    asked: list[Mapping[str, str]] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    host: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        parameters = {**request.query, **(await request.post())}
        query = {name: str(value) for name, value in parameters.items()}
        self.asked.append(query)
        self.methods.append(request.method)
        await asyncio.sleep(self.delay_s)
        return self.says(query) or web.json_response(self._recent_changes(query))

    def _recent_changes(self, query: Mapping[str, str]) -> dict[str, Any]:
        found = [
            one
            for one in self.entries
            if query.get("rcstart", "") <= one["timestamp"]
            and one["timestamp"] <= query.get("rcend", "9")
        ]
        _, _, first = query.get("rccontinue", "|0").partition("|")
        found = [one for one in found if one["rcid"] >= int(first)]
        most = 1 if query["rclimit"] == "1" else self.part
        answer: dict[str, Any] = {"query": {"recentchanges": found[:most]}}
        if found[most:]:
            after = found[most]
            moment = "".join(char for char in after["timestamp"] if char.isdigit())
            place = f"{moment}|{after['rcid']}"
            answer["continue"] = {"rccontinue": place, "continue": "-||"}
        return answer


@asynccontextmanager
async def listing(**given: Any) -> AsyncIterator[ListingWiki]:
    wiki = ListingWiki(**given)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", wiki.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        wiki.host = f"{host}:{port}"
        yield wiki
    finally:
        await runner.cleanup()
