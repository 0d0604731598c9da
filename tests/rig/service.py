"""Runs a server for as long as the tests live, whatever ends them.

The server's shell waits at the end of a pipe. When the tests close it, or die,
the shell ends the whole process group and removes the server's folder. As root,
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
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

_GUARD = '"$@" & cat >/dev/null; trap "" TERM; kill -TERM 0; wait; rm -rf "$RIG_DIR"'
_START_S = 90.0
_STOP_S = 30.0


def absent(what: str) -> NoReturn:
    """Skip the test because `what` is not here, or fail it where skips are failures."""
    reason = f"{what} is not here (as root on Debian: .ci/install-services)"
    if os.environ.get("SIDENOTE_NO_SKIPS"):
        pytest.fail(reason)
    pytest.skip(reason)


def program(name: str) -> str:
    """Return the path of an installed program, or skip the test."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    return path or absent(name)


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
    """Run a server's own tool to its end, as the server's user; return its output."""
    done = subprocess.run(
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
        raise RuntimeError(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Service:
    """A server that runs in `folder`, which goes when the server does."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._log = folder / "service.log"
        with self._log.open("ab") as log:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, "sh", *command],
                cwd=folder,
                env=_environment(folder, env or {}),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_as_server(),
            )

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Return once `ready` says so; raise with the log if the server ends."""
        deadline = time.monotonic() + _START_S
        while not ready():
            if time.monotonic() > deadline or not self.is_alive():
                raise RuntimeError(f"did not start: {self.log()[-3000:]}")
            time.sleep(0.03)

    def is_alive(self) -> bool:
        children = psutil.Process(self._shell.pid).children()
        # The first moments: the shell has not started its children yet.
        names = {child.name() for child in children if child.is_running()}
        return names != {"cat"}

    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def stop(self) -> None:
        assert self._shell.stdin
        self._shell.stdin.close()
        try:
            self._shell.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._shell.pid, signal.SIGKILL)
            self._shell.wait()
            shutil.rmtree(self.folder, ignore_errors=True)


def _as_server() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _environment(folder: Path, env: Mapping[str, str]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(folder), "RIG_DIR": str(folder), **env}
