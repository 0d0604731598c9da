"""Settings of signing in are checked before anybody signs in."""

from pathlib import Path

import pytest

from bot.settings import SettingsError, load_settings
from tests.bot.settings.own_settings import no_settings_from_outside

__all__ = ["no_settings_from_outside"]


def test_each_client_has_its_id_and_perhaps_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_PANEL_ADDRESS", "https://panel.example/")
    monkeypatch.setenv("SIDENOTE_OAUTH_CLIENTS", "EN.example=01ab, de.example=02cd")
    monkeypatch.setenv("SIDENOTE_OAUTH_CLIENT_SECRETS", "de.example=a=b")

    settings = load_settings(None)

    assert settings.panel_address == "https://panel.example"
    assert settings.clients() == {
        "en.example": ("01ab", ""),
        "de.example": ("02cd", "a=b"),
    }
    assert "a=b" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PANEL_ADDRESS", "http://panel.example", "https://"),
        ("PANEL_ADDRESS", "https://a:b@panel.example", "without a name"),
        ("PANEL_ADDRESS", "https://panel.example?x=1", "https://"),
        ("PANEL_ADDRESS", "panel.example", "https://"),
        ("OAUTH_CLIENTS", "en.example", "write pairs"),
        ("OAUTH_CLIENTS", "=abc", "write pairs"),
    ],
)
def test_what_would_not_work_is_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=message):
        load_settings(None)


def test_a_secret_that_is_written_wrongly_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_OAUTH_CLIENT_SECRETS", "very-secret-value")

    with pytest.raises(SettingsError) as caught:
        load_settings(None)

    assert "very-secret-value" not in str(caught.value)


def test_a_secret_does_not_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sidenote.toml"
    file.write_text('oauth_client_secrets = "en.example=x"\n', "utf-8")

    with pytest.raises(SettingsError, match="does not belong in a file"):
        load_settings(file)
