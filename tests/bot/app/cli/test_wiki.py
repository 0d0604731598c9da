"""`sidenote wiki` as a person starts it, uses it and ends it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from bot.app.cli.terminal import Exit
from bot.app.wiring.wiki import open_keys
from bot.demo.loopback.wiki.serving import free_port, get, require_free
from bot.settings import load_settings
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.writing.people import PASSWORD, Person

pytestmark = pytest.mark.mediawiki
_ROOT = Path(__file__).parents[4]


@contextmanager
def _begun(port: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "wiki", "--port", str(port)],
        cwd=_ROOT,
        env={**os.environ, "SIDENOTE_DATA_DIR": str(_ROOT / ".cache" / "data")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.usefixtures("wiki")  # skips where there is none
def test_the_wiki_of_the_demo_stands_until_ctrl_c(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = free_port()
    with _begun(port) as process:
        assert process.stdout
        output = "".join(
            iter(
                process.stdout.readline,
                "Ctrl-C stops the wiki; all changes and that folder are lost then.\n",
            )
        )
        for name, value in re.findall(r"(SIDENOTE_\w+)=(\S+)", output):
            monkeypatch.setenv(name, value)
        settings = load_settings(None)
        assert settings.data_dir.is_dir()
        assert open_keys(settings)  # raises if the secret is none
        [stream] = re.findall(r"Change feed: +(\S+)", output)
        _, page = get(f"127.0.0.1:{port}", "/wiki/Parasitic_ant")
        alice = Person(f"127.0.0.1:{port}", "Alice").log_in(PASSWORD)
        with requests.get(
            stream, stream=True, timeout=30, headers={"User-Agent": "test"}
        ) as events:
            lines = events.iter_lines()
            assert next(lines) == b":ok"
            alice.edit("Talk:Parasitic ant", "Which ants?")
            data = next(line for line in lines if line.startswith(b"data: "))
        alice.web.close()

        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=30)

    assert b"Parasitic ant" in page
    assert b"reference-text" in page
    event = json.loads(data.removeprefix(b"data: "))
    assert (event["title"], event["user"]) == ("Talk:Parasitic ant", "Alice")
    assert event["meta"]["domain"] == f"127.0.0.1:{port}"
    assert process.returncode == 130
    assert complaints.split()[-2:] == ["sidenote:", "stopped"]
    assert not settings.data_dir.exists()
    for each in (port, port + 1):
        require_free(each)


def test_a_port_that_is_taken_is_one_line(sidenote: Sidenote) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = sidenote("wiki", "--port", str(taken.getsockname()[1]))

    assert result.code == Exit.CANNOT
    [started, complaint] = result.err.splitlines()
    assert started.startswith("Starting MediaWiki")
    assert "--port" in complaint
