"""Whatever people do between plans: their words stay, and no note comes twice.

Store, planner, publisher and gate are the real ones. People edit at any moment, also
between a plan and its post. Each edit of the bot's is held against the page before it.
"""

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.records.posts import PostRules, PostState
from bot.records.watches import (
    CommunityPage,
    IntendedPost,
    PlanKind,
    Surface,
    WatcherKind,
)
from bot.store import Store, open_store
from bot.surfaces.messages import Words
from bot.surfaces.note import marks_in
from bot.surfaces.report_page import BLOCK
from bot.surfaces.talk_page import State, find_section
from bot.wiki import blocks
from tests.bot.surfaces.planning.makers import (
    ARTICLE,
    PLACE,
    PLENTY,
    REPORT,
    TALK,
    WIKI,
    watch,
)
from tests.bot.surfaces.planning.world import World, without_note
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.model_wiki import BOT
from tests.rig.databases import ready_sqlite

_numbers = count(1)
_BOTS = ("find", "fix", "plan", "publish", "wait", "all", "all", "all")
_PEOPLES = ("above", "below", "line", "reply", "take away", "undo", "copy")
_PLENTY_OF_NOTES = '{"limits": {"notesPerPage": 99}}'
_LONG = 50_000


@dataclass
class People:
    """Somebody with a page, who does whatever hypothesis thinks of."""

    data: st.DataObject
    world: World
    title: str
    open: set[int] = field(default_factory=set)
    human: int = 0

    async def live(self) -> None:
        rules = CommunityPage(_PLENTY_OF_NOTES, 1, self.world.now())
        self.world.store.communities.keep(WIKI, rules)
        for _ in range(3):
            await self.do("find")
        await self.do("all")
        for _ in range(self.data.draw(st.integers(2, 6), label="rounds")):
            await self.do(self.data.draw(st.sampled_from(_PEOPLES)))
            for _ in range(self.data.draw(st.integers(0, 3))):
                await self.do(self.data.draw(st.sampled_from(_BOTS)))
            await self.do(self.data.draw(st.sampled_from(("find", "fix"))))
            await self.do("all")

    async def do(self, step: str) -> None:
        world = self.world
        match step:
            case "find":
                self.open.add(self.data.draw(st.integers(1, 6)))
                world.check(*sorted(self.open))
            case "fix":
                if self.open:
                    self.open.remove(self.data.draw(st.sampled_from(sorted(self.open))))
                    world.check(*sorted(self.open))
            case "plan":
                self.ask()
                await world.plan()
            case "publish":
                world.publish()
            case "wait":
                hours = self.data.draw(st.sampled_from((0.2, 1, 30, 800)))
                world.at.pass_time(3600 * hours)
            case "all":
                world.at.pass_time(700)
                self.ask()
                await world.plan()
                world.publish()
            case _:
                self.edit(step)

    def ask(self) -> None:
        now = self.world.now()
        intended_posts = [
            IntendedPost(PlanKind.REPORT, WIKI, PLACE, now),
            IntendedPost(PlanKind.TALK, WIKI, ARTICLE, now),
        ]
        self.world.store.plans.ask(intended_posts, now)

    def edit(self, step: str) -> None:
        """Edit the page as a person does; nothing happens where there is none."""
        at, page = self.world.at, self.world.at.pages.get(self.title)
        if page is None:
            return
        if step == "delete":
            at.delete(self.title)
            return
        self.human += 1
        text = page.newest.text
        changed = self.edited(step, text, page.revisions[-2:][0].text)
        if changed != text:
            at.put(self.title, changed.rstrip())

    def edited(self, step: str, text: str, before: str) -> str:
        mine = f"Mine {self.human:04d} ''so''."
        lines = text.split("\n")
        noted = [at for at, line in enumerate(lines) if "sidenote note" in line]
        if step == "line":
            place = self.data.draw(st.integers(0, len(lines)))
            return "\n".join([*lines[:place], mine, *lines[place:]])
        if step in {"reply", "take away"} and noted:
            start = self.data.draw(st.sampled_from(noted))
            if step == "reply":
                return "\n".join([*lines[: start + 1], f":{mine}", *lines[start + 1 :]])
            return "\n".join(lines[:start] + lines[_end_of_note(lines, start) :])
        return {
            "above": f"{mine}\n{text}",
            "below": f"{text}\n\n== {mine} ==\n{mine}",
            "blank": "",
            "copy": f"{text}\n{text}" if len(text) < _LONG else text,
            "undo": before,
        }.get(step, text)

    def bots_edits(self) -> list[tuple[str, str]]:
        """Return the page before and after each edit of the bot's."""
        page = self.world.at.pages.get(self.title)
        revisions = page.revisions if page else []
        texts = ["", *(each.text for each in revisions)]
        return [
            edit
            for edit, block in zip(pairwise(texts), revisions, strict=True)
            if block.user == BOT
        ]


