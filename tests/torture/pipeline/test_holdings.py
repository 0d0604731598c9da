"""The judge of what lives had in hand sees who steps with what another has by now."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.records.jobs import JobReason, PageJob
from bot.records.posts import Posted
from bot.records.tasks import LeaseLost, TaskKind
from bot.store import open_store
from tests.bot.store.made_posts import post
from tests.bot.store.runs import NOON, WIKI
from tests.torture.pipeline.holdings import Act, Line, Notes, lines_in, overtaken

_LEASE_S = 120.0
_LATE = NOON + timedelta(seconds=_LEASE_S)
_TAKEN = Line(Act.TAKEN, "CHECK of A", 1, "", 0.0, 0.1, 0.0, 4.0)
_TAKEN_AGAIN = Line(Act.TAKEN, "CHECK of A", 2, "", 5.0, 5.1, 5.0, 9.0)
_GIVEN_BACK = Line(Act.BEGUN, "CHECK of A", 1, "finish", 1.0, 1.0)


def _done(token: int, began_s: float) -> Line:
    return Line(Act.DONE, "CHECK of A", token, "finish", began_s, began_s + 1.0)


@pytest.mark.parametrize(
    ("lines", "faults"),
    [
        ((_TAKEN, _done(1, 1.0), _TAKEN_AGAIN, _done(2, 6.0)), 0),
        ((_TAKEN, _TAKEN_AGAIN, _done(1, 5.05)), 0),  # it may have been first
        ((_TAKEN, _TAKEN_AGAIN, _done(1, 5.2)), 1),
        ((_TAKEN, replace(_TAKEN_AGAIN, now=3.0, at_s=3.1)), 1),
        ((_TAKEN, _GIVEN_BACK, replace(_TAKEN_AGAIN, now=3.0, at_s=3.1)), 0),
    ],
)
def test_steps_with_a_lost_number_and_double_holdings_are_faults(
    lines: tuple[Line, ...], faults: int
) -> None:
    assert len(list(overtaken(lines))) == faults


def test_what_a_store_gives_and_takes_back_is_noted(tmp_path: Path) -> None:
    notes, kinds = Notes(tmp_path / "holdings"), (TaskKind.CHECK,)
    with open_store(f"sqlite:///{tmp_path / 'x.sqlite'}") as store:
        notes.follow(store, _LEASE_S)
        store.jobs.put([PageJob(WIKI, "A", JobReason.CHANGE, NOON, NOON)])
        store.outbox.ask(post("a" * 64))
        first = store.tasks.lease(kinds, "one", NOON + timedelta(hours=1))
        later: datetime = NOON + timedelta(hours=2)
        second = store.tasks.lease(kinds, "two", later)
        assert first is not None
        assert second is not None
        with pytest.raises(LeaseLost):
            store.tasks.finish(first, later)
        store.tasks.finish(second, later)
        attempt = store.outbox.begin(_LATE)
        assert attempt is not None
        store.outbox.settle(attempt, Posted(1), _LATE)

    lines = lines_in(tmp_path / "holdings")

    assert [(one.act, one.verb, one.token - first.token) for one in lines[:5]] == [
        (Act.TAKEN, "", 0),
        (Act.TAKEN, "", 1),
        (Act.BEGUN, "finish", 0),
        (Act.BEGUN, "finish", 1),
        (Act.DONE, "finish", 1),
    ]
    assert [one.act for one in lines[5:]] == [Act.TAKEN, Act.BEGUN, Act.DONE]
    assert list(overtaken(lines)) == []
