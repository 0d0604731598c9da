"""Keeps a dry run dry, but for the one page on which its operator reads.

A publisher of a dry run never holds a gate that writes. What it may hold is that gate
behind `OnePage`, which lets posts for one task to one page through and nothing else.
"""

from dataclasses import dataclass, field, replace

from bot.records.posts import Attempt, NotNow, Outcome, Post, Refusal, Refused
from bot.writing.publisher import Maker


@dataclass(frozen=True, slots=True)
class OnePage:
    """A gate through which one page can be written, for one task."""

    gate: Maker = field(repr=False)
    wiki: str
    title: str
    task: str

    def is_for(self, post: Post) -> bool:
        """Tell whether a post is for that page and task, by the letter."""
        mine = (self.wiki, self.title, self.task)
        return (post.wiki, post.title, post.task) == mine

    def attempt(self, tried: Attempt) -> Outcome:
        """Try a post for that page; every other is refused before the gate."""
        if not self.is_for(tried.post):
            return Refused(Refusal.PLACE, "a dry run writes to no page but its own")
        outcome = self.gate.attempt(tried)
        # What stops this page is no reason to stop what is only shown.
        return replace(outcome, halts=False) if isinstance(outcome, NotNow) else outcome


@dataclass(frozen=True, slots=True)
class DryRun:
    """Fulfils `bot.writing.publisher.Maker`: one page is written, all else is shown."""

    shown: Maker
    page: OnePage

    def attempt(self, tried: Attempt) -> Outcome:
        """Return what became of the try."""
        if self.page.is_for(tried.post):
            return self.page.attempt(tried)
        return self.shown.attempt(tried)
