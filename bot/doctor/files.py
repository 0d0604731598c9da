"""Files that steer us: who else can write them, and whether secrets lie in them."""

import os
import re
import stat
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.doctor.values import Notes, Patient

_ACCOUNT_FILE, _HOME = "user-config.py", "PYWIKIBOT_DIR"
_OF_OTHERS_TO_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OF_OTHERS_TO_READ = stat.S_IRGRP | stat.S_IROTH
_MAX_BYTES = 100_000
# A token or a password written out; what is read from the environment is no literal.
_LITERAL = re.compile(
    r"authenticate\s*\[[^\]]*\]\s*=\s*\(?\s*['\"][^'\"]{8,}|password\w*\s*=\s*['\"][^'\"]+",
    re.IGNORECASE,
)


def note_files(patient: Patient, notes: Notes) -> None:
    """Write down what is wrong with the settings file and Pywikibot's account file."""
    if patient.settings_file is not None:
        _settings_file(patient, patient.settings_file, notes)
    _account_file(patient, notes)


def _settings_file(patient: Patient, file: Path, notes: Notes) -> None:
    name, mode = "settings file", file.stat().st_mode
    if mode & _OF_OTHERS_TO_WRITE:
        # A group may be the maintainers of one tool, as on Toolforge, or everybody.
        is_open = bool(mode & stat.S_IWOTH)
        note = notes.broken if is_open else notes.warning
        whom = "everybody" if is_open else "your group"
        note(
            name,
            f"{file} can be changed by {whom}, and so whatever Sidenote does",
            f"Type: chmod go-w {file}",
        )
        return
    if _holds_password(patient, file):
        others = ", and other users can read it" if mode & _OF_OTHERS_TO_READ else ""
        notes.warning(
            name,
            f"the password of the database stands in {file}{others}",
            "Take the line out and set SIDENOTE_DATABASE in the environment.",
        )
        return
    notes.fine(name, f"{file}: only you can change it, and no secret is in it")


def _holds_password(patient: Patient, file: Path) -> bool:
    try:
        password = make_url(patient.settings.database_url).password
    except (ArgumentError, ValueError):
        return False
    return bool(password) and str(password) in file.read_text("utf-8", "replace")


def _account_file(patient: Patient, notes: Notes) -> None:
    """Look at the file that Pywikibot runs as a program when the bot logs in."""
    home = patient.environment.get(_HOME)
    file = (Path(home) if home else Path()) / _ACCOUNT_FILE
    if not file.is_file():
        if patient.environment.get("SIDENOTE_OAUTH"):
            notes.broken(
                _ACCOUNT_FILE,
                f"there is none in {file.parent.absolute()}, so SIDENOTE_OAUTH is not read",
                "Start Sidenote in the folder that holds its user-config.py.",
            )
        return
    if _is_skipped(patient, file, notes):
        return
    if _LITERAL.search(file.read_text("utf-8", "replace")[:_MAX_BYTES]):
        notes.warning(
            _ACCOUNT_FILE,
            f"a secret is written out in {file.absolute()}",
            "Take it out and set SIDENOTE_OAUTH (four tokens) or SIDENOTE_BOT_PASSWORD in the environment.",
        )
        return
    notes.fine(_ACCOUNT_FILE, f"{file.absolute()}: only you can change it")


def _is_skipped(patient: Patient, file: Path, notes: Notes) -> bool:
    """Tell of what keeps Pywikibot from reading the file, by its own rules."""
    about, where = file.stat(), file.absolute()
    needed = bool(patient.environment.get("SIDENOTE_OAUTH"))
    note = notes.broken if needed else notes.warning
    if about.st_uid not in {0, os.getuid()}:
        note(
            _ACCOUNT_FILE,
            f"{where} is another user's, so Pywikibot skips it"
            + (" and SIDENOTE_OAUTH is not read" if needed else ""),
            f"Copy it to a folder of your own (cp {where} DIR) and set {_HOME} to that folder; with a bot password nothing of it is needed.",
        )
        return True
    if about.st_mode & stat.S_IWOTH:
        notes.broken(
            _ACCOUNT_FILE,
            f"{where} can be changed by everybody, so Pywikibot skips it",
            f"Type: chmod go-w {where}",
        )
        return True
    if about.st_mode & stat.S_IWGRP:
        notes.warning(
            _ACCOUNT_FILE,
            f"{where} is run as a program at each login, and your group can change it",
            f"Type: chmod go-w {where}",
        )
        return True
    return False
