"""The data folder: whether it is writable, has free space and is on a local disk."""

import os
import shutil
import stat
import tempfile
from functools import partial
from pathlib import Path

from bot.app.doctor.values import Group, Notes, Patient, Trial, in_thread
from bot.store.database import NETWORK_FILE_SYSTEMS, file_system_of

_MIB = 2**20
_LEAST_FREE = 200 * _MIB
_LEAST_FILES = 10_000
_ELSEWHERE = "Set SIDENOTE_DATA_DIR to a folder on a local disk that you can write to."
_OF_OTHERS_TO_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_SESSIONS = ("pywikibot", "pywikibot-deploy")


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of the data folder."""
    settings = patient.settings
    look = partial(_look, settings.data_dir, settings.cache_max_bytes)
    run = in_thread(look)
    return (Trial(Group.DATA, "folder", run, _ELSEWHERE, limit_s=10),)


def _look(folder: Path, cache_bytes: int, notes: Notes) -> None:
    there = _nearest(folder)
    if not there.is_dir():
        notes.broken("folder", f"{there} is not a folder", _ELSEWHERE)
        return
    if _is_writable(folder, there, notes):
        _room(there, cache_bytes, notes)
    kind = file_system_of(there)
    if kind in NETWORK_FILE_SYSTEMS:
        notes.warning(
            "file system",
            f"{folder} lies on a network file system ({kind}), which is slow, and where locks may fail",
            _ELSEWHERE,
        )
    else:
        notes.fine("file system", kind)


def _nearest(folder: Path) -> Path:
    """Return the folder, or the nearest above it that there is."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())


def _is_writable(folder: Path, there: Path, notes: Notes) -> bool:
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        why = (error.strerror or "error").lower()
        notes.broken("folder", f"{there} is not writable ({why})", _ELSEWHERE)
        return False
    if there != folder:
        notes.fine("folder", f"{folder} will be created")
        return True
    _note_others(folder, notes)
    notes.fine("folder", f"{folder} is writable")
    return True


def _note_others(folder: Path, notes: Notes) -> None:
    """Tell of other users who could change what lies here, or take our sessions."""
    if folder.stat().st_mode & _OF_OTHERS_TO_WRITE:
        notes.warning(
            "folder",
            f"other users can change files in {folder}",
            f"Type: chmod go-w {folder}",
        )
    open_to_all = [
        file
        for name in _SESSIONS
        for file in sorted((folder / name).glob("*.lwp"))
        if file.stat().st_mode & _OF_OTHERS
    ]
    if open_to_all:
        notes.warning(
            "sessions",
            f"other users can read {open_to_all[0]}, which contains the login of the bot",
            f"Type: chmod go= {open_to_all[0].parent}",
        )


def _room(there: Path, cache_bytes: int, notes: Notes) -> None:
    free = shutil.disk_usage(there).free
    seen = f"{free // _MIB:,} MiB free"
    room = os.statvfs(there)
    if room.f_files and room.f_favail < _LEAST_FILES:
        seen += f", and only {room.f_favail:,} more files"
    elif free >= cache_bytes + _LEAST_FREE:
        notes.fine("room", seen)
        return
    if free < _LEAST_FREE:
        notes.broken("room", seen, f"Free space on the disk of {there}.")
        return
    notes.warning(
        "room",
        f"{seen}; the cache of sources may take {cache_bytes // _MIB:,} MiB",
        "Free space, or lower SIDENOTE_CACHE_MAX_BYTES.",
    )
