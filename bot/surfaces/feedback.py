"""What readers decided about notes, and what may be shown as a result.

Operating points are chosen on data sets (`handlers.citations.flags`). Whether they
are right where the program is used, only its readers can say. For each wiki, engine
(name and version) and check kind let D be the decisions about flagged suggestions of
the last `days` days, one for each suggestion (`Decisions.tallies`), each with the
flag's probability p and whether readers found it right.

    precision(t)  =  right decisions with p >= t  /  all decisions with p >= t
    sure(t)       =  lower end of the 95 % Wilson interval of precision(t)
    least         =  the smallest t with sure(t) >= bar, out of 0 and the p of right
        decisions

If D has fewer than `least_decisions`, nothing is held back. Otherwise, if `least` is
0, everything is shown as the operating point says. If it is greater, a suggestion is
shown only if its probability reaches it. If there is none, the kind is held: nothing
of it is shown. Only the p of right decisions can be thresholds. So once there are
enough decisions, one more that finds a suggestion right never raises `least`, and one
more that finds it wrong never lowers it. The Wilson bound asks for more evidence
where there is little: a bar of 0.5 takes at least 4 right decisions of 4, or 15 of
20. Since `least` is searched for on the same decisions, the bound is a little too
optimistic if few decisions lie above it.

Feedback only ever shows less. So the worst that someone who decides in bad faith can
do is to silence a kind, and the status page shows that. Notes that are already on a
page stay until their sentence is changed.

A kind that is held comes back by itself: decisions older than `days` days no longer
count, and below `least_decisions` the kind is tried again. It comes back sooner if
people accept suggestions of it that they still see, and at once with a new version of
its engine, which starts without decisions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from math import inf
from threading import Lock

from bot.records.accounts import Tally
from handlers.model import CheckKind, Engine, Flag

_NORMAL95 = 1.959964  # standard deviations on each side


def wilson95(hits: float, tries: int) -> tuple[float, float]:
    """Return the 95 % interval of a proportion, from at least one independent trial.

    `hits` is fractional if a trial is itself a share.
    """
    share, spread = hits / tries, _NORMAL95**2 / tries
    middle = share + spread / 2
    half = _NORMAL95 * ((share * (1 - share) + spread / 4) / tries) ** 0.5
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return max(0.0, low), min(1.0, high)  # rounding can exceed the range by a hair


_Group = tuple[str, Engine, CheckKind]


@dataclass(frozen=True, slots=True)
class FeedbackRules:
    """How certain readers' decisions have to make us, and how many it takes.

    `bar` is the required lower end of the 95 % interval of the precision. Decisions
    count for `days` days.
    """

    bar: float = 0.5
    least_decisions: int = 20
    days: float = 180.0


@dataclass(frozen=True, slots=True)
class FeedbackRow:
    """The result of decisions about one kind of suggestion, by one engine on one wiki.

    `interval` is the 95 % interval of the precision. `least` is the probability from
    which suggestions are shown; 0 if nothing is held back, infinite if everything is.
    """

    wiki: str
    engine: Engine
    kind: CheckKind
    right: int
    wrong: int
    interval: tuple[float, float]
    least: float

    @property
    def decided(self) -> int:
        """How many suggestions were decided about."""
        return self.right + self.wrong

    @property
    def precision(self) -> float:
        """The share of them that readers found right."""
        return self.right / self.decided

    @property
    def is_held(self) -> bool:
        """Whether nothing of this kind is shown."""
        return self.least == inf


@dataclass(frozen=True, slots=True)
class Feedback:
    """What may be shown; without rows, everything that is flagged."""

    rows: tuple[FeedbackRow, ...] = ()
    leasts: Mapping[_Group, float] | None = None

    def allows(self, flag: Flag, engine: Engine, wiki: str) -> bool:
        """Return whether a suggestion with this flag may be shown."""
        known = self.leasts or {}
        return flag.probability >= known.get((wiki, engine, flag.kind), 0.0)

    @property
    def held(self) -> tuple[FeedbackRow, ...]:
        """What is not shown at all."""
        return tuple(row for row in self.rows if row.is_held)

    @property
    def version(self) -> str:
        """A hash that changes whenever what is shown changes."""
        lines = [
            (row.wiki, row.engine.name, row.engine.version, row.kind.name, row.least)
            for row in self.rows
            if row.least
        ]
        return sha256(repr(lines).encode("utf-8", "replace")).hexdigest()[:16]


def feedback(tallies: Iterable[Tally], rules: FeedbackRules) -> Feedback:
    """Return the feedback from decisions, one tally for each wiki, engine and kind."""
    rows = tuple(
        _row_of(tally, rules) for tally in tallies if tally.right or tally.wrong
    )
    leasts = {(row.wiki, row.engine, row.kind): row.least for row in rows if row.least}
    return Feedback(rows, leasts)


def _row_of(tally: Tally, rules: FeedbackRules) -> FeedbackRow:
    right, wrong = len(tally.right), len(tally.wrong)
    is_enough = right + wrong >= rules.least_decisions
    return FeedbackRow(
        wiki=tally.wiki,
        engine=tally.engine,
        kind=tally.kind,
        right=right,
        wrong=wrong,
        interval=wilson95(right, right + wrong),
        least=_least(tally, rules.bar) if is_enough else 0.0,
    )


def _least(tally: Tally, bar: float) -> float:
    """Return the smallest threshold that is certain enough; infinity if none is."""
    right, wrong = sorted(tally.right), sorted(tally.wrong)
    below = 0  # wrong ones below the threshold
    for place, threshold in enumerate([0.0, *right]):
        left = right if place == 0 else right[place - 1 :]
        if place > 1 and threshold == right[place - 2]:
            continue  # ties: just as many reach it as before
        while below < len(wrong) and wrong[below] < threshold:
            below += 1
        hits, misses = len(left), len(wrong) - below
        if hits and wilson95(hits, hits + misses)[0] >= bar:
            return threshold
    return inf


_VALID_FOR = timedelta(minutes=1)


class Remembered:
    """Returns the feedback in force, from decisions at most a minute old.

    Every card and every note asks for it, and counting takes longer the more decisions
    there are.
    Threads may share it: if several ask at once, one counts and the others wait.
    """

    def __init__(
        self,
        tallies: Callable[[datetime], tuple[Tally, ...]],
        rules: FeedbackRules,
        now: Callable[[], datetime],
    ) -> None:
        """Count with `tallies`, which returns the decisions since a time."""
        self._tallies, self._rules, self._now = tallies, rules, now
        self._lock = Lock()
        self._known: tuple[datetime, Feedback] | None = None

    def __call__(self) -> Feedback:
        """Return the feedback in force.

        Raises:
            PermanentError, TemporaryError: as the store does.
        """
        with self._lock:
            now = self._now()
            if self._known is None or now - self._known[0] >= _VALID_FOR:
                since = now - timedelta(days=self._rules.days)
                self._known = now, feedback(self._tallies(since), self._rules)
            return self._known[1]
