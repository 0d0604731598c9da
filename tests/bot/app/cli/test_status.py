"""`sidenote status` on a database, and `sidenote serve` as a process that ends."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from bot.app.cli.terminal import Exit
from bot.store import open_store
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.daemon.status.filled import fill
from tests.rig.databases import ready_sqlite


def test_a_fresh_installation_is_told_what_to_do_first(sidenote: Sidenote) -> None:
    result = sidenote("status")

    assert result.code == Exit.FINE
    assert result.err == ""
    assert " 1. No account is set for posting.\n" in result.out
    assert "Nobody is watching any page." in result.out
    assert max(map(len, result.out.splitlines())) <= 100


def test_what_happened_is_reported_as_text_and_as_json(
    sidenote: Sidenote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDENOTE_BOT_SECRET", "a secret of at least sixteen bytes")
    with open_store(ready_sqlite(tmp_path / "data" / "sidenote.sqlite")) as store:
        fill(store, "Ærøskøbing\x1b[2J")

    text = sidenote("status")
    result = json.loads(sidenote("status", "--format", "json").out)

    assert "Ærøskøbing" in text.out
    assert "\x1b" not in text.out
    assert "sixteen" not in text.out + json.dumps(result)
    assert result["status"]["posts"]["counts"]["posted"] == 1
    assert result["configuration"]["settings"]["bot_secret"] == "set, not shown"  # noqa: S105 - not one


def test_a_database_that_cannot_be_used_is_one_line(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sidenote.sqlite").write_bytes(b"no database" * 99)

    result = sidenote("status")

    assert result.code == Exit.CANNOT
    assert result.err.startswith("sidenote: the database ")
    assert "is not a database" in result.err


async def test_serve_says_where_it_is_and_ends_at_once_when_told(
    tmp_path: Path,
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "serve",
        env=os.environ
        | {"SIDENOTE_DATA_DIR": str(tmp_path), "SIDENOTE_SERVE_PORT": "0"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    address = line.partition("/ (")[0]
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{address}/healthz") as answer:
            health = await answer.json()
        known: list[dict[str, str]] = []
        while not known:
            await asyncio.sleep(0.05)
            async with session.get(f"{address}/status.json") as answer:
                known = (await answer.json())["status"]["processes"]
        # A browser that keeps its connection does not keep the server from ending.
        process.send_signal(signal.SIGTERM)
        _, result = await asyncio.wait_for(process.communicate(), 30)

    assert health == {"is_well": True, "reasons": []}
    assert [each["role"] for each in known] == ["serve"]
    assert process.returncode == Exit.FINE, result.decode()
    assert result == b""
