"""One torture: people edit, replies are lost, stop pages flip, and the daemon is killed."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from multiprocessing.process import BaseProcess

from bot.daemon.roles import work_left
from bot.records.tasks import TaskState
from bot.records.watches import PlanKind
from bot.settings import Settings
from bot.settings.settings import PREFIX
from bot.store import Store
from tests.rig.wiki.recorder import all_goes_well
from tests.torture.pipeline.editor import Editor
from tests.torture.pipeline.haste import open_hasty_store
from tests.torture.pipeline.holdings import lines_in, overtaken
from tests.torture.pipeline.judging import Judge, unrecorded
from tests.torture.pipeline.killing import Killer
from tests.torture.pipeline.people import BOT, MEANWHILE, REVERTED, TAKEN, People
from tests.torture.pipeline.phases import is_read, table
from tests.torture.pipeline.queue_watch import QueueWatch
from tests.torture.pipeline.scene import TALKED, TITLES, articles
from tests.torture.pipeline.stage import Stage
from tests.torture.pipeline.switches import Switches, disobedient
from tests.torture.pipeline.wire import Where, Wire

_CALM_S = 0.6  # in which nothing is left, until all counts as done
_WARM_S = 180.0
_END_S = 10.0
_MOST = 5  # faults of one kind
_MORE = 1.2  # kills while a write is held than there have to be


@dataclass(frozen=True, slots=True)
class Wishes:
    """How long and how hard.

    At least so many kills have to come while a write is `unanswered`: a torture in which
    hardly any did shows nothing about posts that are lost or doubled.
    """

    kills: int
    seed: int
    flips: int
    unanswered: int
    pairs: int = 0  # how often two live at once; both are among the kills
    longest_s: float = 3600.0
    reports: int = 2  # how often people report a problem, beside 28 other deeds
    pause_s: float = 0.4  # of people, between two edits
    takes: int = 2  # how often people take a note from a report, as `reports`
    turns: int = 6  # how often they edit away from a source or revert, as `reports`
    rivals: int = 3  # how often they edit between a look of the bot's and its write
    least: int = (
        0  # times that they have done either, and pages were flipped, at the end
    )
    states: int = 0  # of articles that were seen to be queued, at least
    lost: int = 0  # writes that were lost while their sender lived, at least
    losses: float = 0.3  # the share of writes that are lost, cut or late
    rest_s: float = 240.0  # in which all that is left has to be done
    is_dry: bool = False  # whether nothing may be written at all
    is_curt: bool = False  # whether it ends with the first thing that is wrong


@dataclass
class Result:
    """What was counted, in the order in which it is shown, and what is wrong."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return it as a table."""
        width = max(len(name) for name, _ in self.lines)
        lines = [f"{name:<{width}}  {value}" for name, value in self.lines]
        faults = [f"WRONG: {each}" for each in self.wrong]
        return "\n".join([*lines, *(faults or ["nothing is wrong"])])


Tell = Callable[[str], None]


def torture(stage: Stage, wishes: Wishes, tell: Tell) -> Result:
    """Do it, and say what came of it."""
    acts = _Acts(stage, wishes, tell)
    with open_hasty_store(acts.settings) as store:
        acts.store = store
        acts.people.begin()
        acts.warm_up(store)
        acts.say("the opt-ins are read")
        stage.recorder.plan = acts.wire.plan()
        if not (wishes.is_curt and acts.seen_so_far()):
            with acts.company():
                acts.kill_all()
                acts.live_on()
        stage.recorder.plan = all_goes_well
        stage.recorder.settle()
        if wishes.is_curt and (wrong := acts.seen_so_far()):
            result = Result(wrong=wrong)
            acts.add_to(result, {}, 0.0)
            return result
        end_s = acts.rest(store)
        acts.say("it has come to rest")
        judge = Judge(stage, store, acts.people)
        verdict = judge.judge_dry() if wishes.is_dry else judge.judge()
    wrong = [*verdict.wrong, *acts.seen_so_far(), *acts.at_the_end(end_s)]
    result = Result(wrong=wrong)
    acts.add_to(result, verdict.counts, end_s)
    return result


