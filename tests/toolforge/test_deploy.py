"""One command puts a version on Toolforge, and one takes it back, or nothing changes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[2]
_FILES = ("deploy", "jobs.yaml", "service.template")


@dataclass(frozen=True)
class Tool:
    """A tool's home with a clone of a repository, and what Toolforge knows of it."""

    home: Path

    def git(self, *arguments: str, at: str = "upstream") -> str:
        given = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        command = [
            "git",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.example",
            *arguments,
        ]
        done = subprocess.run(
            command,
            cwd=self.home / at,
            env={**os.environ, **given},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def version(self, message: str) -> str:
        """Make a version of the program; return its commit."""
        file = self.home / "upstream" / "toolforge" / "jobs.yaml"
        file.write_text(f"{file.read_text('utf-8')}# {message}\n", "utf-8")
        self.git("add", ".")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        env = {
            "HOME": str(self.home),
            "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}",
            "TOOL_NAME": "tools.sidenote",
            "STAND_IN": str(self.home / "stand-in"),
            "PYTHONPATH": str(_ROOT),
        }
        return subprocess.run(
            ["sh", "sidenote/toolforge/deploy", *arguments],
            cwd=self.home,
            env=env,
            check=False,
            capture_output=True,
            text=True,
        )

    @property
    def known(self) -> dict[str, Any]:
        jobs: dict[str, Any] = json.loads(
            (self.home / "stand-in" / "known.json").read_text()
        )
        return jobs

    @property
    def running(self) -> set[str]:
        """Return the commits of all that runs."""
        known = self.known
        images = {job["image"] for job in known["jobs"].values()}
        images.add(known["web"]["buildservice-image"])
        prefix = "tool-sidenote/"
        assert all(image.startswith(prefix) for image in images)
        names = {image.removeprefix(prefix).removesuffix(":latest") for image in images}
        return {known["images"][name] for name in names}

    def fails(self, *commands: str) -> None:
        (self.home / "stand-in" / "fails").write_text(" ".join(commands))


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return _tool(tmp_path)


@pytest.fixture(scope="module")
def deployed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tool = _tool(tmp_path_factory.mktemp("tool"))
    assert tool.deploy("main").returncode == 0
    return tool.home


@pytest.fixture
def deployed(deployed_once: Path, tmp_path: Path) -> Tool:
    """Return a tool whose first version runs."""
    tool = Tool(tmp_path / "home")
    shutil.copytree(deployed_once, tool.home)
    tool.git("remote", "set-url", "origin", str(tool.home / "upstream"), at="sidenote")
    return tool


def _tool(tmp_path: Path) -> Tool:
    (tmp_path / "stand-in").mkdir()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "toolforge"
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -m tests.toolforge.stand_in "$@"\n'
    )
    program.chmod(0o755)
    upstream = tmp_path / "upstream"
    (upstream / "toolforge").mkdir(parents=True)
    for name in _FILES:
        (upstream / "toolforge" / name).write_bytes(
            (_ROOT / "toolforge" / name).read_bytes()
        )
    tool = Tool(tmp_path)
    tool.git("init", "-q", "-b", "main")
    tool.version("first")
    tool.git("clone", "-q", str(upstream), "sidenote", at=".")
    return tool


def _done(tool: Tool) -> list[str]:
    return [command for _, command, *_ in tool.known["once"]]


def test_versions_take_turns_and_the_one_before_is_a_command_away(tool: Tool) -> None:
    first = tool.git("rev-parse", "HEAD")
    assert tool.deploy("main").returncode == 0
    assert tool.running == {first}
    assert _done(tool) == ["migrate", "doctor"]  # there was nothing to copy yet
    assert tool.known["web"]["mount"] == "none"

    second = tool.version("second")
    done = tool.deploy("main")
    assert done.returncode == 0, done.stderr
    assert tool.running == {second}
    copied = [once for once in tool.known["once"] if once[1] == "backup"]
    assert copied == [["try-backup", "backup", first, "all"]]
    assert set(tool.known["images"].values()) == {first, second}

    builds = _builds(tool)
    assert tool.deploy("--rollback").returncode == 0
    assert tool.running == {first}
    assert tool.deploy("--rollback").returncode == 0  # and forward again
    assert tool.running == {second}
    assert _builds(tool) == builds  # nothing has to be built in a hurry

    third = tool.version("third")
    assert tool.deploy(third).returncode == 0
    assert tool.running == {third}
    assert tool.deploy("--rollback").returncode == 0
    assert tool.running == {second}
    assert len(tool.deploy("--list").stdout.splitlines()) > 2


