"""What computes for long does so beside the event loop, which goes on meanwhile."""

import asyncio
import contextvars
import threading
import time
from dataclasses import dataclass, field

import pytest
from pydantic import BaseModel

from bot.daemon.compute_thread import AskedAcross, apart
from handlers.model import Engine, ModelUse
from handlers.ports import ModelAnswer, ModelReply, ModelRequest

_TOPIC = contextvars.ContextVar("topic", default="")


def _compute(seconds: float) -> int:
    """Compute in Python, as handlers do, without ever waiting for anything."""
    turns, until_s = 0, time.monotonic() + seconds
    while time.monotonic() < until_s:
        turns += len([number * number for number in range(500)])
    return turns


async def test_the_event_loop_goes_on_while_a_thread_computes() -> None:
    async def work() -> int:
        return _compute(0.4)

    running = asyncio.create_task(apart(work))
    beats = 0
    while not running.done():
        await asyncio.sleep(0.01)
        beats += 1

    assert await running
    assert beats >= 5


async def test_its_faults_and_its_context_come_through() -> None:
    _TOPIC.set("Ada")

    async def fails() -> None:
        await asyncio.to_thread(time.sleep, 0)
        raise LookupError(_TOPIC.get())

    with pytest.raises(LookupError, match="Ada"):
        await apart(fails)


async def test_whoever_stops_waiting_ends_it_and_leaves_no_thread() -> None:
    began, ended = threading.Event(), threading.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    running = asyncio.create_task(apart(work))
    await asyncio.to_thread(began.wait, 5)
    [thread] = [one for one in threading.enumerate() if one.name == "sidenote apart"]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await asyncio.to_thread(ended.wait, 5)
    await asyncio.to_thread(thread.join, 5)
    assert not thread.is_alive()


class _Form(BaseModel):
    word: str


@dataclass
class _Model:
    """Fulfils LanguageModel, and belongs to a loop."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    loops: set[int] = field(default_factory=set)

    @property
    def engine(self) -> Engine:
        return Engine("m", "1")

    async def ask(self, request: ModelRequest[_Form]) -> ModelReply[_Form]:
        async with self.turn:
            self.loops.add(id(asyncio.get_running_loop()))
            await asyncio.sleep(0.01)
            return ModelAnswer(request.answer(word="yes"), ModelUse(calls=1))


async def test_a_model_is_asked_in_the_loop_it_belongs_to() -> None:
    model, home = _Model(), asyncio.get_running_loop()
    across = AskedAcross(model, home)  # type: ignore[arg-type]  # of one form
    request = ModelRequest("?", (), _Form)

    async def work() -> list[ModelReply[_Form]]:
        return await asyncio.gather(*(across.ask(request) for _ in range(3)))

    answers = await asyncio.gather(apart(work), model.ask(request))

    assert len(answers[0]) == 3
    assert model.loops == {id(home)}
