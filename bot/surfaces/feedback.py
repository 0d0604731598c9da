"""What readers decided about notes, and what may be shown as a result.

Operating points are chosen on data sets (`handlers.citations.flags`). Whether they
are right where the program is used, only its readers can say. For each wiki, engine
(name and version) and check kind let D be the decisions about flagged suggestions of
the last `days` days (`Decisions.tallies`), each with the flag's probability p and whether
its reader found it right. A reader has one voice, shared out evenly among all their
decisions in D; precision and interval are of voices, not of decisions.

    precision(t)  =  right voices with p >= t  /  all voices with p >= t
    sure(t)       =  lower end of the 95 % Wilson interval of precision(t)
    least         =  the smallest t with sure(t) >= bar, out of 0 and the p of right
        decisions

If D is about fewer than `least_decisions` suggestions or by fewer than `least_readers`
readers, nothing is held back: so nobody has more than a tenth of what decides.
Otherwise, if `least` is 0, everything is shown as the operating point says. If it is greater, a suggestion is
shown only if its probability reaches it. If there is none, the kind is held: nothing
of it is shown. Only the p of right decisions can be thresholds. So once there are
enough readers, one more who finds suggestions right never raises `least`, and one
more who finds them wrong never lowers it. The Wilson bound asks for more evidence
where there is little: a bar of 0.5 takes at least 4 right voices of 4, or 15 of
20. Since `least` is searched for on the same decisions, the bound is a little too
optimistic if few decisions lie above it.

Feedback only ever shows less. So the worst that people who decide in bad faith can do
is to silence a kind; it takes several accounts that the wiki itself no longer counts as
new, the status page shows it, and an operator can take back what one reader decided. Notes that are already on a
page stay until their sentence is changed.

A kind that is held comes back by itself: decisions older than `days` days no longer
count, and with too few decisions or readers the kind is tried again. It comes back sooner if
people accept suggestions of it that they still see, and at once with a new version of
its engine, which starts without decisions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from math import inf
from threading import Lock

from bot.records.accounts import Tally, Voice
from handlers.model import CheckKind, Engine, Flag

_NORMAL95 = 1.959964  # standard deviations on each side


def wilson95(hits: float, tries: float) -> tuple[float, float]:
    """Return the 95 % interval of a proportion, from independent trials.

    Both are fractional if a trial is itself a share.
    """
    share, spread = hits / tries, _NORMAL95**2 / tries
    middle = share + spread / 2
    half = _NORMAL95 * ((share * (1 - share) + spread / 4) / tries) ** 0.5
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return max(0.0, low), min(1.0, high)  # rounding can exceed the range by a hair


_Group = tuple[str, Engine, CheckKind]
_HAIR = 1e-6  # of rounding, where parts of a voice are added up


@dataclass(frozen=True, slots=True)
class FeedbackRules:
    """How certain readers' decisions have to make us, and how many it takes.

    `bar` is the required lower end of the 95 % interval of the precision. Decisions
    count for `days` days.
    """

    bar: float = 0.5
    least_decisions: int = 20
    least_readers: int = 10
    days: float = 180.0


@dataclass(frozen=True, slots=True)
class FeedbackRow:
    """The result of decisions about one kind of suggestion, by one engine on one wiki.

    `right` and `wrong` count suggestions, `readers` those who decided on them.
    `interval` is the 95 % interval of the precision by readers' voices. `least` is the probability from
    which suggestions are shown; 0 if nothing is held back, infinite if everything is.
    """

    wiki: str
    engine: Engine
    kind: CheckKind
    right: int
    wrong: int
    readers: float
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
    hits = sum(voice.part for voice in tally.voices if voice.is_right)
    is_enough = (
        right + wrong >= rules.least_decisions
        and tally.readers > rules.least_readers - _HAIR
    )
    return FeedbackRow(
        wiki=tally.wiki,
        engine=tally.engine,
        kind=tally.kind,
        right=right,
        wrong=wrong,
        readers=round(tally.readers, 2),
        interval=wilson95(hits, tally.readers),
        least=_least(tally.voices, rules.bar) if is_enough else 0.0,
    )


def _least(voices: Iterable[Voice], bar: float) -> float:
    """Return the smallest threshold that is certain enough; infinity if none is."""
    hits = misses = 0.0
    least = inf
    falling = sorted(voices, key=lambda voice: voice.probability, reverse=True)
    for probability, reach in groupby(falling, key=lambda voice: voice.probability):
        is_threshold = False
        for voice in reach:
            is_threshold |= voice.is_right
            hits += voice.part if voice.is_right else 0.0
            misses += 0.0 if voice.is_right else voice.part
        if is_threshold and wilson95(hits, hits + misses)[0] >= bar:
            least = probability
    return 0.0 if hits and wilson95(hits, hits + misses)[0] >= bar else least


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
