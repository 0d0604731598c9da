"""A disk that fails is reported with what to do, loses nothing, and may work again."""

import os
import subprocess
import sys
from pathlib import Path

from bot.store.database import is_whole
from tests.rig.service import absent
from tests.soak import failing
from tests.soak.failing import Disk, Failing

_PROGRAM = """
import sys
from datetime import UTC, datetime, timedelta
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskKind
from bot.store import open_store
from handlers.ports import PermanentError, TemporaryError

at = datetime(2026, 1, 1, tzinfo=UTC)
with open_store(sys.argv[1], lock_timeout_s=0.2) as store:
    print("open", flush=True)
    for number, line in enumerate(sys.stdin):
        job = PageJob("a.example", f"Page {number}", JobReason.CHANGE, at, at)
        try:
            store.jobs.put([job])
            held = store.tasks.lease([TaskKind.CHECK], "worker", at + timedelta(days=1))
            print("kept", flush=True)
        except (TemporaryError, PermanentError) as error:
            print(type(error).__name__, error, flush=True)
    counts = store.jobs.state().counts
    print(sum(counts.values()), flush=True)
"""


def test_a_failing_disk_is_reported_and_what_was_kept_stays(tmp_path: Path) -> None:
    if reason := failing.absence():
        absent(reason)
    data = tmp_path / "data"
    data.mkdir()
    disk = Disk(tmp_path, data)
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, f"sqlite:///{data / 'x.sqlite'}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **disk.environment()},
        text=True,
    ) as program:
        stdin, answered = program.stdin, program.stdout
        assert stdin is not None
        assert answered is not None

        answers: list[str] = []

        def say() -> str:
            stdin.write("put\n")
            stdin.flush()
            answers.append(answered.readline().strip())
            return answers[-1]

        assert answered.readline() == "open\n"
        outcomes = [say()]
        for way in (Failing.ALL, Failing.WRITES, Failing.SOME):
            with disk.failing(way):
                messages = {say() for _ in range(20)} - {"kept"}
            assert messages, way
            for each in messages:
                assert each.startswith("TemporaryError the database /"), each
                assert "continues by itself once that works again" in each
            outcomes += [say() for _ in range(3)]
        stdin.close()
        rows = int(answered.readline())

    assert is_whole(data / "x.sqlite")
    assert outcomes == ["kept"] * 10
    assert answers.count("kept") <= rows <= len(answers)
