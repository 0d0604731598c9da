"""The reports of checked pages as files, for the status server and for whoever looks.

A look at a whole page takes the place of the one before. A look at some of its claims
only lies beside it, so that the whole is not lost.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from bot.report import PageReport
from bot.report.to_html import render_html
from bot.writing.local_pages import file_name
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class LocalReports:
    """Writes reports into a folder, one below it for each wiki."""

    folder: Path

    def keep(self, report: PageReport) -> Path:
        """Write a report as a page of HTML; return where.

        Raises:
            PermanentError: the folder cannot be written to.
        """
        page = report.page.id
        kind = "changes" if report.unchanged else "whole"
        folder = self.folder / file_name(page.wiki)
        path = folder / f"{file_name(page.title)}.{kind}.html"
        unfinished = path.with_suffix(f".{os.getpid()}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_text(render_html([report]), "utf-8")
            unfinished.replace(path)
        except OSError as error:
            why = (error.strerror or "error").lower()
            raise PermanentError(
                f"the report {path} cannot be written ({why}); check its folder"
            ) from error
        return path
