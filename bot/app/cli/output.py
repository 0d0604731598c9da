"""Writes a report in the requested format, to a file or to standard output."""

import os
import shutil
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from bot.app.cli.terminal import Exit, write_out, write_whole
from bot.report import (
    PageReport,
    render_html,
    render_json,
    render_summary,
    render_text,
)
from bot.report.notes import notes_of

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
    return render_text(reports, width=terminal_width(), colour=_colour(to_terminal))


def summary(reports: list[PageReport], places: Mapping[str, str]) -> str:
    """Return one screen of text: addresses, counts and the most certain findings."""
    colour = _colour(is_terminal())
    return render_summary(reports, places, width=terminal_width(), colour=colour)


def deliver(reports: list[PageReport], form: Format, output: Path | None) -> None:
    """Write the reports to `output`, or to standard output if that is `None`."""
    document = render(reports, form, to_terminal=output is None and is_terminal())
    put(document, "report", output, is_text=form is Format.TEXT)


def put(document: str, what: str, output: Path | None, *, is_text: bool) -> None:
    """Write a document to `output`, or to standard output if that is `None`.

    `what` names the document in messages, such as “report”. With `is_text` it is written
    in the encoding of the terminal, otherwise in UTF-8.
    """
    if output is None:
        write_out(document, as_utf8=not is_text)
        return
    write_whole(output, document)
    sys.stderr.write(f"Wrote the {what} to {output.resolve()}\n")


def text_width(output: Path | None) -> int:
    """Return the width of text for `output`, or for standard output."""
    return terminal_width() if output is None and is_terminal() else _MAX_WIDTH


def is_terminal() -> bool:
    """Return whether standard output is a terminal; it may also be closed."""
    return sys.stdout is not None and sys.stdout.isatty()


def terminal_width() -> int:
    """Return the width of text on the terminal."""
    return min(shutil.get_terminal_size().columns, _MAX_WIDTH)


def _colour(to_terminal: bool) -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return to_terminal and not plain


def exit_code(reports: list[PageReport]) -> Exit:
    """Return whether anything needs attention; doubtful claims alone do not."""
    needs = any(
        any(check.flag for check in report.checks)
        or any(note.is_flagged for note in notes_of(report))
        for report in reports
    )
    return Exit.NEEDS_ATTENTION if needs else Exit.FINE
