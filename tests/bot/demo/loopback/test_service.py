"""Servers of other projects: they are noticed when they end, and end with us."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.demo.loopback.service import (
    Service,
    ServiceFailed,
    program,
    run_once,
    server_folder,
)
from handlers.ports import PermanentError

_PARENT = """
import sys
from bot.demo.loopback.service import Service, server_folder
folder = server_folder("test")
Service(["sh", "-c", "echo $$ > pid; exec sleep 600"], folder)
print(folder, flush=True)
sys.stdin.read()
"""


def test_a_server_that_ends_is_noticed_and_its_log_reported() -> None:
    service = Service(["sh", "-c", "echo no luck >&2; exit 3"], server_folder("test"))

    with pytest.raises(ServiceFailed, match="no luck"):
        service.wait_until(lambda: False)

    service.stop()
    assert not service.folder.exists()


def test_a_stopped_server_leaves_nothing() -> None:
    deaf = "trap '' TERM; exec sh -c 'echo $$ > child; exec sleep 600'"
    service = Service(["sh", "-c", f"({deaf}) & wait"], server_folder("test"))
    service.wait_until(lambda: bool(_read(service.folder / "child")))
    child = int(_read(service.folder / "child"))
    assert service.is_alive()

    service.stop()

    assert not service.folder.exists()
    assert not _runs(child)


def test_a_server_ends_with_a_process_that_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    )
    assert parent.stdout
    folder = Path(parent.stdout.readline().strip())
    _wait(lambda: bool(_read(folder / "pid")))
    server = int(_read(folder / "pid"))

    parent.kill()
    parent.communicate()

    _wait(lambda: not folder.exists())
    _wait(lambda: not _runs(server))


def test_a_tool_that_fails_tells_its_output() -> None:
    with pytest.raises(ServiceFailed, match="cannot open"):
        run_once(["sh", "-c", "echo cannot open; exit 1"], Path("/tmp"))  # noqa: S108


def test_a_program_that_is_not_there_is_reported_with_the_remedy() -> None:
    with pytest.raises(PermanentError, match="no-such-server is not here"):
        program("no-such-server")


def _read(file: Path) -> str:
    return file.read_text().strip() if file.exists() else ""


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)
