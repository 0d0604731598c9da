"""All that is known about how the program is doing, and its figures in words.

Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.records.heartbeat import Heartbeat
from bot.records.posts import PostRules
from bot.records.spending import Allowance, PayerKind
from bot.records.status import Status
from bot.report.words import counted
from bot.surfaces.feedback import Feedback, FeedbackRules, feedback
from handlers.model import Quota

INTAKE, WORK, READ = "intake", "work", "read"
PUBLISH, SERVE = "publish", "serve"
ROLES: Mapping[str, str] = {
    INTAKE: "reads the change feed",
    WORK: "checks pages",
    READ: "reads sources for those that check pages",
    PUBLISH: "plans what is written, and writes it",
    SERVE: "shows this page",
}
"""The roles that processes can have, in the order in which work passes through them."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as people may see it: `value` holds no secret."""

    name: str
    value: str
    meaning: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class Configured:
    """What the settings allow.

    `rules` hold the limits of posts. `lag_limit_s` is how far behind the feed we may be
    before something is wrong. `feedback` weighs what readers decide. `allowance` is for
    language models, over all processes; `None` if none is used.
    """

    version: str
    account: str
    is_live: bool
    has_secret: bool
    rules: PostRules = field(default_factory=PostRules)
    lag_limit_s: float = 300.0
    feedback: FeedbackRules = field(default_factory=FeedbackRules)
    settings: tuple[Setting, ...] = ()
    allowance: Allowance | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What the database and the settings say.

    `quotas` are those of the search services asked from this data folder.
    """

    status: Status
    configured: Configured
    quotas: tuple[Quota, ...] = ()

    def fresh(self, role: str) -> tuple[Heartbeat, ...]:
        """Return the processes with this role that have a recent heartbeat."""
        seen = self.status
        return tuple(
            one for one in seen.processes if one.role == role and one.is_fresh(seen.at)
        )

    @property
    def feedback(self) -> Feedback:
        """Return what may be shown, given readers' decisions."""
        return feedback(self.status.decided.tallies, self.configured.feedback)

    @property
    def lag_s(self) -> float | None:
        """Return how far behind the feed we are; the worst if there are several.

        A process that is reading the feed knows better than the database, which learns
        of a feed only when something is saved.
        """
        lags_s = [one.figures.get("lag_s") for one in self.fresh(INTAKE)]
        known = [lag_s for lag_s in lags_s if lag_s is not None]
        if known:
            return max(known)
        at = self.status.at
        lags = [
            lag_s for one in self.status.feeds if (lag_s := one.lag_s(at)) is not None
        ]
        return max(lags, default=None)


_UNITS = ((86_400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))
_TWO = 2  # of the larger unit, from which on the smaller one is left out


def span(seconds: float) -> str:
    """Return a span to about one part in twenty: "2 hours", "90 seconds"."""
    for unit_s, name in _UNITS:
        if seconds >= _TWO * unit_s or unit_s in {seconds, 1}:
            number = int(max(seconds, 0) / unit_s)
            return f"{number:,} {name}{'' if number == 1 else 's'}"
    raise AssertionError  # the last unit always fits


def ago(when: datetime, now: datetime) -> str:
    """Return how long ago something was, or in how long it will be."""
    seconds = (now - when).total_seconds()
    if abs(seconds) < 1:
        return "now"
    return f"{span(seconds)} ago" if seconds > 0 else f"in {span(-seconds)}"


def share(part: int, whole: int) -> str:
    """Return a share as a percentage; empty if there is no total."""
    return f"{part / whole:.0%}" if whole else ""


def at_their_cap(refused: Mapping[PayerKind, int]) -> str:
    """Say how many have spent their share of a day's money."""
    pages, people = (refused.get(kind, 0) for kind in PayerKind)
    counts = [counted(pages, "page", "pages")] if pages else []
    counts += [f"{people:,} who asked for pages"] if people else []
    return " and ".join(counts)
