"""A day's cap holds over all processes, those that die, and a clock that moves."""

import multiprocessing
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from bot.records.spending import (
    Allowance,
    Denied,
    Granted,
    Payer,
    PayerKind,
    Payers,
    payers_of,
)
from bot.records.status import SpendingStatus
from bot.store import Store, SweepRules, open_store
from bot.store.database import Transactions, open_engine, parse_url
from bot.store.schema import reservations, spending, spending_parts
from bot.store.spending import Spending
from bot.store.tasks import tenant_of
from tests.bot.surfaces.planning.makers import watch

_T = TypeVar("_T")
_LATE = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
_CAP = Allowance(Decimal(1), 100)
_TENTH, _SIXTH = Decimal("0.1"), Decimal("0.17")


class _Clock:
    def __init__(self) -> None:
        self.at = _LATE

    def __call__(self, _: Connection) -> datetime:
        return self.at

    def pass_h(self, hours: float) -> None:
        self.at += timedelta(hours=hours)


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def budget(transactions: Transactions, clock: _Clock) -> Spending:
    return Spending(transactions, clock)


def _granted(budget: Spending, money: Decimal, cap: Allowance = _CAP) -> Granted:
    answer = budget.reserve(money, cap)
    assert isinstance(answer, Granted)
    return answer


def _denied(budget: Spending, money: Decimal, cap: Allowance = _CAP) -> Denied:
    answer = budget.reserve(money, cap)
    assert isinstance(answer, Denied)
    return answer


def _booked(transactions: Transactions) -> Decimal:
    booked = select(func.sum(spending.c.reserved + spending.c.settled))
    return (
        Decimal(transactions.read(lambda connection: connection.scalar(booked)) or 0)
        / 10**9
    )


def test_what_could_pass_the_cap_is_not_let_through(budget: Spending) -> None:
    first = _granted(budget, Decimal("0.9"))
    denied = _denied(budget, Decimal("0.2"))
    assert denied.wait_s == 60, "the first may yet cost less"
    assert "0.9000 of the 1" in denied.why
    assert "DAILY_BUDGET" in denied.why

    budget.settle(first, Decimal("0.1"))
    budget.settle(first, Decimal("0.1"))

    second = _granted(budget, Decimal("0.9"))
    budget.settle(second, Decimal(5))  # no more than was set aside
    denied = _denied(budget, Decimal("0.000000001"))
    assert denied.booked == 1
    assert denied.wait_s == 1800, "until the next day"
    _granted(budget, Decimal(0))
    assert "DAILY_CALLS" in _denied(budget, Decimal(0), Allowance(Decimal(1), 3)).why


def test_what_a_process_had_set_aside_when_it_died_stays_booked(
    budget: Spending, transactions: Transactions, clock: _Clock
) -> None:
    for _ in range(10):
        _granted(budget, _TENTH)

    again = Spending(transactions, clock)

    assert _denied(again, _TENTH).booked == 1


def test_a_page_and_one_who_asked_have_a_part_of_the_day_each(
    budget: Spending, transactions: Transactions
) -> None:
    cap = replace(_CAP, page_share=Decimal("0.2"), person_share=Decimal("0.3"))
    ann_a, ann_b, ann_c = (payers_of("wiki", page, "Ann") for page in "ABC")
    first = budget.reserve(Decimal("0.15"), cap, ann_a)
    assert isinstance(first, Granted)

    denied = budget.reserve(_TENTH, cap, ann_a)
    assert isinstance(denied, Denied)
    assert denied.payer == ann_a[0]
    assert "0.1500 of the 0.2000 that one page may take" in denied.why
    assert "DAILY_PAGE_SHARE" in denied.why

    budget.settle(first, _TENTH)
    assert isinstance(budget.reserve(_TENTH, cap, ann_a), Granted)
    assert isinstance(budget.reserve(_TENTH, cap, ann_b), Granted)
    denied = budget.reserve(Decimal("0.01"), cap, ann_c)
    assert isinstance(denied, Denied)
    assert denied.payer == ann_c[1]
    assert "0.3000 of the 0.3000 that one who asked may take" in denied.why
    assert "DAILY_PERSON_SHARE" in denied.why
    assert denied.wait_s == 60, "two may yet cost less"

    assert isinstance(
        budget.reserve(_TENTH, cap, payers_of("wiki", "C", "Bo")), Granted
    )
    assert _booked(transactions) == Decimal("0.4")


