"""Runs the whole program as a person does: a process, its output, its exit code."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from bot.app.cli.terminal import Exit
from bot.report import load_schema
from tests.bot.sources.server import Site, answer, serving

ROOT = Path(__file__).parents[1]
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
    def told(self) -> str:
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

    async def __call__(self, *arguments: str, then: str = "") -> Done:
        """Run it; `then` is what a shell is to do with it, such as `2>&-`."""
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
        assert process.returncode is not None
        assert b"Traceback" not in err, err.decode()
        assert process.returncode != Exit.FAULT, err.decode()
        return Done(process.returncode, out.decode(), err.decode())

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start it, to be spoken to while it runs."""
        return await asyncio.create_subprocess_exec(
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

    def _environment(self) -> dict[str, str]:
        kept = {"PATH", "HOME", "LANG", "PYTHONDONTWRITEBYTECODE"}
        return {
            **{name: value for name, value in os.environ.items() if name in kept},
            "PYTHONPATH": str(ROOT),
            "SIDENOTE_DATA_DIR": str(self.folder / "data"),
            "SIDENOTE_HOST_DELAY_S": "0",
            **self.settings,
        }

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, "utf-8")
        return name


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
    jsonschema.validate(content, load_schema())
    [page] = content["reports"]
    assert isinstance(page, dict)
    return page
