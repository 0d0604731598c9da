"""A whole run that uses every secret leaves none of them anywhere.

The daemon listens, asks a language model, checks, posts to a real wiki and shows it all,
on a MariaDB behind a password, at the level of `debug`. Then everything is searched.
"""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pymysql
import pytest
import requests
from sqlalchemy import MetaData, create_engine, make_url, select

from bot.app.cli.terminal import Exit
from bot.app.wiring.demo import BOT, BOT_TOKEN
from tests.bot.sources.server import Site
from tests.program import Program, program, site
from tests.rig.fixtures import (
    changes_port,
    mariadb_socket,
    mariadb_url,
    no_write_leaves,
    recorder,
    wiki,
    wiki_proxy,
)
from tests.rig.language_model import Asked, ModelServer, judges, serving
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder
from tests.secrets.canaries import (
    canary,
    files_of,
    found_in,
    secret_settings,
    secrets_of,
)
from tests.test_parts_program import (
    ARTICLE,
    PLACE,
    REPORT,
    WRONG,
    Parts,
    article,
    parts_of,
)

__all__ = [
    "changes_port",
    "mariadb_socket",
    "mariadb_url",
    "no_write_leaves",
    "program",
    "recorder",
    "site",
    "wiki",
    "wiki_proxy",
]

pytestmark = [pytest.mark.mediawiki, pytest.mark.mariadb]

_DATABASE = canary("database")
_PAGES = (
    "",
    "status",
    "status.json",
    "metrics",
    "healthz",
    "reports/",
    "api/v1/",
    "nothing",
)


@pytest.fixture
def database(mariadb_url: str, mariadb_socket: str) -> Iterator[str]:
    """Return the address of a database with a password in it."""
    name = make_url(mariadb_url).database
    with (
        closing(pymysql.connect(user="root", unix_socket=mariadb_socket)) as server,
        server.cursor() as cursor,
    ):
        cursor.execute("CREATE USER canary@localhost IDENTIFIED BY %s", (_DATABASE,))
        cursor.execute(f"GRANT ALL ON {name}.* TO canary@localhost")
        address = make_url(mariadb_url).set(username="canary", password=_DATABASE)
        yield address.render_as_string(hide_password=False)
        cursor.execute("DROP USER canary@localhost")


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with serving(judges(_says_nothing)) as server:
        yield server


def _says_nothing(_: str, request: Asked) -> tuple[str, str]:
    return "not supported", request.excerpts[:30]


@pytest.fixture
async def parts(
    program: Program, wiki: Wiki, recorder: Recorder, changes_port: int
) -> AsyncIterator[Parts]:
    async with parts_of(program, wiki, recorder, changes_port) as running_parts:
        yield running_parts


async def test_no_secret_stays_anywhere_after_a_whole_run(
    parts: Parts, site: Site, model: ModelServer, database: str
) -> None:
    secrets = _set(parts.program, database, model)
    await asyncio.to_thread(parts.bob.edit, ARTICLE, article(site, WRONG))
    await parts.start("daemon")
    await parts.until(lambda: bool(parts.lines("stream connected")), "it listens")
    call = f"{{{{User:{BOT}/watch |pages={ARTICLE} |report={REPORT}}}}}"
    await asyncio.to_thread(parts.alice.edit, PLACE, call)
    await parts.until(lambda: WRONG in parts.reads(REPORT), "a note")
    await parts.until(lambda: bool(parts.lines("scheduled task failed")), "a bad token")
    shown = await asyncio.to_thread(_shown, parts)
    codes = await parts.stop()
    backup = await parts.program("backup", "all.gz")
    deploying = await parts.program(
        "gadget", "deploy", "--backend", "https://a.example", "--yes"
    )

    output = "\n".join(parts.named("daemon")[0].said)
    left = [
        ("the log", output.encode()),
        ("deploying", (deploying.out + deploying.err).encode()),
        *shown,
        *_tables(database),
        ("the backup", _unpacked(parts.program.folder / "all.gz")),
        *files_of(parts.program.folder),
        *(
            ("the wiki", json.dumps(edit).encode())
            for edit in parts.alice.edits_of(BOT)
        ),
        *(("the wiki", parts.reads(title).encode()) for title in (PLACE, REPORT)),
        *(("a publisher", repr(request).encode()) for request in site.requests),
        *(("the model", json.dumps(request.body).encode()) for request in model.asked),
    ]
    assert (codes, backup.code) == ([0], Exit.FINE)
    assert found_in(left, secrets) == []
    # They were in use: otherwise nothing was shown by this.
    assert {request.headers["authorization"] for request in model.asked} == {
        f"Bearer {canary('language_model_key')}"
    }
    assert "bot_watchlist_token" in output
    assert "refuses the login of “Admin”" in deploying.err
    assert len(left) > 30


def _set(program: Program, database: str, model: ModelServer) -> list[str]:
    settings = {
        **secret_settings(),
        "SIDENOTE_BOT_PASSWORD": BOT_TOKEN,
        "SIDENOTE_DATABASE": database,
        "SIDENOTE_LANGUAGE_MODEL_ADDRESS": model.address,
        "SIDENOTE_LANGUAGE_MODEL_NAME": "m",
        "SIDENOTE_DEPLOY_ACCOUNT": "Admin",
        "SIDENOTE_LOG_LEVEL": "debug",
        "OPENAI_LOG": "debug",
    }
    program.settings |= settings
    return [*secrets_of(settings), BOT_TOKEN, _DATABASE]


def _shown(parts: Parts) -> list[tuple[str, bytes]]:
    output = "\n".join(parts.running[0].said)
    [address] = re.findall(r"; see (http://\S+)", output)
    answers = [(page, requests.get(f"{address}/{page}", timeout=60)) for page in _PAGES]
    return [
        (page, repr(answer.headers).encode() + answer.content)
        for page, answer in answers
    ]


def _unpacked(file: Path) -> bytes:
    found = gzip.decompress(file.read_bytes())
    assert ARTICLE.encode() in found
    return found


def _tables(database: str) -> Iterator[tuple[str, bytes]]:
    engine = create_engine(database)
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        for table in tables.sorted_tables:
            rows = connection.execute(select(table)).all()
            yield f"table {table.name}", repr(rows).encode()
    engine.dispose()
