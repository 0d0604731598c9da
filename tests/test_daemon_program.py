"""The daemon as a person runs it: a process that stays, and ends when it is told to."""

import asyncio
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import psutil
import pytest

from tests.bot.sources.server import Site
from tests.program import Program, Started, local, program, site

__all__ = ["program", "site"]

BEGIN_S = 10.0  # of processor time
END_S = 30.0  # on a busy machine; how long it takes in quiet is for `./dev soak`
_AWAY = {
    "SIDENOTE_WIKI": "http://127.0.0.1:1",
    "SIDENOTE_STREAM": "http://127.0.0.1:1/v2/stream/",
    "SIDENOTE_BOT_ACCOUNT": "ExampleBot",
    "SIDENOTE_BOT_SECRET": "a-secret-of-enough-bytes",
    "SIDENOTE_SERVE_PORT": "0",
}
DRY_RUN = "data/demo/dry-run/en.wikipedia.org"


@asynccontextmanager
async def running(program: Program, *arguments: str) -> AsyncIterator[Started]:
    process = await program.start(*arguments)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def line_with(stream: asyncio.StreamReader | None, words: str) -> str:
    """Return the next line that has `words` in it."""
    while line := (await asyncio.wait_for(stream.readline(), 60)).decode():
        if words in line:
            return line
    raise AssertionError(f"the program ended without saying “{words}”")


def busy_s(process: Started) -> float:
    """Return the processor time that it took so far, however busy the machine is."""
    took = psutil.Process(process.pid).cpu_times()
    return float(took.user + took.system)


async def ended_within(process: Started, seconds: float) -> float:
    began_s = time.monotonic()
    await asyncio.wait_for(process.wait(), seconds)
    return time.monotonic() - began_s


async def test_what_ships_is_watched_checked_and_reported_without_any_network(
    program: Program,
) -> None:
    done = await program("run", "--once")

    assert done.code == 0
    report = (program.folder / "sidenote-report.html").read_text("utf-8")
    assert "<script" not in report
    for verdict in ("supported", "partially supported", "not supported"):
        assert verdict in report.lower()
    assert str(program.folder / "sidenote-report.html") in done.out
    answer = program.folder / DRY_RUN / "User:Reader%2FSidenote.wikitext"
    assert "watches 4 pages" in answer.read_text("utf-8")
    notes = program.folder / DRY_RUN / "User:Reader%2FSidenote report.wikitext"
    text = notes.read_text("utf-8")
    marks = re.findall(r"<!-- sidenote note ([0-9a-f]{24})\.", text)
    assert len(marks) == len(set(marks)) > 3
    assert (program.folder / "data" / "demo" / "sidenote.sqlite").exists()

    # It begins anew with what ships; the first page that is done is enough here.
    await _stays_and_ends_when_told(program)


async def _shows(web: aiohttp.ClientSession, address: str, words: str) -> None:
    async with asyncio.timeout(120):
        while True:
            async with web.get(address) as page:
                assert page.status == 200, address
                if words in await page.text():
                    return
            await asyncio.sleep(0.2)


async def _stays_and_ends_when_told(program: Program) -> None:
    program.settings["SIDENOTE_SERVE_PORT"] = "0"
    async with running(program, "run") as process:
        line = await line_with(process.stderr, "status page: ")
        address = line.partition("status page: ")[2].strip()
        async with aiohttp.ClientSession() as web:
            for path, words in (
                ("/status", "This is a dry run"),
                ("/metrics", "sidenote_"),
                ("/reports/", "tornado"),
                ("/dry-run/", "Sidenote report"),
            ):
                await _shows(web, f"{address.rstrip('/')}{path}", words)

        second = await program("run", "--once")
        assert second.code == 3
        assert "another `sidenote run`" in second.output

        process.send_signal(signal.SIGTERM)
        await ended_within(process, END_S)
        assert process.returncode == 0


async def test_it_ends_in_time_in_the_middle_of_its_work(program: Program) -> None:
    program.settings["SIDENOTE_LOG_LEVEL"] = "info"
    async with running(program, "run", "--once") as process:
        await line_with(process.stderr, "plan made")
        process.send_signal(signal.SIGINT)
        await ended_within(process, END_S)
        assert process.returncode == 0


async def test_a_daemon_whose_wiki_and_feed_are_away_waits_and_ends_when_told(
    program: Program,
) -> None:
    program.settings |= _AWAY
    async with running(program, "daemon") as process:
        await line_with(process.stdout, "a dry run")
        await line_with(process.stderr, "stream lost")
        assert busy_s(process) < BEGIN_S
        process.send_signal(signal.SIGTERM)
        await ended_within(process, END_S)
        assert process.returncode == 0


async def test_changes_from_before_it_began_are_asked_for_at_once(
    program: Program,
) -> None:
    program.settings |= _AWAY
    async with running(program, "intake", "--since", "2026-01-01") as process:
        async with asyncio.timeout(30):
            line = await line_with(process.stderr, "past changes are still missing")
        assert "127.0.0.1:1" in line
        process.send_signal(signal.SIGTERM)
        await ended_within(process, END_S)
        assert process.returncode == 0
        assert b"Traceback" not in await process.stderr.read()


async def test_a_feed_that_is_not_there_is_one_line(
    program: Program, site: Site
) -> None:
    program.settings |= {**_AWAY, "SIDENOTE_STREAM": local(site, "/v2/stream/")}

    done = await program("intake")

    assert done.code == 3
    assert "404; check the address of the stream" in done.output


async def test_a_time_to_come_cannot_be_begun_at(program: Program) -> None:
    done = await program("daemon", "--since", "2999-01-01")

    assert done.code == 2
    assert "--since: 2999-01-01 00:00 UTC" in done.err


@pytest.mark.parametrize("part", ["daemon", "publish"])
async def test_without_an_account_it_says_what_to_set(
    program: Program, part: str
) -> None:
    program.settings["SIDENOTE_WIKI"] = "http://127.0.0.1:1"

    done = await program(part)

    assert done.code == 3
    assert "SIDENOTE_BOT_ACCOUNT" in done.output


async def test_a_secret_that_is_too_short_is_refused_before_anything_is_posted(
    program: Program,
) -> None:
    program.settings |= {
        "SIDENOTE_WIKI": "http://127.0.0.1:1",
        "SIDENOTE_BOT_ACCOUNT": "ExampleBot",
        "SIDENOTE_BOT_SECRET": "short",
    }

    done = await program("publish")

    assert done.code == 3
    assert "16 bytes" in done.output


async def test_once_is_for_what_ships(program: Program) -> None:
    program.settings["SIDENOTE_WIKI"] = "en.wikipedia.org"

    done = await program("run", "--once")

    assert done.code == 2
    assert "--once" in done.err
