"""Exit codes, and how a failure is told: one clear line, never a stack trace."""

import sys
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
    INTERRUPTED = 130


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn the project's two failures into a line on stderr and an exit code."""
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


def _leave(message: str, code: Exit) -> None:
    for line in message.splitlines():
        sys.stderr.write(f"sidenote: {line}\n")
    sys.exit(int(code))
