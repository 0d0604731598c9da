"""`sidenote gadget`: builds the pages of the gadget, and installs them on a wiki."""

import os
import sys
import unicodedata
from pathlib import Path

import click

from bot.app.cli.terminal import Exit, write_out
from bot.app.wiring.wiki import open_interface_gate
from bot.report.words import clean, clean_for_terminal
from bot.settings import Settings, load_settings
from bot.surfaces.messages import language_of
from gadget.deployment import (
    Change,
    Group,
    Step,
    carry_out,
    checked_backend,
    plan,
    wanted_pages,
)
from handlers.ports import PermanentError

_BOT = "SidenoteBot"
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_DONE = {
    Change.NEW: "new",
    Change.NEWER: "changed",
    Change.THEIRS: "changed by {by}",
    Change.NONE: "up to date",
}
_backend = click.option(
    "--backend",
    metavar="URL",
    help="URL of the backend, such as https://sidenote.example.org; by default the setting `panel_address`.",
)
_bot = click.option(
    "--bot", help="The bot's account; by default the setting `bot_account`."
)


@click.group(name="gadget")
def command() -> None:
    """Build the pages of the gadget, and install them on a wiki."""


@command.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("gadget-pages"),
    show_default=True,
    help="Folder for the files, one per page.",
)
@_backend
@_bot
@click.pass_obj
def build(
    settings_file: Path | None, out: Path, backend: str | None, bot: str | None
) -> Exit:
    """Write the pages of the gadget to files, to read them or save them yourself."""
    settings = load_settings(settings_file)
    pages = wanted_pages(_address(settings, backend), _account(settings, bot))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for page in pages:
            (out / page.file).write_text(f"{page.text}\n", "utf-8")
    except OSError as error:
        raise PermanentError(f"{out} cannot be written: {error.strerror}") from error
    width = max(len(page.file) for page in pages)
    write_out(
        "".join(
            f"{page.file:{width}}  {len(page.text.encode()):>9,} bytes  {page.title}\n"
            for page in pages
        )
    )
    return Exit.FINE


@command.command()
@click.option("--wiki", help="Host of the wiki; by default the setting `wiki`.")
@_backend
@_bot
@click.option(
    "--dry-run", is_flag=True, help="Show what would change without writing it."
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([group.value for group in Group]),
    help="Only these pages; may be repeated.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Also overwrite pages that someone else changed on the wiki.",
)
@click.option("--yes", is_flag=True, help="Do not ask before writing.")
@click.pass_obj
def deploy(  # noqa: PLR0917 - click's options
    settings_file: Path | None,
    wiki: str | None,
    backend: str | None,
    bot: str | None,
    dry_run: bool,
    only: tuple[str, ...],
    replace: bool,
    yes: bool,
) -> Exit:
    """Show how the pages on the wiki differ, ask for confirmation, and write them.

    Needs `deploy_account` and `deploy_password`: the account of an interface
    administrator. Only the gadget's own pages are written, and only if nobody has changed
    them since they were shown; definitions of other gadgets are not touched. It can be run
    again after a failure.
    """
    settings = load_settings(settings_file)
    name = _account(settings, bot)
    groups = frozenset(map(Group, only)) or frozenset(Group)
    language = language_of((wiki or settings.wiki).rpartition("/")[2])
    pages = wanted_pages(_address(settings, backend), name, groups, language=language)
    gate = open_interface_gate(settings, wiki or settings.wiki, name)
    steps = plan(pages, gate.pages([page.title for page in pages]))
    todo = [step for step in steps if step.change is not Change.NONE]
    if not todo:
        write_out(f"Nothing to do: all {len(steps)} pages are up to date.\n")
        return Exit.FINE
    write_out("".join(f"{line}\n" for step in todo for line in _shown(step)))
    _require_own(todo, replace=replace)
    if dry_run:
        write_out(f"\nNothing was written. Pages that differ: {len(todo)}.\n")
        return Exit.FINE
    if not gate.account:
        raise PermanentError(
            "to write pages, set `deploy_account` and `deploy_password`: the account of"
            " an interface administrator"
        )
    question = f"\nWrite {len(todo)} pages as {gate.account}?"
    if not yes and not click.confirm(question, err=True):
        return Exit.NEEDS_ATTENTION
    carry_out(gate, todo, _report).require_done()
    write_out(f"Done: {len(todo)} pages written.\n")
    return Exit.FINE


def _address(settings: Settings, backend: str | None) -> str:
    address = backend or settings.panel_address
    if not address:
        raise PermanentError(
            "give the URL of the backend with --backend or the setting `panel_address`"
        )
    return checked_backend(address)


def _account(settings: Settings, bot: str | None) -> str:
    name = bot or settings.bot_account or _BOT
    if not name.isprintable() or set("#<>[]|{}/:_") & set(name):
        raise PermanentError(f"{name[:100]!r} is not a valid account name")
    return name


def _require_own(todo: list[Step], *, replace: bool) -> None:
    theirs = [step for step in todo if step.change is Change.THEIRS]
    if theirs and not replace:
        named = "\n".join(f"  {step.title} (by {step.by})" for step in theirs)
        raise PermanentError(
            f"someone else changed these pages on the wiki:\n{clean_for_terminal(named)}\n"
            "nothing was written; to overwrite their changes, use --replace"
        )


def _shown(step: Step) -> list[str]:
    """Return the lines that describe a step, in colour on a terminal."""
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    outcome = _DONE[step.change].format(by=step.by)
    if step.change is Change.NEW:  # `sidenote gadget build` shows its text
        return [f"{step.title}: {outcome}, {len(step.after.splitlines()):,} lines"]
    lines = [f"{step.title}: {outcome}", *step.diff]
    safe = [_without_controls(line) for line in lines]
    if not in_colour:
        return safe
    head = click.style(safe[0], bold=True)
    return [head, *(click.style(line, fg=_COLOURS.get(line[:1])) for line in safe[1:])]


def _without_controls(line: str) -> str:
    """Return a line with its white space, but without characters that hide text."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(each) == "Cf" else each
        for each in clean(line)
    )


def _report(step: Step) -> None:
    sys.stderr.write(f"writing {step.title}\n")
