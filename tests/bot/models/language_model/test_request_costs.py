"""What the asking may cost: what is booked, and what is not asked any more."""

from decimal import Decimal

import pytest

from bot.models.language_model import Budget
from handlers.model import Setback
from handlers.ports import ModelOutOfReachError
from tests.bot.models.language_model.tools import GOOD, answered, model, request, silent
from tests.rig.language_model import says, serving


async def test_the_budget_in_calls_is_a_hard_stop() -> None:
    async with (
        serving(says(GOOD)) as server,
        model(server, budget=Budget(Decimal(1), 2)) as chat,
    ):
        replies = [await chat.ask(request(str(n))) for n in range(4)]

    assert [getattr(one, "why", None) for one in replies] == [
        None, None, Setback.OUT_OF_BUDGET, Setback.OUT_OF_BUDGET,
    ]  # fmt: skip
    assert "SIDENOTE_LANGUAGE_MODEL_CALLS" in silent(replies[-1]).detail
    assert len(server.asked) == 2


async def test_a_call_whose_worst_case_could_pass_the_budget_is_not_made() -> None:
    async with (
        serving(says(GOOD)) as server,
        model(server, budget=Budget(Decimal("0.0005"), 100)) as chat,
    ):
        reply = silent(await chat.ask(request()))

    assert reply.why is Setback.OUT_OF_BUDGET
    assert "SIDENOTE_LANGUAGE_MODEL_BUDGET" in reply.detail
    assert server.asked == []


async def test_a_server_that_counts_the_impossible_is_not_asked_again() -> None:
    usage = {"prompt_tokens": 10**12, "completion_tokens": 10**12}
    async with serving(says(GOOD, usage=usage)) as server, model(server) as chat:
        answered(await chat.ask(request("one")))
        reply = silent(await chat.ask(request("two")))

    assert reply.why is Setback.OUT_OF_BUDGET
    assert "cannot be foreseen" in reply.detail
    assert chat.ledger.spent < Decimal("0.01")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": -1}],
)
async def test_without_a_believable_count_the_worst_case_is_booked(
    usage: object,
) -> None:
    async with serving(says(GOOD)) as server, model(server) as chat:
        honest = await chat.ask(request())
    async with serving(says(GOOD, usage=usage)) as server, model(server) as chat:
        reply = await chat.ask(request())

    answered(reply)
    assert reply.use.output_tokens == 300
    assert reply.use.input_tokens > honest.use.input_tokens


async def test_a_model_that_is_cut_off_again_and_again_is_left_alone() -> None:
    short = says(GOOD[:20], finish="length")
    async with serving(short) as server, model(server) as chat:
        for n in range(3):
            assert silent(await chat.ask(request(str(n)))).why is Setback.CUT_OFF
        with pytest.raises(ModelOutOfReachError, match="OUTPUT_TOKENS") as caught:
            await chat.ask(request("four"))

    assert caught.value.retry_in_s > 1_000
    assert len(server.asked) == 3


async def test_cut_offs_count_in_a_row_only() -> None:
    short = says(GOOD[:20], finish="length")
    async with (
        serving(short, short, says(GOOD), short, short, says(GOOD)) as server,
        model(server) as chat,
    ):
        replies = [await chat.ask(request(str(n))) for n in range(6)]

    assert [getattr(one, "why", None) for one in replies] == [
        Setback.CUT_OFF, Setback.CUT_OFF, None, Setback.CUT_OFF, Setback.CUT_OFF, None,
    ]  # fmt: skip


async def test_every_question_has_the_room_that_the_settings_give() -> None:
    async with (
        serving(says(GOOD)) as server,
        model(server, max_output_tokens=12_345) as chat,
    ):
        await chat.ask(request())

    assert server.asked[0].body["max_tokens"] == 12_345