def _end_of_note(lines: list[str], start: int) -> int:
    end = start + 1
    while end < len(lines) and lines[end].startswith("*:"):
        end += 1
    return end


def _words_of_people(text: str) -> Counter[str]:
    return Counter(each for each in text.split("\n") if "Mine " in each)


def _posted_notes(store: Store, title: str) -> Counter[str]:
    posts = store.outbox.posts(wiki=WIKI, title=title, state=PostState.POSTED)
    return Counter(each for one in posts for each in one.post.adds)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


_settings = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@_settings
@given(data=st.data())
def test_a_report_leaves_people_their_words(folder: Path, data: st.DataObject) -> None:
    address = ready_sqlite(folder / f"{next(_numbers)}.sqlite")
    with open_store(address, post_rules=PostRules(usual=PLENTY)) as store:
        world = World(store)
        world.watch(watch())
        people = People(data, world, REPORT)
        asyncio.run(people.live())

        own: str | None = None
        for before, after in people.bots_edits():
            assert _words_of_people(after) >= _words_of_people(before)
            block = blocks.find(before, BLOCK, KEYS, own=own).block
            head = before[: block.start] if block else before
            tail = before[block.end :] if block else ""
            assert after.startswith(head)
            assert after.endswith(tail.rstrip())
            edit = blocks.find(after, BLOCK, KEYS).block
            own = edit.content
            assert max(Counter(marks_in(own, KEYS)).values(), default=1) == 1
        _require_dismissed_stays_away(people)


def _require_dismissed_stays_away(people: People) -> None:
    """No note comes back that a person took away after it was shown."""
    gone: set[str] = set()
    page = people.world.at.pages.get(people.title)
    shown: set[str] = set()
    for before, after in pairwise(page.revisions if page else []):
        now = set(marks_in(after.text, KEYS))
        if after.user == BOT:
            new = now - set(marks_in(before.text, KEYS))
            assert not new & gone
            shown = now
        else:
            # What is put back by hand, as by undoing, is theirs.
            gone = (gone | (shown - now)) - now


async def _with_a_copy_of_a_fixed_note(world: World) -> None:
    """Copy a report of notes 3 and 5; note 5 is fixed, and stays only in the copy."""
    world.watch(watch())
    world.check(3, 5)
    await world.go_on()
    world.at.put(REPORT, f"{world.report}\n{world.report}".rstrip())
    world.check(3)
    await world.go_on()
    assert world.report.count("sidenote note 00000003") == 2
    assert world.report.count("sidenote note 00000005") == 1


async def test_a_note_taken_out_of_a_copy_of_the_report_stays_away(
    world: World,
) -> None:
    await _with_a_copy_of_a_fixed_note(world)
    world.at.put(REPORT, without_note(world.report, 5))

    world.check(3, 5, 6)
    await world.go_on()

    assert world.notes_on(REPORT) == [3, 6]


async def test_a_note_taken_out_of_a_copy_before_a_planned_post_stays_away(
    world: World,
) -> None:
    await _with_a_copy_of_a_fixed_note(world)
    world.check(3, 5, 6)
    world.at.pass_time(700)
    await world.plan()
    world.at.put(REPORT, without_note(world.report, 5))

    world.publish()
    await world.go_on()
    await world.replan()

    assert world.notes_on(REPORT) == [3, 6]


@_settings
@given(data=st.data())
def test_a_talk_page_gets_each_note_once_and_is_left_to_people(
    folder: Path, data: st.DataObject
) -> None:
    address = ready_sqlite(folder / f"{next(_numbers)}.sqlite")
    with open_store(address, post_rules=PostRules(usual=PLENTY)) as store:
        world = World(store)
        world.at.put(TALK, "Words.")
        world.watch(
            watch(
                place=TALK,
                kind=WatcherKind.PAGE,
                watcher=ARTICLE,
                surfaces=(Surface.TALK,),
                report=None,
            )
        )
        people = People(data, world, TALK)
        asyncio.run(people.live())

        notified = _posted_notes(store, TALK)
        assert max(notified.values(), default=1) == 1
        for before, after in people.bots_edits():
            _require_only_ours_changed(before, after)


def _require_only_ours_changed(before: str, after: str) -> None:
    assert _words_of_people(after) >= _words_of_people(before)
    section = find_section(before, KEYS)
    if section is None:
        assert after.startswith(before)
        return
    head, _, tail = before.partition(section.text)
    if section.number:
        assert after.startswith(head.rstrip())
        assert after.rstrip().endswith(tail.rstrip())
    if _words_of_people(section.text):
        assert _without_states(after) == _without_states(before)


_BEFORE_HEADING = re.compile(r"(?<!\n)\n(?===)")


def _without_states(text: str) -> str:
    for each in State:
        text = text.replace(each.shown(Words()), "(state)")
    # Where a section is saved, the wiki itself puts an empty line behind it.
    return _BEFORE_HEADING.sub("\n\n", text).rstrip()
