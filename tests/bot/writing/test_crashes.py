"""Whatever crashes, is lost, late or doubled: each post is made once, people's words stay.

The whole way (outbox, publisher, gate) runs against the strict wiki in memory, in any
order of faults, late requests and edits of people that hypothesis thinks of.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.records.posts import (
    Append,
    Limits,
    Post,
    PostRules,
    PostState,
    ReplaceSection,
    RequestOutcome,
)
from bot.store import Store, open_store
from bot.wiki.answers import NoAnswer, NotSent
from bot.writing.publisher import Publisher
from tests.bot.writing.makers import TALK, ModelSession, gate, post, wiki
from tests.bot.writing.model_wiki import BOT, ModelWiki
from tests.rig.databases import ready_sqlite

_numbers = count(1)
_PLENTY = Limits(per_page=10_000, per_user=10_000, per_wiki=10_000, in_all=1_000_000)
_FAULTS = ("none", "none", "answer lost", "request lost", "not sent", "late")
_KILLS = ("", "", "", "killed before", "killed after", "killed while late")


class Killed(BaseException):
    """The process is gone, whatever it was doing."""


@dataclass
class World:
    """A wiki, its people, the way to it, and processes that come and go."""

    data: st.DataObject
    store: Store
    at: ModelWiki = field(default_factory=wiki)
    disk: dict[str, str] = field(default_factory=dict)
    late: list[Callable[[], dict[str, Any]]] = field(default_factory=list)
    human: list[str] = field(default_factory=list)
    name: str = ""
    is_calm: bool = False

    def now(self) -> datetime:
        return self.at.now

    def draw(self, choices: tuple[str, ...]) -> str:
        return "none" if self.is_calm else self.data.draw(st.sampled_from(choices))

    # --- what happens around every request ----------------------------------------

    def meanwhile(self) -> None:
        """Let people and late requests have their turn."""
        event = self.draw(("none", "none", "below", "above", "undo", "late", "kill"))
        if event == "late" and self.late:
            place = self.data.draw(st.integers(0, len(self.late) - 1))
            self.late.pop(place)()
        elif event == "kill":
            raise Killed
        elif event in {"below", "above"}:
            self._speak(event)
        elif event == "undo":
            self._undo()

    def _speak(self, where: str) -> None:
        line = f"Mensch {len(self.human)}."
        self.human.append(line)
        text = self.at.text(TALK)
        self.at.put(TALK, f"{text}\n{line}" if where == "below" else f"{line}\n{text}")

    def _undo(self) -> None:
        """A person does not want the bot's last edit."""
        page = self.at.pages[TALK]
        if page.newest.user == BOT and len(page.revisions) > 1:
            self.at.put(TALK, page.revisions[-2].text)

    def send(self, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        self.meanwhile()
        kill = "" if self.is_calm else self.draw(_KILLS)
        if kill == "killed before":
            raise Killed
        if kill == "killed while late":
            self.late.append(do)
            raise Killed
        answer = self._fault(do)
        if kill == "killed after":
            raise Killed
        return answer

    def _fault(self, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        fault = self.draw(_FAULTS)
        if fault == "not sent":
            raise NotSent("no connection", retry_in_s=1)
        if fault == "late":
            self.late.append(do)
        if fault in {"late", "request lost"}:
            raise NoAnswer("lost", retry_in_s=1)
        answer = do()
        if fault == "answer lost":
            raise NoAnswer("lost", retry_in_s=1)
        return answer

    # --- processes --------------------------------------------------------------------

    def publisher(self) -> Publisher:
        session = ModelSession(
            self.at, self.disk, on_ask=self.meanwhile, on_edit=self.send
        )
        return Publisher(
            self.name, self.store.outbox, gate(session), self.now, lambda: 0.0
        )

    def step(self, of: Publisher) -> Publisher:
        """Let a process try once; after a crash another takes its place."""
        try:
            of.publish_once()
        except Killed:
            self.at.pass_time(400)  # longer than a lease
            return self.publisher()
        self.at.pass_time(4000 if self.is_calm else 30)
        return of


def _saved(at: ModelWiki) -> Counter[str]:
    """Count how often each post was saved, whatever became of it afterwards."""
    revisions = (each for page in at.pages.values() for each in page.revisions)
    return Counter(each.comment for each in revisions if each.user == BOT)


def _run(data: st.DataObject, store: Store) -> None:
    world = World(data, store, name=f"wiki {next(_numbers)}")
    running = world.publisher()
    for step in range(data.draw(st.integers(4, 16))):
        if step % 4 == 0:
            wanted = _plan(world, post(next(_numbers), wiki=world.name))
            assert store.outbox.ask(wanted) is not RequestOutcome.KNOWN
        running = world.step(running)
        _require_once(world)

    world.is_calm = True
    while store.outbox.posts(wiki=world.name, state=PostState.WAITING) or (
        store.outbox.posts(wiki=world.name, state=PostState.TRIED)
    ):
        running = world.step(running)
    for do in world.late:
        do()
    _require_once(world)
    _require_settled(world)


def _plan(world: World, intended_post: Post) -> Post:
    """Append, or take away the note that was posted last, where one stands alone."""
    text = world.at.text(TALK)
    is_section = world.data.draw(st.booleans()) and text.count("\n== Note ") == 1
    if not is_section:
        return intended_post
    before, _, section = text.partition("\n== Note ")
    number = before.count("\n== ") + (1 if before.startswith("== ") else 0) + 1
    if "Mensch" in section:
        return intended_post
    left = f"== Note weg {intended_post.name[:9]} ==\nleer"
    return replace(
        intended_post, change=ReplaceSection(number, f"== Note {section}", left)
    )


def _require_once(world: World) -> None:
    assert max(_saved(world.at).values(), default=0) <= 1
    text = world.at.text(TALK)
    for line in ("Welche Uhr?", *world.human):
        assert text.count(line) == 1, (line, text)


def _require_settled(world: World) -> None:
    saved = _saved(world.at)
    for stored in world.store.outbox.posts(wiki=world.name):
        assert stored.state in {PostState.POSTED, PostState.REFUSED, PostState.DROPPED}
        times = saved[stored.post.summary]
        if stored.state is PostState.POSTED:
            assert times == 1
        elif isinstance(stored.post.change, Append):
            assert times == 0, stored


def test_each_post_is_made_once_whatever_happens(tmp_path: Path) -> None:
    rules = PostRules(usual=_PLENTY, most_tries=1000, longest_s=1e9)
    with open_store(ready_sqlite(tmp_path / "box.sqlite"), post_rules=rules) as store:

        @settings(
            max_examples=80, deadline=None, suppress_health_check=list(HealthCheck)
        )
        @given(st.data())
        def any_schedule(data: st.DataObject) -> None:
            _run(data, store)

        any_schedule()


def test_two_publishers_at_once_make_a_post_once(tmp_path: Path) -> None:
    """One stands still for longer than its lease, with its edit in hand."""
    at = wiki()
    rules = PostRules(usual=_PLENTY)
    with open_store(ready_sqlite(tmp_path / "box.sqlite"), post_rules=rules) as store:
        expected_post = post(wiki="w")
        store.outbox.ask(expected_post)

        def other() -> None:
            at.pass_time(301)
            Publisher(
                "w", store.outbox, gate(ModelSession(at)), lambda: at.now, lambda: 0.0
            ).publish_once()

        def stands_still(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
            other()
            return do()

        session = ModelSession(at, on_edit=stands_still)
        Publisher(
            "w", store.outbox, gate(session), lambda: at.now, lambda: 0.0
        ).publish_once()

        [intended_post] = store.outbox.posts()
    assert intended_post.state is PostState.POSTED
    assert max(_saved(at).values()) == 1
