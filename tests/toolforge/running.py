"""Stands in for Toolforge and runs what it is told to: images, jobs, the webservice.

Run as `toolforge`, with a folder of its own in STAND_IN. It takes what Toolforge takes (see
`stand_in`), and is as strict: a job has the memory that its file gives it, all of its
processes together, and is killed beyond; it sees the variables of the tool and nothing of
the shell; a name can be given to one job only, also once that has ended.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.toolforge.jobs_file import mebibytes, refused
from tests.toolforge.stand_in import grammar

_HERE = Path(os.environ.get("STAND_IN", os.devnull))
_HOME = Path(os.environ.get("HOME", os.devnull))
_POLL_S, _CHECK_S, _GRACE_S, _END_S = 0.5, 15.0, 60.0, 30.0
_USUAL = "512Mi"


class Refused(Exception):  # noqa: N818 - what Toolforge says
    """Toolforge does not take it."""


def _folder(name: str) -> Path:
    return _HERE / "jobs" / name


def _variables() -> dict[str, str]:
    file = _HERE / "variables.json"
    return json.loads(file.read_text()) if file.exists() else {}


def _image(address: str) -> Path:
    name = address.split("/")[1].removesuffix(":latest")
    folder = _HERE / "images" / name
    if not folder.is_dir():
        raise Refused(f"there is no image {address}")
    return folder


def _build(options: argparse.Namespace) -> int:
    folder = _HERE / "images" / options.image_name
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        ["git", "clone", "-q", options.source, str(folder)],
        ["git", "-C", str(folder), "checkout", "-q", options.ref],
    ):
        if subprocess.run(command, check=False).returncode:
            return 1
    return 0


def _line(image: Path, command: str) -> str:
    """Return what a command is: a line of the Procfile, or itself."""
    for line in (image / "toolforge" / "Procfile").read_text().splitlines():
        name, _, does = line.partition(": ")
        if name == command:
            return does
    return command


def _environment(job: Mapping[str, Any]) -> dict[str, str]:
    own = _folder(job["name"]) / "tmp"
    own.mkdir(parents=True, exist_ok=True)
    given = _variables() | json.loads((_HERE / "injected.json").read_text())
    given |= {"PATH": (_HERE / "path").read_text(), "TMPDIR": str(own)}
    given |= {"HOME": str(own), "NO_PROXY": "*", "PORT": (_HERE / "port").read_text()}
    given["SIDENOTE_DATA_DIR"] = str(own / "sidenote")  # a disk of its own
    if job.get("mount") == "all":
        given |= {"HOME": str(_HOME), "TOOL_DATA_DIR": str(_HOME)}
    return given


def _begin(job: Mapping[str, Any]) -> "subprocess.Popen[bytes]":
    image = _image(job["image"])
    log = (_folder(job["name"]) / "log").open("ab")
    return subprocess.Popen(
        ["bash", "-c", _line(image, job["command"])],
        cwd=image,
        env=_environment(job),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


def _memory_mib(group: int) -> float:
    """Return the proportional set size of all processes of a group."""
    kib = 0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            if os.getpgid(int(folder.name)) == group:
                lines = (folder / "smaps_rollup").read_text().splitlines()
                kib += next(int(one.split()[1]) for one in lines if "Pss:" in one)
        except (OSError, StopIteration):
            continue
    return kib / 1024


def _limited(job: Mapping[str, Any], process: "subprocess.Popen[bytes]") -> None:
    """Kill a job that takes more memory than it has."""
    used = _memory_mib(process.pid)
    peak = _folder(job["name"]) / "peak"
    before = float(peak.read_text()) if peak.exists() else 0.0
    peak.write_text(f"{max(before, used):.0f}")
    if used > mebibytes(job.get("mem", _USUAL)):
        (_folder(job["name"]) / "killed").open("a").write(f"{used:.0f} MiB\n")
        os.killpg(process.pid, signal.SIGKILL)


def _run(options: argparse.Namespace) -> int:
    folder = _folder(options.name)
    if folder.exists():
        raise Refused(f"a job {options.name} exists already; delete it first")
    folder.mkdir(parents=True)
    job = {
        "name": options.name,
        "command": options.command,
        "image": options.image,
        "mem": options.mem or _USUAL,
        "mount": options.mount,
    }
    (folder / "job.json").write_text(json.dumps(job))
    process, until_s = _begin(job), time.monotonic() + (options.wait or 0)
    while process.poll() is None:
        _limited(job, process)
        if time.monotonic() > until_s:
            os.killpg(process.pid, signal.SIGKILL)
            raise Refused(f"{options.name} did not end within {options.wait} s")
        time.sleep(0.2)
    return 1 if process.returncode else 0


def _keep(job: Mapping[str, Any]) -> None:
    """Have a job run for as long as it is not deleted."""
    folder = _folder(job["name"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job.json").write_text(json.dumps(job))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.toolforge.running", "--keep", job["name"]],
        stdin=subprocess.DEVNULL,
        stdout=(folder / "keeper.log").open("ab"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=dict(os.environ),
    )
    (folder / "keeper").write_text(str(process.pid))


def keep(name: str) -> int:
    """Begin a job again whenever it ends, hangs or takes too much memory."""
    job = json.loads((_folder(name) / "job.json").read_text())
    is_over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: is_over.append(number))
    while not is_over:
        process, began_s = _begin(job), time.monotonic()
        (_folder(name) / "pid").write_text(str(process.pid))
        (_folder(name) / "starts").open("a").write(".")
        checked_s = began_s
        while process.poll() is None and not is_over:
            _limited(job, process)
            now_s = time.monotonic()
            if now_s - began_s > _GRACE_S and now_s - checked_s > _CHECK_S:
                checked_s = now_s
                _checked(job, process)
            time.sleep(_POLL_S)
        _ended(process)
    return 0


def _checked(job: Mapping[str, Any], process: "subprocess.Popen[bytes]") -> None:
    script = job.get("health-check-script")
    if not script:
        return
    done = subprocess.run(
        script.split(),
        cwd=_image(job["image"]),
        env=_environment(job),
        check=False,
        capture_output=True,
    )
    if done.returncode:
        (_folder(job["name"]) / "killed").open("a").write("it did not answer\n")
        os.killpg(process.pid, signal.SIGKILL)


def _ended(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _delete(name: str) -> int:
    folder = _folder(name)
    if not folder.exists():
        return 1
    _stop(folder)
    shutil.rmtree(folder)
    return 0


def _stop(folder: Path) -> None:
    keeper = folder / "keeper"
    if not keeper.exists():
        return
    pid = int(keeper.read_text())
    try:
        os.kill(pid, signal.SIGTERM)
        while Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
            time.sleep(0.1)
    except OSError:
        return


def _load(options: argparse.Namespace) -> int:
    for job in yaml.safe_load(options.file.read_text()):
        if why := refused(job):
            raise Refused(str(why))
        _image(job["image"])
        if "schedule" in job:
            continue  # days do not pass here
        for name in _of(job["name"]):
            _delete(name)
        for number in range(job.get("replicas", 1)):
            _keep({**job, "name": f"{job['name']}{number or ''}"})
    return 0


def _names() -> Iterator[str]:
    folder = _HERE / "jobs"
    yield from sorted(one.name for one in folder.iterdir()) if folder.exists() else ()


def _of(job: str) -> list[str]:
    """Return the names of all replicas of a job."""
    return [name for name in _names() if name.rstrip("0123456789") == job]


def _jobs(options: argparse.Namespace) -> int:
    if options.verb == "run":
        return _run(options)
    if options.verb == "load":
        return _load(options)
    if options.verb == "list":
        sys.stdout.write("".join(f"{name}\n" for name in _names()))
        return 0
    of_name = _of(options.name)
    if options.verb == "delete":
        return max((_delete(name) for name in of_name), default=1)
    for name in of_name:
        folder = _folder(name)
        if options.verb == "logs":
            sys.stdout.write((folder / "log").read_text("utf-8", "replace")[-4000:])
        if options.verb == "restart":
            os.killpg(int((folder / "pid").read_text()), signal.SIGTERM)
    return 0 if of_name else 1


def _web(options: argparse.Namespace) -> int:
    if options.verb == "stop":
        return _delete("web")
    if options.verb == "start":
        if _folder("web").exists():
            raise Refused("the webservice runs already")
        template = yaml.safe_load(options.template.read_text())
        if template["type"] != "buildservice":
            raise Refused(f"there is no webservice of type {template['type']}")
        image = template["buildservice-image"]
        _keep({"name": "web", "command": "web", "image": image, "mem": template["mem"]})
    return 0


def _envvars(options: argparse.Namespace) -> int:
    known = _variables()
    if options.verb == "create":
        value = options.value
        if value is None:  # it is asked for
            value = (_HERE / "answers" / options.name).read_text()
        known[options.name] = value
    elif options.verb == "delete":
        known.pop(options.name)
    (_HERE / "variables.json").write_text(json.dumps(known))
    return 0


def main() -> int:
    if sys.argv[1] == "--keep":
        return keep(sys.argv[2])
    options = grammar().parse_args()
    does = {"build": _build, "jobs": _jobs, "webservice": _web, "envvars": _envvars}
    try:
        return does[options.part](options)
    except Refused as error:
        sys.stderr.write(f"toolforge: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
