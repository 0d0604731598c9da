"""What a command for one page was asked for."""

from dataclasses import dataclass, replace
from pathlib import Path

import click

from bot.app.cli.targets import page_titled
from bot.settings import Settings
from bot.wiki.folder import read_page_file
from bot.wiki.pages import WikiPage


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePage:
    """A page of a wiki, or a file instead.

    `named` is what the article of a file is called, where the file does not say.
    """

    title: str | None
    wiki: str | None
    revision: int | None
    file: Path | None
    named: str | None = None

    def require_sense(self) -> None:
        """Refuse what names no page or two of them.

        Raises:
            click.UsageError: which says what goes together.
        """
        if (self.title is None) == (self.file is None):
            raise click.UsageError("give either a TITLE or --file, and not both")
        if self.file is not None and self.revision is not None:
            raise click.UsageError("--revision goes with a TITLE; a file has one text")
        if self.named is not None and self.file is None:
            raise click.UsageError("--title goes with --file")

    async def read(self, settings: Settings) -> WikiPage:
        """Read the page.

        Raises:
            PermanentError, TemporaryError: it cannot be read.
        """
        if self.file is None:
            return await page_titled(
                settings, self.title or "", self.wiki, self.revision
            )
        page = read_page_file(self.file, wiki=self.wiki)
        return replace(page, id=replace(page.id, title=self.named or page.id.title))
