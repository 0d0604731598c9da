"""`sidenote demo` as a child process, and people at browsers who try it."""

import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import NamedTuple

from playwright.sync_api import Page as Tab

from bot.app.wiring.demo import PASSWORD
from bot.demo.loopback.wiki.serving import require_free
from handlers.ports import PermanentError
from tests.program import be_the_program
from tests.rig.processes import ready_processes

_ROOT = Path(__file__).parents[1]
_POLL_S = 0.1
_PATIENCE_S = 180.0  # on a machine that is busy with other tests
_LAST_LINE = "Ctrl-C stops it; all changes are lost then.\n"


@dataclass
class Person:
    """Somebody at a browser."""

    tab: Tab
    wiki: str

    def log_in(self, name: str, password: str = PASSWORD) -> "Person":
        self.tab.goto(f"{self.wiki}/w/index.php?title=Special:UserLogin")
        self.tab.fill("#wpName1", name)
        self.tab.fill("#wpPassword1", password)
        self.tab.click("#wpLoginAttempt")
        self.tab.wait_for_selector("#pt-userpage, #pt-userpage-2, #p-personal")
        return self

    def read(self, title: str) -> str:
        """Return what a reader sees of a page."""
        self.tab.goto(f"{self.wiki}/wiki/{title.replace(' ', '_')}")
        return self.tab.inner_text("#mw-content-text")

    def source(self, title: str) -> str:
        """Return the wikitext of a page, without opening it."""
        raw = f"{self.wiki}/w/index.php?title={title}&action=raw"
        return self.tab.request.get(raw).text()

    def save(self, title: str, change: Callable[[str], str]) -> None:
        """Edit a page in the wiki's own form."""
        self.tab.goto(f"{self.wiki}/w/index.php?title={title}&action=edit")
        self.tab.fill("#wpTextbox1", change(self.tab.input_value("#wpTextbox1")))
        self.tab.click("#wpSave")
        self.tab.wait_for_url("**/wiki/**")

    def waits_for(self, title: str, is_there: Callable[[str], bool]) -> float:
        """Read a page after each edit of it, and return the seconds it took to be so.

        Two edits in one second are one to the browser's cache: so no address twice.
        """
        began_s = time.monotonic()
        read = self._newest(title)
        while not is_there(self.read(f"{title}?at={time.monotonic_ns()}")):
            while (newest := self._newest(title)) == read:
                took_s = time.monotonic() - began_s
                assert took_s < _PATIENCE_S, self.tab.inner_text("#mw-content-text")
                time.sleep(0.3)
            read = newest
        return time.monotonic() - began_s

    def _newest(self, title: str) -> str:
        """Return what the wiki says of the page's newest revision."""
        asked = f"action=query&prop=revisions&rvprop=ids&format=json&titles={title}"
        return self.tab.request.get(f"{self.wiki}/w/api.php?{asked}").text()


class Demo(NamedTuple):
    """Where it runs: addresses of the wiki and of the status page, and its database."""

    wiki: str
    status: str
    database: Path


@contextmanager
def demo(settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[Demo]:
    """Run it in a folder of its own, with the wiki that was built for all.

    `settings` are more of them, by the names of the environment.
    """
    with TemporaryDirectory(prefix="sidenote-demo-") as folder:
        built = _ROOT / ".cache" / "data" / "wiki"
        built.mkdir(parents=True, exist_ok=True)
        (Path(folder) / "wiki").symlink_to(built)
        yield from _run(Path(folder), settings)


def _first_of_three_free_ports() -> int:
    """Return a port that is free, as are the two above it, which the demo takes too.

    Below those that the system gives out itself, so that none goes to another meanwhile.
    """
    for _ in range(1_000):
        port = random.randrange(12_000, 30_000)
        try:
            for one in (port, port + 1, port + 2):
                require_free(one)
        except PermanentError:
            continue
        return port
    raise AssertionError("no three ports side by side are free")


def _run(folder: Path, settings: Mapping[str, str]) -> Iterator[Demo]:
    port = _first_of_three_free_ports()
    stdout, ignored = folder / ".said", Path(os.devnull)
    process = ready_processes().Process(
        target=be_the_program,
        args=(
            ("demo", "--port", str(port)),
            _ROOT,
            {**os.environ, **settings, "SIDENOTE_DATA_DIR": str(folder)},
            stdout,
            ignored,
        ),
    )
    process.start()
    until_s = time.monotonic() + _PATIENCE_S
    try:
        while _LAST_LINE not in (
            output := stdout.read_text() if stdout.exists() else ""
        ):
            assert process.is_alive(), f"it ended before it began: {output}"
            assert time.monotonic() < until_s, f"it did not begin: {output}"
            time.sleep(_POLL_S)
        [status] = re.findall(r"Status of the bot: +(\S+)", output)
        database = folder / "demo-wiki" / "sidenote.sqlite"
        yield Demo(f"http://127.0.0.1:{port}", status, database)
    finally:
        process.terminate()
        process.join(30)
    assert process.exitcode == 0
