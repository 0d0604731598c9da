"""A host is asked by one process at a time, with a pause, whoever asks and wherever."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, select

from bot.records.fetches import HostBusy, HostSlot
from bot.store import schema
from bot.store.clock import database_now
from bot.store.database import Transactions
from bot.store.fetches import Hosts
from bot.store.sweep import SweepRules, sweep

_DELAY_S, _FOR_S = 2.0, 60.0


class _Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self, _: Connection) -> datetime:
        return self.at

    def pass_s(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def hosts(transactions: Transactions, clock: _Clock) -> Hosts:
    return Hosts(transactions, clock)


def _taken(hosts: Hosts, host: str = "a.example") -> HostSlot:
    turn = hosts.take(host, _DELAY_S, _FOR_S)
    assert isinstance(turn, HostSlot)
    return turn


def _wait_s(hosts: Hosts, host: str = "a.example") -> float:
    busy = hosts.take(host, _DELAY_S, _FOR_S)
    assert isinstance(busy, HostBusy)
    return busy.wait_s


def test_the_pause_counts_from_the_end_of_the_turn_before(
    hosts: Hosts, clock: _Clock
) -> None:
    turn = _taken(hosts)
    clock.pass_s(10)
    assert _wait_s(hosts) > 0, "another asks it just now"
    _taken(hosts, "b.example")

    hosts.end(turn)

    assert _wait_s(hosts) == _DELAY_S
    clock.pass_s(1.5)
    assert _wait_s(hosts) == 0.5
    clock.pass_s(0.5)
    assert _taken(hosts).token == turn.token + 1


def test_whoever_died_holds_a_host_up_until_the_turn_runs_out_and_ends_no_other(
    hosts: Hosts, clock: _Clock
) -> None:
    dead = _taken(hosts)
    clock.pass_s(_FOR_S)
    living = _taken(hosts)

    hosts.end(dead)  # it was only thought dead

    clock.pass_s(10)
    assert _wait_s(hosts), "the turn of the living one goes on"
    hosts.end(living)
    assert _wait_s(hosts) == _DELAY_S


def test_all_are_told_that_a_host_is_asked_too_often(
    hosts: Hosts, clock: _Clock
) -> None:
    hosts.end(_taken(hosts), throttle_s=100)

    clock.pass_s(50)
    second = _taken(hosts)
    hosts.end(second)
    clock.pass_s(50)

    assert second.is_throttling
    assert not _taken(hosts).is_throttling


@pytest.mark.parametrize("is_held", [False, True])
def test_a_clock_that_is_set_back_leaves_no_host_out(
    hosts: Hosts, clock: _Clock, is_held: bool
) -> None:
    turn = _taken(hosts)
    if not is_held:
        hosts.end(turn)
    clock.pass_s(-2 * 3600)

    assert _wait_s(hosts) == _DELAY_S
    clock.pass_s(_DELAY_S)
    _taken(hosts)


def test_of_many_who_want_a_new_host_at_once_one_gets_it(
    transactions: Transactions,
) -> None:
    shared = Hosts(transactions)

    with ThreadPoolExecutor(8) as threads:
        got = list(
            threads.map(lambda _: shared.take("new.example", 1, _FOR_S), range(8))
        )

    assert sum(isinstance(one, HostSlot) for one in got) == 1


def test_a_turn_is_judged_by_the_time_when_no_other_can_end_it_any_more(
    transactions: Transactions, clock: _Clock
) -> None:
    """Who waits for a row would else think that it is as early as when it came."""
    free = select(schema.hosts.c.host).with_for_update(skip_locked=True)
    lines: list[str] = []

    def now(connection: Connection) -> datetime:
        if (
            connection.dialect.name != "sqlite"
        ):  # which has one who writes, from the beginning
            lines.extend(transactions.read(lambda other: other.scalars(free).all()))
        return clock(connection)

    hosts = Hosts(transactions, now)
    hosts.end(_taken(hosts))
    lines.clear()  # when it was not yet there
    clock.pass_s(_DELAY_S)
    hosts.end(_taken(hosts))

    assert lines == []


def test_hosts_that_nobody_asked_for_a_day_are_forgotten(
    hosts: Hosts, clock: _Clock, transactions: Transactions
) -> None:
    hosts.end(_taken(hosts))
    clock.pass_s(86_400)
    hosts.end(_taken(hosts, "b.example"))

    later = clock.at + timedelta(seconds=50)
    assert [sweep(transactions, later, SweepRules())["hosts"] for _ in range(2)] == [
        1,
        0,
    ]


def test_the_time_is_the_databases_to_a_second(transactions: Transactions) -> None:
    now = transactions.read(database_now)

    assert abs((now - datetime.now(UTC)).total_seconds()) < 1
