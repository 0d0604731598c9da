"""Many who look for work do not look in step, and look less often where there is none."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.records.tasks import Poller, rounds
from handlers.ports import TemporaryError


def _found(*given: bool) -> Callable[[], Awaitable[bool]]:
    left = list(given)

    async def work() -> bool:
        return left.pop(0)

    return work


async def test_whoever_finds_nothing_looks_less_and_less_often() -> None:
    looking = Poller(_found(*[False] * 5, True, False), 2.0, lambda: 0.5)

    rests = [await looking() for _ in range(8)]

    assert rests == [0.5, 2.0, 3.0, 4.5, 6.0, 6.0, 0.0, 2.0]


async def test_the_rests_of_many_differ_also_after_a_failure_of_all() -> None:
    async def rest_s(draw: float) -> float:
        stop, began_s = asyncio.Event(), asyncio.get_running_loop().time()
        is_away = [True]

        async def once() -> float:
            if is_away.pop():
                is_away.append(False)
                raise TemporaryError("away", retry_in_s=0.1)
            stop.set()
            return 0.0

        await rounds(stop, once, lambda: draw)
        return asyncio.get_running_loop().time() - began_s

    soon, late = await asyncio.gather(rest_s(0.0), rest_s(1.0))

    assert 0.1 <= soon < late
    assert late >= 0.13