def test_a_part_of_a_day_has_calls_of_its_own_and_ends_with_it(
    budget: Spending, clock: _Clock
) -> None:
    few = Allowance(Decimal(1), 5, page_share=Decimal("0.3"))  # that is 1.5 calls
    page = payers_of("wiki", "A", "Ann")
    for _ in range(2):
        assert isinstance(budget.reserve(Decimal(0), few, page), Granted)
    denied = budget.reserve(Decimal(0), few, page)
    assert isinstance(denied, Denied)
    assert "the 2 calls that one page may take" in denied.why
    assert denied.wait_s == 1800

    clock.pass_h(1)

    assert isinstance(budget.reserve(Decimal(0), few, page), Granted)


def test_who_pays_is_who_watches_the_fewest_pages_or_all_who_do_not(
    store: Store,
) -> None:
    for user, pages in (("Ann", ("A", "B", "C")), ("Bo", ("A", "B"))):
        active_watch = watch(
            wiki="wiki", place=f"User:{user}", watcher=user, pages=pages
        )
        store.watches.keep(active_watch, (), _LATE)
    a, b, c, d, e = (store.spending.payers("wiki", title) for title in "ABCDE")

    assert len({pays[0] for pays in (a, b, c, d, e)}) == 5
    assert a[1] == b[1] == payers_of("wiki", "", tenant_of("USER", "Bo"))[1]
    assert c[1] == payers_of("wiki", "", tenant_of("USER", "Ann"))[1]
    assert d[1] == e[1]


class _Twice(Transactions):
    """Makes all work again, as where MariaDB loses the answer to a commit it made."""

    def write(self, work: Callable[[Connection], _T]) -> _T:
        super().write(work)
        return super().write(work)


def test_what_is_done_again_by_chance_is_booked_once(
    url: str, transactions: Transactions, clock: _Clock
) -> None:
    engine = open_engine(parse_url(url), lock_timeout_s=30)
    budget = Spending(_Twice(engine, "here"), clock)
    other = _granted(budget, Decimal("0.3"))
    budget.settle(_granted(budget, Decimal("0.7")), Decimal("0.1"))
    engine.dispose()

    assert _booked(transactions) == Decimal("0.4")
    Spending(transactions, clock).settle(other, Decimal("0.2"))
    assert _booked(transactions) == Decimal("0.3")


def test_the_status_tells_what_is_booked_and_whether_one_was_refused(
    budget: Spending, store: Store, clock: _Clock
) -> None:
    _granted(budget, Decimal("0.9"))
    budget.settle(_granted(budget, _TENTH), Decimal("0.05"))
    _denied(budget, _TENTH)
    at_cap = store.status(clock.at).spending
    _granted(budget, Decimal("0.02"))
    goes_on = store.status(clock.at).spending
    for page in "AAB":
        pays = payers_of("wiki", page, "Ann")
        budget.reserve(_TENTH / 10, replace(_CAP, page_share=_TENTH / 20), pays)
    pays = payers_of("wiki", "C", "Ann")
    budget.reserve(
        _TENTH, replace(_CAP, money=Decimal(9), person_share=_TENTH / 9), pays
    )
    refused = store.status(clock.at).spending
    clock.pass_h(1)
    next_day = store.status(clock.at).spending

    assert refused.refused == {PayerKind.PAGE: 2, PayerKind.PERSON: 1}
    assert refused.refused_at is None, "the others go on"
    assert at_cap == SpendingStatus(Decimal("0.05"), Decimal("0.9"), 2, _LATE)
    assert goes_on == SpendingStatus(Decimal("0.05"), Decimal("0.92"), 3)
    assert next_day == SpendingStatus()


def test_no_day_is_spent_twice_however_the_clock_moves(
    budget: Spending, clock: _Clock
) -> None:
    before = _granted(budget, Decimal(1))
    clock.pass_h(1)
    _granted(budget, Decimal("0.9"))
    budget.settle(before, Decimal("0.5"))  # of the day on which it began
    _denied(budget, Decimal("0.2"))

    clock.pass_h(-1)
    _granted(budget, Decimal("0.5"))
    _denied(budget, _TENTH)
    clock.pass_h(1)
    _granted(budget, _TENTH)
    _denied(budget, _TENTH)


