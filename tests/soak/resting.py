"""Waits until a program has done all that there is to do, and judges what came of it."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from bot.daemon.roles import work_left
from bot.settings import Settings
from bot.settings.settings import PREFIX
from bot.store import Store
from bot.surfaces.planning.opt_in_answers import BLOCK
from handlers.ports import TemporaryError
from tests.soak.ground import Ground
from tests.soak.outcome import Outcome
from tests.torture.pipeline.judging import Judge
from tests.torture.pipeline.people import People
from tests.torture.pipeline.scene import TITLES
from tests.torture.pipeline.torture import _is_heard, _waits

_CALM_S = 2.0
# What became too old to be posted, and what was posted and is forgotten since.
_AGED = re.compile(
    r"a post was given up after 0 tries: .*|revision \d+ is not known to be posted .*"
)
_ANSWER = f"<!-- sidenote begin {BLOCK} "
_LETTERS = re.compile(r"\d+ changes could not be read")


def settings_of(ground: Ground, other: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that the program reads from its environment, but for some."""
    named = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in ground.environment().items()
        if name.startswith(PREFIX)
    }
    return Settings(**{**named, **(other or {})})  # type: ignore[arg-type]  # texts, as in an environment


def at_rest(
    store: Store, people: People, now: Callable[[], datetime], longest_s: float
) -> str:
    """Wait until nothing is left; return what is, if it takes too long.

    The list of opt-ins is planned again and again, so their answers are looked for on
    the wiki itself.
    """
    newest = {title: people.alice.read(title)[1] for title in TITLES}
    until_s, calm_s = time.monotonic() + longest_s, time.monotonic()
    while time.monotonic() < until_s:
        try:
            waits = bool(work_left(store, now()) or _waits(store))
            is_done = not waits and _is_heard(store, newest) and _is_answered(people)
        except TemporaryError:
            is_done = False
        if not is_done:
            calm_s = time.monotonic()
        elif time.monotonic() - calm_s > _CALM_S:
            return ""
        time.sleep(0.2)
    left = work_left(store, now())
    return f"it did not come to rest: {left} left, waits: {_waits(store)}"


def _is_answered(people: People) -> bool:
    """Tell whether the bot's answer stands below each person's opt-in."""
    lines = [one for one in people.lines if one.endswith("/Sidenote")]
    return all(_ANSWER in people.alice.read(one)[0] for one in lines)


def judge(
    ground: Ground,
    store: Store,
    people: People,
    outcome: Outcome,
    letters: int = 0,
    *,
    aged: bool = False,
) -> None:
    """Add what was lost, doubled or changed.

    Args:
        ground: on which it happened.
        store: of the program.
        people: who edited.
        outcome: takes the figures and what is wrong.
        letters: how many changes nobody can read.
        aged: whether posts may have become too old before they were made, for a clock
            was moved: then another was planned in their place.
    """
    verdict = Judge(ground, store, people).judge()
    kept = len(store.feeds.dead_letters(1_000_000))
    outcome.require(kept <= letters, f"{kept} changes could not be read")
    fair = [_LETTERS, *([_AGED] if aged else [])]
    outcome.wrong += [
        each
        for each in verdict.wrong
        if not any(pattern.fullmatch(each) for pattern in fair)
    ]
    for name, count in sorted(verdict.counts.items()):
        if not name.startswith("logged: "):
            outcome.add(name, f"{count:,}")


@contextmanager
def editing(people: People, pause_s: float) -> Iterator[None]:
    """Let people edit for as long as the block lasts."""
    end = threading.Event()
    thread = threading.Thread(target=people.edit_until, args=(end, pause_s))
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
    if people.failure is not None:
        raise people.failure


def warm_up(store: Store, people: People, longest_s: float = 90.0) -> None:
    """Wait until the opt-ins of all are known."""
    until_s = time.monotonic() + longest_s
    while len(store.watches.all()) < len(people.lines):
        if time.monotonic() > until_s:
            raise TimeoutError("the opt-ins were not read; see the log")
        time.sleep(0.1)
