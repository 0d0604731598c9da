"""A health check costs next to nothing, and tells of a process that hangs."""

import asyncio
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.daemon import heartbeat_check
from bot.daemon.heartbeat import HeartbeatFile

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
        heartbeat_check.trouble(tmp_path, part)
        for part in ("intake", "work", "publish")
    ]
    stop.set()
    await running

    assert during[:2] == ["", ""]
    assert "no process here runs publish" in during[2]
    assert "no process here runs work" in heartbeat_check.trouble(tmp_path, "work")


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

    assert message in heartbeat_check.trouble(tmp_path, "work")


def test_a_part_that_is_a_little_late_is_alive(tmp_path: Path) -> None:
    (tmp_path / "work").write_text(f"{time.monotonic() - 130} 15.0", "utf-8")

    assert heartbeat_check.trouble(tmp_path, "work") == ""


def test_who_ends_takes_no_sign_of_another_away(tmp_path: Path) -> None:
    heartbeat_check.say(tmp_path, "work", 15)
    mine = (tmp_path / "work").read_text("ascii")
    (tmp_path / "work").write_text(f"{mine.rsplit(maxsplit=1)[0]} 1\n", "ascii")

    heartbeat_check.unsay(tmp_path, "work")

    assert heartbeat_check.trouble(tmp_path, "work") == ""


async def test_a_disk_that_is_full_ends_no_process(tmp_path: Path) -> None:
    place = tmp_path / "a file"
    place.touch()
    stop = asyncio.Event()
    running = asyncio.create_task(HeartbeatFile(place, ["work"], 15).run(stop))
    await asyncio.sleep(0)
    stop.set()

    await running


def test_a_check_is_quick_and_small(tmp_path: Path) -> None:
    heartbeat_check.say(tmp_path / heartbeat_check.FOLDER, "work", 15)
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


def test_the_folder_may_stand_in_a_settings_file(tmp_path: Path) -> None:
    heartbeat_check.say(tmp_path / heartbeat_check.FOLDER, "work", 15)
    file = tmp_path / "sidenote.toml"
    file.write_text(f"data_dir = '{tmp_path}'\n", "utf-8")
    env = {**os.environ, "SIDENOTE_SETTINGS": str(file)}

    found = [
        subprocess.run(
            [*_PROGRAM, "alive", part], check=False, env=env, capture_output=True
        ).returncode
        for part in ("work", "serve")
    ]

    assert found == [0, 1]
