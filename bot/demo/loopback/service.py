"""Runs another project's server for as long as this process lives, however it ends.

The server's shell waits on a pipe. When this process closes it, or dies, the shell ends
the whole process group and removes the server's folder. If this process is root,
servers run as `nobody`.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from handlers.ports import PermanentError

_ENDED = "service.ended"
# Only the inner shell waits for the server, and ends with it, so its end is noticed.
_GUARD = (
    f'{{ "$@"; : >"$SERVICE_DIR/{_ENDED}"; }} &'
    ' cat >/dev/null; trap "" TERM; kill -TERM 0; wait; rm -rf "$SERVICE_DIR"'
)
# What makes a process believe another time of day: servers and we must agree.
CLOCK = ("TZ", "LD_PRELOAD", "CLOCK_AHEAD_S")
_KEPT = ("PATH", "LANG", *CLOCK)
_START_S = 90.0
_STOP_S = 10.0  # PHP sometimes misses the signal to end; nothing is lost with it
_POLL_S = 0.02
_SHOWN_CHARACTERS = 3000
_REMEDY = "as root on Debian, `.ci/install-services` of the project installs it"


class ServiceFailed(PermanentError):  # noqa: N818 - it tells what happened
    """A server or its tool failed; the message has its log."""


def absence(what: str) -> PermanentError:
    """Return the error to raise if `what` is not installed, with the remedy."""
    return PermanentError(f"{what} is not here ({_REMEDY})")


def program(name: str) -> str:
    """Return the path of an installed program.

    Raises:
        PermanentError: there is none of that name.
    """
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if path is None:
        raise absence(name)
    return path


def server_folder(name: str) -> Path:
    """Return a new folder that the server may write to, in memory where possible."""
    memory = Path("/dev/shm")  # noqa: S108 - a new folder with a random name in it
    parent = memory if os.access(memory, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix=f"sidenote-{name}-", dir=parent))
    give_to_server(folder)
    folder.chmod(0o755)
    return folder


def give_to_server(*paths: Path) -> None:
    """Make the user that servers run as the owner of `paths`."""
    if os.getuid() == 0:
        for path in paths:
            shutil.chown(path, "nobody", "nogroup")


def run_once(
    command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None
) -> str:
    """Run a server's own tool, as the server's user; return its output.

    Raises:
        ServiceFailed: the tool says so.
    """
    done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - our own
        command,
        cwd=folder,
        env=_environment(folder, env or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_START_S,
        check=False,
        **_as_server(),
    )
    if done.returncode:
        output = done.stdout[-_SHOWN_CHARACTERS:] + done.stderr[-_SHOWN_CHARACTERS:]
        raise ServiceFailed(f"{' '.join(command)[:500]}: {output}")
    return done.stdout


class Service:
    """A server that runs in `folder`, which is removed with the server."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._log = folder / "service.log"
        with self._log.open("ab") as log:
            self._shell = subprocess.Popen(  # noqa: S603 - commands of our own
                ["/bin/sh", "-c", _GUARD, "sh", *command],
                cwd=folder,
                env=_environment(folder, env or {}),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_as_server(),
            )

    @property
    def group(self) -> int:
        """The process group of the server and all that it starts."""
        return self._shell.pid

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Return once `ready` is true.

        Raises:
            ServiceFailed: the server ended, or is not ready after a long while.
        """
        deadline = time.monotonic() + _START_S
        while not ready():
            if time.monotonic() > deadline or not self.is_alive():
                raise ServiceFailed(f"did not start: {self.log()[-_SHOWN_CHARACTERS:]}")
            time.sleep(_POLL_S)

    def is_alive(self) -> bool:
        """Return whether the server still runs."""
        is_ours = self._shell.poll() is None
        return is_ours and not (self.folder / _ENDED).exists()

    def log(self) -> str:
        """Return what the server has written to its outputs."""
        return self._log.read_text("utf-8", "replace")

    def stop(self) -> None:
        """End the server and everything that it started, and remove its folder."""
        if self._shell.stdin is not None:
            self._shell.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._shell.wait(_STOP_S)
        # The shell waits only for the server: processes started by it may still be
        # ending.
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        self._shell.wait()
        deadline = time.monotonic() + _STOP_S
        while _is_running(self.group) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_running(group: int) -> bool:
    """Return whether a process of `group` runs; zombies do not count."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            state, _, its_group, *_ = file.read_text().rpartition(")")[2].split()
            if int(its_group) == group and state not in "ZX":
                return True
    return False


def _as_server() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _environment(folder: Path, env: Mapping[str, str]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "HOME": str(folder), "SERVICE_DIR": str(folder), **env}
