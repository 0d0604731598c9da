"""The daemon on recorded data, and on a demo wiki.

`open_embedded` replays recorded events from a server on loopback over the articles that
ship; what would be posted is written to a folder. `open_demo` serves a real MediaWiki
on this machine with the same articles, and the daemon watches it and posts there.
"""

import asyncio
import fcntl
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.app.wiring.daemon import WHOLE, Daemon, Part, open_daemon
from bot.app.wiring.serving import Backend, Panel
from bot.app.wiring.store import make_folder, open_store
from bot.app.wiring.wiki import EMBEDDED_BOT, embedded_world, live_world, now
from bot.daemon.roles import Role, until_idle, work_left
from bot.settings import Posting, Settings
from handlers.ports import PermanentError, TemporaryError

if TYPE_CHECKING:
    from bot.daemon.progress import Progress
    from bot.demo.loopback.event_server import EventServer
    from bot.demo.loopback.recent_changes import Event
    from bot.demo.loopback.wiki.seeds import SeedAccount, SeedPage, Seeds
    from bot.demo.loopback.wiki.serving import Wiki
    from bot.report import PageReport

_PER_S = 200.0
_POLL_S = 0.05


def embedded_settings(settings: Settings) -> Settings:
    """Return the settings, with the values that the embedded defaults fix themselves."""
    return settings.model_copy(
        update={
            "data_dir": settings.data_dir / "demo",
            "database": "",
            "posting": Posting.DRY,
            "bot_account": EMBEDDED_BOT,
            "bot_secret": SecretStr(secrets.token_hex(32)),
            "streams": ("recentchange",),
            "stream_silence_s": 3600.0,
            "settle_s": 0.0,
        }
    )


@asynccontextmanager
async def open_embedded(
    settings: Settings,
    parts: frozenset[Part],
    shown: "Callable[[PageReport], None]",
    backend: Backend | None = None,
    progress: "Progress | None" = None,
) -> AsyncIterator["Embedded"]:
    """Open the daemon on the embedded defaults; `idle` returns when it has done everything.

    Each run starts empty, in its own folder in `data_dir`.

    Raises:
        PermanentError: another run uses that folder now, or it cannot be made.
    """
    from bot.demo.loopback.event_server import EventServer
    from bot.demo.loopback.replaying import recorded

    settings = embedded_settings(settings)
    async with AsyncExitStack() as opened:
        opened.enter_context(alone_in(settings.data_dir))
        demo = opened.enter_context(as_file(files("bot") / "demo"))
        events = tuple(recorded(demo / "events.jsonl.gz"))
        server = await opened.enter_async_context(EventServer())
        world = embedded_world(settings, demo, server.address)
        store = opened.enter_context(open_store(settings))
        daemon = await opened.enter_async_context(
            open_daemon(
                settings,
                store,
                world,
                parts,
                shown=shown,
                backend=backend,
                progress=progress,
            )
        )
        replay = _Replay(daemon, server, events)
        daemon.roles["replay"] = replay.run
        idle = until_idle(lambda: work_left(store, now()), replay.is_read)
        articles = len(list((demo / "articles").glob("*.wikitext")))
        yield Embedded(daemon, idle, articles, len(events))


@dataclass(frozen=True, slots=True)
class Embedded:
    """The daemon on the data that ships; `idle` returns when it has done everything."""

    daemon: Daemon
    idle: Role
    articles: int
    events: int


class _Replay:
    """Plays the recording once the daemon is listening and knows what is watched."""

    def __init__(
        self, daemon: Daemon, server: "EventServer", events: "Sequence[Event]"
    ) -> None:
        self._daemon = daemon
        self._server = server
        self._events = events
        self._sent = 0

    async def run(self, stop: asyncio.Event) -> None:
        from bot.demo.loopback.replaying import moved, replay

        while not stop.is_set() and not await asyncio.to_thread(self._is_awaited):  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(_POLL_S)
        played = moved(self._events, now() - _span(self._events))
        self._sent = await replay(
            played, self._server.publish, per_s=_PER_S, sleep=asyncio.sleep
        )

    def _is_awaited(self) -> bool:
        health = self._daemon.health
        if health is None or not health().is_connected:
            return False
        with suppress(TemporaryError):  # the store is unavailable: try again
            return bool(self._daemon.store.watches.all())
        return False

    def is_read(self) -> bool:
        """Return whether all events have been sent and read."""
        health = self._daemon.health
        read = 0 if health is None else health().events
        return bool(self._sent) and read >= self._sent


