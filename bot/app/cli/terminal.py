"""What all commands share: where the result goes, error messages and exit codes."""

import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum, IntEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from bot.settings import SettingsError
from handlers.ports import PermanentError, TemporaryError

if TYPE_CHECKING:
    from bot.report import PageReport


class Exit(IntEnum):
    """The exit codes."""

    FINE = 0
    NEEDS_ATTENTION = 1
    USAGE = 2
    CANNOT = 3
    LATER = 4
    FAULT = 70  # a bug in the program, not a finding
    INTERRUPTED = 130


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn any exception into a line on stderr and an exit code."""
    try:
        yield
    except SettingsError as error:
        _leave(str(error), Exit.USAGE)
    except PermanentError as error:
        _leave(str(error), Exit.CANNOT)
    except TemporaryError as error:
        wait = f" (try again in {error.retry_in_s:.0f} s)" if error.retry_in_s else ""
        _leave(f"{error}{wait}", Exit.LATER)
    except KeyboardInterrupt:
        _leave("stopped", Exit.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - a script must not take it for a finding
        kind = type(error).__name__
        _leave(
            f"this is an error in Sidenote itself ({kind}); please report it{_trace()}",
            Exit.FAULT,
        )


def _trace() -> str:
    """Save the stack trace for a bug report, and say where it is."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="sidenote-fault-", suffix=".txt", delete=False
        ) as file:
            file.write(traceback.format_exc())
    except OSError:
        return ""
    return f", together with {file.name}"


def _leave(message: str, code: Exit) -> None:
    for line in message.splitlines():
        sys.stderr.write(f"sidenote: {line}\n")
    sys.exit(int(code))


def prepare_streams() -> None:
    """Make sure that no message fails because of its encoding or a closed stream."""
    if sys.stderr is None:  # after `2>&-` Python has no stderr
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the program's own
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_out(text: str, *, as_utf8: bool = False) -> None:
    """Write to standard output; a pipe that closes early (`| head`) is not an error.

    With `as_utf8` it is always UTF-8; otherwise the encoding of the terminal.

    Raises:
        PermanentError: standard output is closed or full.
    """
    if sys.stdout is None:
        raise _unwritable("standard output", "it is closed")
    if as_utf8 and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_standard_output()
    except OSError as error:
        _drop_standard_output()
        raise _unwritable("standard output", _why(error)) from error


def _drop_standard_output() -> None:
    """Discard what is still buffered, so that Python does not complain when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def require_place_for(path: Path | None) -> None:
    """Refuse a file that cannot be written, before any work is done.

    Raises:
        PermanentError: its folder is missing or not writable, or it is a folder.
    """
    if path is None:
        return
    if path.is_dir():
        raise _unwritable(path, "it is a folder")
    if not path.parent.is_dir():
        raise _unwritable(path, f"there is no folder {path.parent}")
    if _is_special(path):
        return
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except (OSError, RuntimeError) as error:
        raise _unwritable(path, _why(error)) from error


def make_folder(folder: Path) -> None:
    """Make a folder for results, before any work is done.

    Raises:
        PermanentError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder {folder} cannot be created ({error.strerror}); choose another"
        ) from error


def write_whole(path: Path, text: str) -> None:
    """Write all of `text` to `path`, or nothing.

    A device or a pipe is written to directly; a link is followed.

    Raises:
        PermanentError: the folder is missing, full or not writable.
    """
    try:
        if _is_special(path):
            path.write_text(text, "utf-8")
        else:
            _replace(path.resolve(), text)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise _unwritable(path, _why(error)) from error


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _replace(path: Path, text: str) -> None:
    unfinished = path.parent / f".sidenote-{os.getpid()}.part"
    try:
        with unfinished.open("w", encoding="utf-8", errors="backslashreplace") as new:
            new.write(text)
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _unwritable(place: Path | str, why: str) -> PermanentError:
    return PermanentError(f"cannot write to {place} ({why}); choose another file")


# Writes a report in the requested format, to a file or to standard output.

_MAX_WIDTH = 100


class Format(Enum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def render(reports: list["PageReport"], form: Format, *, to_terminal: bool) -> str:
    """Return the reports as one document in this format."""
    from bot.report import render_html, render_json, render_text

    if form is Format.JSON:
        return render_json(reports)
    if form is Format.HTML:
        return render_html(reports)
    return render_text(reports, width=terminal_width(), colour=_colour(to_terminal))


def summary(reports: list["PageReport"], places: Mapping[str, str]) -> str:
    """Return one screen of text: addresses, counts and the first findings."""
    from bot.report import render_summary

    colour = _colour(is_terminal())
    return render_summary(reports, places, width=terminal_width(), colour=colour)


def deliver(reports: list["PageReport"], form: Format, output: Path | None) -> None:
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


def exit_code(reports: list["PageReport"]) -> Exit:
    """Return whether anything needs attention; doubtful claims alone do not."""
    from bot.report.notes import notes_of

    needs = any(
        any(check.flag for check in report.checks)
        or any(note.is_flagged for note in notes_of(report))
        for report in reports
    )
    return Exit.NEEDS_ATTENTION if needs else Exit.FINE
