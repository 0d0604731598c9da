"""A thread that is left behind neither keeps the process nor spoils its end."""

import asyncio
import contextvars
import platform
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot.daemon.threads import ModelOfLoop, in_own_loop
from handlers.model import Engine, ModelUse
from handlers.ports import ModelAnswer, ModelReply, ModelRequest

_PROGRAM = """
import atexit, sys, time
from bot.daemon.threads import PassingThreads, end_with

atexit.register(print, "ended by Python")
PassingThreads().submit(time.sleep, {sleep_s})
time.sleep(0.2)
print("said before")
end_with(7)
sys.exit(7)
"""


@pytest.mark.parametrize(
    ("sleep_s", "lines"),
    [(60, ["said before"]), (0, ["said before", "ended by Python"])],
    ids=["a thread still runs", "none does"],
)
def test_the_end_is_at_once_only_where_a_thread_still_runs(
    sleep_s: int, lines: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(sleep_s=sleep_s)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 7
    assert (done.stdout.splitlines(), done.stderr) == (lines, "")


# Threads of the daemon share what memory others gave back.

# Threads that all hold memory at once, and how many arenas glibc then tells of.
_CROWD = """
import ctypes, sys, threading, time
from bot.daemon.threads import PassingThreads

if sys.argv[1] == "shared":
    PassingThreads()
met = threading.Barrier(9)

def hold():
    kept = [bytes(20_000) for _ in range(200)]
    met.wait()
    met.wait()

for _ in range(8):
    threading.Thread(target=hold).start()
met.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = libc.fopen(sys.argv[2].encode(), b"w")
libc.malloc_info(0, ctypes.c_void_p(file))
libc.fclose(ctypes.c_void_p(file))
met.wait()
print(open(sys.argv[2]).read().count("<heap nr="))
"""


def _arenas(how: str, path: Path) -> int:
    command = [sys.executable, "-c", _CROWD, how, str(path)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="arenas are a matter of glibc"
)
def test_eight_threads_share_two_arenas(tmp_path: Path) -> None:
    assert _arenas("own", tmp_path / "told") > 4
    assert _arenas("shared", tmp_path / "told") <= 2


# What computes for long does so beside the event loop, which goes on meanwhile.

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

    running = asyncio.create_task(in_own_loop(work))
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
        await in_own_loop(fails)


async def test_whoever_stops_waiting_ends_it_and_leaves_no_thread() -> None:
    began, ended = threading.Event(), threading.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    running = asyncio.create_task(in_own_loop(work))
    await asyncio.to_thread(began.wait, 5)
    [thread] = [one for one in threading.enumerate() if one.name == "sidenote loop"]
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
    across = ModelOfLoop(model, home)  # type: ignore[arg-type]  # of one form
    request = ModelRequest("?", (), _Form)

    async def work() -> list[ModelReply[_Form]]:
        return await asyncio.gather(*(across.ask(request) for _ in range(3)))

    answers = await asyncio.gather(in_own_loop(work), model.ask(request))

    assert len(answers[0]) == 3
    assert model.loops == {id(home)}
