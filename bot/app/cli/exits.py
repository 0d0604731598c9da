"""Exit codes, and how a failure is told: one clear line, never a stack trace."""

import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

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
