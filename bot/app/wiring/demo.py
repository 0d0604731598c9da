"""The daemon, live, on the wiki of the demo."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib.resources import as_file, files

from pydantic import SecretStr

from bot.app.wiring.backend import Panel
from bot.app.wiring.daemon import WHOLE, Daemon, open_daemon
from bot.app.wiring.embedded import alone_in
from bot.app.wiring.loopback_wiki import BOT, BOT_TOKEN, DemoWiki, serve_demo_wiki
from bot.app.wiring.store import open_store
from bot.app.wiring.world import live_world
from bot.settings import Posting, Settings

_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Demo:
    """A wiki on loopback, and a daemon that watches it and posts there."""

    served: DemoWiki
    daemon: Daemon


def demo_settings(settings: Settings, served: DemoWiki, status_port: int) -> Settings:
    """Return the settings by which the daemon watches the wiki of the demo, live."""
    from bot.demo.loopback.wiki.building import APP  # noqa: PLC0415 - only where it is served

    return settings.model_copy(
        update={
            "wiki": f"http://{served.wiki.host}",
            "wikis": (),
            "serve_host": _HOST,
            "serve_port": status_port,
            "panel_address": f"http://{_HOST}:{status_port}",
            "stream": served.stream,
            "streams": ("recentchange",),
            "stream_silence_s": 3600.0,  # on a wiki of one person it may be quiet
            "data_dir": settings.data_dir / "demo-wiki",
            "database": "",
            "posting": Posting.LIVE,
            "posting_pause_s": 0.5,
            "gadget_tag_language": "en",
            "bot_account": BOT,
            "bot_login": f"{BOT}@{APP}",
            "bot_password": SecretStr(BOT_TOKEN),
            "bot_secret": SecretStr(secrets.token_hex(32)),
            "links_settle_s": 2.0,
            "settle_s": 1.0,
            "trivial_settle_s": 1.0,
            "report_pause_s": 2.0,
        }
    )


@asynccontextmanager
async def open_demo(
    settings: Settings,
    *,
    port: int = 0,
    stream_port: int = 0,
    status_port: int = 0,
    panel: Panel | None = None,
) -> AsyncIterator[Demo]:
    """Serve the wiki of the demo, and give the daemon that watches it.

    Sources are those that ship; each demo begins with nothing. Newer facts are looked
    for on the web, too, if the settings name `searches`.

    Raises:
        PermanentError: MediaWiki is not installed, a port is taken, or another demo
            runs in the same folder.
    """
    from bot.demo.loopback.wiki.serving import free_port  # noqa: PLC0415 - see above

    async with AsyncExitStack() as opened:
        served = await opened.enter_async_context(
            serve_demo_wiki(settings, port=port, stream_port=stream_port)
        )
        settings = demo_settings(settings, served, status_port or free_port())
        opened.enter_context(alone_in(settings.data_dir))
        if panel is not None:
            at = settings.panel_address
            await asyncio.to_thread(panel.install, settings, served.wiki.host, at, BOT)
        sources = opened.enter_context(as_file(files("bot") / "demo" / "sources"))
        store = opened.enter_context(open_store(settings))
        services = None if "searches" in settings.model_fields_set else ""
        world = replace(
            live_world(settings), sources=sources, services=services, idle_s=0.2
        )
        daemon = await opened.enter_async_context(
            open_daemon(
                settings,
                store,
                world,
                WHOLE,
                backend=panel.open if panel else None,
            )
        )
        yield Demo(served, daemon)