def test_the_sweep_forgets_days_of_long_ago_alone(
    budget: Spending, store: Store, transactions: Transactions
) -> None:
    pays = payers_of("wiki", "A", "Ann")
    granted = budget.reserve(Decimal(1), _CAP, pays)
    assert isinstance(granted, Granted)
    parts = select(func.count()).select_from(spending_parts)
    store.sweep(_LATE + timedelta(days=29), SweepRules())
    assert transactions.read(lambda connection: connection.scalar(parts)) == 2
    store.sweep(_LATE + timedelta(days=32), SweepRules(batch=1))
    assert transactions.read(lambda connection: connection.scalar(parts)) == 0
    soon = store.sweep(_LATE + timedelta(days=390), SweepRules())
    _denied(budget, _TENTH)
    late = store.sweep(_LATE + timedelta(days=402), SweepRules())

    assert (soon["spending"], late["spending"]) == (0, 1)
    left = select(func.count()).select_from(reservations)
    assert transactions.read(lambda connection: connection.scalar(left)) == 0


@pytest.mark.parametrize("dies", [False, True])
def test_of_many_at_once_none_passes_the_cap(
    transactions: Transactions, dies: bool
) -> None:
    shared = Spending(transactions)

    def spend(number: int) -> Decimal:
        payers = payers_of("wiki", f"{number % 3}", "Ann")
        answer = shared.reserve(_SIXTH, _CAP, payers)
        if isinstance(answer, Denied):
            return Decimal(0)
        if not dies:
            shared.settle(answer, _SIXTH)
        return _SIXTH

    with ThreadPoolExecutor(8) as threads:
        sent = sum(threads.map(spend, range(40)))

    assert sent == 5 * _SIXTH
    assert _booked(transactions) == sent


def _spend(url: str) -> int:
    """Ask for money in a process of its own, and leave it unsettled."""
    with open_store(url) as store:
        answers = [store.spending.reserve(_SIXTH, _CAP) for _ in range(4)]
    return sum(isinstance(one, Granted) for one in answers)


def test_processes_that_come_and_go_share_one_cap(
    url: str, transactions: Transactions
) -> None:
    processes = multiprocessing.get_context("fork")  # all is imported already
    with processes.Pool(3, maxtasksperchild=1) as pool:
        sent = sum(pool.map(_spend, [url] * 3, chunksize=1))

    assert sent == 5
    assert _booked(transactions) == 5 * _SIXTH


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["reserve", "reserve", "settle", "die", "move"]),
        st.integers(0, 400),
        st.integers(0, 500),
    ),
    max_size=30,
)


@settings(max_examples=25, deadline=None)
@given(_STEPS)
def test_no_order_of_things_passes_the_cap_of_any_day(
    made_sqlite: bytes,
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int, int]],
) -> None:
    file = tmp_path_factory.mktemp("spent") / "sidenote.sqlite"
    file.write_bytes(made_sqlite)
    engine = open_engine(parse_url(f"sqlite:///{file}"), lock_timeout_s=30)
    clock = _Clock()
    budget = Spending(Transactions(engine, "here"), clock)
    cap = replace(_CAP, page_share=Decimal("0.3"), person_share=Decimal("0.5"))
    limits: dict[Payer | None, Decimal] = {None: cap.money}
    paid: Counter[tuple[object, Payer | None]] = Counter()
    held: list[tuple[Granted, int, object, Payers]] = []
    for what, one, other in steps:
        if what == "move":
            clock.pass_h(other / 10 - 25)
        elif what == "reserve":
            pays = payers_of("wiki", f"{other % 5}", f"{other % 5 // 2}")
            limits |= {each: cap.of(each).money for each in pays}
            answer = budget.reserve(Decimal(one) / 1000, cap, pays)
            if isinstance(answer, Granted):
                held.append((answer, one, clock.at.date(), pays))
        elif held:
            granted, most, day, pays = held.pop(other % len(held))
            cost = most if what == "die" else min(most, one)
            paid.update({(day, each): cost for each in (None, *pays)})
            if what == "settle":
                budget.settle(granted, Decimal(cost) / 1000)
        _assert_within(limits, paid, held)
    engine.dispose()


def _assert_within(
    limits: dict[Payer | None, Decimal],
    paid: Counter[tuple[object, Payer | None]],
    held: list[tuple[Granted, int, object, Payers]],
) -> None:
    """Check what was paid and may yet be, in thousandths, by day and payer."""
    booked = paid.copy()
    for _, most, day, pays in held:
        booked.update({(day, each): most for each in (None, *pays)})
    for (_, payer), thousandths in booked.items():
        assert Decimal(thousandths) / 1000 <= limits[payer]