def _span(events: "Sequence[Event]") -> timedelta:
    times = [datetime.fromisoformat(event["meta"]["dt"]) for event in events]
    return max(times) - min(times)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Empty a folder, unless another process uses it."""
    make_folder(folder.parent)
    with (folder.parent / f"{folder.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PermanentError(
                f"another `sidenote run` uses {folder}; stop it first, or set"
                " SIDENOTE_DATA_DIR to another folder"
            ) from None
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        yield


BOT = "SidenoteBot"
# A bot password has 32 characters from 0-9 and a-w.
BOT_TOKEN = "sidenoteonloopbackandnowhereelse"  # noqa: S105 - of a wiki on loopback
# May write the wiki's interface, like anyone who deploys a gadget.
ADMIN_TOKEN = "adminonloopbackandnowhereelse012"  # noqa: S105 - of a wiki on loopback
PEOPLE = ("Alice", "Bob")
ARTICLE = "2020 Jonesboro tornado"  # the article that the steps on the start page use
PASSWORD = "a passphrase for loopback only"  # noqa: S105 - of a wiki on loopback
TASKS = ("talk", "report", "opt-in", "draft", "patrol")
_AUTHORS = "Wikipedia contributors"
_START_PAGE = "Project:Start"
_START = """\
This wiki runs only on your machine, for you to try Sidenote on. All changes are lost when \
it stops.

== Try it ==
While <code>sidenote demo</code> runs:
# Log in as {you} (password: <code>{password}</code>), save this on [[User:{you}/Sidenote]], and wait a few seconds for the answer below it: <pre>{{{{User:{bot}/watch |pages={article} |surface=report}}}}</pre>
# Read [[User:{you}/Sidenote report]], which appears within a minute.
# As {other}, edit [[{article}]]: change a number in a sentence that has a footnote. A few seconds later the panel shows it, as doubtful unless the check is nearly certain, or among the statements that could not be checked. Only what is nearly certain also appears in the report. Change it back, and the note disappears.
# Open [[{article}]] and choose “Source notes” beside its tabs, or press its access key, “a” (Alt+Shift+A in most browsers): the panel shows each note with its sentence. Dismiss one, or open the editor there.
# Remove a note from the report: it does not come back.
# Replace ''run'' with anything else on [[User:{bot}/Run/report]]: the bot stops writing reports.

== Articles ==
{articles}

== Other languages ==
The built-in model only reads English. In these short articles in German, French, Spanish \
and Arabic every citation is reported as “could not check”, never as “not supported”:
{others}

