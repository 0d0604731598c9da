from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.app.cli import sidenote
from bot.settings import Settings


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SIDENOTE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)


def run(*given: str) -> Result:
    return CliRunner().invoke(sidenote, ["gadget", *given])


def test_every_page_is_a_file_and_the_same_each_time(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        result = run("build", "--out", folder, "--backend", "https://notes.example")
        assert result.exit_code == 0, result.output
    one = {file.name: file.read_bytes() for file in (tmp_path / "one").iterdir()}
    assert one == {f.name: f.read_bytes() for f in (tmp_path / "two").iterdir()}
    assert b'"backend": "https://notes.example"' in one["Gadget-sidenote.js"]
    assert b"SidenoteBot" in one["SidenoteBot-watch-doc.wikitext"]
    assert "MediaWiki:Gadgets-definition" in result.output
    assert f"{len(one)}" == f"{len(result.output.splitlines())}"


def test_the_backend_may_stand_in_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "--backend" in str(run("build").exception)
    monkeypatch.setenv("SIDENOTE_PANEL_ADDRESS", "https://notes.example")
    assert run("build", "--out", "made").exit_code == 0
    script = (tmp_path / "made" / "Gadget-sidenote.js").read_text("utf-8")
    assert '"backend": "https://notes.example"' in script


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    failed = run("build", "--out", "taken/x", "--backend", "https://notes.example")
    assert "taken/x cannot be written" in str(failed.exception)


@pytest.mark.parametrize("bot", ["A/B", "User:X", "a_b", "a|b", "a\nb"])
def test_what_is_no_account_is_refused(bot: str) -> None:
    failed = run("build", "--backend", "https://notes.example", "--bot", bot)
    assert "is not a valid account name" in str(failed.exception)


def test_an_account_without_a_password_is_said_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_DEPLOY_ACCOUNT", "Admin")
    given = ("deploy", "--wiki", "127.0.0.1:9", "--backend", "https://notes.example")
    assert "`deploy_password` is not" in str(run(*given).exception)
