"""A dry run on a real MediaWiki: one page is written, and what it shows does nothing."""

import html
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bot.app.wiring.store import post_rules
from bot.app.wiring.wiki import local_pages, open_keys, open_publisher
from bot.records.posts import Append, NotNow, Outcome, Posted, Shown
from bot.settings import Settings
from bot.store import Store, open_store
from bot.surfaces.planning.own_pages import DryPage
from bot.surfaces.planning.posts import PlanningTools
from bot.wiki.keys import with_key
from bot.wiki.lists import WikiLists
from tests.bot.writing.makers import post
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.people import PASSWORD
from tests.bot.writing.place import Place, at, page
from tests.rig.databases import ready_sqlite
from tests.rig.wiki.recorder import Recorder

pytestmark = pytest.mark.mediawiki
__all__ = ["at", "page"]
_numbers = count(1)
_HOSTILE = """== Heading ==
[[Category:Caught]] {{User:SidenoteBot/note}} {{subst:User:SidenoteBot/notice}} ~~~~
</pre>[[Main Page]] <ref>x</ref> https://bad.example/ <includeonly>{{Stub}}</includeonly>
<!-- sidenote end dryrun --> <nowiki>__NOINDEX__ #REDIRECT [[Main Page]] ISBN 0306406152
"""


@dataclass
class _Run:
    """A dry run before a real wiki, as the settings make it."""

    at: Place
    store: Store
    settings: Settings
    title: str
    ahead: timedelta = timedelta()

    def __post_init__(self) -> None:
        reader = WikiLists(self.at.host, user_agent="SidenoteTests/0 (loopback only)")
        self.keys, where = open_keys(self.settings), local_pages(self.settings).where
        tools = PlanningTools(
            self.store, self.keys, BOT, lambda _: reader, self.now, True
        )
        self.page = DryPage(tools, self.at.host, self.title, where)
        opened = open_publisher(self.settings, self.store, self.at.host)
        self.publisher = replace(opened, now=self.now)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def shows(self, title: str, task: str, text: str) -> Outcome | None:
        number = next(_numbers)
        name = post(number).name
        intended_post = replace(
            post(number, title=title, task=task, change=Append(text)),
            wiki=self.at.host,
            summary=with_key("Notice", name, self.keys),
            asked_at=datetime.now(UTC),
        )
        self.store.outbox.ask(intended_post)
        return self.publisher.publish_once()

    async def go_on(self) -> Outcome | None:
        self.ahead += timedelta(seconds=61)
        await self.page.refresh()
        return self.publisher.publish_once()

    def seen(self) -> dict[str, Any]:
        """Return what the wiki makes of the page."""
        wanted = "text|categories|templates|links|externallinks|sections|properties"
        parsed: dict[str, Any] = self.at.admin.get(
            action="parse", page=self.title, prop=wanted
        )["parse"]
        return parsed


@pytest.fixture
def run(at: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Run]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SIDENOTE_{name.upper()}", raising=False)
    title = f"User:Ada Penrose/Dry run {next(_numbers)}"
    given: dict[str, Any] = {
        "data_dir": tmp_path / "data",
        "wiki": at.host,
        "bot_account": BOT,
        "bot_login": BOT,
        "bot_password": PASSWORD,
        "bot_secret": PASSWORD.replace(" ", "-"),
        "dry_run_page": title,
    }
    settings = Settings(**given)
    at.admin.edit(f"User:{BOT}/Run/dry-run", "run")
    address = ready_sqlite(tmp_path / "kept.sqlite")
    with open_store(address, post_rules=post_rules(settings)) as store:
        yield _Run(at, store, settings, title)


async def test_one_page_is_written_and_what_it_shows_does_nothing(
    run: _Run, page: str, recorder: Recorder
) -> None:
    before = len(recorder.writes)
    talk, report = page, "User:Ada Penrose/Report"
    assert isinstance(run.shows(talk, "talk", _HOSTILE), Shown)
    assert isinstance(run.shows(report, "report", f"{{{{{_HOSTILE}"), Shown)

    outcome = await run.go_on()

    assert isinstance(outcome, Posted)
    written = [each.wanted for each in recorder.writes[before:]]
    assert [each and each.title for each in written] == [run.title]
    seen = run.seen()
    assert seen["categories"] == seen["templates"] == seen["sections"] == []
    assert seen["externallinks"] == []
    assert not seen["properties"]
    assert {each["title"] for each in seen["links"]} == {talk, report}
    words = html.unescape(seen["text"])
    assert all(line.strip() in words for line in _HOSTILE.splitlines())
    assert "Which lantern?" in run.at.ada.text(talk)
    assert "Heading" not in run.at.ada.text(talk)

    run.at.ada.edit(run.title, f"Mine.\n\n{run.at.ada.text(run.title)}\n\nMine, too.")
    run.shows(talk, "talk", "Another")
    assert isinstance(await run.go_on(), Posted)
    text = run.at.ada.text(run.title)
    assert text.startswith("Mine.\n\n<!--")
    assert text.endswith("-->\n\nMine, too.")
    assert text.index("Another") < text.index("Heading")
    assert len(recorder.writes) == before + 2


async def test_its_stop_page_stops_it(run: _Run, page: str, recorder: Recorder) -> None:
    run.at.admin.edit(f"User:{BOT}/Run/dry-run", "stop")
    before = len(recorder.writes)
    assert isinstance(run.shows(page, "talk", "\n\nWords"), Shown)

    held = await run.go_on()

    assert isinstance(held, NotNow)
    assert "stop page" in held.why
    assert recorder.writes[before:] == []
    assert isinstance(run.shows(page, "talk", "\n\nMore words"), Shown)