== The bot ==
* [[User:{bot}/watch]]: how to ask for notes
* [[User:{bot}/note]] and [[User:{bot}/notice]]: the wording of its notes
* {stops}: a task runs while its page says ''run''
"""
_ACCOUNT = (
    "This account belongs to a program. [[User:{bot}/watch|How to ask it for notes]].\n"
)


def demo_seeds(bot: str = BOT) -> "Seeds":
    """Return the content of the demo wiki, with `bot` allowed to run."""
    from bot.demo.loopback.wiki.seeds import Seeds
    from bot.demo.loopback.wiki.shelf import template_pages

    articles, others = tuple(_articles("articles")), tuple(_articles("languages"))
    start = _start_page(articles, others, bot)
    pages = (*template_pages(), *articles, *others, *_pages_of(bot), *start)
    return Seeds(pages, _accounts_with(bot))


@dataclass(frozen=True, slots=True)
class DemoWiki:
    """A wiki being served, and the stream of its changes."""

    wiki: "Wiki"
    stream: str  # the address, without the names of the streams


@asynccontextmanager
async def serve_demo_wiki(
    settings: Settings, *, port: int = 0, stream_port: int = 0
) -> AsyncIterator[DemoWiki]:
    """Serve the demo wiki and its changes on loopback; build the wiki if need be.

    If no ports are given, any free ones are taken.

    Raises:
        PermanentError: MediaWiki or PHP is not installed, or a port is taken.
    """
    from bot.demo.loopback.event_server import EventServer
    from bot.demo.loopback.wiki.serving import require_free, serve_wiki

    require_free(stream_port)
    async with EventServer(port=stream_port) as events:
        with serve_wiki(
            demo_seeds(),
            wiki_cache(settings.data_dir),
            port=port,
            changes_port=await events.listen(),
            workers=4,
            runs_jobs=True,
            has_replies=True,
        ) as wiki:
            yield DemoWiki(wiki, events.address)


def wiki_cache(data_dir: "Path") -> "Path":
    """Return where built wikis are kept."""
    return data_dir / "wiki"


def _articles(folder_name: str) -> "Iterator[SeedPage]":
    from bot.demo.loopback.wiki.seeds import SeedPage
    from bot.wiki.folder import read_page_file

    with as_file(files("bot") / "demo" / folder_name) as folder:
        for file in sorted(folder.glob("*.wikitext")):
            page = read_page_file(file)
            summary = "; ".join(page.notes) or "From Wikipedia, CC BY-SA 4.0"
            yield SeedPage(page.id.title, (page.wikitext,), _AUTHORS, summary[:450])


def _start_page(
    articles: "tuple[SeedPage, ...]", others: "tuple[SeedPage, ...]", bot: str
) -> "tuple[SeedPage, ...]":
    from bot.demo.loopback.wiki.seeds import SeedPage

    text = _START.format(
        articles=_listed(articles),
        others=_listed(others),
        bot=bot,
        you=PEOPLE[0],
        other=PEOPLE[1],
        password=PASSWORD,
        article=ARTICLE,
        stops=", ".join(f"[[User:{bot}/Run/{task}]]" for task in TASKS),
    )
    return (
        SeedPage("MediaWiki:Mainpage", (_START_PAGE,)),
        SeedPage(_START_PAGE, (text,)),
    )


def _listed(pages: "tuple[SeedPage, ...]") -> str:
    return "\n".join(f"* [[{page.title}]]" for page in pages)


def _pages_of(bot: str) -> "Iterator[SeedPage]":
    from bot.demo.loopback.wiki.seeds import SeedPage
    from bot.surfaces.shipped import wiki_pages

    yield SeedPage(f"User:{bot}", (_ACCOUNT.format(bot=bot),))
    for shipped in wiki_pages(bot):
        yield SeedPage(shipped.title, (shipped.wikitext,))
    for task in TASKS:
        yield SeedPage(f"User:{bot}/Run/{task}", ("run",))


def _accounts_with(bot: str) -> "tuple[SeedAccount, ...]":
    from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD
    from bot.demo.loopback.wiki.seeds import SeedAccount

    interface = ("editinterface", "editsiteconfig")
    return (
        SeedAccount(ADMIN, ADMIN_PASSWORD, token=ADMIN_TOKEN, grants=interface),
        SeedAccount(bot, PASSWORD, ("bot",), BOT_TOKEN),
        *(SeedAccount(name, PASSWORD) for name in PEOPLE),
    )


_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Demo:
    """A wiki on loopback, and a daemon that watches it and posts there."""

    served: DemoWiki
    daemon: Daemon


def demo_settings(settings: Settings, served: DemoWiki, status_port: int) -> Settings:
    """Return the settings for a daemon that watches the demo wiki and posts there."""
    from bot.demo.loopback.wiki.building import APP

    return settings.model_copy(
        update={
            "wiki": f"http://{served.wiki.host}",
            "wikis": (),
            "serve_host": _HOST,
            "serve_port": status_port,
            "panel_address": f"http://{_HOST}:{status_port}",
            "proof_wikis": (served.wiki.host,),
            "stream": served.stream,
            "streams": ("recentchange",),
            "stream_silence_s": 3600.0,  # a wiki with one editor may be quiet
            "data_dir": settings.data_dir / "demo-wiki",
            "database": "",
            "posting": Posting.LIVE,
            "posting_pause_s": 0.5,
            "gadget_tag_language": "en",
            "bot_account": BOT,
            "bot_login": f"{BOT}@{APP}",
            "bot_password": SecretStr(BOT_TOKEN),
            "bot_secret": SecretStr(secrets.token_hex(32)),
            "settle_s": 1.0,
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
    """Serve the demo wiki, and yield the daemon that watches it.

    The sources are those that ship; each demo starts empty. Newer facts are also
    searched for on the web if the settings name `searches`.

    Raises:
        PermanentError: MediaWiki is not installed, a port is taken, or another demo
            runs in the same folder.
    """
    from bot.demo.loopback.wiki.serving import free_port

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
