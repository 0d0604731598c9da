"""The command line: what a person types, and what a script can rely on.

Each command imports what it needs when it runs, so that `--help` and a second
start are quick.
"""

import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click
from click.shell_completion import CompletionItem

from bot import __version__
from bot.app.cli.terminal import Exit, explain_failures, prepare_streams
from handlers.ports import PermanentError

_EPILOG = """\b
Examples:
  sidenote check "Golden Gate Bridge"
  sidenote check "Golden Gate Bridge" --revision 1188000000 --format json
  sidenote check --file draft.wikitext --sources pages/ --format html -o report.html
  sidenote rank "Golden Gate Bridge" "Alcatraz Island" --top 20
  sidenote discover "Golden Gate Bridge" --since 2026-10-01 --search "gdelt, wikidata"
  sidenote draft "2024 Valencia floods" --documents pages/ --format html -o dossier.html
  sidenote review "Golden Gate Bridge"
  sidenote run

\b
Exit codes:
  0    no claim is flagged (some may be doubtful, or could not be checked), nothing newer found
  1    at least one claim is flagged, something newer was found, or a review has findings; or a figure is below its floor
  2    wrong usage or settings
  3    it cannot be done as asked (the page does not exist, a file cannot be read)
  4    something is out of reach for now; the same command may work later
  70   a fault of the program itself
  130  stopped with Ctrl-C before the end
"""


# Name, what it does in a line, and where it is.
_COMMANDS = {
    "check": ("Check one page, from a wiki or from disk.", "bot.app.cli.check"),
    "discover": ("Find what is newer than one article.", "bot.app.cli.discover"),
    "draft": ("Make a dossier to write an article from.", "bot.app.cli.draft"),
    "review": ("Review the writing of an article or draft.", "bot.app.cli.review"),
    "rank": ("List claims of many pages by how likely they fail.", "bot.app.cli.rank"),
    "sweep": ("Check a whole wiki, from a dump or a list.", "bot.research.cli.sweep"),
    "run": (
        "Run the daemon, without a setting on what ships.",
        "bot.app.cli.run:run",
    ),
    "daemon": (
        "Watch wikis: listen, look, post and show.",
        "bot.app.cli.daemon:daemon",
    ),
    "intake": ("Only listen to the change feed.", "bot.app.cli.daemon:intake"),
    "work": ("Only look at the pages that wait.", "bot.app.cli.daemon:work"),
    "read": ("Only read sources for workers elsewhere.", "bot.app.cli.daemon:read"),
    "publish": ("Only plan and post.", "bot.app.cli.daemon:publish"),
    "serve": ("Only serve the status page and metrics.", "bot.app.cli.daemon:serve"),
    "backup": ("Copy the whole database into a file.", "bot.app.cli.backup:backup"),
    "restore": ("Put a backup into an empty database.", "bot.app.cli.backup:restore"),
    "alive": ("Tell whether a part goes on here.", "bot.app.cli.status:alive"),
    "status": (
        "Tell how it is doing, and why nothing is posted.",
        "bot.app.cli.status:status",
    ),
    "posts": ("List parked posts, and settle them.", "bot.app.cli.status:posts"),
    "doctor": ("Try all that the settings need.", "bot.app.cli.doctor:doctor"),
    "demo": ("Try the bot live on a wiki of your own.", "bot.app.cli.demo:demo"),
    "wiki": ("Serve a wiki of your own to try the bot on.", "bot.app.cli.demo:wiki"),
    "gadget": ("Put the on-wiki gadget on a wiki.", "gadget.cli.gadget"),
    "index": ("Make documents searchable.", "bot.app.cli.index:index"),
    "search": ("Find documents that may bear a claim out.", "bot.app.cli.index:search"),
    "judgements": ("Write out what readers judged.", "bot.research.cli.judgements"),
    "evaluate": (
        "Measure the verifier on published data.",
        "bot.research.cli.evaluate",
    ),
    "benchmark": ("Prepare systems that write articles.", "bot.research.cli.benchmark"),
    "train": ("Fit a model anew.", "bot.research.cli.train"),
    "settings": ("Show every setting and its value.", "bot.app.cli.doctor:settings"),
    "completion": (
        "Print completions for a shell.",
        "bot.app.cli.manual:completion",
    ),
    "man": ("Print the manual page.", "bot.app.cli.manual:man"),
}


class _Lazy(click.Group):
    """A group whose commands are imported only when they are called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[name][1].partition(":")
        command = getattr(_imported(name, module), attribute or "command")
        assert isinstance(command, click.Command)  # noqa: S101 - narrows the type
        return command

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the commands without importing any: a person waits for the answer."""
        named = [
            CompletionItem(name, help=line)
            for name, (line, _) in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer a misspelt command with the one that was meant."""
        name = args[0] if args else ""
        if args and name not in _COMMANDS and not name.startswith("-"):
            meant = get_close_matches(name, _COMMANDS, n=1)
            hint = f" Did you mean {meant[0]!r}?" if meant else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (line, _) in _COMMANDS.items()])


def _imported(name: str, module: str) -> ModuleType:
    """Import what a command stands in.

    Raises:
        PermanentError: it is for researchers, and their packages are not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if not module.startswith("bot.research."):
            raise
        raise PermanentError(
            f"`sidenote {name}` is for researchers and needs packages that the bot does"
            f" not ({error.name} is missing): pip install 'sidenote[research]'"
        ) from error


@click.group(
    cls=_Lazy, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="SIDENOTE_SETTINGS",
    help="Settings file (TOML). Without it, the environment and the defaults count.",
)
@click.version_option(__version__, prog_name="sidenote")
@click.pass_context
def sidenote(context: click.Context, settings_file: Path | None) -> None:
    """Check whether the sources of a Wikipedia article support what it says.

    Point it at one article: `sidenote check TITLE` reads every citation's source
    and tells, claim by claim, whether the source supports it, with the quote
    that proves it. `sidenote run` shows the same on articles that ship with the
    program, without any network.
    """
    context.obj = settings_file


def main(arguments: list[str] | None = None) -> None:
    """Run the program and leave with its exit code.

    Without `arguments`, those that the process was started with count.
    """
    prepare_streams()
    with explain_failures():
        try:
            code = sidenote.main(arguments, prog_name="sidenote", standalone_mode=False)
        except click.exceptions.Abort as error:
            raise KeyboardInterrupt from error
        except click.ClickException as error:
            error.show()
            code = Exit.USAGE
        sys.exit(int(code or Exit.FINE))
