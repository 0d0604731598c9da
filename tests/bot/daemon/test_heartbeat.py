"""A process says that it runs, how it is doing, and that it ends."""

import asyncio
import threading
from datetime import timedelta

from structlog.testing import capture_logs

from bot.daemon.heartbeat import HeartbeatSender, Vitals, fine, of_intake
from bot.daemon.intake.stream import Health
from bot.store import Store
from handlers.ports import TemporaryError
from tests.bot.store.runs import NOON


async def test_each_part_is_known_while_the_process_runs(store: Store) -> None:
    beats = []
    again = asyncio.Event()

    def feel(now: object) -> Vitals:
        beats.append(now)
        if len(beats) > 1:  # then all that was felt before is kept
            again.set()
        return Vitals("out of breath", {"lag_s": 4.0})

    stop = asyncio.Event()
    parts = {"intake": feel, "work": fine}
    sender = HeartbeatSender(store, parts, "here", 7, lambda: NOON, every_s=0.01)
    running = asyncio.create_task(sender.run(stop))
    await again.wait()
    processes = store.processes.known()
    stop.set()
    await running

    assert [(one.name, one.problem, dict(one.figures)) for one in processes] == [
        ("intake:here:7", "out of breath", {"lag_s": 4.0}),
        ("work:here:7", "", {}),
    ]
    assert store.processes.known() == ()


async def test_a_database_that_is_away_stops_no_heartbeat(store: Store) -> None:
    class _Away:
        """A store that is away."""

        def __init__(self) -> None:
            self.processes = self
            self.beats = 0
            self.thrice = threading.Event()

        def beat(self, _said: object) -> None:
            self.beats += 1
            if self.beats == 3:
                self.thrice.set()
            raise TemporaryError("away", retry_in_s=5)

        def end(self, _name: str) -> None:
            raise TemporaryError("away", retry_in_s=5)

    away, stop = _Away(), asyncio.Event()
    sender = HeartbeatSender(
        away,  # type: ignore[arg-type]
        {"work": fine},
        "here",
        7,
        lambda: NOON,
        every_s=0.001,
    )
    with capture_logs() as logs:
        running = asyncio.create_task(sender.run(stop))
        await asyncio.to_thread(away.thrice.wait)
        stop.set()
        await running

    assert {line["event"] for line in logs} == {"heartbeat not kept"}
    assert store.processes.known() == ()


def test_intake_tells_its_lag_once_it_heard_anything() -> None:
    health = [Health(problem="no event came")]
    feel = of_intake(lambda: health[0])

    assert feel(NOON).problem == "no event came"
    assert "lag_s" not in feel(NOON).figures
    health[0] = Health(
        is_connected=True,
        newest_at=NOON - timedelta(seconds=3),
        last_event_at=NOON,
        events=9,
    )
    heartbeat = feel(NOON + timedelta(seconds=50))
    assert heartbeat.problem == ""
    assert heartbeat.figures["lag_s"] == 3
    assert heartbeat.figures["events"] == 9
