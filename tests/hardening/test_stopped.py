"""Processes that are stopped in the middle, and clocks that are wrong."""

import os
import signal
from datetime import datetime, timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import LeaseLost, TaskKind, TaskState
from bot.store import Store, check_policy, open_store
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.rig.databases import ready_sqlite

_LEASE_S = 60.0
_RULES = check_policy(lease_s=_LEASE_S, attempts=5)
_forked = get_context("fork")


def _put(store: Store, now: datetime = NOON, revision: int = 10) -> None:
    job = PageJob(WIKI, TITLE, JobReason.CHANGE, now, now, revision_id=revision)
    store.jobs.put([job])


def _work(place: str, pipe: Connection) -> None:
    """Lease the page, say so, and finish it whenever told to."""
    with open_store(place, policies={TaskKind.CHECK: _RULES}) as store:
        lease = store.tasks.lease([TaskKind.CHECK], "the stopped one", NOON)
        pipe.send(lease is not None)
        pipe.recv()
        assert lease is not None
        try:
            store.finish_check(lease, NOON + timedelta(seconds=1))
        except LeaseLost:
            pipe.send("refused")
        else:
            pipe.send("finished")


def test_a_worker_that_was_stopped_beyond_its_lease_changes_nothing(
    tmp_path: Path,
) -> None:
    place = ready_sqlite(tmp_path / "sidenote.sqlite")
    ours, theirs = _forked.Pipe()
    with open_store(place, policies={TaskKind.CHECK: _RULES}) as store:
        _put(store)
    worker = _forked.Process(target=_work, args=(place, theirs), daemon=True)
    worker.start()
    assert worker.pid
    assert ours.recv()

    os.kill(worker.pid, signal.SIGSTOP)
    try:
        late = NOON + timedelta(seconds=_LEASE_S + 1)
        with open_store(place, policies={TaskKind.CHECK: _RULES}) as store:
            other = store.tasks.lease([TaskKind.CHECK], "another", late)
            assert other is not None
    finally:
        os.kill(worker.pid, signal.SIGCONT)
    ours.send("go on")
    outcome = ours.recv()
    worker.join()

    assert outcome == "refused"
    with open_store(place, policies={TaskKind.CHECK: _RULES}) as store:
        assert store.jobs.state().counts[TaskState.LEASED] == 1
        store.finish_check(other, late)
        assert store.jobs.state().counts[TaskState.IDLE] == 1


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1)])
def test_a_clock_that_jumps_doubles_no_work_and_loses_none(
    tmp_path: Path, jump: timedelta
) -> None:
    with open_store(
        ready_sqlite(tmp_path / "s.sqlite"), policies={TaskKind.CHECK: _RULES}
    ) as store:
        _put(store)
        first = store.tasks.lease([TaskKind.CHECK], "one", NOON)
        assert first is not None

        now = NOON + jump
        second = store.tasks.lease([TaskKind.CHECK], "two", now)
        done = 0
        for held in (first, second):
            try:
                if held is not None:
                    store.finish_check(held, now)
                    done += 1
            except LeaseLost:
                pass

        assert done == 1
        assert store.jobs.state().counts[TaskState.IDLE] == 1
        _put(store, now + timedelta(hours=1), 11)
        assert (
            store.tasks.lease([TaskKind.CHECK], "one", now + timedelta(hours=3))
            is not None
        )
