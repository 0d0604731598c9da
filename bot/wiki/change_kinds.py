"""What wikis call the things that are done to pages, and those who do them. Pure."""

import re
from collections.abc import Collection
from ipaddress import ip_address

from bot.records.changes import ChangeKind, UserKind

_TEMPORARY = re.compile(r"~\d{4}-")
_LOGS = {
    ("move", "move"): ChangeKind.MOVE,
    ("move", "move_redir"): ChangeKind.MOVE,
    ("delete", "delete"): ChangeKind.DELETE,
    ("delete", "delete_redir"): ChangeKind.DELETE,
    ("delete", "delete_redir2"): ChangeKind.DELETE,
    ("suppress", "delete"): ChangeKind.DELETE,
    ("delete", "restore"): ChangeKind.RESTORE,
    ("delete", "revision"): ChangeKind.VISIBILITY,
    ("suppress", "revision"): ChangeKind.VISIBILITY,
    ("delete", "event"): ChangeKind.VISIBILITY,  # what a log says of the page
    ("suppress", "event"): ChangeKind.VISIBILITY,
}
_TYPES = {
    "edit": ChangeKind.EDIT,
    "new": ChangeKind.NEW,
    "categorize": ChangeKind.CATEGORY,
}


def change_kind(type_: str, log_type: str | None, log_action: str | None) -> ChangeKind:
    """Return what a line of recent changes tells of."""
    if type_ == "log":
        return _LOGS.get((log_type or "", log_action or ""), ChangeKind.OTHER)
    return _TYPES.get(type_, ChangeKind.OTHER)


def user_kind(
    name: str | None, *, is_bot: bool, our_names: Collection[str]
) -> UserKind:
    """Return who made a change, by the name and the mark that the wiki gives."""
    if name is not None and name in our_names:
        return UserKind.OURS
    if is_bot:
        return UserKind.BOT
    if name is None:
        return UserKind.HIDDEN
    if _TEMPORARY.match(name):
        return UserKind.TEMPORARY
    return UserKind.ADDRESS if _is_address(name) else UserKind.REGISTERED


def _is_address(name: str) -> bool:
    if ":" not in name and "." not in name:  # most names: a failure costs more
        return False
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
