"""Faults that are put in on purpose, each to be noticed by the torture.

A fault is a change of one text of the program, made in a copy of the tree. Each loses,
doubles or overwrites something; half of them once went unnoticed.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parents[2]
_TREES = ("bot", "gadget", "handlers", "tests")
_LINKED = (".venv", ".cache")  # neither is changed
_LARGE_BYTES = 1_000_000
_UNUSED = shutil.ignore_patterns("results")


class Part(Enum):
    """Which short torture has to notice it."""

    PAIRS = "two at once"
    WRITES = "kills while a write is held"
    PEOPLE = "answers lost, stop pages and edits while it posts"
    DRY = "a dry run"


@dataclass(frozen=True, slots=True)
class Fault:
    """A text of a file, once in it, and what stands there instead."""

    name: str
    part: Part
    file: str
    before: str
    after: str


class NotFoundError(Exception):
    """The text of a fault is not in the tree, or more than once."""


FAULTS = (
    Fault(
        "the fencing number of a post is not compared",
        Part.PAIRS,
        "bot/store/outbox.py",
        "    if row is None or row.token != tried.token:\n        raise AttemptLost(",
        "    if row is None:\n        raise AttemptLost(",
    ),
    Fault(
        "the fencing number of a page or plan is not compared",
        Part.PAIRS,
        "bot/store/tasks.py",
        "    if row is None or row.token != lease.token:\n        raise LeaseLost(",
        "    if row is None:\n        raise LeaseLost(",
    ),
    Fault(
        "a post is taken up though another publisher has it",
        Part.PAIRS,
        "bot/store/outbox.py",
        "    free = posts.c.leased_until.is_(None) | (posts.c.leased_until <= now)\n",
        "    free = posts.c.id > 0\n",
    ),
    Fault(
        "a page is taken up though another worker has it",
        Part.PAIRS,
        "bot/store/tasks.py",
        "    return (tasks.c.state == LEASED) & (tasks.c.leased_until <= now)\n",
        "    return (tasks.c.state == LEASED) & (tasks.c.begun_at <= now)\n",
    ),
    Fault(
        "an edit is not bound to the revision that was read",
        Part.PEOPLE,
        "bot/writing/edit.py",
        '        {"baserevid": str(base), "nocreate": "1"}\n',
        '        {"nocreate": "1"}\n',
    ),
    Fault(
        "a stop page is not obeyed",
        Part.PEOPLE,
        "bot/writing/preflight.py",
        "    if text != GO:\n",
        "    if text is None:\n",
    ),
    Fault(
        "a lone note is not recorded as shown",
        Part.WRITES,
        "bot/store/shown_notes.py",
        "    if new:\n        about = _about(",
        "    if len(new) > 1:\n        about = _about(",
    ),
    Fault(
        "the position of a batch is kept, and its changes are lost",
        Part.WRITES,
        "bot/store/feeds.py",
        "        unhidden = take_back_hidden(connection,",
        "        if batch.received_at.second % 3 == 0:\n            return 0\n"
        "        unhidden = take_back_hidden(connection,",
    ),
    Fault(
        "nobody looks whether an earlier try made the post",
        Part.WRITES,
        "bot/writing/gate.py",
        "        return reconciled(tried, state, bot, keys, ask=self._session.ask)"
        " or state\n",
        "        return state\n",
    ),
    Fault(
        "an edit whose answer was lost counts as made",
        Part.PEOPLE,
        "bot/writing/gate.py",
        "            return Unclear(str(error), error.retry_in_s)\n"
        "        made = outcome(",
        "            return Posted(page.revision_id)\n        made = outcome(",
    ),
    Fault(
        "a note that people took away counts as settled",
        Part.PEOPLE,
        "bot/store/shown_notes.py",
        "    _set(connection, ids, dismissed, now)\n    return len(ids)",
        "    _set(connection, ids, NoteState.SETTLED, now)\n    return len(ids)",
    ),
    Fault(
        "the note of an edit is not closed at the revert",
        Part.PEOPLE,
        "handlers/edits/finding.py",
        "        if stands(one, side) is not None:\n            found[",
        "        if one.kind == ChangedFinding.kind:\n            found[",
    ),
    Fault(
        "a dry run writes to the wiki",
        Part.DRY,
        "bot/app/wiring/wiki.py",
        "sending, wanted, requested_on, is_live=is_live)\n",
        "sending, wanted, requested_on, is_live=True)\n",
    ),
)


def mutated(fault: Fault, root: Path = ROOT) -> str:
    """Return the file of a fault as it is with it.

    Raises:
        NotFoundError: what it changes is no longer in the tree, or not there once.
    """
    text = (root / fault.file).read_text("utf-8")
    if text.count(fault.before) != 1:
        times = text.count(fault.before)
        raise NotFoundError(
            f"“{fault.name}”: its text is {times} times in {fault.file}, not once;"
            " bring the table of faults up to date"
        )
    return text.replace(fault.before, fault.after)


def copy_tree(folder: Path, faults: Sequence[Fault], root: Path = ROOT) -> Path:
    """Copy the tree with faults in it, and return where; what is large is linked."""
    for name in _TREES:
        shutil.copytree(
            root / name, folder / name, ignore=_UNUSED, copy_function=_copied
        )
    for name in _LINKED:
        if (root / name).exists():
            (folder / name).symlink_to((root / name).resolve())
    for fault in faults:
        (folder / fault.file).write_text(mutated(fault, folder), "utf-8")
    return folder


def _copied(source: str, target: str) -> str:
    if Path(source).stat().st_size > _LARGE_BYTES:
        Path(target).symlink_to(Path(source).resolve())
    else:
        shutil.copy2(source, target)
    return target
