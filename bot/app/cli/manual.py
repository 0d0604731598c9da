"""`sidenote completion` and `sidenote man`, made from the commands themselves."""

from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class

from bot import __version__
from bot.app.cli.terminal import Exit, write_out

_SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_SIDENOTE_COMPLETE"  # click derives it from the program's name


@click.command(name="completion")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> Exit:
    """Print the completions of commands and options for SHELL.

    For bash: sidenote completion bash > ~/.local/share/bash-completion/completions/sidenote
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - each of _SHELLS has one
    program = context.find_root().command
    # click's own class for bash runs bash to learn its version; the script is the same.
    made = kind(program, {}, "sidenote", _VARIABLE)
    write_out(made.source_template % made.source_vars() + "\n")
    return Exit.FINE


@click.command(name="man")
@click.pass_context
def man(context: click.Context) -> Exit:
    """Print the manual page: sidenote man > sidenote.1."""
    root = context.find_root()
    write_out("\n".join(_page(root.command, root)) + "\n")
    return Exit.FINE


def _page(program: click.Command, root: click.Context) -> Iterator[str]:
    assert isinstance(program, click.Group)  # noqa: S101 - narrows the type
    yield f'.TH SIDENOTE 1 "" "Sidenote {__version__}" "User commands"'
    yield ".SH NAME"
    yield "sidenote \\- check citations of Wikipedia articles against their sources"
    yield ".SH SYNOPSIS"
    yield ".B sidenote"
    yield "[\\-\\-settings FILE] COMMAND [OPTION]..."
    yield ".SH DESCRIPTION"
    yield from _text(program.help)
    yield ".SH COMMANDS"
    for name in program.list_commands(root):
        yield from _command(program, root, name)
    yield ".SH EXIT STATUS"
    _, _, codes = (program.epilog or "").partition("Exit codes:")
    for line in filter(None, map(str.strip, codes.splitlines())):
        code, _, meaning = line.partition(" ")
        yield from (".TP", f".B {code}", _escaped(meaning.strip()))


def _command(program: click.Group, root: click.Context, name: str) -> Iterator[str]:
    try:
        command = program.get_command(root, name)
    except click.ClickException:  # the command needs an extra that is not installed
        return
    if command is None:
        return
    context = click.Context(command, info_name=name, parent=root)
    yield f".SS {_escaped(' '.join([name, *command.collect_usage_pieces(context)]))}"
    yield from _text(command.help)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            about = command.get_command(context, inner)
            if about is not None:
                short = about.get_short_help_str(200)
                yield from (".TP", f".B {_escaped(f'{name} {inner}')}", _escaped(short))
        return
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield from (".TP", f".B {_escaped(record[0])}", _escaped(record[1]))


def _text(words: str | None) -> Iterator[str]:
    for paragraph in (words or "").split("\n\n"):
        yield ".PP"
        yield _escaped(" ".join(paragraph.replace("\b", "").split()))


def _escaped(text: str) -> str:
    """Escape text for roff, where a leading dot or quote would start a command."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ")
    return f"\\&{plain}" if plain[:1] in {".", "'"} else plain
