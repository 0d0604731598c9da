"""An opt-in template as it was understood. Pure."""

from dataclasses import dataclass

from bot.records.watches import Check, Period, Rate, Surface, WatcherKind
from bot.surfaces.messages import message
from bot.wiki.titles import Title
from handlers.findings import Message


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in what a person wrote, and what to do about it.

    `parameter` is empty where it is the whole that is wrong.
    """

    parameter: str
    given: str
    problem: Message
    remedy: Message

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
    drafts: tuple[Title, ...] = ()  # of articles that someone is about to write
    checks: tuple[Check, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    report: Title | None = None
    interval_s: int | None = None
    most: Rate | None = None
    min_confidence: float | None = None  # in [0.5, 1]
    languages: tuple[str, ...] = ()  # of sources; none means any
    faults: tuple[Fault, ...] = ()


_UNITS = (
    (604_800, "interval-weeks"),
    (86_400, "interval-days"),
    (3_600, "interval-hours"),
)
_RATES = {
    Period.DAY: "rate-day",
    Period.WEEK: "rate-week",
    Period.MONTH: "rate-month",
}


def spoken_interval(seconds: int) -> Message:
    """Return a span of time in words."""
    if seconds == 0:
        return message("interval-at-once")
    for unit_s, key in _UNITS:
        if seconds % unit_s == 0:
            return message(key, seconds // unit_s)
    return message("interval-minutes", round(seconds / 60))


def spoken_rate(rate: Rate) -> Message:
    """Return a number of notes in a period in words."""
    return message(_RATES[rate.per], rate.count)
