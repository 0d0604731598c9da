"""`sidenote demo`: a wiki on this machine with the daemon at work, to click through."""

import asyncio
from pathlib import Path

import click

from bot.app.cli.backend import whole_panel
from bot.app.cli.exits import Exit
from bot.app.cli.writing import write_out
from bot.app.wiring import configure_logging
from bot.app.wiring.demo import Demo, open_demo
from bot.app.wiring.loopback_wiki import BOT, PASSWORD, PEOPLE
from bot.daemon.roles import run_roles, stopped_by_signals
from bot.daemon.threads import PassingThreads
from bot.settings import Settings, load_settings

_PORT = 8180
_ARTICLE = "2020 Jonesboro tornado"


@click.command(name="demo")
@click.option(
    "--port",
    type=click.IntRange(1, 65_533),
    default=_PORT,
    show_default=True,
    help="Where the wiki is on 127.0.0.1; the stream of its changes is one above, and the status page two.",
)
@click.pass_obj
def command(settings_file: Path | None, port: int) -> Exit:
    """Try it all on a real wiki on this machine: opt in, edit, read the report.

    Needs MediaWiki and PHP (as root on Debian: .ci/install-services), no network and
    no keys. What is changed there is gone at the end.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    asyncio.run(_demo(settings, port))
    return Exit.FINE


async def _demo(settings: Settings, port: int) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    async with open_demo(
        settings,
        port=port,
        stream_port=port + 1,
        status_port=port + 2,
        panel=whole_panel(),
    ) as demo:
        write_out(_told(demo))
        with stopped_by_signals(stop):
            await run_roles(demo.daemon.roles, stop)


def _told(demo: Demo) -> str:
    at = f"http://{demo.served.wiki.host}/wiki"
    you, other = PEOPLE
    return f"""\
A wiki with the bot at work: {at}/Project:Start
How the bot is doing:        {demo.daemon.address}

1. Log in as {you} (password: {PASSWORD}) and save this on {at}/User:{you}/Sidenote
     {{{{User:{BOT}/watch |pages={_ARTICLE} |surface=report}}}}
   In a few seconds an answer stands below it, and soon after your report:
     {at}/User:{you}/Sidenote_report
2. As {other}, edit {at}/{_ARTICLE.replace(" ", "_")}: change a number in a sentence that
   has a footnote. Its note appears in the report; change it back, and it goes.
3. Open the article and choose “Source notes” among its tools: the panel shows each note
   beside its sentence. Dismiss one, or open the editor with the change filled in.
4. Remove a note from the report: it does not come back.
5. Save anything but “run” on {at}/User:{BOT}/Run/report: the bot stops.

What is changed there is gone at the end. Ctrl-C ends it.
"""
