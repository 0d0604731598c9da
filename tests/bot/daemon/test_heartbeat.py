"""A process says that it runs, how it is doing, and that it ends."""

import asyncio
import os
import resource
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.app import cli
from bot.daemon import heartbeat_check
from bot.daemon.heartbeat import (
    HeartbeatFile,
    HeartbeatSender,
    Vitals,
    only_runs,
    vitals_of_intake,
)
from bot.daemon.intake.stream import Health
from bot.store import Store
from handlers.ports import TemporaryError
from tests.bot.store.runs import NOON


async def test_each_part_is_known_while_the_process_runs(store: Store) -> None:
    beats = []
    again = asyncio.Event()

    def read_vitals(now: object) -> Vitals:
        beats.append(now)
        if len(beats) > 1:  # then all that was felt before is kept
            again.set()
        return Vitals("out of breath", {"lag_s": 4.0})

    stop = asyncio.Event()
    parts = {"intake": read_vitals, "work": only_runs}
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
        {"work": only_runs},
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

    assert {line["event"] for line in logs} == {"heartbeat not saved"}
    assert store.processes.known() == ()


def test_intake_tells_its_lag_once_it_heard_anything() -> None:
    health = [Health(problem="no event came")]
    read_vitals = vitals_of_intake(lambda: health[0])

    assert read_vitals(NOON).problem == "no event came"
    assert "lag_s" not in read_vitals(NOON).figures
    health[0] = Health(
        is_connected=True,
        newest_at=NOON - timedelta(seconds=3),
        last_event_at=NOON,
        events=9,
    )
    heartbeat = read_vitals(NOON + timedelta(seconds=50))
    assert heartbeat.problem == ""
    assert heartbeat.figures["lag_s"] == 3
    assert heartbeat.figures["events"] == 9


# A health check costs next to nothing, and tells of a process that hangs.

_PROGRAM = [sys.executable, "-m", "bot"]
_MOST_CPU_S = 0.2


async def test_a_part_is_alive_from_its_first_sign_until_it_ends(
    tmp_path: Path,
) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(
        HeartbeatFile(tmp_path, ["intake", "work"], 15).run(stop)
    )
    await asyncio.sleep(0)
    during = [
        heartbeat_check.problem(tmp_path, part)
        for part in ("intake", "work", "publish")
    ]
    stop.set()
    await running

    assert during[:2] == ["", ""]
    assert "no process here runs publish" in during[2]
    assert "no process here runs work" in heartbeat_check.problem(tmp_path, "work")


@pytest.mark.parametrize(
    ("template", "message"),
    [
        pytest.param("{old} 15.0", "has given no heartbeat for 1", id="silent"),
        pytest.param("{coming} 15.0", "since this machine started", id="restarted"),
        pytest.param("soon", "cannot be read", id="damaged"),
        pytest.param("ä", "cannot be read", id="no text"),
    ],
)
def test_what_hangs_is_reported(tmp_path: Path, template: str, message: str) -> None:
    now_s = time.monotonic()
    text = template.format(old=now_s - 140, coming=now_s + 1000)
    (tmp_path / "work").write_text(text, "utf-8")

    assert message in heartbeat_check.problem(tmp_path, "work")


def test_a_part_that_is_a_little_late_is_alive(tmp_path: Path) -> None:
    (tmp_path / "work").write_text(f"{time.monotonic() - 130} 15.0", "utf-8")

    assert heartbeat_check.problem(tmp_path, "work") == ""


def test_who_ends_takes_no_sign_of_another_away(tmp_path: Path) -> None:
    heartbeat_check.write(tmp_path, "work", 15)
    mine = (tmp_path / "work").read_text("ascii")
    (tmp_path / "work").write_text(f"{mine.rsplit(maxsplit=1)[0]} 1\n", "ascii")

    heartbeat_check.remove(tmp_path, "work")

    assert heartbeat_check.problem(tmp_path, "work") == ""


async def test_a_disk_that_is_full_ends_no_process(tmp_path: Path) -> None:
    place = tmp_path / "a file"
    place.touch()
    stop = asyncio.Event()
    running = asyncio.create_task(HeartbeatFile(place, ["work"], 15).run(stop))
    await asyncio.sleep(0)
    stop.set()

    await running


def test_a_check_is_quick_and_small(tmp_path: Path) -> None:
    heartbeat_check.write(tmp_path / heartbeat_check.FOLDER, "work", 15)
    env = {**os.environ, heartbeat_check.DATA_DIR: str(tmp_path)}
    imports = [sys.executable, "-X", "importtime", "-m", "bot", "alive", "work"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    fine = subprocess.run(imports, check=False, env=env, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    gone = subprocess.run(
        [*_PROGRAM, "alive", "publish"],
        check=False,
        env=env,
        capture_output=True,
        text=True,
    )

    assert fine.returncode == 0
    assert after.ru_utime - before.ru_utime < _MOST_CPU_S
    loaded = {line.rpartition("|")[2].strip() for line in fine.stderr.splitlines()}
    assert "bot.daemon.heartbeat_check" in loaded
    assert not loaded & {"asyncio", "click", "pydantic", "structlog", "bot.app.cli"}
    assert gone.returncode == 1
    assert gone.stderr.startswith("sidenote: no process here runs publish")


@pytest.mark.parametrize(("part", "code"), [("work", 0), ("serve", 1)])
def test_the_folder_may_stand_in_a_settings_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, code: int
) -> None:
    heartbeat_check.write(tmp_path / "own" / heartbeat_check.FOLDER, "work", 15)
    file = tmp_path / "sidenote.toml"
    file.write_text(f"data_dir = '{tmp_path / 'own'}'\n", "utf-8")
    monkeypatch.setenv(heartbeat_check.DATA_DIR, str(tmp_path))
    monkeypatch.setenv("SIDENOTE_SETTINGS", str(file))
    assert heartbeat_check.answer(["alive", part]) is None
    monkeypatch.delenv(heartbeat_check.DATA_DIR)

    with pytest.raises(SystemExit) as left:
        cli.main(["alive", part])

    assert left.value.code == code
