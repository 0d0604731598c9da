"""Secrets among the settings come from the environment alone, and are never shown."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.settings import Settings, SettingsError, load_settings
from bot.settings.settings import shown
from tests.bot.settings.own_settings import no_settings_from_outside, settings_file

__all__ = ["no_settings_from_outside"]


@pytest.mark.parametrize(
    "secret",
    [
        name
        for name, field in Settings.model_fields.items()
        if field.annotation is SecretStr
    ],
)
def test_a_secret_is_never_taken_from_a_file_nor_shown(
    secret: str, tmp_path: Path
) -> None:
    file = settings_file(tmp_path, f"{secret} = 'hunter2'")

    with pytest.raises(SettingsError, match="does not belong in a file") as caught:
        load_settings(file)

    assert f"SIDENOTE_{secret.upper()}" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("mysql+pymysql://me:hunter2@h/d", "mysql+pymysql://me:***@h/d"),
        ("mysql://me:a/hunter2@h/d", "mysql://me:***@h/d"),
        ("mysql://me:a#hunter2@h/d", "mysql://me:***@h/d"),
        ("mysql://me:a?hunter2@h/d", "mysql://me:***@h/d"),
        ("mysql://me:[hunter2@h/d?charset=x", "mysql://me:***@h/d?***"),
        ("mysql://me@h/d?password=hunter2", "mysql://me@h/d?***"),
        ("mysql://me:a@hunter2@h/d", "mysql://me:***@h/d"),
        ("sqlite:////home/me@h/d.sqlite", "sqlite:////home/me@h/d.sqlite"),
        ("https://me:hunter2@h:9200/", "https://***@h:9200/"),
        ("https://hunter2@h/", "https://***@h/"),
        ("https://h/@me.rss", "https://h/@me.rss"),
        (("https://h/feed?key=hunter2",), "('https://h/feed?***',)"),
        (("a=https://me:hunter2@h/",), "('a=https://***@h/',)"),
        (5, "5"),
    ],
)
def test_what_an_address_may_hide_is_not_shown(value: object, message: str) -> None:
    assert shown(value) == message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE", "mysql://me:a@hunter2@h/d"),
        ("OPENSEARCH_ADDRESS", "https://me:hunter2@h:9200"),
        ("OPENSEARCH_ADDRESS", "https://h:9200/?key=hunter2"),
        ("DRAFT_MODEL_ADDRESS", "https://me:hunter2@h/v1"),
        ("ARCHIVE_SERVICE", "https://me:hunter2@h/"),
        ("STREAM", "https://me:hunter2@h/v2/stream/"),
        ("PANEL_ADDRESS", "https://me:hunter2@h"),
        ("INTERNAL_ADDRESSES", "https://me:hunter2@h/"),
    ],
)
def test_a_secret_in_an_address_that_takes_none_is_refused_and_not_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=f"SIDENOTE_{name}") as caught:
        load_settings(None)

    assert "hunter2" not in str(caught.value)


def test_the_password_in_a_wrong_address_of_a_database_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_DATABASE", "postgresql://me:hunter2@h/d")

    with pytest.raises(SettingsError, match="SIDENOTE_DATABASE: give") as caught:
        load_settings(None)

    assert "hunter2" not in str(caught.value)
