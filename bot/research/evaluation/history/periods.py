"""Which pages and days are looked at. Pure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from handlers.model import Window
from handlers.ports import PermanentError

_MOST_PERIODS = 400


@dataclass(frozen=True, slots=True)
class StudiedPage:
    """A page; its category only for figures by category."""

    title: str
    category: str = ""


@dataclass(frozen=True, slots=True)
class Period:
    """Some days, both ends included."""

    since: date
    until: date

    @property
    def window(self) -> Window:
        """The days as discovery takes them."""
        return Window(self.since, self.until)

    @property
    def begins_at(self) -> datetime:
        """Its first moment."""
        return datetime.combine(self.since, time(), UTC)

    @property
    def ends_at(self) -> datetime:
        """Its last second."""
        return datetime.combine(self.until, time(23, 59, 59), UTC)

    def holds(self, at: datetime) -> bool:
        """Tell whether a moment lies in it."""
        return self.begins_at <= at <= self.ends_at


@dataclass(frozen=True)
class Study:
    """Pages of one wiki over a time, in periods of `days` days; the last may be shorter."""

    wiki: str
    pages: tuple[StudiedPage, ...]
    since: date
    until: date
    days: int = 14

    @property
    def whole(self) -> Period:
        """All of the time."""
        return Period(self.since, self.until)

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        """The periods in order.

        Raises:
            PermanentError: there are too many.
        """
        step = timedelta(days=self.days)
        count = -(-((self.until - self.since).days + 1) // self.days)
        if count > _MOST_PERIODS:
            raise PermanentError(
                f"{count:,} periods are too many; name longer ones, or a shorter time"
            )
        firsts = [self.since + number * step for number in range(count)]
        return tuple(
            Period(first, min(first + step - timedelta(days=1), self.until))
            for first in firsts
        )
