"""Options that several commands share, and the pages named on the command line."""

import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bot.app.cli.terminal import Exit
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.wiki import open_wiki
from bot.settings import Settings, load_settings
from bot.wiki.address import parse_page_address
from bot.wiki.pages import WikiPage
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.wiki.reader import WikiReader

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Option = Callable[[_Command], _Command]


def in_form(forms: type[Enum], what: str) -> _Option[Any]:
    """Return the option `--format`, passed to the command as `form`.

    `what` names the result, such as a report. Text is the default, so `forms` must have
    a member whose value is `text`.
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms, case_sensitive=False),
        default=forms("text"),
        show_default="text",
        help=f"How the {what} is written.",
    )


def text_or_json() -> _Option[Any]:
    """Return the option `--format` of commands about the program itself."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Text for people, JSON for programs.",
    )


def into_file(what: str) -> _Option[Any]:
    """Return the option `--output`: the file that `what` is written to."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help=f"Write the {what} to this file instead of standard output.",
    )


def without_asking() -> _Option[Any]:
    """Return the option `--yes`, which skips the confirmation before a model costs money."""
    return click.option(
        "-y",
        "--yes",
        is_flag=True,
        help="Do not ask for confirmation before a language model costs money.",
    )


def pass_settings(command: Callable[..., Exit]) -> Callable[..., Exit]:
    """Pass the settings in force to a command, and log as they say."""

    @click.pass_obj
    @wraps(command)
    def run(settings_file: Path | None, /, *given: Any, **named: Any) -> Exit:
        settings = load_settings(settings_file)
        configure_logging(settings)
        return command(settings, *given, **named)

    return run


def _all(options: Sequence[_Option[Any]]) -> _Option[Any]:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def of_one_page(
    verb: str, what: str = "wikitext", *, named: str | None = None
) -> _Option[Any]:
    """Return the argument and the options that `OnePage` takes.

    Args:
        verb: what is done with the page: “Check” or “Use”.
        what: a file may hold.
        named: help of `--title`, for commands that need the title of a file's article.
    """
    options = [
        click.argument("title", required=False),
        click.option("--wiki", help="The wiki of TITLE, such as de.wikipedia.org."),
        click.option(
            "--revision", type=click.IntRange(min=1), help=f"{verb} this revision."
        ),
        click.option(
            "--file",
            "file",
            type=click.Path(path_type=Path, dir_okay=False),
            help=f"{verb} this file of {what} instead of a page on a wiki.",
        ),
    ]
    if named is not None:
        options.append(click.option("--title", "named", help=named))
    return _all(options)


def from_folder(
    about: str = "Read sources from this folder (with its index.json), never from the web.",
) -> _Option[Any]:
    """Return the option `--sources`: a folder to read in place of the web."""
    return click.option(
        "--sources", type=click.Path(path_type=Path, file_okay=False), help=about
    )


def search_in() -> _Option[Any]:
    """Return the option `--search`; see `searched`."""
    return click.option(
        "--search",
        multiple=True,
        metavar="WHERE",
        help="Search here instead of the services in the settings: an index, a folder of"
        ' documents, or services such as "gdelt>brave, crossref". May be repeated.',
    )


def searched(given: Sequence[str]) -> tuple[tuple[Path, ...], str | None]:
    """Return the folders and the services that `--search` names.

    The services are `None` if it was not given: then those in the settings are used.
    """
    # `Path.exists` raises for long names, such as a long list of services.
    folders = tuple(Path(where) for where in given if os.path.exists(where))  # noqa: PTH110
    services = ", ".join(where for where in given if Path(where) not in folders)
    return folders, services if given else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePage:
    """A page on a wiki, or a file in its place.

    `named` is the title of the article in a file, if the file does not give one.
    """

    title: str | None
    wiki: str | None
    revision: int | None
    file: Path | None
    named: str | None = None

    def validate(self) -> None:
        """Refuse arguments that name no page, or two.

        Raises:
            click.UsageError: the arguments do not go together; the message says which
                do.
        """
        if self.title is None and self.file is None:
            raise click.UsageError("give a TITLE or --file")
        if self.title is not None and self.file is not None:
            raise click.UsageError("give either a TITLE or --file, not both")
        if self.file is not None and self.revision is not None:
            raise click.UsageError("--revision needs a TITLE; a file has no revisions")
        if self.named is not None and self.file is None:
            raise click.UsageError("--title needs --file")

    async def read(self, settings: Settings) -> WikiPage:
        """Read the page.

        Raises:
            PermanentError, TemporaryError: it cannot be read.
        """
        if self.file is None:
            return await page_titled(
                settings, self.title or "", self.wiki, self.revision
            )
        page = _in_file(self.file, self.wiki)
        return replace(page, id=replace(page.id, title=self.named or page.id.title))


_ENDINGS = frozenset({".wikitext", ".wiki", ".mediawiki", ".txt"})
_MAX_LIST_BYTES = 10_000_000
_LONGEST_NAME = 1000  # characters; any longer, the file system only raises an error


@dataclass(frozen=True, slots=True)
class Target:
    """A page given on the command line; `read` may fail for one and not for others."""

    name: str
    read: Callable[[], Awaitable[WikiPage]]


@dataclass(frozen=True, slots=True)
class Targets:
    """Finds the pages that the arguments name. One reader serves all pages of a wiki."""

    settings: Settings
    wiki: str | None

    def of(self, arguments: Sequence[str], listed: Path | None) -> list[Target]:
        """Return each page once, in the order given.

        If a file or folder of that name exists, it is read; otherwise the name is a
        title.

        Raises:
            PermanentError: the list cannot be read, or a folder has no wikitext.
        """
        names = [*arguments, *(lines_of(listed) if listed else ())]
        found: dict[str, Target] = {}
        for name in names:
            for one in self._targets(name):
                found.setdefault(one.name, one)
        return list(found.values())

    def _targets(self, name: str) -> Iterator[Target]:
        path = Path(name)
        if "\0" in name or len(name) > _LONGEST_NAME:
            yield self._titled(name)
        elif not path.exists():
            is_title = "://" in name or not (  # otherwise a missing file
                path.suffix.lower() in _ENDINGS or name.endswith("/")
            )
            yield self._titled(name) if is_title else self._file(path)
        elif path.is_dir():
            yield from map(self._file, _pages_in(path))
        else:
            yield self._file(path)

    def _file(self, path: Path) -> Target:
        async def read() -> WikiPage:
            return _in_file(path, self.wiki)

        return Target(str(path), read)

    def _titled(self, title: str) -> Target:
        async def read() -> WikiPage:
            return await page_titled(self.settings, title, self.wiki, None)

        return Target(title, read)


async def page_titled(
    settings: Settings, title: str, wiki: str | None, revision: int | None
) -> WikiPage:
    """Read a page by its title, or by a URL pasted from a browser."""
    pasted = parse_page_address(title)
    reader = reader_of(settings, title, wiki)
    if pasted is None:
        return await reader.page(title, revision)
    return await reader.page(pasted.title, revision or pasted.revision_id)


def reader_of(settings: Settings, title: str, wiki: str | None) -> "WikiReader":
    """Return the reader of the wiki that a title or a URL is of."""
    pasted = parse_page_address(title)
    return open_wiki(settings, pasted.wiki if pasted else wiki or settings.wiki)


def _in_file(path: Path, wiki: str | None) -> WikiPage:
    # Imported here: `status` and `alive` need no client of wikis, which comes with it.
    from bot.wiki.folder import read_page_file

    return read_page_file(path, wiki=wiki)


def _pages_in(folder: Path) -> list[Path]:
    pages = sorted(path for path in folder.iterdir() if path.suffix.lower() in _ENDINGS)
    if not pages:
        endings = ", ".join(sorted(_ENDINGS))
        raise PermanentError(f"{folder} has no wikitext files ({endings})")
    return pages


def lines_of(path: Path) -> Iterator[str]:
    """Return the entries of a list, one a line, without blank lines and comments.

    Raises:
        PermanentError: the list cannot be read, is too large, or is not UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_LIST_BYTES + 1)
        if len(content) > _MAX_LIST_BYTES:
            raise PermanentError(f"{path} is larger than {_MAX_LIST_BYTES:,} bytes")
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror}); --list takes a file with one"
            " title, URL or file path per line"
        ) from error
    except UnicodeDecodeError as error:
        raise PermanentError(f"{path} is not in UTF-8; save it as UTF-8") from error
    lines = (line.strip() for line in text.splitlines())
    return (line for line in lines if line and not line.startswith("#"))
