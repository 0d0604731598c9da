"""The publisher as the program opens it: dry unless the settings say live."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app.wiring.store import post_rules
from bot.app.wiring.wiki import dry_run_page, open_keys, open_publisher
from bot.records.posts import Posted, PostState
from bot.settings import Settings
from bot.store import open_store
from handlers.ports import PermanentError
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import ARTICLE, TALK, post, wiki
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.standin import serve
from tests.rig.databases import ready_sqlite


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SIDENOTE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)


def _settings(folder: Path, **more: Any) -> Settings:
    secret = KEYS.secrets[0].decode().replace(" ", "-")
    settings = {"data_dir": folder / "data", "bot_account": BOT, "bot_secret": secret}
    return Settings(**{**settings, **more})


def _posts(settings: Settings, at: str) -> list[Any]:
    """Publish a post; its summary is signed with the secret of the settings."""
    from bot.wiki.keys import with_key  # noqa: PLC0415 - only here

    name = post().name
    summary = with_key("Notice", name, open_keys(settings))
    intended_post = post(wiki=at, summary=summary, asked_at=datetime.now(UTC))
    url = ready_sqlite(settings.data_dir / "box.sqlite")
    with open_store(url, post_rules=post_rules(settings)) as store:
        store.outbox.ask(intended_post)
        outcome = open_publisher(settings, store, at).publish_once()
        return [outcome, store.outbox.posts()[0].state]


def test_a_dry_run_is_what_happens_by_itself(tmp_path: Path) -> None:
    with serve(wiki()) as server:
        before = server.at.text(TALK)
        shown, state = _posts(_settings(tmp_path), f"127.0.0.1:{server.port}")

    assert state is PostState.SHOWN
    place = Path(shown.place)
    assert place.is_relative_to(tmp_path / "data" / "dry-run")
    assert place.read_text("utf-8") == before + post().change.text
    assert {query["action"] for _, query in server.requests} == {"query"}


def test_live_is_only_what_is_asked_for(tmp_path: Path) -> None:
    settings = _settings(
        tmp_path,
        posting="live",
        bot_login=f"{BOT}@test",
        bot_password="right",  # noqa: S106 - of the stand-in
    )
    with serve(wiki()) as server:
        posted, state = _posts(settings, f"127.0.0.1:{server.port}")

    assert isinstance(posted, Posted)
    assert state is PostState.POSTED
    assert server.at.written == [TALK]
    assert ARTICLE not in server.at.written


@pytest.mark.parametrize(
    ("missing", "message"), [("bot_account", "bot_account"), ("bot_secret", "secret")]
)
def test_nothing_is_opened_without_account_and_secret(
    tmp_path: Path, missing: str, message: str
) -> None:
    settings = _settings(tmp_path, **{missing: ""})
    with (
        open_store(ready_sqlite(tmp_path / "box.sqlite")) as store,
        pytest.raises(PermanentError, match=message),
    ):
        open_publisher(settings, store, "wiki.example")


def test_limits_are_those_of_the_settings(tmp_path: Path) -> None:
    rules = post_rules(_settings(tmp_path, posts_per_page=1))

    assert rules.of("talk").per_page == 1
    assert rules.of("report").per_page == 48


@pytest.mark.parametrize(
    ("more", "is_written"),
    [
        ({}, True),
        ({"posting": "live"}, False),
        ({"bot_password": ""}, False),
        ({"bot_account": ""}, False),
        ({"dry_run_page": " "}, False),
    ],
)
def test_a_dry_run_has_a_page_on_the_wiki_only_with_all_that_it_needs(
    tmp_path: Path, more: dict[str, Any], is_written: bool
) -> None:
    title = "User:Operator/Dry run"
    settings = {
        "dry_run_page": "User:Operator/Dry_run",
        "bot_password": "right",
        **more,
    }
    assert dry_run_page(_settings(tmp_path, **settings)) == (
        title if is_written else ""
    )


def test_tokens_of_oauth_do_for_the_page_of_a_dry_run_as_a_password_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = _settings(tmp_path, dry_run_page="User:Operator/Dry run")
    assert dry_run_page(settings) == ""
    monkeypatch.setenv("SIDENOTE_OAUTH", "a b c d")
    assert dry_run_page(settings) == "User:Operator/Dry run"


def test_only_a_title_can_be_the_page_of_a_dry_run(tmp_path: Path) -> None:
    for title in ("Dry run", ":Dry run", "User:", "User:A|B", "User:A\nB"):
        with pytest.raises(ValueError, match="give a title"):
            _settings(tmp_path, dry_run_page=title)
