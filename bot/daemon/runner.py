"""Does one waiting task after the other, whatever its kind.

A task is held by a lease that is prolonged while the work goes on. What came of it and
the end of the lease are saved together, so that a worker that is killed, or that was
thought dead, leaves nothing behind and loses nothing. No task stops the runner: one that
fails waits, or is parked, with the reason shown.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog

from bot.records.tasks import Fate, Lease, LeaseLost, Looking, TaskKind, Work, rounds
from bot.store import Tasks
from handlers.ports import AwayError, PermanentError, TemporaryError

_RENEWALS = 3  # tries to prolong a lease before it runs out
_TELLINGS = 10  # with half a minute in between, as long as a lease lasts
_SOON = 0.25  # of a rest, while others are in work: what waits is free again soon


@dataclass(frozen=True, slots=True)
class Runner:
    """Works through the tasks of the kinds that it has work for, in their order.

    `draw` gives random numbers from 0 to 1; `without` the wikis to be let be, and at
    most `at_once` tasks are done at the same time. Several runners, also in several
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
        """Work until `stop` is set; what is in work is finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        looking = Looking(self.work_once, idle_s)

        async def once() -> float:
            rest_s = await looking()
            return min(rest_s, _SOON * idle_s) if self.busy else rest_s

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
        """Do the task whose turn it is, or begin to; `False` if none is due.

        Raises:
            TemporaryError: the store is away; a task in work comes back when its lease
                runs out.
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
        # What a worker died over is done alone: else those beside it would be given up.
        before = set(self.busy) if held.attempt > 1 else set()
        working = asyncio.create_task(self._work_on(held, before))
        self.busy.add(working)
        if held.attempt > 1:
            await asyncio.wait({working})
        return True

    def _reap(self) -> None:
        """Forget what is done; raise what doing it raised."""
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
                async with self._kept(held):
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
                    held, work.failed(held, error) or self._fate(held, error)
                )

    def _fate(self, held: Lease[Any], error: Exception) -> Fate:
        """Return what becomes of a task where its kind says nothing else."""
        work, attempt, draw = self.works[held.kind], held.attempt, self.draw()
        match error:
            case AwayError() if work.away is not None:
                in_s = work.away.wait_s(attempt, error.retry_in_s, draw)
            case TemporaryError():
                in_s = work.back_off.wait_s(attempt, error.retry_in_s, draw)
            case PermanentError():
                return Fate(str(error), work.hopeless_s)
            case _:
                structlog.get_logger().error("fault in a task", exc_info=error)
                why = f"a fault of the program: {type(error).__name__}: {error}"
                waits_s = work.back_off.wait_s(attempt, 0.0, draw)
                return Fate(why, waits_s if work.fault_s is None else work.fault_s)
        return Fate(str(error), in_s)

    async def _end(self, held: Lease[Any], fate: Fate) -> None:
        why, in_s, log = fate.why, fate.in_s, structlog.get_logger()
        if in_s is None:
            log.info("task parked", why=why)
            await self._say(lambda: self.tasks.park(held, self.now(), why))
            return
        tell = log.info if held.attempt == 1 else log.warning
        tell("task tried again", why=why, in_s=round(in_s))
        end = self.tasks.retry if fate.counts else self.tasks.put_off
        await self._say(lambda: end(held, self.now(), in_s, why))

    async def _say(self, say: Callable[[], None]) -> None:
        """Keep what became of a task, also if the store is away for some minutes.

        Otherwise the task would wait until its lease runs out, which takes longer.
        """
        with suppress(LeaseLost):
            for _ in range(_TELLINGS - 1):
                try:
                    await asyncio.to_thread(say)
                except TemporaryError as error:
                    structlog.get_logger().warning("store is away", why=str(error))
                    await asyncio.sleep(error.retry_in_s)
                else:
                    return
            await asyncio.to_thread(say)

    @asynccontextmanager
    async def _kept(self, held: Lease[Any]) -> AsyncIterator[None]:
        """Prolong a lease again and again while the block runs.

        That it is lost is found out by whoever saves what came of the work.
        """
        keeping = asyncio.create_task(self._keep(held))
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def _keep(self, held: Lease[Any]) -> None:
        while True:
            lease_s = self.tasks.policies[held.kind].lease_s
            await asyncio.sleep(lease_s / (_RENEWALS + 1))
            try:
                await asyncio.to_thread(self.tasks.renew, held, self.now())
            except LeaseLost:
                return
            except (TemporaryError, PermanentError) as error:  # the work goes on, too
                structlog.get_logger().warning("lease not prolonged", why=str(error))
