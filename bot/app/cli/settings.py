"""`sidenote settings`: every setting, its value, and what it means."""

from pathlib import Path

import click

from bot.app.cli.exits import Exit
from bot.app.cli.writing import write_out
from bot.settings import Settings, load_settings
from bot.settings.showing import shown


@click.command(name="settings")
@click.pass_obj
def command(settings_file: Path | None) -> Exit:
    """Show every setting: its name in the environment, its value, what it means.

    In a settings file the name is in lower case and without the prefix.
    """
    settings = load_settings(settings_file)
    write_out(
        "".join(
            f"SIDENOTE_{name.upper()} = {shown(getattr(settings, name))}\n"
            f"    {field.description}\n"
            for name, field in Settings.model_fields.items()
        )
    )
    return Exit.FINE