def _builds(tool: Tool) -> int:
    calls = (tool.home / "stand-in" / "calls").read_text().splitlines()
    return sum(line.startswith("build start") for line in calls)


@pytest.mark.parametrize("broken", ["build", "backup", "migrate", "doctor"])
def test_what_does_not_work_changes_nothing(deployed: Tool, broken: str) -> None:
    tool = deployed
    before, first = tool.known, tool.running
    tool.version("second")
    tool.fails(broken)

    done = tool.deploy("main")

    assert done.returncode != 0
    assert tool.running == first
    assert tool.known["jobs"] == before["jobs"]
    # There was none before, or the other image is no longer what it was.
    back = tool.deploy("--rollback")
    assert back.returncode == 1
    assert "no version before" in back.stderr
    assert tool.running == first


def test_what_cannot_be_built_takes_no_way_back(deployed: Tool) -> None:
    tool = deployed
    first = tool.running
    tool.version("second")
    assert tool.deploy("main").returncode == 0
    tool.version("third")
    tool.fails("build")
    assert tool.deploy("main").returncode == 1

    assert tool.deploy("--rollback").returncode == 0
    assert tool.running == first


def test_half_a_switch_is_taken_back_before_anything_is_built(deployed: Tool) -> None:
    tool = deployed
    first = tool.running
    second = tool.version("second")
    tool.fails("load-work")
    half = tool.deploy("main")
    assert half.returncode == 1
    assert "--rollback" in half.stderr
    assert {second} < tool.running
    builds = _builds(tool)
    tool.fails()

    again = tool.deploy("main")
    assert again.returncode == 1
    assert "--rollback" in again.stderr
    assert _builds(tool) == builds

    assert tool.deploy("--rollback").returncode == 0
    assert tool.running == first
    assert tool.deploy("main").returncode == 0
    assert tool.running == {second}


def test_a_job_that_a_version_has_no_longer_ends(deployed: Tool) -> None:
    tool = deployed
    before = set(tool.known["jobs"])
    file = tool.home / "upstream" / "toolforge" / "jobs.yaml"
    read = "- name: read\n  image: IMAGE\n  command: read\n  continuous: true\n"
    file.write_text(f"{file.read_text('utf-8')}{read}", "utf-8")
    tool.version("with readers")
    assert tool.deploy("main").returncode == 0
    assert set(tool.known["jobs"]) == before | {"read"}

    assert tool.deploy("--rollback").returncode == 0

    assert set(tool.known["jobs"]) == before


def test_who_knows_better_can_deploy_what_the_doctor_warns_of(deployed: Tool) -> None:
    tool = deployed
    second = tool.version("second")
    tool.fails("doctor", "backup")  # of the version that runs: only another mends that

    assert tool.deploy("main").returncode == 1
    assert tool.deploy("main", "--anyway").returncode == 0
    assert tool.running == {second}


_Call = Callable[[Tool], subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda tool: tool.deploy(), "toolforge/deploy REF", id="nothing"),
        pytest.param(lambda tool: tool.deploy("--help"), "--rollback", id="help"),
        pytest.param(lambda tool: tool.deploy("v9"), "no version v9", id="unknown"),
        pytest.param(
            lambda tool: tool.deploy("--rollback"), "no version before", id="too early"
        ),
    ],
)
def test_what_cannot_be_done_is_said(tool: Tool, call: _Call, message: str) -> None:
    done = call(tool)

    assert done.returncode != 0
    assert message in done.stderr
    assert not (tool.home / "stand-in" / "calls").exists()
