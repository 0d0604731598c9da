"""Where a report goes: the terminal, a pipe or a file that is replaced at once."""

import os
import shutil
import sys
import tempfile
from enum import Enum
from pathlib import Path

from bot.cli.exits import Exit
from bot.report import (
    PageReport,
    render_html,
    render_json,
    render_overview,
    render_text,
)
from handlers.model import Verdict
from handlers.ports import PermanentError

_MAX_WIDTH = 100


class Format(Enum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def render(reports: list[PageReport], form: Format, *, to_terminal: bool) -> str:
    """Return the reports in one document of the wanted form."""
    if form is Format.JSON:
        return render_json(reports)
    if form is Format.HTML:
        return render_html(reports)
    return render_text(reports, width=_width(), colour=_colour(to_terminal))


def overview(reports: list[PageReport]) -> str:
    """Return the counts and the surest findings for standard output."""
    colour = _colour(sys.stdout.isatty())
    return render_overview(reports, width=_width(), colour=colour)


def deliver(reports: list[PageReport], form: Format, output: Path | None) -> None:
    """Write the reports to `output`, or to standard output if that is `None`."""
    if output is None:
        sys.stdout.write(render(reports, form, to_terminal=sys.stdout.isatty()))
        return
    write_whole(output, render(reports, form, to_terminal=False))
    sys.stderr.write(f"The report is in {output.resolve()}\n")


def _width() -> int:
    return min(shutil.get_terminal_size().columns, _MAX_WIDTH)


def _colour(to_terminal: bool) -> bool:
    return to_terminal and "NO_COLOR" not in os.environ


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path`, all of it or nothing.

    Raises:
        PermanentError: the folder is missing, full or not writable.
    """
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, delete=False
        ) as new:
            new.write(text)
        Path(new.name).chmod(0o644)
        Path(new.name).replace(path)
    except OSError as error:
        raise PermanentError(
            f"cannot write {path} ({error.strerror}); name another file with --output"
        ) from error


def exit_code(reports: list[PageReport]) -> Exit:
    """Tell whether a claim needs a person."""
    fine = {None, Verdict.SUPPORTED}
    needs = any(
        check.verdict not in fine for report in reports for check in report.checks
    )
    return Exit.NEEDS_ATTENTION if needs else Exit.FINE
