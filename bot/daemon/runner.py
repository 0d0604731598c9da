"""Does waiting tasks one after another, whatever their kind.

A task is held by a lease that is renewed during the work. The result and the end of the
lease are saved together, so a worker that is killed, or was presumed dead, leaves
nothing behind and loses nothing. No task stops the runner: one that fails waits, or is
parked, with the reason shown.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog

from bot.records.tasks import (
    FailureOutcome,
    Lease,
    LeaseLost,
    Poller,
    TaskKind,
    Work,
    rounds,
)
from bot.store import Tasks
from handlers.ports import AwayError, PermanentError, TemporaryError

_RENEWALS = 3  # tries to renew a lease before it runs out
_END_TRIES = 10  # with half a minute in between, as long as a lease lasts
_BUSY_SHARE = 0.25  # of a rest, while others are in progress: a task is free soon


@dataclass(frozen=True, slots=True)
class Runner:
    """Works through the tasks whose kinds it handles, in the order of the kinds.

    `draw` gives random numbers from 0 to 1; `without` gives the wikis to leave alone;
    at most `at_once` tasks run at the same time. Several runners, also in several
    processes, may share one store.
    """

    name: str
    tasks: Tasks
    works: Mapping[TaskKind, Work]
    now: Callable[[], datetime]
    draw: Callable[[], float]
    at_once: int = 1
    without: Callable[[], Collection[str]] = tuple
    busy: set[asyncio.Task[None]] = field(
        default_factory=set, init=False, compare=False
    )

    async def run(self, stop: asyncio.Event, *, idle_s: float = 1.0) -> None:
        """Work until `stop` is set; tasks in progress are finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        poller = Poller(self.work_once, idle_s)

        async def once() -> float:
            rest_s = await poller()
            return min(rest_s, _BUSY_SHARE * idle_s) if self.busy else rest_s

        try:
            await rounds(stop, once)
            if self.busy:
                await asyncio.wait(self.busy)
            self._reap()
        finally:
            for task in self.busy:
                task.cancel()
            await asyncio.gather(*self.busy, return_exceptions=True)

    async def work_once(self) -> bool:
        """Do the next task, or start it; `False` if none is due.

        Raises:
            TemporaryError: the store is unavailable; a task in progress comes back when
                its lease runs out.
            PermanentError: the store cannot be used.
        """
        self._reap()
        if len(self.busy) >= self.at_once:
            await asyncio.wait(self.busy, return_when=asyncio.FIRST_COMPLETED)
            self._reap()
        for work in self.works.values():
            if work.enrol is not None:
                await asyncio.to_thread(work.enrol, self.now())
        kinds = tuple(self.works)
        held = await asyncio.to_thread(
            self.tasks.lease, kinds, self.name, self.now(), without=self.without()
        )
        if held is None:
            return False
        if self.at_once == 1:
            await self._work_on(held)
            return True
        # A task that killed a worker runs alone: otherwise those beside it would be
        # given up, too.
        before = set(self.busy) if held.attempt > 1 else set()
        working = asyncio.create_task(self._work_on(held, before))
        self.busy.add(working)
        if held.attempt > 1:
            await asyncio.wait({working})
        return True

    def _reap(self) -> None:
        """Forget finished tasks; raise what they raised."""
        for task in [one for one in self.busy if one.done()]:
            self.busy.discard(task)
            task.result()

    async def _work_on(
        self, held: Lease[Any], after: Collection[asyncio.Task[None]] = ()
    ) -> None:
        work = self.works[held.kind]
        with structlog.contextvars.bound_contextvars(
            task=held.kind.name.lower(),
            wiki=held.wiki,
            title=held.subject,
            attempt=held.attempt,
        ):
            try:
                async with self._renewed(held):
                    if after:
                        await asyncio.wait(after)
                    await work.do(held)
            except asyncio.CancelledError:
                with suppress(LeaseLost, TemporaryError, PermanentError):
                    await asyncio.to_thread(self.tasks.put_off, held, self.now(), 0.0)
                raise
            except LeaseLost:
                structlog.get_logger().warning("lease lost, result dropped")
            except Exception as error:  # noqa: BLE001 - no task may stop the runner
                await self._end(
                    held, work.failed(held, error) or self._outcome(held, error)
                )

    def _outcome(self, held: Lease[Any], error: Exception) -> FailureOutcome:
        """Return what happens to a task unless its kind says otherwise."""
        work, attempt, draw = self.works[held.kind], held.attempt, self.draw()
        match error:
            case AwayError() if work.away is not None:
                in_s = work.away.wait_s(attempt, error.retry_in_s, draw)
            case TemporaryError():
                in_s = work.back_off.wait_s(attempt, error.retry_in_s, draw)
            case PermanentError():
                return FailureOutcome(str(error), work.hopeless_s)
            case _:
                structlog.get_logger().error("fault in a task", exc_info=error)
                why = f"a fault of the program: {type(error).__name__}: {error}"
                waits_s = work.back_off.wait_s(attempt, 0.0, draw)
                return FailureOutcome(
                    why, waits_s if work.fault_s is None else work.fault_s
                )
        return FailureOutcome(str(error), in_s)

    async def _end(self, held: Lease[Any], outcome: FailureOutcome) -> None:
        why, in_s, log = outcome.why, outcome.in_s, structlog.get_logger()
        if in_s is None:
            log.info("task parked", why=why)
            await self._save(lambda: self.tasks.park(held, self.now(), why))
            return
        log_retry = log.info if held.attempt == 1 else log.warning
        log_retry("task tried again", why=why, in_s=round(in_s))
        end = self.tasks.retry if outcome.counts else self.tasks.put_off
        await self._save(lambda: end(held, self.now(), in_s, why))

    async def _save(self, save: Callable[[], None]) -> None:
        """Save the result of a task, even if the store is unavailable for some minutes.

        Otherwise the task would wait until its lease runs out, which takes longer.
        """
        with suppress(LeaseLost):
            for _ in range(_END_TRIES - 1):
                try:
                    await asyncio.to_thread(save)
                except TemporaryError as error:
                    structlog.get_logger().warning("store is away", why=str(error))
                    await asyncio.sleep(error.retry_in_s)
                else:
                    return
            await asyncio.to_thread(save)

    @asynccontextmanager
    async def _renewed(self, held: Lease[Any]) -> AsyncIterator[None]:
        """Keep renewing a lease while the block runs.

        A lost lease is noticed when the result is saved.
        """
        renewing = asyncio.create_task(self._renew(held))
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _renew(self, held: Lease[Any]) -> None:
        while True:
            lease_s = self.tasks.policies[held.kind].lease_s
            await asyncio.sleep(lease_s / (_RENEWALS + 1))
            try:
                await asyncio.to_thread(self.tasks.renew, held, self.now())
            except LeaseLost:
                return
            except (TemporaryError, PermanentError) as error:  # the work continues
                structlog.get_logger().warning("lease not renewed", why=str(error))
