"""`sidenote settings`: every setting, its value, and what it means."""

from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

import click

from bot.cli.exits import Exit
from bot.cli.writing import write_out
from bot.settings import Settings, load_settings


@click.command(name="settings")
@click.pass_obj
def command(settings_file: Path | None) -> Exit:
    """Show every setting: its name in the environment, its value, what it means.

    In a settings file the name is in lower case and without the prefix.
    """
    settings = load_settings(settings_file)
    write_out(
        "".join(
            f"SIDENOTE_{name.upper()} = {_shown(getattr(settings, name))}\n"
            f"    {field.description}\n"
            for name, field in Settings.model_fields.items()
        )
    )
    return Exit.FINE


def _shown(value: object) -> str:
    """Return a setting's value for reading, without the password in an address."""
    text = str(value.value if isinstance(value, Enum) else value)
    try:
        password = urlsplit(text).password
    except ValueError:
        return text
    return text.replace(f":{password}@", ":***@") if password else text
