"""What is sent twice under one key is done once, and answered the same both times."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from weakref import WeakValueDictionary

from bot.records.accounts import KeptAnswer
from gadget.api.parts import Answers
from gadget.api.problems import Refusal


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as it goes out; nothing is said where `text` is empty."""

    status: int
    text: str


class Repeats:
    """Answers what was answered before.

    Two that come at once wait for each other within a process; between processes the
    first answer that is kept stands, and what both did is the same.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def once(
        self,
        request: tuple[str, ...],
        body: str,
        now: datetime,
        act: Callable[[], Awaitable[Said]],
    ) -> Said:
        """Return what `act` says, or said when it was asked for first.

        Args:
            request: who asks for what, and their key.
            body: what they say, in one form.
            now: the time of the answer.
            act: does it.

        Raises:
            Refusal: under this key something else was said.
        """
        name, told = _hash(*request), _hash(body)
        turn = self._turns.setdefault(name, asyncio.Lock())
        async with turn:
            kept = await asyncio.to_thread(self._answers.get, name)
            if kept is None:
                said = await act()
                fresh = KeptAnswer(name, told, said.status, said.text, now)
                kept = await asyncio.to_thread(self._answers.keep, fresh)
        if kept.body_sha256 != told:
            raise Refusal(409, "This key was used for another request. Make a new one.")
        return Said(kept.status, kept.answer)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
