"""Follows a feed of changes for as long as the program runs.

A feed cuts each connection after some minutes and may repeat events; reconnecting is
normal. Every connection begins a little before where the last one ended. What was read
goes to the sink together with its position, and nothing more is read until it is saved:
whatever fails, nothing is lost, and what comes twice within one run counts once.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic
from typing import TypeVar

import structlog

from bot.daemon.intake.event_stream import (
    EventStreams,
    Start,
    StartRefusedError,
    StreamConnection,
)
from bot.daemon.intake.harvest import (
    MAX_EVENT_BYTES,
    ChangeSelection,
    ConnectionReader,
    Harvest,
)
from bot.records.changes import (
    Batch,
    Change,
    ChangeKind,
    ChangeSink,
    DeadLetter,
    Gap,
    Position,
)
from bot.sources.manners import backoff_s, undisturbed
from handlers.ports import PermanentError, TemporaryError


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Clocks and random numbers, so that tests can replace them.

    `monotonic_s` is a clock that is never set: the machine's own may jump by days.
    """

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    chance: Callable[[], float]  # from 0 to 1
    monotonic_s: Callable[[], float] = monotonic


def passed_s(since: datetime, now: datetime) -> float:
    """Return the seconds between; if the clock was set back, the time counts as passed.

    Otherwise whatever waits would wait longer by as much as the clock was set back.
    """
    return abs((now - since).total_seconds())


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """How long intake waits, and how much it holds."""

    silence_s: float = 60.0  # without any event, after which we reconnect
    overlap_s: float = 60.0  # read twice after each lost connection
    first_wait_s: float = 5.0  # after a failure, at most; doubled with each further one
    longest_wait_s: float = 300.0
    between_tries_s: float = 5.0  # at least, from one connection to the next
    commit_s: float = 0.5  # the longest that a change waits to be saved
    position_s: float = 10.0  # the same for a position without changes
    batch_changes: int = 500  # dead letters count, too
    remembered: int = 20_000  # changes, to recognise those that come twice
    max_event_bytes: int = MAX_EVENT_BYTES


@dataclass(frozen=True, slots=True)
class Health:
    """What is known of the feed since the program started.

    `newest_at` is when the newest event happened, `last_event_at` when it reached us;
    all events count, wanted or not, canaries included. `problem` is worded for the
    operator, and is cleared when an event arrives.
    """

    is_connected: bool = False
    newest_at: datetime | None = None
    last_event_at: datetime | None = None
    problem: str | None = None
    connections: int = 0
    silences: int = 0  # times that the feed sent no event for too long
    events: int = 0
    changes: int = 0
    repeated: int = 0  # changes that had already come
    dead_letters: int = 0
    gaps: int = 0

    def lag_s(self, now: datetime) -> float | None:
        """Return how far behind the wikis we are, `None` before the first event.

        While connected that is how old the newest event was on arrival: a feed
        that is merely quiet is not behind. Without a connection it grows.
        """
        if self.newest_at is None or self.last_event_at is None:
            return None
        until = self.last_event_at if self.is_connected else now
        return max((until - self.newest_at).total_seconds(), 0.0)


T = TypeVar("T")

_FIRST_WAIT_S = 1.0
_MAX_DOUBLINGS = 10


class SinkWriter:
    """Calls one sink, again and again if need be.

    Args:
        complain: is given the reason, in words, when nothing can be saved.
    """

    def __init__(
        self,
        sink: ChangeSink,
        limits: IntakeLimits,
        surroundings: Surroundings,
        complain: Callable[[str], None],
    ) -> None:
        self._sink = sink
        self._limits = limits
        self._around = surroundings
        self._complain = complain

    async def position(self) -> Position | None:
        """Return the position that was saved last.

        Raises:
            PermanentError: the sink will never answer.
        """
        return await self._patiently(self._sink.position)

    async def keep(self, batch: Batch) -> None:
        """Return once `batch` is saved. A try that has begun is not cancelled.

        Raises:
            PermanentError: it can never be saved.
        """
        await self._patiently(lambda: undisturbed(self._sink.commit(batch)))

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        tries = 0
        while True:
            try:
                return await ask()
            except TemporaryError as error:
                tries = min(tries + 1, _MAX_DOUBLINGS)
                wait_s = backoff_s(_FIRST_WAIT_S, tries, self._around.chance())
                self._complain(str(error))
                structlog.get_logger().warning("nothing can be kept", why=str(error))
                await self._around.sleep(
                    max(min(wait_s, self._limits.longest_wait_s), error.retry_in_s)
                )


