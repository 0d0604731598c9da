"""Runs the whole program as a person does: a process, its output, its exit code."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import jsonschema
import pytest

from bot.__main__ import main
from bot.app.cli.terminal import Exit
from bot.demo.loopback.service import CLOCK
from tests.bot.sources.server import Site, answer, serving
from tests.rig.networks import ANSWERS, remember
from tests.rig.processes import ready_processes
from tests.schemas import read_schema

ROOT = Path(__file__).parents[1]
_numbers = count(1)
PAGE_SAYS = (
    "<html><head><title>The Harbour Clock</title></head><body><article><h1>The"
    " Harbour Clock</h1><p>The clock on the customs quay was built in 1874 by Ada"
    " Penrose, who had learned the trade from her father in the north.</p><p>It was"
    " stopped by a storm in 1911 and repaired two years later at the town's own"
    " cost. Visitors may climb the tower on the first Sunday of each month from May"
    " until September, when the keeper is there to show the works.</p></article>"
    "</body></html>"
)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def output(self) -> str:
        """The one line that a failure is allowed."""
        lines = [
            line for line in self.err.splitlines() if line.startswith("sidenote: ")
        ]
        assert len(lines) == 1, self.err
        return lines[0]


@dataclass
class Program:
    """Runs `python -m bot` in a folder of its own, with settings of its own."""

    folder: Path
    settings: dict[str, str]

    async def __call__(self, *arguments: str) -> Done:
        """Run it in a process that has imported it already."""
        out, err = self.folder / ".out", self.folder / ".err"
        process = ready_processes().Process(
            target=be_the_program,
            args=(arguments, self.folder, self._environment(), out, err),
        )
        process.start()
        await asyncio.to_thread(process.join)
        return self._done(process.exitcode, out.read_bytes(), err.read_bytes())

    async def in_new_process(self, *arguments: str, then: str = "") -> Done:
        """Run it from its first line; `then` is what a shell is to do, such as `2>&-`."""
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            f'"$@" {then}; exit ${{PIPESTATUS[0]}}',
            "bash",
            sys.executable,
            "-m",
            "bot",
            *arguments,
            cwd=self.folder,
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return self._done(process.returncode, out, err)

    @staticmethod
    def _done(code: int | None, out: bytes, err: bytes) -> Done:
        assert code is not None
        assert b"Traceback" not in err, err.decode()
        assert code != Exit.FAULT, err.decode()
        return Done(code, out.decode(), err.decode())

    async def start(self, *arguments: str) -> "Started":
        """Start it, to be spoken to while it runs, in a process that has imported it."""
        pipes = [self.folder / f".{next(_numbers)}.pipe" for _ in range(2)]
        for pipe in pipes:
            os.mkfifo(pipe)
        # Ours keeps the pipe from ending before the program has opened it.
        read = [os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) for pipe in pipes]
        kept = [os.open(pipe, os.O_WRONLY) for pipe in pipes]
        process = ready_processes().Process(
            target=be_the_program,
            args=(arguments, self.folder, self._environment(), *pipes),
        )
        process.start()
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[int] = loop.create_future()

        def end() -> None:
            loop.remove_reader(process.sentinel)
            assert process.exitcode is not None
            ended.set_result(process.exitcode)
            for one in kept:
                os.close(one)

        loop.add_reader(process.sentinel, end)
        out, err = [await _reader(one) for one in read]
        assert process.pid is not None
        return Started(process.pid, out, err, ended)

    def _environment(self) -> dict[str, str]:
        kept = {"PATH", "HOME", "LANG", "PYTHONDONTWRITEBYTECODE", ANSWERS, *CLOCK}
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        return {
            **{name: value for name, value in os.environ.items() if name in kept},
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "SIDENOTE_DATA_DIR": str(self.folder / "data"),
            "SIDENOTE_HOST_DELAY_S": "0",
            **self.settings,
        }

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, "utf-8")
        return name


@dataclass(frozen=True)
class Started:
    """The program while it runs, as `asyncio.subprocess.Process` shows it."""

    pid: int
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    _ended: asyncio.Future[int]

    @property
    def returncode(self) -> int | None:
        return self._ended.result() if self._ended.done() else None

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    async def communicate(self) -> tuple[bytes, bytes]:
        """Return what it says until its end."""
        out, err = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, err


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


def be_the_program(
    arguments: tuple[str, ...],
    folder: Path,
    environment: dict[str, str],
    out: Path,
    err: Path,
) -> None:
    """Turn this process into the one that a shell would have started."""
    written = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (path, how) in enumerate(
        ((os.devnull, os.O_RDONLY), (out, written), (err, written))
    ):
        opened = os.open(path, how)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["sidenote", *arguments]
    remember()
    main()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path, {})


@pytest.fixture
async def site(program: Program) -> AsyncIterator[Site]:
    """A site on loopback that the program may read."""
    async with serving(Site({"/clock": html(PAGE_SAYS)})) as served:
        program.settings["SIDENOTE_INTERNAL_ADDRESSES"] = json.dumps(
            [f"127.0.0.1:{served.port}"]
        )
        program.settings["SIDENOTE_ARCHIVE_SERVICE"] = local(served, "/available")
        served.pages["/available"] = answer(
            '{"archived_snapshots": {}}', content_type="application/json"
        )
        yield served


def html(text: str) -> bytes:
    return answer(text, content_type="text/html; charset=utf-8")


def local(site: Site, path: str) -> str:
    return site.url(path, host="127.0.0.1")


def cites(claim: str, url: str) -> str:
    return f"{claim}<ref>{{{{cite web |url={url} |title=A page}}}}</ref>\n\n"


def only_report(done: Done) -> dict[str, object]:
    content = json.loads(done.out)
    jsonschema.validate(content, read_schema("schema.json"))
    [page] = content["reports"]
    assert isinstance(page, dict)
    return page
