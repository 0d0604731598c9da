"""Leaves a sign on this machine, now and then, that the process goes on."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from bot.daemon import heartbeat_check


@dataclass(frozen=True, slots=True)
class LifeSign:
    """The sign of this process, for each of its `parts`; see `bot.daemon.heartbeat_check`.

    It waits for nothing else, so that it stays away only when the process itself hangs.
    """

    folder: Path
    parts: Sequence[str]
    every_s: float

    async def run(self, stop: asyncio.Event) -> None:
        """Leave signs until `stop` is set, and take them away then."""
        try:
            while not stop.is_set():
                self._say()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.every_s):
                        await stop.wait()
        finally:
            for part in self.parts:
                heartbeat_check.unsay(self.folder, part)

    def _say(self) -> None:
        try:
            for part in self.parts:
                heartbeat_check.say(self.folder, part, self.every_s)
        except OSError as error:
            why = error.strerror or "error"
            structlog.get_logger().warning("no sign of life left", why=why)
