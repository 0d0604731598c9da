"""Shares work among the processes of a Dask cluster, local or remote.

Each worker process opens its tools once and keeps them until the work is done. No
more tasks are handed out than the workers can soon begin, so that neither a long list
nor its results pile up in memory.

A Dask scheduler runs whatever it is sent. One that we start listens on loopback only,
and uses TLS with temporary certificates if the package `cryptography` is installed; a
remote one is as safe as whoever set it up made it.
"""

import logging
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from typing import Any

from distributed import (
    Client,
    Future,
    LocalCluster,
    Security,
    as_completed,
    get_worker,
)
from distributed.diagnostics.plugin import WorkerPlugin

from bot.research.sweep.rows import Portion, Shard
from bot.research.sweep.shards import Sweeper
from handlers.ports import PermanentError, TemporaryError

_AHEAD = 2  # tasks handed out per worker thread
_CONNECT_S = 20
_MEMORY = "2GiB"  # for a worker process, without the child that reads pages
_RETRY_S = 60.0


class _Toolbox(WorkerPlugin):
    """Holds as many sweepers on each worker as it ever had threads at work at once."""

    def __init__(self, name: str, make: Callable[[], Sweeper]) -> None:
        self.name = name
        self._make = make

    def setup(self, worker: object) -> None:  # noqa: ARG002 - Dask's signature
        self._idle: queue.SimpleQueue[Sweeper] = queue.SimpleQueue()

    def teardown(self, worker: object) -> None:  # noqa: ARG002 - Dask's signature
        while not self._idle.empty():
            self._idle.get().close()

    def do(self, task: Portion) -> Shard:
        try:
            sweeper = self._idle.get_nowait()
        except queue.Empty:
            sweeper = self._make()
        try:
            return sweeper(task)
        finally:
            self._idle.put(sweeper)


def _do(name: str, task: Portion) -> Shard:
    toolbox = get_worker().plugins[name]
    assert isinstance(toolbox, _Toolbox)  # noqa: S101 - narrows the type
    return toolbox.do(task)


class DaskWorkers:
    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name

    def results(
        self, tasks: Iterator[Portion]
    ) -> Iterator[tuple[Portion, Shard | Exception]]:
        """Yield each task with its result, in the order in which they are done."""
        given: dict[Future[Any], Portion] = {}
        done = as_completed([])
        self._hand_out(tasks, given, done)
        for future in done:
            task = given.pop(future)
            result = _result(future)
            future.release()
            self._hand_out(tasks, given, done)
            yield task, result

    def _hand_out(
        self,
        tasks: Iterator[Portion],
        given: dict[Future[Any], Portion],
        done: as_completed,
    ) -> None:
        room = self._room()
        while len(given) < room:
            task = next(tasks, None)
            if task is None:
                return
            future = self._client.submit(_do, self._name, task, pure=False)
            given[future] = task
            done.add(future)

    def _room(self) -> int:
        """Return how many tasks may be handed out; workers may come and go."""
        try:
            return max(1, int(sum(self._client.nthreads().values()))) * _AHEAD
        except OSError as error:
            raise _gone() from error


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except CancelledError:
        raise _gone() from None
    except Exception as error:  # noqa: BLE001 - whatever a task raised, or its worker's end
        return error


def _gone() -> TemporaryError:
    return TemporaryError(
        "the Dask scheduler is gone; run the same command again when it is back, and"
        " it continues where it stopped",
        retry_in_s=_RETRY_S,
    )


@contextmanager
def dask_workers(
    name: str,
    make: Callable[[], Sweeper],
    *,
    workers: int,
    scheduler: str | None = None,
) -> Iterator[DaskWorkers]:
    """Yield workers: `workers` processes on this machine, or those of a scheduler."""
    with _quiet(), ExitStack() as opened:
        client = opened.enter_context(
            _remote(scheduler) if scheduler else _local(workers)
        )
        _bring(client, _Toolbox(name, make))
        opened.callback(_take_down, client, name)
        yield DaskWorkers(client, name)


def _bring(client: Client, toolbox: _Toolbox) -> None:
    """Give all workers their tools, including those that join later."""
    try:
        client.register_plugin(toolbox)
    except OSError as error:
        raise _gone() from error
    except Exception as error:  # anything that a worker without this program may raise
        raise PermanentError(
            f"the Dask workers cannot load this program ({error}); install it there, in"
            " the same version as here"
        ) from error


def _take_down(client: Client, name: str) -> None:
    with suppress(OSError):  # if the scheduler is gone, so is the plugin
        client.unregister_worker_plugin(name)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log messages off the terminal; our errors say what to do."""
    known = (logging.getLogger(name) for name in list(logging.root.manager.loggerDict))
    before = {
        one: one.level for one in known if one.name.partition(".")[0] == "distributed"
    }
    for one in before:
        one.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for one, level in before.items():
            one.setLevel(level)


@contextmanager
def _local(workers: int) -> Iterator[Client]:
    with _deaf_to_interrupts():
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=_MEMORY,
            dashboard_address="127.0.0.1:0",  # any free port; it is not shown
            silence_logs=logging.CRITICAL,
            security=Security.temporary() if find_spec("cryptography") else None,
        )
    with cluster, Client(cluster) as client:
        yield client


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Have processes that are started meanwhile ignore Ctrl-C.

    A terminal sends it to all of them; only this one handles it, and ends the others.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _remote(scheduler: str) -> Iterator[Client]:
    try:
        client = Client(scheduler, timeout=_CONNECT_S)
    except (OSError, ValueError, TypeError) as error:  # such as when TLS is required
        raise TemporaryError(
            f"no Dask scheduler answers at {scheduler}; start one with `dask scheduler`"
            " and workers with `dask worker ADDRESS`",
            retry_in_s=_RETRY_S,
        ) from error
    with client:
        if not client.nthreads():
            raise TemporaryError(
                f"the scheduler at {scheduler} has no workers; start some with"
                f" `dask worker {scheduler}`",
                retry_in_s=_RETRY_S,
            )
        yield client
