"""`python -m tests.toolforge.rehearsal`: the operator's guide, typed line by line, twice.

It types what `docs/operators.md` says of a first deployment, an update, a rollback and a
restore, and nothing else, at a stand-in of Toolforge that runs what it is told to (see
`running`), with a real MariaDB that allows 20 connections and a real MediaWiki. Only what
stands in capitals is filled in, and `--anyway` is said where there is no web, for which the
doctor rightly refuses. Between the steps processes are killed at random. Each
step that does not work is reported; so is what every job took.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pymysql
import requests

from bot.app.wiring.demo import BOT_TOKEN
from bot.demo.loopback.wiki.building import APP
from bot.demo.loopback.wiki.serving import free_port
from tests.rig.mariadb import serve_mariadb
from tests.torture.pipeline.editor import Editor
from tests.torture.pipeline.people import BOT
from tests.torture.pipeline.scene import articles
from tests.torture.pipeline.stage import SECRET, Stage, whole_stage

_ROOT = Path(__file__).parents[2]
_RESULTS = _ROOT / "tests" / "results" / "toolforge.md"
_GUIDE = _ROOT / "docs" / "operators.md"
_USER, _PASSWORD = "s55555", "rehearsed"
_CONNECTIONS = 20
_PATIENCE_S = 240.0
_EDITOR = """\
import os, sys
file = sys.argv[1]
given = dict(line.split("=", 1) for line in open(os.environ["FILLED_IN"]) if "=" in line)
kept = [line for line in open(file) if line.split("=")[0] not in given]
out = ("SIDENOTE_OAUTH_CLIENTS", "SIDENOTE_DRY_RUN_PAGE", "SIDENOTE_OAUTH", "SIDENOTE_BOT_SECRET")
kept = [line for line in kept if line.split("=")[0] not in out]
open(file, "w").write("".join(kept) + "".join(f"{k}={v}" for k, v in given.items()))
"""


class Tool:
    """A tool's account: its home, its shell, and what runs there."""

    def __init__(self, home: Path, stage: Stage, socket: str, source: Path) -> None:
        self.home, self.stage, self.socket, self.source = home, stage, socket, source
        self.here, self.stumbles, self.port = home / "stand-in", list[str](), 0
        self._made()

    def _made(self) -> None:
        for folder in ("bin", "stand-in/answers"):
            (self.home / folder).mkdir(parents=True)
        programs = {
            "toolforge": f'exec {sys.executable} -m tests.toolforge.running "$@"',
            "mariadb": f'exec {sys.executable} {self.here / "client.py"} "$@"',
            "edit": f'exec {sys.executable} {self.here / "edit.py"} "$@"',
        }
        for name, does in programs.items():
            file = self.home / "bin" / name
            file.write_text(f"#!/bin/sh\n{does}\n")
            file.chmod(0o755)
        (self.here / "edit.py").write_text(_EDITOR)
        (self.here / "client.py").write_text(
            "import os, sys\n"
            "at = sys.argv.index('-h')\n"
            "given = sys.argv[1:at] + sys.argv[at + 2:]\n"
            f"given.insert(1, '--socket={self.socket}')\n"
            "os.execv('/usr/bin/mariadb', ['mariadb', *given])\n"
        )
        (self.home / "replica.my.cnf").write_text(
            f"[client]\nuser = {_USER}\npassword = {_PASSWORD}\n"
        )
        self.port = free_port()
        (self.here / "port").write_text(str(self.port))
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        (self.here / "path").write_text(path)
        injected = {
            "TOOL_TOOLSDB_USER": _USER,
            "TOOL_TOOLSDB_PASSWORD": _PASSWORD,
            "SIDENOTE_TOOLSDB_HOST": self.socket,
            # Passwords stand in for OAuth, which the wiki here has not.
            "SIDENOTE_BOT_LOGIN": f"{BOT}@{APP}",
            "SIDENOTE_BOT_PASSWORD": BOT_TOKEN,
        }
        (self.here / "injected.json").write_text(json.dumps(injected))
        (self.here / "answers" / "SIDENOTE_BOT_SECRET").write_text(SECRET)
        (self.here / "answers" / "SIDENOTE_OAUTH").write_text("")
        kept = ("STREAM", "SETTLE_S", "VERIFIER", "SEARCHES", "INTERNAL_ADDRESSES")
        own = {
            name: value
            for name, value in self.stage.environment().items()
            if name.removeprefix("SIDENOTE_") in kept
        } | {
            "SIDENOTE_WIKI": f"http://{self.stage.recorder.host}",
            "SIDENOTE_CONTACT": "https://en.wikipedia.org/wiki/User:Operator",
            "SIDENOTE_BOT_ACCOUNT": BOT,
            "SIDENOTE_SERVE_NAMES": "sidenote.toolforge.org",
            "SIDENOTE_PANEL_ADDRESS": "https://sidenote.toolforge.org",
            "SIDENOTE_POSTING": "live",
            "SIDENOTE_POSTING_PAUSE_S": "0",
        }
        (self.here / "filled").write_text(
            "".join(f"{name}={value}\n" for name, value in own.items() if value)
        )

    def type(self, what: str, script: str, *, at: str = ".") -> bool:
        """Type lines into the tool's shell; note it if one does not work."""
        env = {
            "HOME": str(self.home),
            "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}",
            "TOOL_NAME": "tools.sidenote",
            "EDITOR": "edit",
            "FILLED_IN": str(self.here / "filled"),
            "STAND_IN": str(self.here),
            "PYTHONPATH": str(_ROOT),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        began_s = time.monotonic()
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.home / at,
            env=env,
            check=False,
            capture_output=True,
            text=True,
        )
        took_s = time.monotonic() - began_s
        if done.returncode:
            output = f"{done.stdout}\n{done.stderr}".strip()[-1500:]
            self.stumbles.append(f"{what}: {output}")
        _tell(
            f"{what}: {'works' if not done.returncode else 'STUMBLES'} ({took_s:.0f} s)"
        )
        return not done.returncode

    def restart_at_will(self, chance: random.Random) -> str:
        """Kill a process that runs, as a node that goes away does."""
        running = [
            one for one in (self.here / "jobs").iterdir() if (one / "pid").exists()
        ]
        chosen = chance.choice(sorted(running))
        with suppress(ProcessLookupError):
            os.killpg(int((chosen / "pid").read_text()), signal.SIGKILL)
        return chosen.name

    def answers(self, path: str) -> str:
        with suppress(OSError, requests.RequestException):
            return requests.get(self._address(path), timeout=10).text
        return ""

    def _address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def waits_until(self, what: str, is_so: "object") -> None:
        until_s = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until_s:
            if is_so():  # type: ignore[operator]
                _tell(f"{what}: yes")
                return
            time.sleep(2)
        self.stumbles.append(f"{what}: not within {_PATIENCE_S:.0f} s")
        _tell(f"{what}: NO")

    def took(self) -> Iterator[str]:
        """Yield the memory that each job took, and how often it was begun."""
        for folder in sorted((self.here / "jobs").iterdir()):
            peak = folder / "peak"
            if peak.exists():
                killed = folder / "killed"
                why = (
                    f", killed: {killed.read_text().split()}" if killed.exists() else ""
                )
                starts = (
                    len((folder / "starts").read_text())
                    if (folder / "starts").exists()
                    else 1
                )
                yield f"{folder.name}: {peak.read_text()} MiB, begun {starts} times{why}"
                if killed.exists():
                    self.stumbles.append(
                        f"{folder.name} was killed: {killed.read_text()}"
                    )

    def end(self) -> None:
        for folder in (self.here / "jobs").iterdir():
            name = folder.name.rstrip("0123456789")
            verb = "webservice stop" if name == "web" else f"jobs delete {name}"
            self.type(f"ends {name}", f"toolforge {verb} || true")


