"""Where things are kept on this machine."""

from pathlib import Path

from bot.settings import Settings
from handlers.ports import PermanentError


def index_folder(settings: Settings) -> Path:
    """Say where the local index is unless a command names another place."""
    return settings.data_dir / "index"


def make_folder(folder: Path) -> None:
    """Make a folder of ours, with those above it.

    Raises:
        PermanentError: we may not; the message says what to set.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder {folder} cannot be made ({error.strerror}); set"
            " SIDENOTE_DATA_DIR to one that you can write to"
        ) from error
