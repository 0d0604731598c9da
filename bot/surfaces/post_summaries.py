"""The summaries of our edits: a few words, and a link to stop them. Pure.

The key of the post is in the link to the stop page, where a page's history does not
show it.
"""

from dataclasses import dataclass
from enum import Enum

from bot.surfaces.messages import SOURCE, Words
from bot.surfaces.talk_page import EditKind, TalkEdit
from bot.wiki.keys import Keys, with_key


class Task(Enum):
    """What each of our edits belongs to, and the patrol; each has a stop page."""

    TALK = "talk"
    REPORT = "report"
    OPT_IN = "opt-in"
    DRAFT = "draft"  # only ever creates pages, in one folder of a person's own
    ACCURACY = "accuracy"  # the page that says how often notes are right
    PATROL = "patrol"  # looks at the edits of a whole wiki, and writes nothing itself
    DRY_RUN = "dry-run"  # the page on which an operator reads what it shows
    STATUS = "status"  # the page on which an operator reads how the bot is doing


def stop_page(bot: str, task: Task) -> str:
    """Return the title of the page that lets a task run or stops it."""
    return f"User:{bot}/Run/{task.value}"


@dataclass(frozen=True, slots=True)
class Summaries:
    """Makes edit summaries for the account `bot`, signed with `keys`."""

    bot: str
    keys: Keys
    language: str = SOURCE

    def talk(self, edit: TalkEdit, post: str) -> str:
        """Return the summary of an edit of a talk page."""
        words = Words(self.language)
        if edit.kind in {EditKind.NEW_SECTION, EditKind.ADD}:
            line = words.say("summary-talk", len(edit.added))
        elif edit.kind is EditKind.REMOVE:
            line = words.say("summary-talk-removed")
        elif edit.added:
            settled, added = len(edit.settled), len(edit.added)
            line = words.say("summary-talk-settled-new", settled, added)
        else:
            line = words.say("summary-talk-settled", len(edit.settled))
        return self._signed(line, Task.TALK, post)

    def report(self, notes: int, post: str) -> str:
        """Return the summary of an edit of a report page."""
        return self._signed(self._say("summary-report", notes), Task.REPORT, post)

    def state(self, faults: int, post: str) -> str:
        """Return the summary of an answer to an opt-in template."""
        return self._signed(self._say("summary-state", faults), Task.OPT_IN, post)

    def withdrawal(self, post: str) -> str:
        """Return the summary for removing an answer whose template has gone."""
        return self._signed(self._say("summary-withdrawal"), Task.OPT_IN, post)

    def draft(self, post: str) -> str:
        """Return the summary for creating the page of a draft."""
        return self._signed(self._say("summary-draft"), Task.DRAFT, post)

    def dry_run(self, post: str) -> str:
        """Return the summary of an edit of the page that shows a dry run."""
        return self._signed(self._say("summary-dry-run"), Task.DRY_RUN, post)

    def status(self, wrong: int, post: str) -> str:
        """Return the summary of an edit of the page that shows how the bot is doing."""
        return self._signed(self._say("summary-status", wrong), Task.STATUS, post)

    def accuracy(self, post: str) -> str:
        """Return the summary of an edit of the page about accuracy."""
        return self._signed(self._say("summary-accuracy"), Task.ACCURACY, post)

    def _say(self, key: str, *values: int) -> str:
        return Words(self.language).say(key, *values)

    def _signed(self, line: str, task: Task, post: str) -> str:
        stop = stop_page(self.bot, task)
        return with_key(line, post, self.keys, stop=(stop, self._say("summary-stop")))
