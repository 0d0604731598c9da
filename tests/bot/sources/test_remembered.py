"""Answers are asked for once, and a daemon that runs for weeks forgets them again."""

import asyncio

import pytest

from bot.sources.cache import Remembered
from tests.bot.sources.tools import FakeTime


async def test_an_answer_is_asked_for_once_until_it_is_old() -> None:
    time, count = FakeTime(), 0
    remembered = Remembered[int](time.monotonic, keep_s=100, most_weight=10)

    async def ask() -> int:
        nonlocal count
        count += 1
        await asyncio.sleep(0)
        return count

    first = await asyncio.gather(*(remembered.of("a", ask) for _ in range(3)))
    time.now_s += 99
    assert [*first, await remembered.of("a", ask)] == [1, 1, 1, 1]
    time.now_s += 2
    assert await remembered.of("a", ask) == 2


async def test_the_oldest_answers_go_first_where_they_are_too_many() -> None:
    time, calls = FakeTime(), list[str]()
    remembered = Remembered[str](time.monotonic, keep_s=1e9, most_weight=10, weigh=len)

    async def give(name: str, chars: int) -> None:
        async def ask() -> str:
            calls.append(name)
            return "x" * chars

        time.now_s += 1
        await remembered.of(name, ask)

    await give("old", 6)
    await give("new", 6)
    await give("new", 6)
    await give("old", 6)

    assert calls == ["old", "new", "old"]


async def test_a_failure_is_not_remembered() -> None:
    time, luck = FakeTime(), [False, True]
    remembered = Remembered[bool](time.monotonic, keep_s=100, most_weight=10)

    async def ask() -> bool:
        if not luck.pop(0):
            raise LookupError
        return True

    with pytest.raises(LookupError):
        await remembered.of("a", ask)
    assert await remembered.of("a", ask)


async def test_what_is_asked_for_ends_with_whoever_remembers() -> None:
    remembered = Remembered[bool](FakeTime().monotonic, keep_s=100, most_weight=10)
    waiting = asyncio.create_task(remembered.of("a", asyncio.Event().wait))
    await asyncio.sleep(0)

    await remembered.close()

    with pytest.raises(asyncio.CancelledError):
        await waiting
