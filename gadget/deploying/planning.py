"""What a deployment would change, and whether somebody else changed a page meanwhile.

Each summary of ours ends with the hash of the text that was written. A page whose newest
revision says so of its own text is as we left it; any other was written by a person,
and is not written over without being asked for. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from enum import Enum
from typing import Protocol

from bot import __version__
from gadget.bundling.bundle import content_hash
from gadget.deploying.definition import merged
from gadget.deploying.pages import Group, WantedPage

_MARK = re.compile(r"\bSidenote \S+ \(([0-9a-f]{12})\)")


class Standing(Protocol):
    """A page as it stands on the wiki."""

    @property
    def text(self) -> str | None:
        """Its text; `None` where it is missing."""
        ...

    @property
    def revision_id(self) -> int:
        """Its newest revision; 0 where it is missing."""
        ...

    @property
    def comment(self) -> str:
        """The summary of that revision."""
        ...

    @property
    def user(self) -> str:
        """Who made that revision."""
        ...


class Change(Enum):
    """What would become of a page."""

    NONE = "is as it should be"
    NEW = "is made"
    NEWER = "is brought up to date"
    THEIRS = "was changed on the wiki"  # by somebody else than a deployment


@dataclass(frozen=True, slots=True)
class Step:
    """One page, what stands there and what is to."""

    title: str
    change: Change
    before: str
    after: str
    base: int  # the revision that was looked at; 0 for none
    by: str  # who made it

    @property
    def diff(self) -> tuple[str, ...]:
        """The lines of a unified diff."""
        return tuple(
            unified_diff(
                self.before.split("\n") if self.before else [],
                self.after.split("\n"),
                f"{self.title} (on the wiki)" if self.base else "(no page)",
                f"{self.title} (Sidenote {__version__})",
                lineterm="",
            )
        )


def plan(
    wanted: Iterable[WantedPage], standing: Mapping[str, Standing]
) -> tuple[Step, ...]:
    """Return what is to be done for each page, in the order of `wanted`.

    Args:
        wanted: pages as they have to be.
        standing: each of them as it stands, by title.
    """
    return tuple(_step(page, standing[page.title]) for page in wanted)


def summary_of(text: str) -> str:
    """Return the summary with which a text is written."""
    return f"Sidenote {__version__} ({content_hash(text)}), by “sidenote gadget deploy”"


def _step(page: WantedPage, now: Standing) -> Step:
    before = now.text or ""
    is_definition = page.group is Group.DEFINITION
    after = merged(before) if is_definition else page.text
    if now.text is not None and before.rstrip() == after.rstrip():
        change = Change.NONE
    elif now.text is None:
        change = Change.NEW
    elif is_definition or _is_ours(now):
        change = Change.NEWER
    else:
        change = Change.THEIRS
    return Step(page.title, change, before, after, now.revision_id, now.user)


def _is_ours(now: Standing) -> bool:
    said = _MARK.search(now.comment)
    return said is not None and said[1] == content_hash(now.text or "")
