"""The fixed summaries of our edits, each with the key of its post. Pure."""

from enum import Enum

from bot.report.words import counted
from bot.surfaces.talk_page import EditKind, TalkEdit
from bot.wiki.keys import Keys, with_key


class Task(Enum):
    """What each of our edits belongs to; there is a stop page for each."""

    TALK = "talk"
    REPORT = "report"
    OPT_IN = "opt-in"
    DRAFT = "draft"  # only ever makes pages, below one folder of a person's own
    DRY_RUN = "dry-run"  # the page on which an operator reads what it shows


def stop_page(bot: str, task: Task) -> str:
    """Return the title of the page that lets a task run, or stops it."""
    return f"User:{bot}/Run/{task.value}"


def talk_summary(edit: TalkEdit, bot: str, post: str, keys: Keys) -> str:
    """Return the summary of an edit of a talk page."""
    if edit.kind in {EditKind.NEW_SECTION, EditKind.ADD}:
        told = counted(len(edit.added), "statement")
        line = f"Notice: {told} may not match the sources"
    elif edit.kind is EditKind.REMOVE:
        line = "Removed my own unanswered notice, which is settled"
    else:
        line = f"Settled: {counted(len(edit.settled), 'note')} of mine"
        if edit.added:
            line += f", and {counted(len(edit.added), 'new one')}"
    return with_key(f"{line}{_stop(bot, Task.TALK)}", post, keys)


def report_summary(notes: int, bot: str, post: str, keys: Keys) -> str:
    """Return the summary of an edit of a report page."""
    line = f"Report: {counted(notes, 'note')}{_stop(bot, Task.REPORT)}"
    return with_key(line, post, keys)


def state_summary(faults: int, bot: str, post: str, keys: Keys) -> str:
    """Return the summary of an answer to an opt-in template."""
    found = f": {counted(faults, 'thing')} to look at" if faults else ""
    return with_key(
        f"Answered the template{found}{_stop(bot, Task.OPT_IN)}", post, keys
    )


def withdrawal_summary(bot: str, post: str, keys: Keys) -> str:
    """Return the summary with which an answer goes whose template has gone."""
    line = f"Removed my answer: the template has gone{_stop(bot, Task.OPT_IN)}"
    return with_key(line, post, keys)


def draft_summary(bot: str, post: str, keys: Keys) -> str:
    """Return the summary with which the page of a draft is made."""
    line = f"A dossier of sources, as asked for{_stop(bot, Task.DRAFT)}"
    return with_key(line, post, keys)


def dry_run_summary(bot: str, post: str, keys: Keys) -> str:
    """Return the summary of an edit of the page that shows a dry run."""
    line = f"What a dry run would have posted{_stop(bot, Task.DRY_RUN)}"
    return with_key(line, post, keys)


def _stop(bot: str, task: Task) -> str:
    return f" (to stop this task: [[{stop_page(bot, task)}]])"
