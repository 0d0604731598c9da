"""The reports of checked pages as files, for the status server and for people.

A check of a whole page replaces earlier ones. A check of only some of its claims is
written beside it, so that the full report is not lost.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from bot.records.watches import ActiveWatch
from bot.report import PageReport
from bot.report.to_html import render_html
from bot.sources.files import remove_old, replacing, unwritten
from bot.writing.dry_run import file_name

_WHOLE, _CHANGES = ".whole.html", ".changes.html"
_A_MOMENT = timedelta(minutes=10)  # within which a run and its report are written

_FirstCheck: TypeAlias = tuple[str, str, datetime]  # wiki, title and time


@dataclass(frozen=True, slots=True)
class LocalReports:
    """Writes reports into a folder, with a subfolder for each wiki."""

    folder: Path

    def keep(self, report: PageReport) -> Path:
        """Write a report as an HTML page; return its path.

        Raises:
            PermanentError: the folder cannot be written to.
            TemporaryError: the disk is full; the previous report stays.
        """
        page = report.page.id
        ending = _CHANGES if report.unchanged else _WHOLE
        folder = self.folder / file_name(page.wiki)
        path = folder / f"{file_name(page.title)}{ending}"
        try:
            with replacing(path, render_html([report])):
                pass
            if ending == _WHOLE:
                path.with_name(f"{file_name(page.title)}{_CHANGES}").unlink(
                    missing_ok=True
                )
        except OSError as error:
            raise unwritten(f"the report {path}", error) from error
        return path

    def forget(self, before: datetime, watches: Iterable[ActiveWatch]) -> int:
        """Remove reports written before a time about pages that nobody watches.

        Returns how many files were removed.
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

    def forget_taken_back(
        self, first_checks: Iterable[_FirstCheck], since: datetime, now: datetime
    ) -> int:
        """Remove reports of withdrawn checks; return how many files were removed.

        When text is hidden on a wiki, what was found about the page is removed from the
        database at once, and another machine may make the next check.

        Args:
            first_checks: of each page, the oldest check that is kept.
            since: all checks since then are kept, except withdrawn ones. An earlier
                report stays if there are later checks.
            now: the time.
        """
        written = self._written(now - _A_MOMENT)
        if not written:
            return 0
        for wiki, title, first in first_checks:
            place = file_name(wiki), file_name(title)
            for path, at in list(written.get(place, {}).items()):
                if at < since or at >= first:
                    del written[place][path]
        gone = 0
        for path in chain.from_iterable(written.values()):
            with suppress(OSError):
                path.unlink()
                gone += 1
        return gone

    def _written(self, before: datetime) -> dict[tuple[str, str], dict[Path, datetime]]:
        """Return when each page's reports were written, for those before a time."""
        found: dict[tuple[str, str], dict[Path, datetime]] = {}
        for path in self.folder.glob("*/*"):
            name = path.name.removesuffix(_WHOLE).removesuffix(_CHANGES)
            with suppress(OSError):
                if name == path.name or path.is_symlink() or not path.is_file():
                    continue
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                if at < before:
                    found.setdefault((path.parent.name, name), {})[path] = at
        return found
