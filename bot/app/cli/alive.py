"""`sidenote alive`: the check that something takes which restarts what hangs.

Usually `bot.__main__` answers before this is imported.
"""

from pathlib import Path

import click

from bot.app.cli.exits import Exit
from bot.daemon import heartbeat_check
from bot.settings import load_settings


@click.command(name="alive")
@click.argument("part")
@click.pass_obj
def command(settings_file: Path | None, part: str) -> Exit:
    """Tell whether PART (intake, work, publish, serve …) goes on on this machine.

    For health checks: it asks neither the database nor the network, and says something
    only where PART does not go on; the exit code is 1 then. It looks into `data_dir`. With
    SIDENOTE_DATA_DIR set and no settings file it takes a fiftieth of a second.
    """
    settings = load_settings(settings_file)
    found = heartbeat_check.trouble(settings.data_dir / heartbeat_check.FOLDER, part)
    if found:
        click.echo(f"sidenote: {found}", err=True)
    return Exit.NEEDS_ATTENTION if found else Exit.FINE