class Pending:
    """Gathers what goes into the next batch.

    Args:
        now: when the last batch was saved, or the program started.
    """

    def __init__(self, limits: IntakeLimits, now: datetime) -> None:
        self._limits = limits
        self._saved_at = now
        self._since: datetime | None = None  # of the oldest that must be saved
        self._changes: list[Change] = []
        self._letters: list[DeadLetter] = []
        self._gaps: list[Gap] = []
        self._has_moved = False

    def add(
        self,
        now: datetime,
        *,
        changes: list[Change],
        letters: list[DeadLetter],
        has_moved: bool,
    ) -> None:
        """Take what was read just now; `has_moved` if the position has."""
        self._changes += changes
        self._letters += letters
        self._has_moved = self._has_moved or has_moved
        if changes or letters:
            self._since = self._since or now

    def add_gap(self, now: datetime, gap: Gap) -> None:
        """Add a gap; one that continues another is not added again."""
        self._gaps = _joined(self._gaps, gap, self._limits.overlap_s)
        self._since = self._since or now

    def due_in_s(self, now: datetime) -> float | None:
        """Return when to save it: 0 for at once, `None` if there is nothing."""
        if len(self._changes) + len(self._letters) >= self._limits.batch_changes:
            return 0.0
        dues = []
        if self._since is not None:
            dues.append(self._limits.commit_s - passed_s(self._since, now))
        if self._has_moved:
            dues.append(self._limits.position_s - passed_s(self._saved_at, now))
        return max(min(dues), 0.0) if dues else None

    def take(self, now: datetime, position: Position | None) -> Batch | None:
        """Return all of it with its position, if there is anything."""
        if self._since is None and not self._has_moved:
            return None
        batch = Batch(
            now,
            position,
            tuple(self._changes),
            tuple(self._letters),
            tuple(self._gaps),
        )
        self._changes, self._letters, self._gaps = [], [], []
        self._since, self._has_moved, self._saved_at = None, False, now
        return batch


def _joined(gaps: list[Gap], gap: Gap, overlap_s: float) -> list[Gap]:
    """Return the gaps with one more, which is merged with the last if they are near.

    Each is filled a little beyond its ends, so the space between near ones would be
    filled twice.
    """
    last = gaps[-1] if gaps else None
    if last is None or last.until is None or gap.until is None:
        return [*gaps, gap]
    near = timedelta(seconds=overlap_s)
    if gap.since > last.until + near or last.since > gap.until + near:
        return [*gaps, gap]
    joined = Gap(min(last.since, gap.since), max(last.until, gap.until))
    return [*gaps[:-1], joined]


# --- Gaps: times whose changes the feed did not deliver ---


def gap_in(harvest: Harvest, known: Position | None, *, at_first: bool) -> Gap | None:
    """Return what is missing before or within one chunk.

    Args:
        harvest: what the chunk yielded.
        known: how far the feed was read before it.
        at_first: whether it is the first of a connection.
    """
    if known is None:
        return None
    missing = [*_not_given_again(harvest, known, at_first), *_skipped(harvest, known)]
    if not missing:
        return None
    return Gap(min(since for since, _ in missing), max(until for _, until in missing))


def _not_given_again(
    harvest: Harvest, known: Position, at_first: bool
) -> Iterator[tuple[datetime, datetime]]:
    """Yield what the server no longer has of what we requested.

    We ask for a time before the newest known event of each topic, so that one event
    comes again. If the first to come is newer, those in between are gone. A topic that
    is not known yet is compared with the newest event of all, but only at first: then
    the gap is short at worst, and filling it costs little.
    """
    newest = known.newest_at if at_first else None
    for one in harvest.begun:
        since, until = known.reached(one.place) or newest, one.at
        if since and until and until > since:
            yield since, until


def _skipped(harvest: Harvest, known: Position) -> Iterator[tuple[datetime, datetime]]:
    """Yield the time in which the numbers of events show a gap."""
    if harvest.skipped is None or harvest.position is None:
        return
    since = known.reached(harvest.skipped) or known.newest_at
    until = harvest.position.reached(harvest.skipped)
    if since and until:
        yield min(since, until), max(since, until)


# --- Changes that come twice ---

_REVISIONS = (ChangeKind.EDIT, ChangeKind.NEW)

_Key = str | bytes | tuple[str, int]


