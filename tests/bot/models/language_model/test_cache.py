"""Answers are paid for once, and a cache that is damaged only costs money."""

import asyncio
from pathlib import Path

import pytest

from bot.models.language_model.chat import AnswerCache
from tests.bot.models.language_model.tools import GOOD, answered, model, request
from tests.rig.language_model import says, serving


async def test_a_second_run_makes_no_call(tmp_path: Path) -> None:
    async with serving(says(GOOD)) as server:
        for calls in (1, 0):
            async with model(server, cache_folder=tmp_path) as chat:
                reply = await chat.ask(request())
                assert answered(reply).quote == "exact words"
                assert (reply.use.calls, reply.use.remembered) == (calls, 1 - calls)

    assert len(server.asked) == 1
    assert chat.ledger.spent == 0


async def test_another_question_or_model_is_not_answered_from_memory(
    tmp_path: Path,
) -> None:
    async with serving(says(GOOD)) as server:
        async with model(server, cache_folder=tmp_path) as chat:
            await chat.ask(request("one"))
            await chat.ask(request("other"))
            await chat.ask(request("one", instructions="Judge again."))
        async with model(server, cache_folder=tmp_path, name="n") as chat:
            await chat.ask(request("one"))

    assert len(server.asked) == 4


async def test_an_answer_that_is_none_is_not_kept(tmp_path: Path) -> None:
    async with (
        serving(says("no"), says("no"), says(GOOD)) as server,
        model(server, cache_folder=tmp_path) as chat,
    ):
        await chat.ask(request())
        answered(await chat.ask(request()))

    assert len(server.asked) == 3


@pytest.mark.parametrize("damage", [b"no database" * 500, b""])
async def test_a_damaged_cache_is_replaced(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "answers.sqlite3").write_bytes(damage)
    async with serving(says(GOOD)) as server:
        for _ in range(2):
            async with model(server, cache_folder=tmp_path) as chat:
                answered(await chat.ask(request()))

    assert len(server.asked) == 1


async def test_an_entry_that_is_damaged_is_as_good_as_none(tmp_path: Path) -> None:
    async with (
        serving(says(GOOD)) as server,
        model(server, cache_folder=tmp_path) as chat,
    ):
        await chat.ask(request())
        question = chat._question(request())
        AnswerCache(tmp_path, 10**6, lambda: 1.0).put(question, '{"verdict": 7}')
        answered(await chat.ask(request()))

    assert len(server.asked) == 2


async def test_a_folder_that_cannot_be_used_costs_only_the_memory(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    async with (
        serving(says(GOOD)) as server,
        model(server, cache_folder=tmp_path / "file" / "x") as chat,
    ):
        answered(await chat.ask(request()))


def test_the_oldest_answers_go_first(tmp_path: Path) -> None:
    times = iter(range(100))
    cache = AnswerCache(tmp_path, 1_000, lambda: float(next(times)))
    for name in range(20):
        cache.put(str(name), "x" * 100)

    stored = [name for name in range(20) if cache.get(str(name))]

    assert stored == list(range(10, 20))


async def test_several_may_use_one_file_at_the_same_time(tmp_path: Path) -> None:
    caches = [AnswerCache(tmp_path, 10**6, lambda: 1.0) for _ in range(4)]

    def fill(which: int) -> None:
        for name in range(20):
            caches[which].put(f"{which} {name}", "answer")

    await asyncio.gather(*(asyncio.to_thread(fill, which) for which in range(4)))

    assert all(caches[0].get(f"{w} {n}") for w in range(4) for n in range(20))
