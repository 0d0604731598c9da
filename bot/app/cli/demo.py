"""`sidenote demo` and `sidenote wiki`: a MediaWiki on this machine to try the bot on.

The first runs the bot on it; the second runs only the wiki.
"""

import asyncio
from tempfile import TemporaryDirectory

import click

from bot.app.cli.options import pass_settings
from bot.app.cli.terminal import Exit, write_out
from bot.app.wiring.demo import (
    ARTICLE,
    BOT,
    BOT_TOKEN,
    PASSWORD,
    PEOPLE,
    Demo,
    DemoWiki,
    open_demo,
    serve_demo_wiki,
)
from bot.app.wiring.serving import whole_panel
from bot.daemon.roles import run_roles, stopped_by_signals
from bot.daemon.threads import PassingThreads
from bot.settings import Settings

_PORT = 8180
_STARTING = "Starting MediaWiki (about half a minute, or two minutes the first time) …"


@click.command(name="demo")
@click.option(
    "--port",
    type=click.IntRange(1, 65_533),
    default=_PORT,
    show_default=True,
    help="Port of the wiki on 127.0.0.1; its change feed uses the next port, the status page the one after.",
)
@pass_settings
def demo(settings: Settings, port: int) -> Exit:
    """Try the bot on a MediaWiki on this machine: opt in, edit, read the report.

    Needs MediaWiki and PHP (as root on Debian: .ci/install-services), but no network and
    no keys. All changes are lost when it stops.
    """
    asyncio.run(_serve_demo(settings, port))
    return Exit.FINE


async def _serve_demo(settings: Settings, port: int) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    click.echo(_STARTING, err=True)
    async with open_demo(
        settings,
        port=port,
        stream_port=port + 1,
        status_port=port + 2,
        panel=whole_panel(),
    ) as demo:
        write_out(_demo_guide(demo))
        with stopped_by_signals(stop):
            await run_roles(demo.daemon.roles, stop)


def _demo_guide(demo: Demo) -> str:
    you, _ = PEOPLE
    at = f"http://{demo.served.wiki.host}/wiki"
    return f"""\
Start here, in six steps:  {at}/Project:Start
Status of the bot:         {demo.daemon.address}

In short: log in as {you} (password: {PASSWORD}), save this on {at}/User:{you}/Sidenote
     {{{{User:{BOT}/watch |pages={ARTICLE} |surface=report}}}}
and a minute later read {at}/User:{you}/Sidenote_report

Ctrl-C stops it; all changes are lost then.
"""


@click.command(name="wiki")
@click.option(
    "--port",
    type=click.IntRange(1, 65_534),
    default=_PORT,
    show_default=True,
    help="Port of the wiki on 127.0.0.1; its change feed uses the next port.",
)
@pass_settings
def wiki(settings: Settings, port: int) -> Exit:
    """Run a MediaWiki on this machine, without the bot, until Ctrl-C.

    It has the articles that ship with Sidenote, their citation templates, the bot's
    pages and some accounts. All changes are lost when it stops.
    """
    asyncio.run(_serve_wiki(settings, port))
    return Exit.FINE


async def _serve_wiki(settings: Settings, port: int) -> None:
    stop = asyncio.Event()
    click.echo(_STARTING, err=True)
    async with serve_demo_wiki(settings, port=port, stream_port=port + 1) as demo:
        # Python's own handling of Ctrl-C does not wake an event loop that is just going
        # to sleep.
        with (
            TemporaryDirectory(prefix="sidenote-") as data_dir,
            stopped_by_signals(stop),
        ):
            write_out(_wiki_guide(demo, data_dir))
            await stop.wait()
    raise KeyboardInterrupt


def _wiki_guide(demo: DemoWiki, data_dir: str) -> str:
    from bot.demo.loopback.wiki.building import (
        ADMIN,
        ADMIN_PASSWORD,
        APP,
    )

    wiki = demo.wiki
    people = "".join(f"  {name:<12} {PASSWORD}\n" for name in PEOPLE)
    return f"""\
MediaWiki {wiki.version}: http://{wiki.host}/wiki/
Change feed:     {demo.stream}recentchange

Accounts, on this machine only:
  {ADMIN:<12} {ADMIN_PASSWORD}
{people}  {BOT:<12} {PASSWORD}

To let a bot watch this wiki:
  export SIDENOTE_WIKI=http://{wiki.host}
  export SIDENOTE_STREAM={demo.stream}
  export SIDENOTE_BOT_ACCOUNT={BOT} SIDENOTE_BOT_LOGIN={BOT}@{APP}
  export SIDENOTE_BOT_PASSWORD={BOT_TOKEN}
  export SIDENOTE_BOT_SECRET=for-this-machine-only SIDENOTE_CONTACT=you@example.org
  export SIDENOTE_STREAM_SILENCE_S=500 SIDENOTE_DATA_DIR={data_dir}
Then, in the same shell: `sidenote doctor` tests the settings, `sidenote daemon` starts a
dry run.

Ctrl-C stops the wiki; all changes and that folder are lost then.
"""