def _blocks(heading: str) -> list[str]:
    """Return the blocks of shell below a heading of the guide."""
    text = _GUIDE.read_text("utf-8")
    _, _, rest = text.partition(f"### {heading}\n")
    part = re.split(r"^##+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"```sh\n(.*?)```", part, flags=re.DOTALL)


def _without_web(block: str) -> str:
    return re.sub(r"(toolforge/deploy (?!--)\S+)", r"\1 --anyway", block)


@contextmanager
def _tool() -> Iterator[Tool]:
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="sidenote-tool-"))
        )
        (folder / "stage").mkdir()
        socket = stack.enter_context(serve_mariadb())
        stage = stack.enter_context(whole_stage(folder / "stage"))
        with closing(pymysql.connect(user="root", unix_socket=socket)) as server:
            for line in (
                f"CREATE USER {_USER}@localhost IDENTIFIED BY '{_PASSWORD}'"
                f" WITH MAX_USER_CONNECTIONS {_CONNECTIONS}",
                f"GRANT ALL ON `{_USER}\\_\\_%`.* TO {_USER}@localhost",
            ):
                server.cursor().execute(line)
        source = folder / "source"
        git = ["git", "clone", "-q", "--bare", str(_ROOT), str(source)]
        subprocess.run(git, check=True)
        head = ["git", "-C", str(_ROOT), "rev-parse", "HEAD"]
        commit = subprocess.run(head, check=True, capture_output=True, text=True)
        for name in ("branch -f main", "tag -f v1.2"):
            command = ["git", "-C", str(source), *name.split(), commit.stdout.strip()]
            subprocess.run(command, check=True, capture_output=True)
        home = folder / "home"
        home.mkdir()
        yield Tool(home, stage, socket, source)


