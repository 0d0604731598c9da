"""Options shared by several commands for researchers."""

from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import click

from bot.app.wiring.logs import configure_logging
from bot.settings import Settings, load_settings
from handlers.ports import PermanentError

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
DAY = click.DateTime(["%Y-%m-%d"])


def data_option(help_text: str, kind: click.Path = FILE) -> Option:
    return click.option("--data", type=kind, required=True, help=help_text)


def choice_option(name: str, default: Enum, help_text: str) -> Option:
    return click.option(
        name,
        type=click.Choice(type(default), case_sensitive=False),
        default=default,
        show_default=str(default.value),
        help=help_text,
    )


def limit_option(help_text: str) -> Option:
    return click.option("--limit", type=click.IntRange(min=1), help=help_text)


def processes_option(name: str, help_text: str) -> Option:
    return click.option(name, type=click.IntRange(1, 16), help=help_text)


def output_option(kind: click.Path, help_text: str, default: str = "") -> Option:
    usual = (
        {"default": default, "show_default": True} if default else {"required": True}
    )
    return click.option("-o", "--output", type=kind, help=help_text, **usual)


POOL = click.option(
    "--pool",
    type=FOLDER,
    help="Keep the index of all pages in this folder, for a quicker second run;"
    " `evaluate retrieval` and `recommendations` share theirs, `discovery` needs its"
    " own.",
)
RESUME = click.option(
    "--resume",
    type=FOLDER,
    help="Keep the results in this folder, and continue from there. Use another folder"
    " for other data, other parts or another version of the program.",
)
EVENTS = data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
ROWS = data_option("The rows: JSON lines, plain or gzipped.")
JSON = click.option(
    "--json",
    "output",
    type=FILE,
    help="Write the figures to this file instead of standard output.",
)
REPORT = click.option(
    "--report",
    "folder",
    type=FOLDER,
    help="Also write a page with tables and plots into this folder.",
)
MODEL = click.option(
    "--model",
    "with_model",
    is_flag=True,
    help=(
        "Also ask the language model in the settings about the claims, within its"
        " budget, and measure both together; the figures without it are given beside."
    ),
)


def begin(settings_file: Path | None) -> Settings:
    """Return the settings, and log events from here on as they say."""
    settings = load_settings(settings_file)
    configure_logging(settings)
    return settings


def require_packages(*names: str) -> None:
    """Refuse early if a package of the extra `training` is missing."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise PermanentError(
            f"training needs {', '.join(missing)}, which is an optional install: pip"
            " install -e .[training]"
        )


def at_utc(day: datetime) -> datetime:
    return day.replace(tzinfo=UTC)
