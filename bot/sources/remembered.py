"""Answers that are asked for once, however many want them, and kept for a while.

A run asks for nothing twice; a daemon, which runs for weeks, forgets: by age, so that
what changed on the web is seen, and by size, so that its memory is bounded.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, TypeVar

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class _Kept(Generic[_Answer]):
    task: asyncio.Task[_Answer]
    done_at: float | None = None
    ends_at: float = 0.0
    weight: int = 0


class Remembered(Generic[_Answer]):
    """Remembers answers by key.

    Args:
        clock: monotonic, in seconds.
        keep_s: how long an answer is given again.
        most_weight: of all answers together; the oldest go first.
        weigh: how much an answer weighs; 1, if left out.
        is_brief: tells of an answer that it is given again for `brief_s` only.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        keep_s: float,
        most_weight: int,
        weigh: Callable[[_Answer], int] = lambda _: 1,
        is_brief: Callable[[_Answer], bool] = lambda _: False,
        brief_s: float = 0.0,
    ) -> None:
        self._clock = clock
        self._keep_s = keep_s
        self._most_weight = most_weight
        self._weigh = weigh
        self._is_brief = is_brief
        self._brief_s = brief_s
        self._kept: dict[str, _Kept[_Answer]] = {}

    async def of(self, key: str, start: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Return the answer to `key`, which `start` finds if it is not known.

        Raises:
            Exception: what `start` raises; then whoever asks next asks anew.
        """
        self._forget()
        if key not in self._kept:

            async def ask() -> _Answer:
                return await start()

            task = asyncio.create_task(ask())
            self._kept[key] = _Kept(task)
            task.add_done_callback(lambda done: self._done(key, done))
        # One who stops waiting must not take the answer away from the others.
        return await asyncio.shield(self._kept[key].task)

    async def close(self) -> None:
        """End what is still asked for."""
        tasks = [one.task for one in self._kept.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, key: str, task: asyncio.Task[_Answer]) -> None:
        kept = self._kept.get(key)
        if kept is None or kept.task is not task:
            return
        if task.cancelled() or task.exception() is not None:
            del self._kept[key]
            return
        answer, now = task.result(), self._clock()
        keep_s = self._brief_s if self._is_brief(answer) else self._keep_s
        kept.done_at, kept.ends_at = now, now + keep_s
        kept.weight = self._weigh(answer)

    def _forget(self) -> None:
        now = self._clock()
        done = [
            (one.done_at, key, one)
            for key, one in self._kept.items()
            if one.done_at is not None
        ]
        excess = sum(one.weight for _, _, one in done) - self._most_weight
        for _, key, one in sorted(done, key=itemgetter(0)):
            if one.ends_at <= now or excess > 0:
                del self._kept[key]
                excess -= one.weight
