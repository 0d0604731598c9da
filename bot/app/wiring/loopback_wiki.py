"""The wiki of the demo: the articles and wiki pages that ship, with people to try it as."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from bot.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.demo.loopback.wiki.seeds import SeedAccount, SeedPage, Seeds
    from bot.demo.loopback.wiki.serving import Wiki

BOT = "SidenoteBot"
# A bot password has 32 characters from 0-9 and a-w.
BOT_TOKEN = "sidenoteonloopbackandnowhereelse"  # noqa: S105 - of a wiki on loopback
# May write the interface of the wiki, as whoever deploys a gadget does.
ADMIN_TOKEN = "adminonloopbackandnowhereelse012"  # noqa: S105 - of a wiki on loopback
PEOPLE = ("Alice", "Bob")
PASSWORD = "a passphrase for loopback only"  # noqa: S105 - of a wiki on loopback
TASKS = ("talk", "report", "opt-in", "draft")
_AUTHORS = "Wikipedia contributors"
_START_PAGE = "Project:Start"
_START = """\
This wiki runs on your machine alone, for you to try Sidenote on. What is changed here \
is gone when it ends.

== Articles ==
{articles}

== The bot ==
* [[User:{bot}/watch]]: how to ask for notes
* [[User:{bot}/note]] and [[User:{bot}/notice]]: the words of its notes
* {stops}: each task runs while its page says ''run''
"""
_ACCOUNT = (
    "This account belongs to a program. [[User:{bot}/watch|How to ask it for notes]].\n"
)


def demo_seeds(bot: str = BOT) -> "Seeds":
    """Return what the wiki of the demo holds, with `bot` allowed to run."""
    from bot.demo.loopback.wiki.seeds import Seeds  # noqa: PLC0415 - only for the demo
    from bot.demo.loopback.wiki.shelf import template_pages  # noqa: PLC0415

    articles = tuple(_articles())
    start = _start_page(articles, bot)
    return Seeds(
        (*template_pages(), *articles, *_pages_of(bot), *start), _accounts_with(bot)
    )


@dataclass(frozen=True, slots=True)
class DemoWiki:
    """A wiki that is being served, and the stream of its changes."""

    wiki: "Wiki"
    stream: str  # address, up to the names of the streams


@asynccontextmanager
async def serve_demo_wiki(
    settings: Settings, *, port: int = 0, stream_port: int = 0
) -> AsyncIterator[DemoWiki]:
    """Serve the wiki of the demo and its changes on loopback; build it if need be.

    Without ports, any free ones are taken.

    Raises:
        PermanentError: MediaWiki or PHP is not installed, or a port is taken.
    """
    from bot.demo.loopback.event_server import EventServer  # noqa: PLC0415 - only here
    from bot.demo.loopback.wiki.serving import require_free, serve_wiki  # noqa: PLC0415

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
    """Say where built wikis are kept."""
    return data_dir / "wiki"


def _articles() -> "Iterator[SeedPage]":
    from bot.demo.loopback.wiki.seeds import SeedPage  # noqa: PLC0415
    from bot.wiki.folder import read_page_file  # noqa: PLC0415 - see above

    with as_file(files("bot") / "demo" / "articles") as folder:
        for file in sorted(folder.glob("*.wikitext")):
            page = read_page_file(file)
            summary = "; ".join(page.notes) or "From Wikipedia, CC BY-SA 4.0"
            yield SeedPage(page.id.title, (page.wikitext,), _AUTHORS, summary[:450])


def _start_page(articles: "tuple[SeedPage, ...]", bot: str) -> "tuple[SeedPage, ...]":
    from bot.demo.loopback.wiki.seeds import SeedPage  # noqa: PLC0415 - see above

    text = _START.format(
        articles="\n".join(f"* [[{article.title}]]" for article in articles),
        bot=bot,
        stops=", ".join(f"[[User:{bot}/Run/{task}]]" for task in TASKS),
    )
    return (
        SeedPage("MediaWiki:Mainpage", (_START_PAGE,)),
        SeedPage(_START_PAGE, (text,)),
    )


def _pages_of(bot: str) -> "Iterator[SeedPage]":
    from bot.demo.loopback.wiki.seeds import SeedPage  # noqa: PLC0415 - see above
    from bot.surfaces.shipped import wiki_pages  # noqa: PLC0415

    yield SeedPage(f"User:{bot}", (_ACCOUNT.format(bot=bot),))
    for shipped in wiki_pages(bot):
        yield SeedPage(shipped.title, (shipped.wikitext,))
    for task in TASKS:
        yield SeedPage(f"User:{bot}/Run/{task}", ("run",))


def _accounts_with(bot: str) -> "tuple[SeedAccount, ...]":
    from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD  # noqa: PLC0415
    from bot.demo.loopback.wiki.seeds import SeedAccount  # noqa: PLC0415 - see above

    interface = ("editinterface", "editsiteconfig")
    return (
        SeedAccount(ADMIN, ADMIN_PASSWORD, token=ADMIN_TOKEN, grants=interface),
        SeedAccount(bot, PASSWORD, ("bot",), BOT_TOKEN),
        *(SeedAccount(name, PASSWORD) for name in PEOPLE),
    )
