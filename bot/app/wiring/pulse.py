"""What says of this process, now and then, that it runs: to all, and to its machine."""

import os
import socket
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from bot.app.wiring.world import now
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.daemon.heartbeat import Pulse
    from bot.daemon.heartbeat_file import LifeSign
    from bot.daemon.intake.stream import Health
    from bot.store import Store


def open_pulse(
    settings: Settings,
    store: "Store",
    parts: Iterable[str],
    health: "Callable[[], Health] | None" = None,
) -> "Pulse":
    """Give the heartbeat of a process.

    Args:
        settings: in force.
        store: where it is heard.
        parts: names of what this process does, as in `bot.daemon.status.situation.ROLES`.
        health: tells how its intake is doing, if it has one.
    """
    from bot.daemon.heartbeat import Feel, Pulse, fine, of_intake  # noqa: PLC0415 - slow to import
    from bot.daemon.status.situation import INTAKE  # noqa: PLC0415

    feels: dict[str, Feel] = dict.fromkeys(parts, fine)
    if health is not None:
        feels[INTAKE] = of_intake(health)
    host, every_s = socket.gethostname(), settings.heartbeat_s
    return Pulse(store, feels, host, os.getpid(), now, every_s)


def open_life_sign(settings: Settings, parts: Sequence[str]) -> "LifeSign":
    """Give what leaves a sign of life on this machine, for `sidenote alive`."""
    from bot.daemon.heartbeat_check import FOLDER  # noqa: PLC0415 - slow to import
    from bot.daemon.heartbeat_file import LifeSign  # noqa: PLC0415

    return LifeSign(settings.data_dir / FOLDER, parts, settings.heartbeat_s)
