"""The real program in processes of its own, as an operator starts it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.demo.loopback.service import CLOCK

_ROOT = Path(__file__).parents[2]
_INHERITED = ("PATH", "LANG", "HOME", "TMPDIR", *CLOCK)
_LONGEST_END_S = 30.0


@dataclass(slots=True)
class Program:
    """`sidenote daemon` (or another command) that runs."""

    process: "subprocess.Popen[bytes]"
    began_s: float

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> float:
        """Tell it to end; return how long it took. It is killed after 30 s."""
        began_s = time.monotonic()
        if self.is_alive:
            self.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_LONGEST_END_S)
        took_s = time.monotonic() - began_s
        self.kill()
        return took_s

    def kill(self) -> None:
        """End it at once, with all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def running(
    folder: Path,
    log: Path,
    settings: Mapping[str, str],
    *arguments: str,
) -> Iterator[Program]:
    """Run the program with these settings alone; what it logs is added to `log`."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment = {**inherited, "PYTHONPATH": str(_ROOT), **settings}
    with log.open("ab") as stderr, (folder / "stdout").open("ab") as stdout:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", *(arguments or ("daemon",))],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    program = Program(process, time.monotonic())
    try:
        yield program
    finally:
        program.end()
