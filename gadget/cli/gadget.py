"""`sidenote gadget`: makes the pages of the gadget, and puts them on a wiki."""

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
    Gate,
    Group,
    Step,
    WantedPage,
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
    Change.NONE: "as it should be",
}
_backend = click.option(
    "--backend",
    metavar="URL",
    help="Address of the backend that the script asks, such as https://sidenote.example.org. Without it: `panel_address` of the settings.",
)
_bot = click.option(
    "--bot", help="The bot's account. Without it: `bot_account` of the settings."
)


@click.group(name="gadget")
def command() -> None:
    """Make the pages of the on-wiki gadget, and put them on a wiki."""


@command.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("gadget-pages"),
    show_default=True,
    help="Folder for the files, one for each page.",
)
@_backend
@_bot
@click.pass_obj
def build(
    settings_file: Path | None, out: Path, backend: str | None, bot: str | None
) -> Exit:
    """Write every page of the gadget to a file, to be read or saved by hand."""
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
@click.option("--wiki", help="Host of the wiki. Without it: `wiki` of the settings.")
@_backend
@_bot
@click.option("--dry-run", is_flag=True, help="Show what would change, write nothing.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([group.value for group in Group]),
    help="Only these pages; may be given more than once.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Also write over pages that somebody else changed on the wiki.",
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
    """Show what differs on the wiki, ask, and write it.

    Needs `deploy_account` and `deploy_password`: a person's account that may edit the
    interface. Only the gadget's own pages are written, each bound to the revision that
    was shown; other gadgets' definitions stay as they are. Run it again to go on after
    a failure, or to see that there is nothing to do.
    """
    settings = load_settings(settings_file)
    name = _account(settings, bot)
    groups = frozenset(map(Group, only)) or frozenset(Group)
    language = language_of((wiki or settings.wiki).rpartition("/")[2])
    pages = wanted_pages(_address(settings, backend), name, groups, language=language)
    gate = open_interface_gate(settings, wiki or settings.wiki, name)
    steps = _compared(gate, pages)
    todo = [step for step in steps if step.change is not Change.NONE]
    if not todo:
        write_out(f"Nothing to do: {len(steps)} pages are as they should be.\n")
        return Exit.FINE
    write_out("".join(f"{line}\n" for step in todo for line in _shown(step)))
    _require_own(todo, replace=replace)
    if dry_run:
        write_out(f"\nNothing was written; {len(todo)} pages differ.\n")
        return Exit.FINE
    if not gate.account:
        raise PermanentError(
            "set `deploy_account` and `deploy_password` to write: the account of a"
            " person who may edit the interface"
        )
    question = f"\nWrite {len(todo)} pages as {gate.account}?"
    if not yes and not click.confirm(question, err=True):
        return Exit.NEEDS_ATTENTION
    carry_out(gate, todo, _tell).require_done()
    write_out(f"Done: {len(todo)} pages are written.\n")
    return Exit.FINE


def _address(settings: Settings, backend: str | None) -> str:
    address = backend or settings.panel_address
    if not address:
        raise PermanentError(
            "say which backend the script asks: --backend URL, or the setting"
            " `panel_address`"
        )
    return checked_backend(address)


def _account(settings: Settings, bot: str | None) -> str:
    name = bot or settings.bot_account or _BOT
    if not name.isprintable() or set("#<>[]|{}/:_") & set(name):
        raise PermanentError(f"{name[:100]!r} is not the name of an account")
    return name


def _compared(gate: Gate, pages: tuple[WantedPage, ...]) -> tuple[Step, ...]:
    return plan(pages, gate.look([page.title for page in pages]))


def _require_own(todo: list[Step], *, replace: bool) -> None:
    theirs = [step for step in todo if step.change is Change.THEIRS]
    if theirs and not replace:
        named = "\n".join(f"  {step.title} (by {step.by})" for step in theirs)
        raise PermanentError(
            f"somebody else changed pages on the wiki:\n{clean_for_terminal(named)}\n"
            "nothing was written; keep what they did, or write over it with --replace"
        )


def _shown(step: Step) -> list[str]:
    """Return the lines that tell of a step, in colours on a terminal."""
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    said = _DONE[step.change].format(by=step.by)
    if step.change is Change.NEW:  # what it says, `sidenote gadget build` shows
        return [f"{step.title}: {said}, {len(step.after.splitlines()):,} lines"]
    lines = [f"{step.title}: {said}", *step.diff]
    safe = [_without_controls(line) for line in lines]
    if not in_colour:
        return safe
    head = click.style(safe[0], bold=True)
    return [head, *(click.style(line, fg=_COLOURS.get(line[:1])) for line in safe[1:])]


def _without_controls(line: str) -> str:
    """Return a line, its white space kept, without what could hide part of it."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(each) == "Cf" else each
        for each in clean(line)
    )


def _tell(step: Step) -> None:
    sys.stderr.write(f"writing {step.title}\n")
