"""The budget holds under any sequence of answers, failures and requests at once."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from bot.models.language_model import Budget, Prices
from bot.models.language_model.budget import Ledger, Reservation, Tokens
from handlers.model import ModelUse

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
