"""An opt-in template as it was understood. Pure."""

from dataclasses import dataclass
from enum import Enum

from bot.records.watches import Check, Period, Rate, Surface, WatcherKind
from bot.surfaces.messages import message
from bot.wiki.titles import Title
from handlers.findings import Message


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in what a person wrote, and what to do about it.

    `parameter` is empty if the template as a whole is wrong.
    """

    parameter: str
    given: str
    problem: Message
    remedy: Message

    def __str__(self) -> str:
        subject = f"{self.parameter} = {self.given}: " if self.parameter else ""
        return f"{subject}{self.problem}; {self.remedy}"


class ListKind(Enum):
    """The kind of a list of pages; the value is the parameter that names it."""

    PETSCAN = "petscan"  # what a saved query of PetScan finds
    PAGEPILE = "pagepile"
    WIKIPROJECT = "wikiproject"  # whose talk pages have the project's template
    SEARCH = "search"  # what the wiki's own search finds
    CREATED = "created"  # pages that the watcher created
    WATCHLIST = "watchlist"  # the watcher's own


@dataclass(frozen=True, slots=True)
class PageList:
    """A list of pages that is kept elsewhere, and looked up now and then.

    `name` is its number, the title of the template, or the search; empty for the
    watcher's own list.
    """

    kind: ListKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Watch:
    """An opt-in template as it was understood.

    What is `None` or empty was not given or not understood: `faults` says which.
    `answer_at` is the offset in the page for the answer, after the template; `None` if
    the template is inside other markup.
    """

    place: Title
    kind: WatcherKind
    watcher: str  # the user's name, or the title of the page or project
    answer_at: int | None
    pages: tuple[Title, ...] = ()
    categories: tuple[Title, ...] = ()
    depth: int = 0  # levels of subcategories that are included
    lists: tuple[PageList, ...] = ()
    drafts: tuple[Title, ...] = ()  # articles that someone is about to write
    checks: tuple[Check, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    report: Title | None = None
    interval_s: int | None = None
    most: Rate | None = None
    min_confidence: float | None = None  # in [0.5, 1]
    languages: tuple[str, ...] = ()  # languages of sources; empty for any
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