class RecentChanges:
    """The changes that came last, so that what is delivered twice counts once.

    Args:
        most: how many are remembered; the oldest are forgotten. It should exceed the
            number of wanted changes in the time that feeds are read twice.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: OrderedDict[_Key, None] = OrderedDict()

    def is_new(self, change: Change) -> bool:
        """Whether `change` comes for the first time; it is remembered from now on.

        The same revision can come from two feeds, with an id from each.
        """
        keys: list[_Key] = [change.event_id]
        if change.kind in _REVISIONS and change.revision_id is not None:
            keys.append((change.wiki, change.revision_id))
        return self._is_new(keys)

    def is_new_letter(self, letter: DeadLetter) -> bool:
        """Whether `letter` comes for the first time, judging by its beginning."""
        return self._is_new([hashlib.sha256(letter.raw).digest()])

    def _is_new(self, keys: Sequence[_Key]) -> bool:
        is_new = not any(key in self._keys for key in keys)
        for key in keys:
            self._keys[key] = None
            self._keys.move_to_end(key)
        while len(self._keys) > 2 * self._most:
            self._keys.popitem(last=False)
        return is_new


_AT_ONCE_S = 1.0  # after an ordinary cut, half of it random


class Intake:
    """Reads one feed into one sink.

    Args:
        our_names: the accounts that the program writes with.
    """

    def __init__(
        self,
        feed: EventStreams,
        sink: ChangeSink,
        wanted: ChangeSelection,
        *,
        limits: IntakeLimits,
        surroundings: Surroundings,
        our_names: Collection[str] = (),
    ) -> None:
        self._feed = feed
        self._writer = SinkWriter(sink, limits, surroundings, self._complain)
        self._wanted = wanted
        self._limits = limits
        self._around = surroundings
        self._our_names = our_names
        self._health = Health()
        self._position: Position | None = None
        self._listening_since: datetime | None = None
        self._seen = RecentChanges(limits.remembered)
        self._pending = Pending(limits, surroundings.now())
        self._failures = 0
        self._refusals = 0
        self._server_wait_s = 0.0  # from the server, for the next connection
        self._has_event = False  # an event of this connection
        self._starts_over = True  # without the position that is known

    @property
    def health(self) -> Health:
        """How it is doing."""
        return self._health

    async def run(self, since: datetime | None = None) -> None:
        """Follow the feed until cancelled.

        Args:
            since: where to begin, if the sink has no position yet.

        Raises:
            PermanentError: the feed refuses us before it ever sent anything, or the
                sink cannot save what was read.
        """
        self._seen = RecentChanges(self._limits.remembered)
        self._pending = Pending(self._limits, self._around.now())
        # Never just "now": a run that was killed before anything was saved had already
        # read a little, and a feed may be silent until it is cut.
        self._listening_since = since or self._around.now() - self._overlap
        self._position = await self._writer.position()
        while True:
            began = self._around.now()
            wait_s = 0.0
            try:
                await self._follow_once(self._start(), began)
            except TemporaryError as error:
                wait_s = self._failed(error)
            finally:
                self._health = replace(self._health, is_connected=False)
            await self._commit()
            await self._pause(began, wait_s)

    def _start(self) -> Start:
        if self._position is None:
            return Start(since=self._listening_since)
        if not self._refusals:
            return Start(position=self._position.rewound(self._limits.overlap_s))
        newest = self._position.newest_at
        return Start(since=newest - self._overlap if newest else self._listening_since)

    @property
    def _overlap(self) -> timedelta:
        return timedelta(seconds=self._limits.overlap_s)

    def _complain(self, problem: str) -> None:
        self._health = replace(self._health, problem=problem)

    async def _follow_once(self, start: Start, began: datetime) -> None:
        reader = ConnectionReader(
            self._wanted, self._our_names, self._limits.max_event_bytes
        )
        self._has_event = False
        self._starts_over = start.position is None
        async with AsyncExitStack() as stack:
            connection = await self._connect(stack, start)
            self._health = replace(
                self._health,
                is_connected=True,
                connections=self._health.connections + 1,
            )
            structlog.get_logger().info("stream connected", begins_at=_described(start))
            await self._follow(connection, reader, start.since or began)
        if not self._has_event:
            raise TemporaryError("it ended before any event arrived", retry_in_s=0)

    async def _connect(self, stack: AsyncExitStack, start: Start) -> StreamConnection:
        """Open the feed; a refusal is retried if the feed has ever worked.

        The position itself may be the cause. The next try names a time instead.
        """
        try:
            return await stack.enter_async_context(self._feed.connect(start))
        except PermanentError as error:
            is_start = isinstance(error, StartRefusedError)
            self._refusals += is_start
            if is_start and start.position is not None:
                raise TemporaryError(str(error), retry_in_s=0) from error
            if self._health.events:
                wait_s = self._limits.longest_wait_s
                raise TemporaryError(str(error), retry_in_s=wait_s) from error
            raise

    async def _follow(
        self, connection: StreamConnection, reader: ConnectionReader, from_: datetime
    ) -> None:
        clock_s = self._around.monotonic_s
        silent_from_s = clock_s()
        while True:
            now_s = clock_s()
            left_s = self._limits.silence_s - (now_s - silent_from_s)
            if left_s <= 0:
                raise self._silence()
            due_s = self._pending.due_in_s(self._around.now())
            if due_s == 0:
                await self._commit()
                silent_from_s += clock_s() - now_s  # nobody listened meanwhile
                continue
            try:
                async with asyncio.timeout(
                    left_s if due_s is None else min(left_s, due_s)
                ):
                    chunk = await connection.read()
            except TimeoutError:
                continue
            if not chunk:
                return
            harvest = reader.take(chunk)
            if harvest.events:
                silent_from_s = clock_s()
            self._keep(harvest, from_)

    def _keep(self, harvest: Harvest, from_: datetime) -> None:
        """Add to what is pending, without repetitions."""
        now = self._around.now()
        changes = [change for change in harvest.changes if self._seen.is_new(change)]
        letters = [one for one in harvest.dead_letters if self._seen.is_new_letter(one)]
        self._note_gap(harvest, now)
        if harvest.position is not None:
            # A rejected position is dropped: one of its topics may be the cause.
            known = None if self._starts_over else self._position
            known, self._starts_over = known or Position(()), False
            self._position = known.advanced(harvest.position, now).filled(from_)
        self._pending.add(
            now,
            changes=changes,
            letters=letters,
            has_moved=harvest.position is not None,
        )
        self._note(harvest, changes=len(changes), letters=len(letters), now=now)
        if harvest.wait_ms is not None:
            self._server_wait_s = min(
                harvest.wait_ms / 1000, self._limits.longest_wait_s
            )
        if harvest.complaint is not None:
            raise TemporaryError(
                f"the server reports an error: {harvest.complaint}", retry_in_s=0
            )

    def _note(
        self, harvest: Harvest, *, changes: int, letters: int, now: datetime
    ) -> None:
        known = self._health
        has_events = harvest.events > 0 and harvest.complaint is None
        if has_events:
            self._has_event = True
            self._failures = self._refusals = 0
        self._health = replace(
            known,
            newest_at=self._position.newest_at if self._position else None,
            last_event_at=now if has_events else known.last_event_at,
            problem=None if has_events else known.problem,
            events=known.events + harvest.events,
            changes=known.changes + changes,
            repeated=known.repeated + len(harvest.changes) - changes,
            dead_letters=known.dead_letters + letters,
        )

    def _note_gap(self, harvest: Harvest, now: datetime) -> None:
        """Notice that the server does not deliver everything that we ask for."""
        gap = gap_in(harvest, self._position, at_first=not self._has_event)
        if gap is None or gap.until is None:
            return
        self._pending.add_gap(now, gap)
        self._health = replace(self._health, gaps=self._health.gaps + 1)
        structlog.get_logger().warning(
            "stream has a hole",
            since=gap.since.isoformat(),
            until=gap.until.isoformat(),
        )

    def _silence(self) -> TemporaryError:
        self._health = replace(self._health, silences=self._health.silences + 1)
        return TemporaryError(
            f"no event for {self._limits.silence_s:g} s", retry_in_s=0
        )

    # --- failures and waiting ----------------------------------------------------

    def _failed(self, error: TemporaryError) -> float:
        """Note a failure; return how long to wait."""
        self._failures += 1
        self._complain(str(error))
        tries = min(self._failures, _MAX_DOUBLINGS)
        own_s = backoff_s(self._limits.first_wait_s, tries, self._around.chance())
        wait_s = max(min(own_s, self._limits.longest_wait_s), error.retry_in_s)
        structlog.get_logger().warning(
            "stream lost", why=str(error), tries=self._failures, wait_s=round(wait_s, 1)
        )
        return wait_s

    async def _pause(self, began: datetime, wait_s: float) -> None:
        lasted_s = passed_s(began, self._around.now())
        chance = self._around.chance()
        await self._around.sleep(
            max(
                wait_s,
                self._server_wait_s,
                self._limits.between_tries_s - lasted_s,
                _AT_ONCE_S * (0.5 + chance / 2),
            )
        )

    async def _commit(self) -> None:
        batch = self._pending.take(self._around.now(), self._position)
        if batch is not None:
            await self._writer.keep(batch)


def _described(start: Start) -> str:
    if start.position is not None:
        newest = start.position.newest_at
        return newest.isoformat() if newest else "where it was left"
    return start.since.isoformat() if start.since else "now"
