"""The command line.

The words of a command go in; a result on standard output and an exit code come out. Each
command imports what it needs when it runs, so that `--help` is quick.

Commands are in modules of their names: `run`, `check`, `rank`, `review`, `discover`, `draft`,
`index`; `daemon` (and its parts), `status`, `doctor`, `backup`, `demo`, `manual`. All share
`terminal` (output, errors, exit codes: read it first), `options` and `progress`.
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
  0    nothing needs attention (some claims may be doubtful or could not be checked)
  1    something needs attention: a flagged claim, a newer fact, a finding of a review, a figure below its floor
  2    wrong usage or settings
  3    it cannot be done as asked (the page does not exist, a file cannot be read)
  4    something cannot be reached right now; the same command may work later
  70   an error in the program itself
  130  stopped with Ctrl-C
"""


# Each command's name, one-line summary and location.
_COMMANDS = {
    "check": ("Check one page, from a wiki or from disk.", "bot.app.cli.check"),
    "discover": ("Find newer facts for one article.", "bot.app.cli.discover"),
    "draft": ("Gather sources to write a new article from.", "bot.app.cli.draft"),
    "review": ("Review the writing of an article or draft.", "bot.app.cli.review"),
    "rank": (
        "List the claims of many pages, least supported first.",
        "bot.app.cli.rank",
    ),
    "sweep": ("Check a whole wiki, from a dump or a list.", "bot.research.cli.sweep"),
    "run": (
        "Try the bot on the articles that ship with it.",
        "bot.app.cli.run:run",
    ),
    "daemon": (
        "Watch wikis: listen, check, post and serve.",
        "bot.app.cli.daemon:daemon",
    ),
    "patrol": (
        "Look at all edits of wikis, and serve what is noted.",
        "bot.app.cli.daemon:patrol",
    ),
    "intake": ("Run one part: listen to the change feed.", "bot.app.cli.daemon:intake"),
    "work": ("Run one part: check the pages in the queue.", "bot.app.cli.daemon:work"),
    "read": (
        "Run one part: read sources for other workers.",
        "bot.app.cli.daemon:read",
    ),
    "publish": ("Run one part: plan and post.", "bot.app.cli.daemon:publish"),
    "serve": (
        "Run one part: serve the status page and metrics.",
        "bot.app.cli.daemon:serve",
    ),
    "backup": ("Back up the database to a file.", "bot.app.cli.backup:backup"),
    "restore": (
        "Restore a backup into an empty database.",
        "bot.app.cli.backup:restore",
    ),
    "alive": (
        "Check that a part is running on this machine.",
        "bot.app.cli.status:alive",
    ),
    "status": (
        "Show the state of the bot, and why nothing is posted.",
        "bot.app.cli.status:status",
    ),
    "posts": (
        "List posts with an unknown outcome, and settle them.",
        "bot.app.cli.status:posts",
    ),
    "readers": (
        "Take back one reader's decisions, or sign them out.",
        "gadget.readers",
    ),
    "doctor": (
        "Test the settings and everything they depend on.",
        "bot.app.cli.doctor:doctor",
    ),
    "demo": ("Try the bot on a MediaWiki on this machine.", "bot.app.cli.demo:demo"),
    "wiki": (
        "Run a MediaWiki on this machine, without the bot.",
        "bot.app.cli.demo:wiki",
    ),
    "gadget": ("Install the gadget on a wiki.", "gadget.cli"),
    "index": ("Make documents searchable.", "bot.app.cli.index:index"),
    "search": ("Find documents that may support a claim.", "bot.app.cli.index:search"),
    "judgements": (
        "Export the decisions and ratings of readers.",
        "bot.research.cli.judgements",
    ),
    "evaluate": (
        "Measure the program on published data sets.",
        "bot.research.cli.evaluate",
    ),
    "benchmark": (
        "Prepare the articles of writing systems for a benchmark.",
        "bot.research.cli.benchmark",
    ),
    "train": ("Train a model again.", "bot.research.cli.train"),
    "settings": ("Show every setting and its value.", "bot.app.cli.doctor:settings"),
    "completion": (
        "Print shell completions.",
        "bot.app.cli.manual:completion",
    ),
    "man": ("Print the manual page.", "bot.app.cli.manual:man"),
}


class _Lazy(click.Group):
    """A group that imports a command only when it is used."""

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
        """List the commands without importing them, so that help and completion are fast."""
        named = [
            CompletionItem(name, help=line)
            for name, (line, _) in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command when one is misspelt."""
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
    """Import the module of a command.

    Raises:
        PermanentError: the command needs the research packages, which are not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if not module.startswith("bot.research."):
            raise
        raise PermanentError(
            f"`sidenote {name}` needs the research packages ({error.name} is missing);"
            " type this in a checkout: pip install -e '.[research]'"
        ) from error


@click.group(
    cls=_Lazy, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="SIDENOTE_SETTINGS",
    help="Settings file (TOML). Without it, settings come from the environment and the defaults.",
)
@click.version_option(__version__, prog_name="sidenote")
@click.pass_context
def sidenote(context: click.Context, settings_file: Path | None) -> None:
    """Check whether the sources of a Wikipedia article support what it says.

    `sidenote check TITLE` reads the sources of one article and says, claim by claim,
    whether they support it, with the quote that decides. `sidenote run` shows the same
    on articles that ship with the program, without a network.
    """
    context.obj = settings_file


def main(arguments: list[str] | None = None) -> None:
    """Run the program and exit with its code.

    `arguments` defaults to those of the process.
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
