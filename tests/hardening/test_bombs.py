"""A bomb costs a bounded child, and the next page is read."""

from tests.hardening.bombs import own_bombs, try_bombs

_QUICK_ONES = {"1,000,000 cells", "a billion laughs"}


async def test_a_bomb_costs_no_more_than_its_child_may() -> None:
    few = (bomb for bomb in own_bombs() if bomb[0] in _QUICK_ONES)

    figures = await try_bombs(few, timeout_s=5.0)

    assert [one for one in figures.faults if not one.endswith(" s")] == []
    assert figures.tried == len(_QUICK_ONES)
