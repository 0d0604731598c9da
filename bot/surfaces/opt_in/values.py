"""An opt-in template as it was understood. Pure."""

from dataclasses import dataclass

from bot.records.watches import Check, Rate, Surface, WatcherKind
from bot.wiki.titles import Title


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in what a person wrote, and what to do about it.

    `parameter` is empty where it is the whole that is wrong.
    """

    parameter: str
    given: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        subject = f"{self.parameter} = {self.given}: " if self.parameter else ""
        return f"{subject}{self.problem}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Watch:
    """An opt-in template as it was understood.

    What is `None` or empty was not said, or not understood: `faults` tells which.
    `answer_at` is the offset in the page where the answer goes, behind the template;
    `None` where the template stands inside other markup.
    """

    place: Title
    kind: WatcherKind
    watcher: str  # the user's name, or the title of the page or project
    answer_at: int | None
    pages: tuple[Title, ...] = ()
    categories: tuple[Title, ...] = ()
    drafts: tuple[Title, ...] = ()  # of articles that somebody is about to write
    checks: tuple[Check, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    report: Title | None = None
    interval_s: int | None = None
    most: Rate | None = None
    min_confidence: float | None = None  # in [0.5, 1]
    languages: tuple[str, ...] = ()  # of sources; none means any
    faults: tuple[Fault, ...] = ()


def spoken_interval(seconds: int) -> str:
    """Return a span of time in words."""
    if seconds == 0:
        return "at once"
    for unit_s, name in ((604_800, "week"), (86_400, "day"), (3_600, "hour")):
        if seconds % unit_s == 0:
            count = seconds // unit_s
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{seconds / 60:.0f} minutes"
