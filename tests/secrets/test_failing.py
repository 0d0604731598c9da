"""Whatever fails, and whatever a refusal repeats, no secret is shown or kept.

Every service is one that sends back all that it was sent: key, password, token.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from bot.app.cli.terminal import Exit
from bot.settings import Settings
from bot.wiki.address import parse_address
from bot.wiki.lists import WikiLists
from bot.wiki.oauth import Grant, OAuthClient, WikiOAuth
from bot.wiki.session import Account, WikiSession
from handlers.ports import PermanentError, TemporaryError
from tests.bot.app.cli.conftest import Sidenote, quick_engine, sidenote
from tests.secrets.canaries import (
    canary,
    files_of,
    found_in,
    secret_settings,
    secrets_of,
)
from tests.secrets.echo import echoing

__all__ = ["quick_engine", "sidenote"]

_PAGE = (
    "It was stopped by a storm in 1911 and its repair took two years.<ref>{{cite web"
    " |url=https://clock.example/a |title=Clock |date=1 May 2020}}</ref>\n"
)
_SOURCE = "The clock was stopped by a storm in 1911. It was repaired two years later."
_SEARCHES = ("brave", "serper", "google", "openalex", "searxng", "crossref")
_ONLY = tuple(
    word
    for name in ("settings", "account", "language-model", "opensearch", "searches")
    for word in ("--only", name)
)
_SOUNDS_SECRET = re.compile(r"(?:^|_)(?:key|password|secrets?|token)$")
_NOWHERE = "127.0.0.1:1"
_DATABASE = canary("database")


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Set every secret, and every service to one that repeats what it hears."""
    for name in os.environ:
        if name.startswith(("SIDENOTE_", "TOOL_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "Clock.wikitext").write_text(_PAGE)
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "https%3A%2F%2Fclock.example%2Fa.txt").write_text(_SOURCE)
    with echoing() as (address, received):
        settings = {
            **secret_settings(),
            "SIDENOTE_DATA_DIR": str(tmp_path / "data"),
            "SIDENOTE_LOG_LEVEL": "debug",
            "SIDENOTE_VERIFIER": "lexical",
            "OPENAI_LOG": "debug",
            "SIDENOTE_WIKI": address,
            "SIDENOTE_BOT_ACCOUNT": "ExampleBot",
            "SIDENOTE_DEPLOY_ACCOUNT": "Admin",
            "SIDENOTE_LANGUAGE_MODEL_ADDRESS": f"{address}/v1",
            "SIDENOTE_LANGUAGE_MODEL_NAME": "m",
            "SIDENOTE_SEARCHES": ",".join((*_SEARCHES, "feeds")),
            "SIDENOTE_SEARCH_ADDRESSES": ",".join(
                f"{each}={address}/{each}" for each in _SEARCHES
            ),
            "SIDENOTE_SEARCH_FEEDS": f"{address}/feed?token={canary('feed')}",
            "SIDENOTE_OPENSEARCH_ADDRESS": address,
            "SIDENOTE_OPENSEARCH_USER": "u",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        yield received


_CASES = (
    (("check", "Oslo"), ""),
    (
        ("check", "--file", "Clock.wikitext", "--sources", "sources"),
        "language_model_key",
    ),
    (("discover", "--file", "Clock.wikitext", "--any-day"), "brave_key"),
    (("search", "It stopped.", "--opensearch"), "opensearch_password"),
    (("status",), ""),
    (("settings",), ""),
    (("doctor", "--format", "json", *_ONLY), "language_model_key"),
)


@pytest.mark.parametrize(("arguments", "sent"), _CASES)
def test_a_refusal_that_repeats_a_secret_is_not_repeated(
    sidenote: Sidenote,
    received: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    arguments: tuple[str, ...],
    sent: str,
) -> None:
    # A model that cannot be reached ends a run before its search.
    if sent == "brave_key":
        monkeypatch.delenv("SIDENOTE_LANGUAGE_MODEL_ADDRESS")
    result = sidenote(*arguments)

    left = [
        ("out", result.out.encode()),
        ("err", result.err.encode()),
        *files_of(tmp_path),
    ]
    assert found_in(left, secrets_of(os.environ)) == []
    if sent:
        assert found_in([("sent", "\n".join(received).encode())], [canary(sent)])


@pytest.mark.parametrize(
    "database",
    [
        f"mysql+pymysql://u:{quote(_DATABASE)}@{_NOWHERE}/d",
        f"mysql+pymysql://u:a/[#?{_DATABASE}@{_NOWHERE}/d",
        "toolsdb",
    ],
)
@pytest.mark.usefixtures("received")
def test_a_database_that_is_away_is_reported_without_its_password(
    sidenote: Sidenote,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
) -> None:
    monkeypatch.setenv("SIDENOTE_DATABASE", database)
    monkeypatch.setenv("SIDENOTE_TOOLSDB_HOST", _NOWHERE)

    result = [sidenote("status"), sidenote("settings")]

    text = "".join(each.out + each.err for each in result)
    left = [("told", text.encode()), *files_of(tmp_path)]
    assert [each.code for each in result] == [Exit.LATER, Exit.FINE]
    assert found_in(left, [_DATABASE, *secrets_of(os.environ)]) == []


async def test_a_wiki_that_repeats_what_it_heard_in_a_sign_in_tells_no_secret(
    received: list[str],
) -> None:
    address = os.environ["SIDENOTE_WIKI"]
    client = OAuthClient("0123", canary("oauth_client_secrets"))
    grant = Grant(canary("code"), canary("verifier"), "https://notes.example/back")

    with pytest.raises(PermanentError) as result:
        await WikiOAuth(parse_address(address), user_agent="Tests").who(client, grant)

    secrets = [client.secret, grant.code, grant.verifier]
    assert found_in([("told", str(result.value).encode())], secrets) == []
    assert len(found_in([("sent", received[0].encode())], secrets)) == len(secrets)


async def test_a_wiki_that_repeats_the_token_of_a_watchlist_is_not_repeated(
    received: list[str],
) -> None:
    token = canary("bot_watchlist_token")
    lists = WikiLists(
        os.environ["SIDENOTE_WIKI"],
        user_agent="Tests",
        account="ExampleBot",
        watchlist_token=token,
    )

    with pytest.raises(TemporaryError) as result:
        await lists.watchlist()

    assert found_in([("told", str(result.value).encode())], [token]) == []
    assert found_in([("sent", received[0].encode())], [token])


def test_a_wiki_that_repeats_the_password_of_a_login_is_not_repeated(
    received: list[str], tmp_path: Path
) -> None:
    password = canary("bot_password")
    session = WikiSession(
        parse_address(os.environ["SIDENOTE_WIKI"]),
        Account("ExampleBot", "ExampleBot@sidenote", password),
        user_agent="Tests",
        folder=tmp_path / "session",
    )

    with pytest.raises(PermanentError, match="refuses the login") as result:
        session.ask({"meta": "userinfo"})

    left = [("told", str(result.value).encode()), *files_of(tmp_path)]
    assert found_in(left, [password]) == []
    assert found_in([("sent", "\n".join(received).encode())], [password])


def test_each_setting_that_holds_a_secret_is_known_as_one() -> None:
    fields = Settings.model_fields.items()
    sounding = {name for name, _ in fields if _SOUNDS_SECRET.search(name)}
    wrapped = {name for name, field in fields if "SecretStr" in repr(field.annotation)}
    known = {name for name, field in fields if field.annotation is SecretStr}

    assert sounding | wrapped == known
    assert len(known) > 10
    assert {f"SIDENOTE_{name.upper()}" for name in known - {"toolsdb_password"}} <= set(
        secret_settings()
    )
