"""The reports of checked pages as files, for the status server and for whoever looks.

A look at a whole page takes the place of the one before. A look at some of its claims
only lies beside it, so that the whole is not lost.
"""

from dataclasses import dataclass
from pathlib import Path

from bot.adapters.whole_file import replacing, unwritten
from bot.report import PageReport
from bot.report.to_html import render_html
from bot.writing.local_pages import file_name


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
        kind = "changes" if report.unchanged else "whole"
        folder = self.folder / file_name(page.wiki)
        path = folder / f"{file_name(page.title)}.{kind}.html"
        try:
            with replacing(path, render_html([report])):
                pass
        except OSError as error:
            raise unwritten(f"the report {path}", error) from error
        return path
