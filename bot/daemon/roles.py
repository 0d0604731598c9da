"""Runs roles side by side; if one fails, all end.

When told to stop, each role finishes its current work. What takes too long is
cancelled: nothing is lost, because leases run out and posts are reconciled.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Timer
from typing import Any, TypeAlias

import structlog

from bot.records.posts import PostState
from bot.records.tasks import TaskState
from bot.store import Store
from handlers.ports import TemporaryError

Role: TypeAlias = Callable[[asyncio.Event], Coroutine[Any, Any, None]]
"""Runs until the event is set, or until there is nothing left to do."""

GRACE_S = 5.0  # of the ten seconds in which the process must end
LAST_S = 9.0  # of the ten: then the process ends, whatever hangs
_CANCELLED = 20  # times at most: a role's cleanup may hang, again and again
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def run_roles(
    roles: Mapping[str, Role], stop: asyncio.Event, *, grace_s: float = GRACE_S
) -> None:
    """Run all roles until `stop` is set, or one fails, or all are done.

    Raises:
        PermanentError: a role cannot continue; the others were stopped.
    """
    tasks = {asyncio.create_task(role(stop), name=name) for name, role in roles.items()}
    waiting = asyncio.create_task(stop.wait(), name="stop")
    try:
        await _until_stopped_or_failed(tasks, waiting)
    finally:
        stop.set()
        waiting.cancel()
        await _end(tasks, grace_s)
    for task in tasks:
        is_known = task.done() and not task.cancelled()
        if is_known and (error := task.exception()) is not None:
            raise error


async def _until_stopped_or_failed(
    tasks: set[asyncio.Task[None]], waiting: asyncio.Task[bool]
) -> None:
    left = set(tasks)
    while left and not waiting.done():
        await asyncio.wait({*left, waiting}, return_when=asyncio.FIRST_COMPLETED)
        ended = {task for task in left if task.done()}
        for task in ended:
            structlog.get_logger().info("role ended", role=task.get_name())
        if any(not task.cancelled() and task.exception() for task in ended):
            return
        left -= ended


async def _end(tasks: set[asyncio.Task[None]], grace_s: float) -> None:
    _, late = await asyncio.wait(tasks, timeout=grace_s)
    for task in late:
        structlog.get_logger().warning("role cut short", role=task.get_name())
    wait_s = grace_s / 4
    for _ in range(_CANCELLED):
        if not late:
            return
        for task in late:
            task.cancel()
        _, late = await asyncio.wait(late, timeout=wait_s)
        wait_s = grace_s / 100


def last_resort(
    after_s: float = LAST_S, leave: Callable[[int], object] = os._exit
) -> Role:
    """Return a role that ends the process some time after it is told to stop.

    For whatever else hangs then: a disk, a child process that does not die. The thread
    that does it outlives the role, and nothing waits for it.
    """

    def end() -> None:
        structlog.get_logger().warning("ended at once, for something hangs")
        leave(0)

    async def run(stop: asyncio.Event) -> None:
        await stop.wait()
        timer = Timer(after_s, end)
        timer.daemon = True
        timer.start()

    return run


async def until_stopped(work: Coroutine[Any, Any, None], stop: asyncio.Event) -> None:
    """Run work that never ends by itself, and cancel it when `stop` is set."""
    task = asyncio.ensure_future(work)
    waiting = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
        if not task.done():
            task.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)
    if not task.cancelled() and (error := task.exception()) is not None:
        raise error


@contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` on SIGTERM or Ctrl-C; a second one ends the program at once."""
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        structlog.get_logger().info("stopping", signal=number.name)
        stop.set()
        for each in _SIGNALS:
            loop.remove_signal_handler(each)

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


_POLL_S = 0.1
_SOON = timedelta(seconds=1)
_TIMES = 3  # in a row: what one part hands to the next is briefly in no queue


def work_left(store: Store, now: datetime) -> int:
    """Return how many pages, plans and posts are due or in progress.

    All that are merely due count as one. What is due later (a page that is resting, a
    note over today's limit) is not counted: it would keep a run going for a day.
    """
    jobs, plans, posts = store.jobs.state(), store.plans.state(), store.outbox.counts()
    due = [
        at
        for at in (jobs.oldest_due_at, plans.oldest_due_at)
        if at and at <= now + _SOON
    ]
    return (
        len(due)
        + jobs.counts[TaskState.LEASED]
        + sum(plans.leased.values())
        + posts[PostState.WAITING]
        + posts[PostState.TRIED]
        - store.outbox.parked_count()  # they wait for a person
    )


def until_idle(left: Callable[[], int], is_read: Callable[[], bool]) -> Role:
    """Return a role that sets `stop` when everything has been read and nothing is left.

    Args:
        left: returns how much is waiting or in progress; it blocks.
        is_read: returns whether the feed has delivered everything.
    """

    async def count() -> int:
        try:
            return await asyncio.to_thread(left)
        except TemporaryError as error:  # the others wait for the store, too
            structlog.get_logger().warning("nothing can be counted", why=str(error))
            return 1

    async def run(stop: asyncio.Event) -> None:
        calm = 0
        while not stop.is_set():
            calm = calm + 1 if not await count() and is_read() else 0
            if calm >= _TIMES:
                structlog.get_logger().info("nothing is left to do")
                stop.set()
                return
            await asyncio.sleep(_POLL_S)

    return run