class _Acts:
    """The parts of a torture, in their order."""

    def __init__(self, stage: Stage, wishes: Wishes, tell: Tell) -> None:
        self.stage, self.wishes, self.tell = stage, wishes, tell
        self.began_s = time.monotonic()
        self.store: Store | None = None
        self.settings = _settings_of(stage)
        self.wire = Wire(wishes.seed, writes=wishes.losses)
        host = stage.wiki.host
        self.people = People(
            Editor.named(host, "Alice"),
            Editor.named(host, "Bob"),
            articles(),
            f"http://{stage.library.host}",
            wishes.seed,
            wiki=stage.recorder.host,
            reporting=wishes.reports,
            taking=wishes.takes,
            turning=wishes.turns,
            meanwhile=wishes.rivals,
            is_busy=lambda: any(map(self.wire.is_busy, ("report", "talk", "opt-in"))),
            wire=self.wire,
        )
        switch = Editor.named(host, "Alice")
        self.switches = Switches(switch, BOT, self.wire, wishes.seed)
        alone = max(1, wishes.kills - 2 * wishes.pairs)
        share = min(1.0, _MORE * wishes.unanswered / alone)
        named = {f"{PREFIX}POSTING": "dry"} if wishes.is_dry else {}
        self.killer = Killer(stage, self.wire, self.people, wishes.seed, share, named)
        self.queue = QueueWatch(stage.database, stage.feed, TALKED)

    def say(self, what: str) -> None:
        self.tell(f"{time.monotonic() - self.began_s:6.0f} s: {what}")

    def warm_up(self, store: Store) -> None:
        """Let one life answer the opt-ins in peace."""
        life = self.killer.live()
        try:
            until_s = time.monotonic() + _WARM_S
            while not self._is_warm(store):
                if self.wishes.is_curt and self.seen_so_far():
                    return
                if time.monotonic() > until_s:
                    raise TimeoutError("the opt-ins were not read; see the log")
                time.sleep(0.05)
        finally:
            life.kill()
            life.join()

    def _is_warm(self, store: Store) -> bool:
        """Return whether the opt-ins are read, and what is watched was seen unedited."""
        if len(store.watches.all()) < len(self.people.lines):
            return False
        return all(store.last_check(self.people.wiki, title) for title in TITLES)

    @contextmanager
    def company(self) -> Iterator[None]:
        """Let people edit and flip switches meanwhile, and watch the queue."""
        end = threading.Event()
        threads = [
            threading.Thread(
                target=self.people.edit_until, args=(end, self.wishes.pause_s)
            ),
            threading.Thread(target=self.switches.flip_until, args=(end,)),
            threading.Thread(target=self.queue.look_until, args=(end,)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            end.set()
            for thread in threads:
                thread.join()
        if self.people.failure is not None:
            raise self.people.failure

    def kill_all(self) -> None:
        began_s = time.monotonic()
        wishes, killer = self.wishes, self.killer
        while killer.kills < wishes.kills:
            if time.monotonic() - began_s > wishes.longest_s:
                self.say("time is up")
                return
            if self.people.failure is not None:
                return
            if wishes.is_curt and self.seen_so_far():
                return
            share = killer.kills / wishes.kills
            if killer.pairs.total() < wishes.pairs * (share + 1 / wishes.kills):
                killer.pair_up()
            else:
                killer.kill_one()
            self.switches.wanted = min(wishes.flips, 1 + int(wishes.flips * share))
            if killer.kills % 10 == 0 or killer.kills == wishes.kills:
                self.say(self._progress())

    def live_on(self) -> None:
        """Let one life go on until all was done that was to be done, at least."""
        until_s = time.monotonic() + self.wishes.longest_s
        if self._is_enough():
            return
        life = self.killer.live()
        try:
            while not self._is_enough() and time.monotonic() < until_s:
                if self.people.failure is not None:
                    return
                time.sleep(1.0)
                if self.wishes.is_curt and self.seen_so_far():
                    return
        finally:
            life.kill()
            life.join()

    def _is_enough(self) -> bool:
        done, stops, wishes = self.people.counts, self.switches.stops, self.wishes
        self.switches.wanted = max(self.switches.wanted, wishes.flips)
        return (
            len(stops) >= wishes.flips // 2
            and len(self.queue.seen) >= wishes.states
            and self.wire.lost >= wishes.lost
            and all(done[deed] >= wishes.least for deed in (MEANWHILE, TAKEN, REVERTED))
        )

    def seen_so_far(self) -> list[str]:
        """Return what is wrong already, whatever comes of it until the end."""
        return [
            *disobedient(self.wire.steps, self.switches.stops),
            *self.queue.lost.values(),
            *(unrecorded(self.store) if self.store and self.wishes.is_curt else ()),
            *islice(overtaken(lines_in(self.stage.holdings)), _MOST),
        ]

    def _progress(self) -> str:
        done = sum(self.people.counts.values())
        writes = len(self.stage.recorder.writes)
        return (
            f"{self.killer.kills} kills ({self.killer.unanswered} while a write was"
            f" unanswered), {done} edits by people,"
            f" {writes} writes by the bot, {len(self.switches.stops)} stops"
        )

    def rest(self, store: Store) -> float:
        """Let one last life do all that is left; return how long it took to end."""
        newest = {title: self.people.alice.read(title)[1] for title in TITLES}
        life = self.killer.live()
        until_s, calm_s = time.monotonic() + self.wishes.rest_s, time.monotonic()
        try:
            while time.monotonic() < until_s and life.exitcode is None:
                left = work_left(store, datetime.now(UTC))
                # What became of a talk page, say, is known from the feed alone.
                is_known = is_read(self.stage.database, self.stage.feed.told_at)
                is_known = is_known and _is_heard(store, newest)
                if left or _waits(store) or not is_known:
                    calm_s = time.monotonic()
                elif time.monotonic() - calm_s > _CALM_S:
                    break
                time.sleep(0.1)
            else:
                self.say("it did not come to rest")
            return _ended(life)
        finally:
            life.kill()
            life.join()

    def at_the_end(self, end_s: float) -> Iterator[str]:
        """Yield what is wrong with how it went, whatever came of it."""
        killer, stops = self.killer, self.switches.stops
        if end_s > _END_S:
            yield f"SIGTERM took {end_s:.1f} s"
        yield from too_few(killer, self.wishes.unanswered)
        if len(stops) < self.wishes.flips // 2:
            yield f"only {len(stops)} stop pages were flipped"
        for code, times in killer.unasked.items():
            yield f"{times} lives ended by themselves ({code})"

    def add_to(self, result: Result, counts: Mapping[str, int], end_s: float) -> None:
        killer, stops = self.killer, self.switches.stops
        result.lines += [
            ("seed", str(self.wishes.seed)),
            ("kills", str(killer.kills)),
            *((f"killed in {name}", str(count)) for name, count in table(killer.hit)),
            *((f"write held {one.value}", str(killer.held[one])) for one in Where),
            (
                "a life lasted, on average",
                f"{killer.lived_s / max(1, killer.kills):.2f} s",
            ),
            *(
                (f"two lived at once, the first stopped with {hand.value}", str(count))
                for hand, count in killer.pairs.items()
            ),
            ("stop pages flipped, each while a post was under way", str(len(stops))),
            (
                "states of articles that were seen to be queued",
                str(len(self.queue.seen)),
            ),
            *((name, str(count)) for name, count in sorted(counts.items())),
            *(
                (f"people: {name}", str(count))
                for name, count in sorted(self.people.counts.items())
            ),
            ("SIGTERM to the end", f"{end_s:.1f} s"),
            ("took", f"{time.monotonic() - self.began_s:.0f} s"),
        ]


def too_few(killer: Killer, least: int) -> Iterator[str]:
    """Yield where too few kills came while a write was unanswered."""
    if killer.unanswered < least:
        yield (
            f"{killer.unanswered} of {killer.kills} kills came while a write was"
            f" unanswered, and {least} have to"
        )
    for where in Where:
        if killer.held[where] < least // len(Where):
            yield f"a write was held {killer.held[where]} times {where.value}"


def _settings_of(stage: Stage) -> Settings:
    """Return the settings that the daemon reads from its environment."""
    named = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in stage.environment().items()
        if name.startswith(PREFIX)
    }
    return Settings(**named)  # type: ignore[arg-type]  # texts, as in an environment


def _ended(life: BaseProcess) -> float:
    """Tell a life to end, and return how long it took."""
    began_s = time.monotonic()
    life.terminate()
    life.join(3 * _END_S)
    return time.monotonic() - began_s


def _is_heard(store: Store, newest: Mapping[str, str]) -> bool:
    """Tell whether the newest revision of each watched page was looked at."""
    for watch in store.watches.all():
        for title in watch.pages:
            last = store.last_check(watch.wiki, title)
            if last is None or str(last.page.revision_id) != newest[title]:
                return False
    return True


def _waits(store: Store) -> bool:
    """Tell whether something is to be done later, but for the list of opt-ins."""
    jobs, plans = store.jobs.state().counts, store.plans.state()
    later = sum(
        count for kind, count in plans.waiting.items() if kind is not PlanKind.OPT_INS
    )
    return bool(later or jobs[TaskState.WAITING] or jobs[TaskState.LEASED])
