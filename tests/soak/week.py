"""A week by the clock of the program, with all that it does by the day turned on.

Whenever nothing is left to do, all clocks of the program go on by 48 minutes, as if it
had waited; what is due oftener is done once in each. People edit after each step.
Nothing may pile up.
"""

import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bot.daemon.roles import work_left
from tests.soak.outcome import Curve, Outcome, Tell
from tests.soak.play import Play, playing
from tests.soak.resting import at_rest
from tests.soak.sampling import Sample, processes_of, rows_of, size_mb, slope

_STEP_S = 2_880.0  # thirty in a day
_HOUR_S = 3_600.0
_DAY_S = 86_400.0
_SETTLED_S = 1.2  # so that whoever looks each second has looked
_REST_S = 60.0
_SETTINGS = {
    "stream_silence_s": "3600",  # events come after each step
    "heartbeat_s": "60",
    "settle_s": "30",
    "updates_every_days": "1",
    "recheck_days": "2",
}
_MOST_WAITING = 60  # rows of work
_MOST_DAILY_MB = 2.0
_MOST_FILES = 8
_FIRST_DAY = 1.0
_ENOUGH_DAYS = 3.0  # from which on growth by the day says something


@dataclass(frozen=True, slots=True)
class WeekWishes:
    """How many days, and after how many steps people edit."""

    seed: int
    days: float = 7.0
    edits_every: int = 1  # steps


def run(folder: Path, wishes: WeekWishes, tell: Tell) -> Outcome:
    """Do it, and say what came of it."""
    outcome = Outcome(f"{wishes.days:g} days", across="hours")
    with playing(
        folder,
        outcome,
        wishes.seed,
        tell,
        settings=_SETTINGS,
        moves_clock=True,
        aged=True,
    ) as play:
        _Week(play, wishes).run(outcome)
    return outcome


class _Week:
    def __init__(self, play: Play, wishes: WeekWishes) -> None:
        self.play, self.wishes = play, wishes
        self.samples: list[Sample] = []
        self.most_waiting = 0
        self.late = 0

    def run(self, outcome: Outcome) -> None:
        play, wishes = self.play, self.wishes
        assert play.clock is not None
        began_s = time.monotonic()
        steps = round(wishes.days * _DAY_S / _STEP_S)
        for step in range(1, steps + 1):
            play.clock.move(_STEP_S, all_clocks=True)
            play.feed.move(play.clock.moved_s)
            if step % wishes.edits_every == 0:
                play.people._change_a_sentence()
            time.sleep(_SETTLED_S)
            self._settle()
            self._sample(step)
            if step % 30 == 0:
                took_s = time.monotonic() - began_s
                play.tell(f"{took_s:6.0f} s: day {step // 30} is over")
            if not play.program.is_alive:
                break
        left = at_rest(play.store, play.people, play.now, _REST_S)
        for _ in range(8):  # what waits for an hour or two is due then
            if left:
                play.clock.move(_STEP_S, all_clocks=True)
                left = at_rest(play.store, play.people, play.now, _REST_S / 4)
        outcome.require(not left, left)
        self._add_to(outcome)

    def _settle(self) -> None:
        """Let the program do what is due."""
        until_s = time.monotonic() + _REST_S
        while work_left(self.play.store, self.play.now()):
            if time.monotonic() > until_s:
                self.late += 1
                return
            time.sleep(0.1)

    def _sample(self, step: int) -> None:
        database = self.play.stage.database
        sample = Sample(
            step * _STEP_S / _HOUR_S,
            step,
            processes_of(self.play.program.pid),
            size_mb(database),
            rows_of(database),
        )
        self.samples.append(sample)
        store = self.play.store
        plans = store.plans.state()
        waiting = sum(plans.waiting.values()) + sum(plans.leased.values())
        self.most_waiting = max(self.most_waiting, waiting)

    def _add_to(self, outcome: Outcome) -> None:
        samples = [one for one in self.samples if one.processes]
        late = [one for one in samples if one.at_s > _FIRST_DAY * 24] or samples
        daily_mb = 24 * slope([(one.at_s, one.rss_mb) for one in late])
        files = [one.files for one in samples]
        done = self._done()
        outcome.add("steps that were too short", self.late)
        outcome.add("memory", f"{samples[0].rss_mb:.0f} to {samples[-1].rss_mb:.0f} MB")
        outcome.add("memory after the first day", f"{daily_mb:+.2f} MB a day")
        outcome.add("file handles", f"{min(files)} to {max(files)}")
        outcome.add("plans that wait at most", self.most_waiting)
        outcome.add(
            "database",
            f"{samples[0].database_mb:.1f} to {samples[-1].database_mb:.1f} MB",
        )
        outcome.add("rows at the end", _counts(samples[-1].rows))
        for name, count in sorted(done.items()):
            outcome.add(f"scheduled: {name}", count)
            outcome.require(count > 0, f"{name} was never done")
        if self.wishes.days >= _ENOUGH_DAYS:
            outcome.require(
                daily_mb < _MOST_DAILY_MB, f"{daily_mb:.1f} MB more each day"
            )
        outcome.require(
            max(files[len(files) // 2 :])
            <= max(files[: len(files) // 2]) + _MOST_FILES,
            f"file handles: {files[0]} to {files[-1]}",
        )
        outcome.require(
            self.most_waiting < _MOST_WAITING, f"{self.most_waiting} plans waited"
        )
        outcome.require(not self.late, f"{self.late} steps were too short")
        outcome.curves = [
            Curve(
                "memory of all processes",
                "MB",
                [(one.at_s, one.rss_mb) for one in samples],
            ),
            Curve("database", "MB", [(one.at_s, one.database_mb) for one in samples]),
        ]

    def _done(self) -> dict[str, int]:
        """Count what the program says that it did on schedule."""
        counted: Counter[str] = Counter()
        for line in self.play.stage.log.read_text("utf-8", "replace").splitlines():
            if '"scheduled task done"' in line:
                task = str(json.loads(line).get("task", ""))
                counted[task.partition(" of ")[0]] += 1
        return dict(counted)


def _counts(rows: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(rows.items()))