def _opted_in(stage: Stage) -> Editor:
    """Write an article with something wrong, and ask for a report on it."""
    alice = Editor.named(stage.wiki.host, "Alice")
    article = next(iter(articles().values()))
    article.sentences[0].wrong = 1
    alice.save(article.title, article.text(f"http://{stage.library.host}"))
    call = f"{{{{User:{BOT}/watch |pages={article.title} |surface=report}}}}"
    alice.save("User:Alice/Sidenote", call)
    return alice


def rehearse(seed: int) -> list[str]:
    """Go through the guide once; return what did not work."""
    chance = random.Random(seed)
    [first] = map(_without_web, _blocks("First deployment"))
    blocks = _blocks("Update, rollback, backup, restore")
    [update, restore] = map(_without_web, blocks)
    with _tool() as tool:
        fill = first.replace("become TOOL", ":").replace(
            "SOURCE_ADDRESS", str(tool.source)
        )
        alice = _opted_in(tool.stage)
        report = "User:Alice/Sidenote report"
        try:
            tool.type("first deployment", fill)
            tool.waits_until("it serves its health", lambda: tool.answers("/healthz"))
            tool.waits_until(
                "the report is on the wiki",
                lambda: "sidenote note" in alice.read(report)[0],
            )
            _tell(f"killed at will: {tool.restart_at_will(chance)}")
            lines = [line for line in update.splitlines() if line]
            for line in lines:
                what = line.partition("#")[0].strip()
                tool.type(what, line, at="sidenote")
                if "deploy" in what and "--list" not in what:
                    _tell(f"killed at will: {tool.restart_at_will(chance)}")
            tool.waits_until(
                "it is well", lambda: '"is_well": true' in tool.answers("/healthz")
            )
            image = (
                (tool.home / "sidenote-deployed").read_text().split("\n")[-2].split()[0]
            )
            for number in (1, 2):
                copies = sorted((tool.home / "sidenote-backups").iterdir())
                script = (
                    restore.replace("tool-TOOL/IMAGE", f"tool-sidenote/{image}")
                    .replace("/data/project/TOOL", str(tool.home))
                    .replace("FILE", copies[-1].name)
                )
                tool.type(f"restore {number}", script, at="sidenote")
                tool.waits_until(
                    "it is well", lambda: '"is_well": true' in tool.answers("/healthz")
                )
            edits = [one for one in alice.since(report, "1") if one.user == BOT]
            _tell(f"edits of the report by the bot: {len(edits)}")
            for line in tool.took():
                _tell(f"  {line}")
        finally:
            tool.end()
        return tool.stumbles


_report: list[str] = []


def _tell(line: str) -> None:
    _report.append(line)
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def write(times: int, seed: int, report: list[str]) -> None:
    """Keep what came of it."""
    command = (
        f"python -m tests.toolforge.rehearsal --times {times} --seed {seed} --write"
    )
    lines = "".join(f"    {line}\n" for line in report)
    _RESULTS.write_text(
        f"# The operator's guide, rehearsed\n\n`{command}`,"
        f" {datetime.now(UTC):%Y-%m-%d}; what it does stands in"
        f" `tests/toolforge/rehearsal.py`.\n\n{lines}",
        "utf-8",
    )


def main() -> int:
    """Rehearse; 1 if anything stumbled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"into {_RESULTS.name}")
    options = parser.parse_args()
    stumbles: list[str] = []
    for number in range(options.times):
        _tell(f"== rehearsal {number + 1} (seed {options.seed + number})")
        stumbles += rehearse(options.seed + number)
    for one in stumbles:
        _tell(f"STUMBLE {one}")
    _tell(f"{len(stumbles)} stumbles")
    if options.write:
        write(options.times, options.seed, _report)
    return 1 if stumbles else 0


if __name__ == "__main__":
    sys.exit(main())
