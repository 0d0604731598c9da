"""How the program speaks and ends: exit codes, failures as one line, output in one piece.

What a person runs has a pipe that ends early, a full disk, a terminal without our
letters. None of these may cost a report that took minutes, and none may end in a stack
trace.
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from io import TextIOWrapper
from pathlib import Path

from bot.settings import SettingsError
from handlers.ports import PermanentError, TemporaryError


class Exit(IntEnum):
    """What a script learns from the program's end."""

    FINE = 0
    NEEDS_ATTENTION = 1
    USAGE = 2
    CANNOT = 3
    LATER = 4
    FAULT = 70  # of the program itself; never to be taken for a finding
    INTERRUPTED = 130


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn whatever ends the program into a line on stderr and an exit code."""
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
    except Exception as error:  # noqa: BLE001 - a script must not read it as a finding
        kind = type(error).__name__
        _leave(
            f"this is a fault of Sidenote itself ({kind}); please report it{_trace()}",
            Exit.FAULT,
        )


def _trace() -> str:
    """Keep the stack trace for a report of the fault, and say where it is."""
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
    """Make sure that telling something cannot fail for want of a letter or a stream."""
    if sys.stderr is None:  # `2>&-`; Python has no stream then
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the program's own
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_out(text: str, *, as_utf8: bool = False) -> None:
    """Write to standard output; a reader who has seen enough (`| head`) is no failure.

    With `as_utf8` it is a document in UTF-8 wherever it goes; else the terminal's
    own letters are used.

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
    """Let what is still buffered go nowhere, or Python complains once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def require_place_for(path: Path | None) -> None:
    """Refuse a file that cannot be written, before the work whose result it takes.

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
    """Make a folder for results, before the work whose results it takes.

    Raises:
        PermanentError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder {folder} cannot be made ({error.strerror}); name another"
        ) from error


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path`, all of it or nothing.

    A device or a pipe is written to as it is; a link leads to its target.

    Raises:
        PermanentError: the folder is missing, full or not writable.
    """
    try:
        if _is_special(path):
            path.write_text(text, "utf-8")
        else:
            _replace(path.resolve(), text)
    except (OSError, RuntimeError) as error:  # links in a circle
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
    return PermanentError(f"cannot write {place} ({why}); name another file")
