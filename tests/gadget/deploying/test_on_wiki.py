"""The gadget is put on a real MediaWiki by the command, and opened there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import expect, sync_playwright

from bot.app.cli import sidenote
from bot.app.wiring.demo import ADMIN_TOKEN, BOT, BOT_TOKEN
from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD, revisions_in
from bot.demo.loopback.wiki.serving import Wiki, get
from bot.settings import Settings
from bot.writing.interface_gate import PAGES
from gadget.deployment import install
from tests.bot.writing.people import Person
from tests.rig.browser import open_chromium

pytestmark = pytest.mark.mediawiki

BACKEND = "https://sidenote.example"
DEFINITION = "MediaWiki:Gadgets-definition"
OTHERS = "== reading ==\n* popups[ResourceLoader]|popups.js\n* b[ResourceLoader]|b.js"
TITLE = "Harbour Clock of Eastmere"


@pytest.fixture
def admin(wiki: Wiki) -> Iterator[Person]:
    wiki.reset()
    person = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    yield person
    person.web.close()
    wiki.reset()


@pytest.fixture(autouse=True)
def _an_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SIDENOTE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIDENOTE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SIDENOTE_DEPLOY_ACCOUNT", ADMIN)
    monkeypatch.setenv("SIDENOTE_DEPLOY_LOGIN", f"{ADMIN}@sidenote")
    monkeypatch.setenv("SIDENOTE_DEPLOY_PASSWORD", ADMIN_TOKEN)


def deploy(wiki: Wiki, *options: str, says: str = "") -> Result:
    from pywikibot.comms import http  # noqa: PLC0415 - after the folder is chosen

    http.cookie_jar.clear()  # each command begins as a process of its own
    given = ["gadget", "deploy", "--wiki", f"http://{wiki.host}", "--backend", BACKEND]
    return CliRunner().invoke(sidenote, [*given, *options], input=says)


def changed(wiki: Wiki, before: dict[str, tuple[int, ...]]) -> set[str]:
    now = revisions_in(wiki.database)
    return {title for title in now if now[title] != before.get(title)}


def test_it_is_deployed_once_and_only_where_it_says(wiki: Wiki, admin: Person) -> None:
    admin.edit(DEFINITION, OTHERS)
    before = revisions_in(wiki.database)

    shown = deploy(wiki, "--dry-run")
    assert "Pages that differ" in shown.output
    assert "+* sidenote[ResourceLoader" in shown.output
    assert "-* popups" not in shown.output
    declined = deploy(wiki, says="n\n")
    assert changed(wiki, before) == set()
    assert "as Admin?" in declined.output

    done = deploy(wiki, "--yes")

    assert "Done:" in done.output, done.output
    documents = {f"User:{BOT}/gadget", f"User:{BOT}/privacy"}
    assert changed(wiki, before) == {*PAGES, *documents}
    assert admin.text(DEFINITION).startswith(f"{OTHERS}\n* sidenote[")
    assert "Nothing to do" in deploy(wiki, "--yes").output
    assert changed(wiki, before) == {*PAGES, *documents}
    for module in ("sidenote", "sidenote-panel"):
        query = f"modules=ext.gadget.{module}&skin=vector-2022"
        status, script = get(wiki.host, f"/w/load.php?{query}")
        assert status == 200
        assert b"arse error" not in script
        assert BACKEND.encode() in script


def test_what_somebody_else_changed_is_shown_and_kept(
    wiki: Wiki, admin: Person
) -> None:
    deploy(wiki, "--yes")
    title = f"User:{BOT}/gadget"
    admin.edit(title, "Our own words.\n\x1b[2J")
    before = revisions_in(wiki.database)

    refused = deploy(wiki, "--yes")

    assert "someone else changed these pages" in str(refused.exception)
    assert f"{title} (by Admin)" in str(refused.exception)
    assert "-Our own words." in refused.output
    assert "\x1b" not in refused.output
    assert changed(wiki, before) == set()
    assert "Nothing to do" in deploy(wiki, "--yes", "--only", "scripts").output
    assert "Done: 1 pages" in deploy(wiki, "--yes", "--replace").output
    assert changed(wiki, before) == {title}
    assert admin.text(title).startswith("'''Source notes'''")


def test_an_account_without_the_rights_is_told_so(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDENOTE_DEPLOY_ACCOUNT", BOT)
    monkeypatch.setenv("SIDENOTE_DEPLOY_LOGIN", f"{BOT}@sidenote")
    monkeypatch.setenv("SIDENOTE_DEPLOY_PASSWORD", BOT_TOKEN)
    before = revisions_in(wiki.database)
    assert "the bot's own" in str(deploy(wiki, "--yes").exception)

    # As if another account were the bot's: the wiki itself refuses.
    refused = deploy(wiki, "--yes", "--bot", "OtherBot", "--only", "scripts")

    assert "MediaWiki:Gadget-sidenote-panel.css: " in str(refused.exception)
    assert "written: nothing" in str(refused.exception)
    assert changed(wiki, before) == set()


@pytest.mark.browser
def test_a_reader_opens_what_was_deployed(
    wiki: Wiki, admin: Person, tmp_path: Path
) -> None:
    install(Settings(data_dir=tmp_path), wiki.host, BACKEND, BOT)
    assert "|default]" in admin.text(DEFINITION)
    assert "Nothing to do" in deploy(wiki, "--yes").output  # the wiki's own choice
    with sync_playwright() as playwright, open_chromium(playwright) as browser:
        tab = browser.new_page()
        failures: list[str] = []
        tab.on("pageerror", lambda error: failures.append(str(error)))
        tab.goto(f"http://{wiki.host}/w/index.php?title={TITLE}&useskin=vector-2022")
        tab.get_by_role("button", name="Source notes").click()
        expect(tab.locator(".sidenote-panel")).to_be_visible()
        assert not failures
