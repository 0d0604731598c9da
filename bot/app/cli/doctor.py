"""`sidenote doctor` tries all that the settings need; `sidenote settings` shows them."""

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.app.cli.output import is_terminal, terminal_width
from bot.app.cli.terminal import Exit, write_out
from bot.app.doctor.examination import Wanted, bare, chosen, examine, hider, only_of
from bot.app.doctor.report import render_json, render_text
from bot.app.doctor.values import Examination, Group, Notes, Patient, Standing
from bot.app.wiring.daemon import WHOLE, Part
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.serving import gadget_pages
from bot.report.words import counted
from bot.settings import LogLevel, Settings, SettingsError, load_settings
from bot.settings.showing import shown

_ALL = "daemon"
_FIX = "Correct it in the settings file or the environment."


@click.command(name="doctor")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for programs.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([group.value for group in Group]),
    help="Only this; may be given more than once.",
)
@click.option("--offline", is_flag=True, help="Ask no other machine.")
@click.option(
    "--for",
    "role",
    type=click.Choice([_ALL, *(part.value for part in Part)]),
    default=_ALL,
    show_default=True,
    help="What is to run with these settings: all, or one part of it.",
)
@click.pass_obj
def doctor(
    settings_file: Path | None,
    form: str,
    only: tuple[str, ...],
    offline: bool,
    role: str,
) -> Exit:
    """Try all that the settings in force need: what is there, what not, what to do.

    Nothing is written to a wiki, and no secret is shown. It takes some ten seconds and
    ends within a minute, whatever hangs. Exit code 0: nothing keeps Sidenote from
    running; 1: something is wrong.
    """
    parts = WHOLE if role == _ALL else {Part(role)}
    roles = frozenset(part.value for part in parts)
    wanted = Wanted(frozenset(map(Group, only)), offline)
    found = asyncio.run(_found(settings_file, roles, wanted))
    at, about = datetime.now(UTC), "all parts" if role == _ALL else f"the part {role}"
    if form == "json":
        write_out(render_json(found, at), as_utf8=True)
    else:
        colour = is_terminal() and not os.environ.get("NO_COLOR")
        text = render_text(found, at, about, width=terminal_width(), colour=colour)
        write_out(text)
    is_broken = any(one.standing is Standing.BROKEN for one in found)
    return Exit.NEEDS_ATTENTION if is_broken else Exit.FINE


async def _found(
    settings_file: Path | None, roles: frozenset[str], wanted: Wanted
) -> tuple[Examination, ...]:
    try:
        settings = load_settings(settings_file)
    except SettingsError as error:
        return (*await examine(bare(roles)), *_unreadable(error))
    # What libraries complain of on the way is what the trials are there to tell.
    configure_logging(settings.model_copy(update={"log_level": LogLevel.ERROR}))
    patient = Patient(
        settings,
        roles,
        settings_file,
        dict(os.environ),
        gadget_pages,
    )
    trials, left_out = chosen(patient, wanted)
    if is_terminal():
        sys.stderr.write(f"{len(trials)} things are being tried …\n")
    found = await examine(trials, hider(patient))
    kept = only_of(found, patient, wanted)
    return (*kept, *_not_tried(left_out)) if wanted.offline else kept


def _unreadable(error: SettingsError) -> tuple[Examination, ...]:
    """Tell of each fault; nothing else can be tried without settings."""
    notes = Notes(Group.SETTINGS)
    for line in str(error).splitlines():
        seen, _, remedy = line.partition("; ")
        notes.broken("settings", seen, f"{remedy[:1].upper()}{remedy[1:]}" or _FIX)
    notes.skipped("all else", "cannot be tried without settings")
    return tuple(notes.taken)


def _not_tried(count: int) -> tuple[Examination, ...]:
    notes = Notes(Group.PROGRAM)
    if count:
        notes.skipped(
            "network",
            f"left out, for they ask other machines: {counted(count, 'trial')}",
        )
    return tuple(notes.taken)


@click.command(name="settings")
@click.pass_obj
def settings(settings_file: Path | None) -> Exit:
    """Show every setting: its name in the environment, its value, what it means.

    In a settings file the name is in lower case and without the prefix, or in a table
    by its first words: `account` in `[bot]` is `bot_account`.
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
