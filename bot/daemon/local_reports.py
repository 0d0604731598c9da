"""The reports of checked pages as files, for the status server and for whoever looks.

A look at a whole page takes the place of the one before. A look at some of its claims
only lies beside it, so that the whole is not lost.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.adapters.old_files import remove_old
from bot.adapters.whole_file import replacing, unwritten
from bot.report import PageReport
from bot.report.to_html import render_html
from bot.watches import StandingWatch
from bot.writing.local_pages import file_name

_WHOLE, _CHANGES = ".whole.html", ".changes.html"


@dataclass(frozen=True, slots=True)
class LocalReports:
    """Writes reports into a folder, one below it for each wiki."""

    folder: Path

    def keep(self, report: PageReport) -> Path:
        """Write a report as a page of HTML; return where.

        Raises:
            PermanentError: the folder cannot be written to.
            TemporaryError: the disk is full; the report of before stays.
        """
        page = report.page.id
        ending = _CHANGES if report.unchanged else _WHOLE
        folder = self.folder / file_name(page.wiki)
        path = folder / f"{file_name(page.title)}{ending}"
        try:
            with replacing(path, render_html([report])):
                pass
        except OSError as error:
            raise unwritten(f"the report {path}", error) from error
        return path

    def forget(self, before: datetime, watches: Iterable[StandingWatch]) -> int:
        """Remove reports written before a time of pages that nobody watches.

        Returns how many files went.
        """
        watched = {
            (file_name(watch.wiki), file_name(title))
            for watch in watches
            for title in watch.pages
        }

        def stays(path: Path) -> bool:
            name = path.name.removesuffix(_WHOLE).removesuffix(_CHANGES)
            return (path.parent.name, name) in watched

        return remove_old(self.folder, (_WHOLE, _CHANGES), before, stays)
