"""`sidenote status`: how the program is doing, and why nothing is posted."""

import sys
from pathlib import Path
from shutil import get_terminal_size

import click

from bot.app.cli.exits import Exit
from bot.app.cli.writing import write_out
from bot.app.wiring import configure_logging, open_store
from bot.app.wiring.serving import look
from bot.settings import load_settings

_MOST_COLUMNS = 100


@click.command(name="status")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for programs.",
)
@click.pass_obj
def command(settings_file: Path | None, form: str) -> Exit:
    """Show how the program is doing, from what the database knows.

    Needs no running daemon. `sidenote serve` shows the same in a browser.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    with open_store(settings) as store:
        situation = look(settings, store)()
    if form == "json":
        from bot.daemon.status.json_document import render_json  # noqa: PLC0415 - one of the two

        write_out(render_json(situation), as_utf8=True)
        return Exit.FINE
    from bot.daemon.status.plain_text import render_text  # noqa: PLC0415 - one of the two

    width = min(get_terminal_size().columns, _MOST_COLUMNS)
    write_out(render_text(situation, width=width, colour=sys.stdout.isatty()))
    return Exit.FINE
