"""Drafts on a real MediaWiki: people ask, sources are searched, a page of theirs comes.

What searches, reads, drafts, plans and writes is the daemon's own, in this process, so
that it can be stopped at any point; the papers and the search service are on loopback.
"""

import asyncio
import html
import json
import re
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.app.wiring.drafts import open_drafter
from bot.daemon.drafter import Drafter
from bot.daemon.drafts import Drafting
from bot.daemon.runner import Runner
from bot.records.dossiers import StoredDraft
from bot.records.posts import NotNow, Outcome, Posted, PostRules, Unclear
from bot.records.watches import IntendedPost, PlanKind, Policy
from bot.settings import Settings, load_settings
from bot.store import Store, open_store
from bot.surfaces.planning.opt_ins import OptInRules, OptIns
from bot.surfaces.planning.planner import handlers, planning
from bot.surfaces.planning.posts import PlanningTools
from bot.surfaces.planning.recheck import requested_on, wanted
from bot.wiki.lists import WikiLists
from bot.writing.gate import Gate
from bot.writing.publisher import Publisher
from tests.bot.surfaces.planning.makers import PLENTY
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import RULES
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.place import Losing, Place, at
from tests.rig.databases import ready_sqlite
from tests.rig.fixtures import (
    changes_port,
    no_write_leaves,
    recorder,
    wiki,
    wiki_proxy,
)
from tests.updates_web import News, Web, serve_web

__all__ = ["at", "changes_port", "no_write_leaves", "recorder", "wiki", "wiki_proxy"]

# Two papers are two sites by their addresses alone.
pytestmark = [
    pytest.mark.mediawiki,
    pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2", "127.0.0.3", "::1"]),
]

_COMMUNITY = "MediaWiki:Sidenote.json"
_STOP = f"User:{BOT}/Run/draft"
_FLOOD, _NOBODY = "Eastmere flood", "Quagga of Zembla"
_FOLDER = "User:Ada Penrose/Sidenote drafts"
# What readers wrote in: a sixth of a page may be quoted, and nothing of these.
_HEARD = "\n" + " ".join(
    f"I heard the water at number {number} of our street, and my neighbours woke me."
    for number in range(40)
)
_CARRIED = "\n" + " ".join(
    f"We carried {number} chairs upstairs with my father, who had made them himself."
    for number in range(40)
)
_NEWS = (
    News(
        0,
        "/flood",
        "Eastmere flood leaves harbour under water",
        "The Eastmere flood began on {day}, when the river Tarn burst its banks after"
        " three days of rain.\nThe Eastmere flood covered the harbour and some 400 houses"
        " in the old town.\nThe mayor, Ada Stone, said that the Eastmere flood had killed"
        " two people.\nSchools in Eastmere stayed shut for a week after the flood."
        + _HEARD,
        20,
    ),
    News(
        1,
        "/after",
        "After the Eastmere flood",
        "Engineers found that the Eastmere flood had broken the dam at Northam on"
        " {day}.\nThe Eastmere flood cost the town 12 million crowns, for which a new dam was"
        " built.\nThe Eastmere flood was the worst in the town since 1911." + _CARRIED,
        12,
    ),
)
_PASSAGE = re.compile(r'href="(http://127\.0\.0\.[23]:\d+/\w+#:~:text=[^"]+)"')


@dataclass
class _Daemon:
    """The parts of the daemon that drafts go through, in one process."""

    at: Place
    settings: Settings
    folder: Path
    losing: bool = False
    ahead: timedelta = timedelta()

    def __post_init__(self) -> None:
        self.lists = WikiLists(self.at.host, user_agent="SidenoteTests/0", account=BOT)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def _drafter(
        self, draft: StoredDraft, policy: Policy
    ) -> AbstractAsyncContextManager[Drafter]:
        assert policy is Policy.POINTER
        return open_drafter(self.settings, wiki=draft.wiki)

    async def asked(self, store: Store, place: str) -> None:
        """Let the opt-in on a page be read, as after an edit of it."""
        intended_post = IntendedPost(PlanKind.OPT_INS, self.at.host, place, self.now())
        store.plans.ask([intended_post], self.now())
        await self._plan(store)

    async def _plan(self, store: Store) -> None:
        tools = PlanningTools(
            store, KEYS, BOT, lambda _: self.lists, self.now, is_dry=False
        )
        opt_ins = OptIns(tools, OptInRules(_COMMUNITY))
        planner = Runner(
            "planner",
            tools.store.tasks,
            planning(tools, handlers(tools, opt_ins)),
            tools.now,
            lambda: 0.5,
        )
        while await planner.work_once():
            pass
        assert not store.plans.failing()

    async def draft(self, store: Store) -> bool:
        role = Drafting(store, lambda _: self.lists, self._drafter, self.now, BOT)
        return await role.runner.work_once()

    def publish(self, store: Store) -> Outcome | None:
        session = self.at.session()
        gate = Gate(
            Losing(session) if self.losing else session,
            RULES,
            now=self.now,
            wanted=wanted(store),
            requested_on=requested_on(store),
        )
        publisher = Publisher(
            self.at.host, store.outbox, gate, self.now, lambda: 0.5, 0
        )
        return publisher.publish_once()

    async def go_on(self, store: Store) -> list[Outcome]:
        """Do all that is due."""
        posts = []
        while True:
            await self._plan(store)
            outcome = await asyncio.to_thread(self.publish, store)
            if outcome is not None:
                posts.append(outcome)
            elif not await self.draft(store):
                return posts

    def open(self) -> AbstractContextManager[Store]:
        """Open the store as a process does that has just begun."""
        rules = PostRules(usual=PLENTY)
        return open_store(ready_sqlite(self.folder / "kept.sqlite"), post_rules=rules)


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with serve_web(_NEWS) as served:
        yield served


