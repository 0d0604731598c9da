"""`sidenote wiki`: a real MediaWiki on this machine, to try the bot on."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.app.cli.exits import Exit
from bot.app.cli.writing import write_out
from bot.app.wiring import configure_logging
from bot.app.wiring.loopback_wiki import (
    BOT,
    BOT_TOKEN,
    PASSWORD,
    PEOPLE,
    DemoWiki,
    serve_demo_wiki,
)
from bot.daemon.roles import stopped_by_signals
from bot.settings import Settings, load_settings

_PORT = 8180


@click.command(name="wiki")
@click.option(
    "--port",
    type=click.IntRange(1, 65_534),
    default=_PORT,
    show_default=True,
    help="Where the wiki is on 127.0.0.1; the stream of its changes is one above.",
)
@click.pass_obj
def command(settings_file: Path | None, port: int) -> Exit:
    """Serve a real MediaWiki on loopback, until Ctrl-C.

    It holds the articles that ship with Sidenote, their citation templates, the bot's
    own pages and some accounts. What is changed there is gone at the end.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    asyncio.run(_serve(settings, port))
    return Exit.FINE


async def _serve(settings: Settings, port: int) -> None:
    stop = asyncio.Event()
    async with serve_demo_wiki(settings, port=port, stream_port=port + 1) as demo:
        # Python's own handling of Ctrl-C does not wake a loop that falls asleep just then.
        with (
            TemporaryDirectory(prefix="sidenote-") as data_dir,
            stopped_by_signals(stop),
        ):
            write_out(_told(demo, data_dir))
            await stop.wait()
    raise KeyboardInterrupt


def _told(demo: DemoWiki, data_dir: str) -> str:
    from bot.demo.loopback.wiki.building import (  # noqa: PLC0415 - only where it is served
        ADMIN,
        ADMIN_PASSWORD,
        APP,
    )

    wiki = demo.wiki
    people = "".join(f"  {name:<12} {PASSWORD}\n" for name in PEOPLE)
    return f"""\
MediaWiki {wiki.version}: http://{wiki.host}/wiki/
Changes as a stream:  {demo.stream}recentchange

Accounts, for this machine only:
  {ADMIN:<12} {ADMIN_PASSWORD}
{people}  {BOT:<12} {PASSWORD}

For a bot that is to watch this wiki:
  export SIDENOTE_WIKI=http://{wiki.host}
  export SIDENOTE_STREAM={demo.stream}
  export SIDENOTE_BOT_ACCOUNT={BOT} SIDENOTE_BOT_LOGIN={BOT}@{APP}
  export SIDENOTE_BOT_PASSWORD={BOT_TOKEN}
  export SIDENOTE_BOT_SECRET=for-this-machine-only SIDENOTE_CONTACT=you@example.org
  export SIDENOTE_STREAM_SILENCE_S=500 SIDENOTE_DATA_DIR={data_dir}
Then, beside this: `sidenote doctor` tries it all, `sidenote daemon` begins a dry run.

What is changed there is gone at the end, that folder too. Ctrl-C ends it.
"""
