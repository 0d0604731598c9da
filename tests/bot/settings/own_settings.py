"""Settings of a test alone: none from outside, and perhaps a file of them."""

from pathlib import Path

import pytest

from bot.settings import Settings


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SIDENOTE_{name.upper()}", raising=False)


def settings_file(folder: Path, text: str) -> Path:
    path = folder / "sidenote.toml"
    path.write_text(text, "utf-8")
    return path
