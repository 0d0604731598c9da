"""What is watched and where notes stand, as intake has to know it for each change.

Nothing is missed between somebody's opt-in and the first change that intake sees
with it. Of each batch all changes stood on the wiki before the watches are read. A
watch that was kept by then makes jobs of them. One that is kept later brings a job
of its own (`JobReason.OPT_IN`) in the same transaction, and the look of that job
begins later still, at the newest revision. So the watches are read again for every
batch in which anything changed, if their version says that they are others; to ask
less often would leave a gap.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.records.watches import StandingWatch, Surface

Page = tuple[str, str]
"""A wiki's host name and a title."""


class KeptWatches(Protocol):
    """The watches in force, as `bot.store.Store.watches` keeps them."""

    def version(self) -> int:
        """Return a number that grows whenever a watch begins, changes or ends."""
        ...

    def pauses(self) -> Mapping[Page, float]:
        """Return how long each watched page rests between two looks, in seconds."""
        ...

    def all(self, wiki: str | None = None) -> tuple[StandingWatch, ...]:
        """Return the watches of one wiki, or of all."""
        ...


@dataclass(frozen=True, slots=True)
class Standing:
    """The watches at one moment. `talked` has titles by all that may be their names."""

    pauses: Mapping[Page, float] = field(default_factory=dict)
    places: frozenset[Page] = frozenset()
    reports: Mapping[Page, tuple[str, ...]] = field(default_factory=dict)
    talked: Mapping[Page, tuple[str, ...]] = field(default_factory=dict)


def standing(
    pauses: Mapping[Page, float], watches: Iterable[StandingWatch]
) -> Standing:
    """Return what intake asks about `watches`."""
    places: set[Page] = set()
    reports: defaultdict[Page, dict[str, None]] = defaultdict(dict)
    talked: defaultdict[Page, dict[str, None]] = defaultdict(dict)
    for each in watches:
        places.add((each.wiki, each.place))
        if each.report:
            reports[each.wiki, each.report][each.place] = None
        if Surface.TALK in each.surfaces:
            for page in each.pages:
                for name in _names(page):
                    talked[each.wiki, name][page] = None
    return Standing(
        dict(pauses),
        frozenset(places),
        {page: tuple(found) for page, found in reports.items()},
        {page: tuple(found) for page, found in talked.items()},
    )


def _names(title: str) -> tuple[str, ...]:
    """Return what can stand behind the namespace of the talk page of `title`.

    Whether what stands before a colon is a namespace only the wiki knows; to think
    of one page too many costs one plan, which then finds nothing to do.
    """
    _, _, rest = title.partition(":")
    return (title, rest) if rest else (title,)


class StandingWatches:
    """Fulfils `bot.daemon.intake.queueing.Watched` from the store.

    Args:
        kept: the watches in the store.
    """

    def __init__(self, kept: KeptWatches) -> None:
        self._kept = kept
        self._version: int | None = None
        self._now = Standing()

    @property
    def now(self) -> Standing:
        """The watches as they were at the last `refresh`."""
        return self._now

    def refresh(self) -> None:
        """Read the watches again if they have changed.

        Raises:
            TemporaryError: the store is away.
            PermanentError: the store cannot be used.
        """
        # Asked first: what changes while the rest is read counts as newer.
        version = self._kept.version()
        if version != self._version:
            self._now = standing(self._kept.pauses(), self._kept.all())
            self._version = version

    def pause_s(self, wiki: str, title: str) -> float | None:
        """Return how long the page rests between two looks; `None`: not watched."""
        return self._now.pauses.get((wiki, title))
