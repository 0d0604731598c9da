"""Shows `sidenote doctor` on a healthy set-up and on broken ones, all on loopback.

`./dev doctor` prints what it says of each; `--write` keeps that in tests/results.
"""

import asyncio
import os
import platform
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
)
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pymysql

from bot.app.doctor import machine
from bot.app.doctor.examination import examine, render_text, summary
from bot.app.doctor.trial import Examination, Group, State
from bot.demo.loopback.event_server import EventServer, Habits
from bot.search.opensearch import Cluster
from tests.bot.app.doctor.place import (
    Place,
    SmallWiki,
    blocked,
    open_place,
    users_of,
)
from tests.rig.mariadb import serve_mariadb
from tests.rig.wiki.mediawiki import serve_wiki

_RESULT = Path(__file__).parents[3] / "results" / "doctor.md"
_WIDTH = 88


@dataclass
class Stage:
    """The place, with a real wiki and the socket of a real MariaDB behind it."""

    place: Place
    wiki: str
    socket: str


Changes = Callable[[Stage], AbstractAsyncContextManager[Mapping[str, Any]]]


@asynccontextmanager
async def crowded_feed(_: Stage) -> AsyncIterator[Mapping[str, Any]]:
    async with EventServer(Habits(connections=0)) as feed:
        yield {"stream": feed.address}


@asynccontextmanager
async def html(_: Stage) -> AsyncIterator[Mapping[str, Any]]:
    async with SmallWiki() as small:
        yield {"wiki": small.root, "stream": f"{small.root}/v2/"}


@asynccontextmanager
async def taken_port(_: Stage) -> AsyncIterator[Mapping[str, Any]]:
    async with SmallWiki() as other:
        yield {"serve_port": other.port}


@asynccontextmanager
async def blocked_bot(stage: Stage) -> AsyncIterator[Mapping[str, Any]]:
    with blocked(stage.wiki):
        yield {}


@asynccontextmanager
async def late_clock(stage: Stage) -> AsyncIterator[Mapping[str, Any]]:
    usual = stage.place.now
    stage.place.now = lambda: datetime.now(UTC) + timedelta(minutes=12)
    yield {}
    stage.place.now = usual


def set_to(**changed: Any) -> Changes:
    """Return the change of settings alone."""

    @asynccontextmanager
    async def changes(_: Stage) -> AsyncIterator[Mapping[str, Any]]:
        yield changed

    return changes


def user(rights: str, options: str = "") -> Changes:
    """Return the use of a database as a user with these rights."""

    @asynccontextmanager
    async def changes(stage: Stage) -> AsyncIterator[Mapping[str, Any]]:
        with users_of(stage.socket, "sidenote_doctor") as make:
            yield {"database": make(rights, options)}

    return changes


SETUPS: tuple[tuple[str, Group, Changes], ...] = (
    (
        "A wrong password",
        Group.ACCOUNT,
        set_to(bot_password="wrong-password-of-thirty-two-let"),  # noqa: S106 - wrong
    ),
    ("A blocked account", Group.ACCOUNT, blocked_bot),
    (
        "An account of a person, without the rights to deploy",
        Group.ACCOUNT,
        set_to(deploy_account="Bob", deploy_password="a passphrase for loopback only"),  # noqa: S106 - of loopback
    ),
    ("A wiki that is down", Group.WIKI, set_to(wiki="http://127.0.0.1:1")),
    ("Pages of HTML in place of the API", Group.WIKI, html),
    ("A clock that is 12 minutes off", Group.WIKI, late_clock),
    ("Too few connections", Group.DATABASE, user("ALL", "WITH MAX_USER_CONNECTIONS 3")),
    (
        "No right to make tables",
        Group.DATABASE,
        user("SELECT, INSERT, UPDATE, DELETE"),
    ),
    ("A data folder that is read-only", Group.DATA, set_to(data_dir=Path("/proc/x"))),
    ("A feed that lets no more listeners in", Group.FEED, crowded_feed),
    (
        "A language model and a wrong key",
        Group.LANGUAGE_MODEL,
        set_to(language_model_key="sk-a-wrong-key"),
    ),
    (
        "A language model of another name",
        Group.LANGUAGE_MODEL,
        set_to(language_model_name="cow-2"),
    ),
    (
        "OpenSearch is down",
        Group.OPENSEARCH,
        set_to(opensearch_address="http://127.0.0.1:1"),
    ),
    ("A search without its key", Group.SEARCHES, set_to(brave_key="")),
    ("A port that is taken", Group.SERVING, taken_port),
    (
        "Settings that contradict each other",
        Group.SETTINGS,
        set_to(contact="", bot_secret="short", oauth_clients="a.example=1"),  # noqa: S106 - too short
    ),
)


def main(arguments: list[str]) -> int:
    """Show all; return how many set-ups were not reported as they are."""
    with tempfile.TemporaryDirectory() as folder, serve_mariadb() as socket:
        with closing(pymysql.connect(user="root", unix_socket=socket)) as server:
            server.cursor().execute("CREATE DATABASE sidenote_doctor")
        with serve_wiki() as wiki:
            lines, wrong = asyncio.run(_report_of(Path(folder), wiki.host, socket))
    text = f"{_head(arguments)}{lines}"
    sys.stdout.write(text)
    if "--write" in arguments:
        _RESULT.write_text(text, "utf-8")
    return wrong


async def _report_of(folder: Path, wiki: str, socket: str) -> tuple[str, int]:
    parts, wrong = [], 0
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(open_place(folder / "data"))
        place.wiki = wiki
        place.environment["PYWIKIBOT_DIR"] = str(folder)
        Cluster(place.cluster.address, index="sidenote").prepare("some")
        stage = Stage(place, wiki, socket)
        async with user("ALL")(stage) as changed:
            found = await place.examine(verifier="minilm", **changed)
        wrong += any(one.state is State.BROKEN for one in found)
        parts.append(_part("A healthy set-up", found))
        for title, group, changes in SETUPS:
            async with changes(stage) as changed:
                found = await place.examine(group, **changed)
            wrong += not _bad(found)
            parts.append(_part(title, found, _bad(found)))
        (folder / machine.SUMS).write_text(f"{'0' * 64}  verifier.onnx\n")
        (folder / "verifier.onnx").write_bytes(b"damaged")
        found = list(await examine([machine.sums_trial(folder)]))
        wrong += not _bad(found)
        parts.append(_part("A damaged model file", found, _bad(found)))
    return "".join(parts), wrong


def _bad(found: list[Examination]) -> list[Examination]:
    return [one for one in found if one.remedy]


def _part(
    title: str, found: list[Examination], shown: list[Examination] | None = None
) -> str:
    text = render_text(
        found if shown is None else shown,
        datetime.now(UTC),
        "all parts",
        width=_WIDTH,
        colour=False,
    )
    body = text.partition("\n\n")[2].rpartition("\n\n")[0]
    return f"## {title}\n\n{summary(found)}\n\n```text\n{body}\n```\n\n"


def _head(arguments: list[str]) -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    command = " ".join(["./dev doctor", *arguments])
    return (
        "# `sidenote doctor` on a healthy set-up and on broken ones\n\n"
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores,"
        f" {pages / 1024**3:.0f} GiB, Python {platform.python_version()}. Wiki (MediaWiki)"
        " and database (MariaDB) are real, on loopback; feed, searches, language model,"
        " OpenSearch and archive are stand-ins that speak their protocols. Of each broken"
        " set-up the faults alone are shown.\n\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
