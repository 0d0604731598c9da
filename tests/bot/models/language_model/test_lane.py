"""Beside its own budget a model keeps to that of a day, which others spend as well."""

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.app.wiring.language_model import DailyBudget
from bot.models.language_model import Budget, Prices
from bot.models.language_model.budget import Ledger, Reservation, Tokens
from bot.records.spending import (
    Allowance,
    Denied,
    Granted,
    Payers,
    SharedBudget,
    payers_of,
)
from bot.store import Store
from handlers.model import ModelFailure, ModelUse
from handlers.ports import ModelAnswer, ModelReply, TemporaryError
from tests.bot.models.language_model.tools import (
    GOOD,
    Judgement,
    answered,
    model,
    request,
    silent,
)
from tests.rig.language_model import Asked, ModelServer, fails, hangs, says, serving

_OWN = Budget(Decimal(9), 900).without_end
_LATE_S = 0.05
_DAY = Allowance(Decimal(1), 1000)


@dataclass
class _Watched:
    """A purse that counts how often it is asked, and may be out of reach."""

    shared_budget: SharedBudget
    asked: int = 0
    most: Decimal = Decimal(0)
    is_away: bool = False
    loses_bills: bool = False
    another: Event | None = None  # the first grant is told once it is set, or late

    def reserve(self, money: Decimal, payers: Payers = ()) -> Granted | Denied:
        self.asked += 1
        self.most = max(self.most, money)
        if self.is_away:
            raise TemporaryError("the database is away", retry_in_s=1)
        answer = self.shared_budget.reserve(money, payers)
        if self.another is not None:
            if isinstance(answer, Denied):
                self.another.set()
            else:
                self.another.wait(_LATE_S)
        return answer

    def settle(self, granted: Granted, cost: Decimal) -> None:
        if self.loses_bills:
            raise TemporaryError("the database is away", retry_in_s=1)
        self.shared_budget.settle(granted, cost)


async def _process(
    server: ModelServer, shared_budget: SharedBudget, questions: int, name: str
) -> list[ModelReply[Judgement]]:
    async with model(server, budget=_OWN, shared_budget=shared_budget) as chat:
        return [await chat.ask(request(f"{name} {n}")) for n in range(questions)]


def _left(store: Store) -> Decimal:
    """Return what may still be spent today."""
    denied = store.spending.reserve(Decimal(100), _DAY)
    assert isinstance(denied, Denied)
    return _DAY.money - denied.booked


async def test_processes_share_the_day_and_no_restart_renews_it(store: Store) -> None:
    shared_budget = _Watched(DailyBudget(store, replace(_DAY, calls=3)))
    async with serving(says(GOOD)) as server:
        first, second = await asyncio.gather(
            _process(server, shared_budget, 2, "one"),
            _process(server, shared_budget, 2, "two"),
        )
        shared_budget.asked = 0
        again = await _process(server, shared_budget, 6, "again")

    assert len(server.asked) == 3
    whys = [getattr(one, "why", None) for one in (*first, *second)]
    assert Counter(whys) == {None: 3, ModelFailure.OUT_OF_BUDGET: 1}
    assert all(silent(one).why is ModelFailure.OUT_OF_BUDGET for one in again)
    assert "SIDENOTE_LANGUAGE_MODEL_DAILY_CALLS" in silent(again[-1]).detail
    assert shared_budget.asked == 1, "it sleeps, and does not ask for each question"


async def test_a_page_of_ten_thousand_claims_leaves_the_others_their_money(
    store: Store,
) -> None:
    day = replace(_DAY, calls=8, page_share=Decimal("0.25"))
    shared_budget = _Watched(DailyBudget(store, day))
    long, short = (payers_of("wiki", title, title) for title in ("Long", "Short"))
    async with (
        serving(says(GOOD)) as server,
        model(server, budget=_OWN, shared_budget=shared_budget) as chat,
    ):
        paid = chat.paid_by(long)
        answers = await asyncio.gather(
            *(paid.ask(request(f"claim {n}")) for n in range(1_000))
        )
        calls = shared_budget.asked
        other = await chat.paid_by(short).ask(request("another page's"))

    assert len(server.asked) == 3
    assert answered(other)
    assert calls == 3, "the third is refused, and then it sleeps for the page"
    refused = [one for one in answers if not isinstance(one, ModelAnswer)]
    assert len(refused) == 998
    assert {silent(one).why for one in refused} == {ModelFailure.OUT_OF_BUDGET}
    assert silent(refused[-1]).detail == (
        "the 2 calls that one page may take in a day of UTC were made; set"
        " SIDENOTE_LANGUAGE_MODEL_DAILY_PAGE_SHARE to allow more"
    )


