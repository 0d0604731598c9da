"""`sidenote backup` and `sidenote restore`."""

import gzip
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from bot.app.cli.options import pass_settings
from bot.app.cli.progress import step
from bot.app.cli.terminal import Exit
from bot.app.wiring.store import open_store
from bot.settings import Settings
from handlers.ports import PermanentError

_ENDING = ".jsonl.gz"
_MOST_LINE = 64_000_001
_LEVEL = 6


@click.command(name="backup")
@click.argument("place", metavar="FILE|FOLDER/|-")
@click.option(
    "--keep",
    type=click.IntRange(1, 1000),
    default=14,
    show_default=True,
    help="Days to keep backups in a folder; older ones are deleted.",
)
@pass_settings
def backup(settings: Settings, place: str, keep: int) -> Exit:
    """Back up the database to a file, or to standard output with `-`.

    The bot may keep running: the copy is consistent. In a FOLDER/ the file is named after
    the time. It contains user names, so only its owner may read it, and it should not be
    kept for longer than thirty days.
    """
    now = datetime.now(UTC)
    with (
        step("Backing up the database"),
        open_store(settings) as store,
        _written(place, now) as out,
    ):
        counts = store.back_up(lambda line: out.write(line.encode("ascii")), now)
    if place.endswith("/"):
        _clear(Path(place), now, keep)
    _report("backed up", counts)
    return Exit.FINE


@click.command(name="restore")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@pass_settings
def restore(settings: Settings, file: Path) -> Exit:
    """Restore a backup into the database in the settings, which must be empty.

    The backup may come from SQLite or MariaDB, whichever the database is. The file is
    verified before anything is written. Posts that were pending when the backup was made
    may be on the wiki by now, so the bot looks there before it posts them.
    """
    with step("Restoring the database"), open_store(settings) as store:
        counts = store.restore(lambda: _read(file))
    _report("restored", counts)
    return Exit.FINE


def _clear(folder: Path, now: datetime, keep_days: int) -> None:
    """Delete old backups, and unfinished ones that were interrupted."""
    first = _named(now - timedelta(days=keep_days))
    gone = [old for old in folder.glob(f"sidenote-*{_ENDING}") if old.name < first]
    first = _named(now - timedelta(days=1))
    gone += [old for old in folder.glob(".sidenote-*.part") if old.name[1:] < first]
    for old in gone:
        with suppress(OSError):
            old.unlink()


def _named(at: datetime) -> str:
    return f"sidenote-{at:%Y%m%d-%H%M%S}{_ENDING}"


@contextmanager
def _written(place: str, now: datetime) -> Iterator[gzip.GzipFile]:
    """Yield the compressed file; it appears whole or not at all."""
    if place == "-":
        with gzip.GzipFile(fileobj=sys.stdout.buffer, mode="wb", compresslevel=_LEVEL) as out:  # fmt: skip
            yield out
        sys.stdout.buffer.flush()
        return
    path = Path(place)
    if place.endswith("/"):
        path = path / _named(now)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(unfinished, mode, 0o600), "wb") as file:
            with gzip.GzipFile("", "wb", _LEVEL, file) as out:
                yield out
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        why = (error.strerror or "error").lower()
        raise PermanentError(
            f"the backup cannot be written to {path} ({why}); choose another place"
        ) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _read(file: Path) -> Iterator[str]:
    try:
        with gzip.open(file, "rb") as pressed:
            while line := pressed.readline(_MOST_LINE):
                yield line.decode("ascii", "replace")
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            f"{file} is incomplete or damaged ({error}); use another backup"
        ) from error


def _report(done: str, counts: Mapping[str, int]) -> None:
    full = sum(1 for count in counts.values() if count)
    click.echo(f"{done}: {sum(counts.values()):,} rows in {full} tables", err=True)