@pytest.fixture
def daemon(
    at: Place, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> _Daemon:
    for name, value in web.settings.items():
        if "LANGUAGE_MODEL" not in name:
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("SIDENOTE_DATA_DIR", str(tmp_path / "data"))
    at.admin.edit(_COMMUNITY, json.dumps({"drafts": True}))
    at.admin.edit(_STOP, "run")
    return _Daemon(at, load_settings(None), tmp_path)


def _call(*topics: str) -> str:
    return f"{{{{User:{BOT}/watch |drafts={'; '.join(topics)}}}}}"


def _exists(at: Place, title: str) -> bool:
    page = at.ada.get(action="query", titles=title)["query"]["pages"][0]
    return not page.get("missing", False)


def _rendered(at: Place, title: str) -> str:
    parameters = {
        "action": "parse",
        "page": title,
        "prop": "text",
        "disablelimitreport": "1",
    }
    text: str = at.ada.get(**parameters)["parse"]["text"]
    return text


async def test_who_asks_gets_a_page_with_the_passage_behind_each_footnote(
    daemon: _Daemon, web: Web
) -> None:
    at, place, page = daemon.at, "User:Ada Penrose/Asks", f"{_FOLDER}/{_FLOOD}"
    with daemon.open() as store:
        at.ada.edit(place, _call(_FLOOD, _NOBODY))
        await daemon.asked(store, place)
        posts = await daemon.go_on(store)

    assert posts
    assert all(isinstance(each, Posted) for each in posts)
    result = _rendered(at, page)
    words = html.unescape(re.sub("<[^>]+>", "", result))
    for text in (
        "river Tarn burst its banks",
        "had broken the dam",
        "It is not an article",
    ):
        assert text in words
    passages = {html.unescape(each) for each in _PASSAGE.findall(result)}
    for one in _NEWS:
        assert any(each.startswith(web.address(one)) for each in passages), passages
    marks = result.count('class="reference"')
    assert marks >= 4
    # What is only worth reading is cited as a whole.
    assert len(_PASSAGE.findall(result)) == marks - len(_NEWS)
    assert 'class="error' not in result
    assert "{{" not in words
    answer = html.unescape(at.ada.text(place))
    assert f"[[:{page}|your draft]]" in answer
    assert "the only document that was found cannot be used" in answer
    assert not _exists(at, f"{_FOLDER}/{_NOBODY}")


async def test_a_page_that_people_wrote_stays_and_a_deleted_one_comes_again_if_asked(
    daemon: _Daemon,
) -> None:
    at, place, page = daemon.at, "User:Ada Penrose/Wrote", f"{_FOLDER}/{_FLOOD}"
    at.ada.edit(page, "My own words.")
    at.ada.edit(place, _call(_FLOOD))
    with daemon.open() as store:
        await daemon.asked(store, place)
        await daemon.go_on(store)
        assert at.ada.text(page) == "My own words."
        assert "will not be overwritten" in html.unescape(at.ada.text(place))

        at.admin.post("delete", title=page)
        await daemon.go_on(store)
        assert not _exists(at, page)
        at.ada.edit(place, f"Once more, please.\n{at.ada.text(place)}")
        await daemon.asked(store, place)
        await daemon.go_on(store)

    assert "river Tarn" in html.unescape(at.ada.text(page))
    assert f"[[:{page}|your draft]]" in at.ada.text(place)


async def test_a_draft_outlives_stop_pages_killed_programs_and_lost_answers(
    daemon: _Daemon,
) -> None:
    at, place, page = daemon.at, "User:Ada Penrose/Lost", f"{_FOLDER}/{_FLOOD}"
    if _exists(at, page):
        at.admin.post("delete", title=page)
    at.ada.edit(place, _call(_FLOOD))
    at.admin.edit(_STOP, "no")
    with daemon.open() as store:
        await daemon.asked(store, place)
        assert await daemon.draft(store)
    # Here the program was killed; another begins.
    with daemon.open() as store:
        outcomes = await daemon.go_on(store)
        assert any(isinstance(each, NotNow) for each in outcomes)
        assert not _exists(at, page)

    at.admin.edit(_STOP, "run")
    daemon.ahead += timedelta(minutes=10)
    daemon.losing = True
    with daemon.open() as store:
        assert isinstance(await asyncio.to_thread(daemon.publish, store), Unclear)
    assert _exists(at, page)
    daemon.losing = False
    daemon.ahead += timedelta(minutes=10)
    with daemon.open() as store:
        await daemon.go_on(store)

    mine = [each for each in at.ada.edits_of(BOT) if each["title"] == page]
    assert len(mine) == 1
    assert f"[[:{page}|your draft]]" in at.ada.text(place)
