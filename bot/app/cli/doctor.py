"""`sidenote doctor` tests the settings; `sidenote settings` shows them."""

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.app.cli.options import text_or_json
from bot.app.cli.terminal import Exit, is_terminal, terminal_width, write_out
from bot.app.doctor.examination import (
    SelectedTests,
    bare,
    chosen,
    examine,
    hider,
    only_of,
    render_json,
    render_text,
)
from bot.app.doctor.trial import Examination, Group, Installation, Notes, State
from bot.app.wiring.daemon import WHOLE, Part
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.serving import gadget_pages
from bot.report.words import counted
from bot.settings import LogLevel, Settings, SettingsError, load_settings
from bot.settings.settings import shown

_ALL = "daemon"
_FIX = "Correct it in the settings file or the environment."


@click.command(name="doctor")
@text_or_json()
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([group.value for group in Group]),
    help="Run only these tests; may be repeated.",
)
@click.option("--offline", is_flag=True, help="Skip the tests that use the network.")
@click.option(
    "--for",
    "role",
    type=click.Choice([_ALL, *(part.value for part in Part)]),
    default=_ALL,
    show_default=True,
    help="Test what this part of the bot needs; by default all parts.",
)
@click.pass_obj
def doctor(
    settings_file: Path | None,
    form: str,
    only: tuple[str, ...],
    offline: bool,
    role: str,
) -> Exit:
    """Test the settings and everything they depend on, and say how to fix what fails.

    Nothing is written to a wiki, and no secret is shown. It takes about ten seconds, and
    never more than a minute. Exit code 0: Sidenote can run; 1: something is wrong.
    """
    parts = WHOLE if role == _ALL else {Part(role)}
    roles = frozenset(part.value for part in parts)
    wanted = SelectedTests(frozenset(map(Group, only)), offline)
    found = asyncio.run(_found(settings_file, roles, wanted))
    at, about = datetime.now(UTC), "all parts" if role == _ALL else f"the part “{role}”"
    if form == "json":
        write_out(render_json(found, at), as_utf8=True)
    else:
        colour = is_terminal() and not os.environ.get("NO_COLOR")
        text = render_text(found, at, about, width=terminal_width(), colour=colour)
        write_out(text)
    is_broken = any(one.state is State.BROKEN for one in found)
    return Exit.NEEDS_ATTENTION if is_broken else Exit.FINE


async def _found(
    settings_file: Path | None, roles: frozenset[str], wanted: SelectedTests
) -> tuple[Examination, ...]:
    try:
        settings = load_settings(settings_file)
    except SettingsError as error:
        return (*await examine(bare(roles)), *_unreadable(error))
    # The doctor's tests report what libraries would otherwise log.
    configure_logging(settings.model_copy(update={"log_level": LogLevel.ERROR}))
    installation = Installation(
        settings,
        roles,
        settings_file,
        dict(os.environ),
        gadget_pages,
    )
    trials, left_out = chosen(installation, wanted)
    if is_terminal():
        sys.stderr.write(f"Running {len(trials)} tests …\n")
    found = await examine(trials, hider(installation))
    results = only_of(found, installation, wanted)
    return (*results, *_not_tried(left_out)) if wanted.offline else results


def _unreadable(error: SettingsError) -> tuple[Examination, ...]:
    """Report each error in the settings; without valid settings nothing else can be tested."""
    notes = Notes(Group.SETTINGS)
    for line in str(error).splitlines():
        seen, _, remedy = line.partition("; ")
        notes.broken("settings", seen, f"{remedy[:1].upper()}{remedy[1:]}" or _FIX)
    notes.skipped("everything else", "cannot be tested without settings")
    return tuple(notes.taken)


def _not_tried(count: int) -> tuple[Examination, ...]:
    notes = Notes(Group.PROGRAM)
    if count:
        notes.skipped(
            "network",
            f"{counted(count, 'test')} skipped because of --offline",
        )
    return tuple(notes.taken)


@click.command(name="settings")
@click.pass_obj
def settings(settings_file: Path | None) -> Exit:
    """Show every setting: its environment variable, its value and its meaning.

    In a settings file, names are in lower case and without the prefix. They may be
    grouped in tables: `account` in `[bot]` is `bot_account`.
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