async def test_a_page_waits_for_its_bills_where_they_may_be_less_than_feared(
    store: Store,
) -> None:
    page = payers_of("wiki", "Long", "Ann")
    async with serving(says(GOOD)) as server:
        shared_budget = _Watched(DailyBudget(store, _DAY))
        async with model(server, budget=_OWN, shared_budget=shared_budget) as chat:
            first = await chat.paid_by(page).ask(request("how much"))
        # Room for one at a time, at worst; and at what they cost, for all.
        room = first.use.cost * 9 + shared_budget.most
        shared_budget.shared_budget = DailyBudget(
            store, replace(_DAY, calls=10**6, page_share=room)
        )
        shared_budget.another = Event()
        async with model(server, budget=_OWN, shared_budget=shared_budget) as chat:
            paid = chat.paid_by(page)
            calls = (paid.ask(request(f"claim {n}")) for n in range(9))
            answers = await asyncio.gather(*calls)

    assert first.use.cost * 9 < shared_budget.most, "two at once do not fit"
    assert all(isinstance(one, ModelAnswer) for one in answers)


async def test_what_it_did_cost_is_booked_and_the_rest_may_be_spent(
    store: Store,
) -> None:
    async with serving(fails("429 Too Many Requests"), says(GOOD)) as server:
        [reply] = await _process(server, DailyBudget(store, _DAY), 1, "one")

    answered(reply)
    assert reply.use.calls == 2
    assert reply.use.cost > 0
    assert _left(store) == 1 - reply.use.cost


async def test_a_question_that_is_given_up_half_way_is_booked_in_full(
    store: Store,
) -> None:
    has_begun = asyncio.Event()

    async def hangs_once_it_began(request: Asked, writer: asyncio.StreamWriter) -> None:
        has_begun.set()
        await hangs(request, writer)

    async with serving(hangs_once_it_began) as server:
        asking = asyncio.create_task(
            _process(server, DailyBudget(store, _DAY), 1, "one")
        )
        await has_begun.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    assert _left(store) < 1


async def test_nothing_is_sent_while_nobody_knows_what_was_spent(store: Store) -> None:
    shared_budget = _Watched(DailyBudget(store, _DAY), is_away=True)
    async with serving(says(GOOD)) as server:
        [reply] = await _process(server, shared_budget, 1, "one")

    assert "cannot be looked up" in silent(reply).detail
    assert server.asked == []


async def test_an_answer_whose_bill_is_lost_counts_in_full(store: Store) -> None:
    shared_budget = _Watched(DailyBudget(store, _DAY), loses_bills=True)
    async with serving(says(GOOD)) as server:
        [reply] = await _process(server, shared_budget, 1, "one")

    answered(reply)
    assert _left(store) < 1 - reply.use.cost


@pytest.mark.parametrize("own", [Budget(Decimal(0), 9), Budget(Decimal(9), 0)])
async def test_who_allows_a_run_nothing_allows_a_day_nothing(
    store: Store, own: Budget
) -> None:
    async with (
        serving(says(GOOD)) as server,
        model(
            server, budget=own.without_end, shared_budget=DailyBudget(store, _DAY)
        ) as chat,
    ):
        assert silent(await chat.ask(request())).why is ModelFailure.OUT_OF_BUDGET
    assert _left(store) == 1


_COUNTS = st.integers(0, 10**13)
_MONEY = st.decimals(0, "0.3", places=2)
_PRICE = st.decimals(1, 10, places=2)
_STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("reserve"), st.integers(9_000, 50_000), st.integers(1, 5_000)
        ),
        st.tuples(st.just("settle"), _COUNTS, _COUNTS),
        st.tuples(st.just("lost"), _COUNTS, _COUNTS),
        st.tuples(st.just("cancel"), _COUNTS, _COUNTS),
    ),
    min_size=4,
    max_size=40,
)


@given(_MONEY, st.integers(0, 12), _PRICE, _PRICE, _STEPS)
def test_no_sequence_of_answers_and_failures_passes_the_budget(
    money: Decimal,
    calls: int,
    price_in: Decimal,
    price_out: Decimal,
    steps: list[tuple[str, int, int]],
) -> None:
    ledger = Ledger(Budget(money, calls), Prices(price_in, price_out))
    under_way: list[Reservation] = []
    calls_made = 0
    use = ModelUse()
    for what, one, other in steps:
        if what == "reserve":
            reserved = ledger.reserve(Tokens(one, other))
            if reserved is not None:
                calls_made += 1
                under_way.append(reserved)
        elif under_way:
            at = under_way.pop(one % len(under_way))
            if what == "cancel":
                use += ledger.cancel(at)
            else:
                use += ledger.settle(
                    at, Tokens(one, other) if what == "settle" else None
                )
        outstanding = sum((one.money for one in under_way), Decimal(0))
        assert ledger.spent + outstanding <= money
        assert ledger.spent == use.cost
        assert calls_made == ledger.calls <= calls
        assert use.calls == calls_made - len(under_way)


def test_what_is_not_spent_can_be_set_aside_again() -> None:
    ledger = Ledger(Budget(Decimal(1), 10), Prices(Decimal(1), Decimal(1)))
    reserved = ledger.reserve(Tokens(900_000, 100_000))
    assert reserved is not None
    assert ledger.reserve(Tokens(1, 0)) is None

    ledger.settle(reserved, Tokens(100_000, 100_000))

    assert ledger.spent == Decimal("0.2")
    assert ledger.reserve(Tokens(700_000, 100_000)) is not None
