"""Whatever people do on a talk page: their words stay, and no note comes twice."""

import asyncio
import re
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from bot.records.posts import PostRules, PostState, Refusal, Refused
from bot.records.watches import PlanKind
from bot.store import open_store
from bot.surfaces.messages import Words
from bot.surfaces.planning.posts import MOST_KEPT
from bot.surfaces.talk_page import State, find_section
from tests.bot.store.made_posts import make
from tests.bot.surfaces.planning.makers import PLENTY, TALK, WIKI, found
from tests.bot.surfaces.planning.test_talk import ASKED
from tests.bot.surfaces.planning.world import World, without_note
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.model_wiki import BOT
from tests.rig.databases import ready_sqlite

_NUMBERS = range(1, 5)
_HUMAN = re.compile(r"human\d+q")


class TalkHistory(RuleBasedStateMachine):
    """A talk page that the bot and people edit in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._closing = ExitStack()
        self.made: set[int] = set()
        self.words = self.refused = 0

    @initialize()
    def begin(self) -> None:
        folder = Path(tempfile.mkdtemp())
        self._closing.callback(shutil.rmtree, folder)
        store = open_store(
            ready_sqlite(folder / "kept.sqlite"), post_rules=PostRules(usual=PLENTY)
        )
        self.world = World(self._closing.enter_context(store))
        self.world.at.put(TALK, "== Frage ==\nWelche Uhr? human0q")
        self.world.watch(ASKED)

    def teardown(self) -> None:
        self._closing.close()

    @property
    def lines(self) -> list[str]:
        return self.world.talk.split("\n")

    def _save(self, lines: list[str]) -> None:
        self.world.at.pass_time(60)
        self.world.at.put(TALK, "\n".join(lines).rstrip())

    # --- the bot ------------------------------------------------------------------

    @rule(failing=st.sets(st.sampled_from(_NUMBERS)))
    def check_the_article(self, failing: set[int]) -> None:
        self.world.check(*sorted(failing))
        self._work()

    @rule()
    def plan_again(self) -> None:
        self._work()

    @rule()
    def nobody_asks_any_more(self) -> None:
        self.world.store.watches.end(WIKI, TALK, self.world.now())
        self._work()

    @rule()
    def it_is_asked_for_again(self) -> None:
        self.world.watch(ASKED)
        self._work()

    @rule(number=st.sampled_from(_NUMBERS))
    def a_reader_dismisses_a_note(self, number: int) -> None:
        identity = found(number).identity[:24]
        self.world.store.shown_notes.dismiss(WIKI, TALK, [identity], self.world.now())
        self._work()

    def _work(self) -> None:
        before = self.world.talk
        section = find_section(before, KEYS)
        asyncio.run(self._plan_and_publish())
        after = self.world.talk
        assert _HUMAN.findall(after) == _HUMAN.findall(before)
        if section and _HUMAN.search(section.text):
            assert _without_states(after) == _without_states(before)
        elif section:
            kept, _, rest = before.partition(section.text)
            assert after.startswith(kept.rstrip())
            assert after.endswith(rest.rstrip())
        else:
            assert after.startswith(before)
        for number in _NUMBERS:
            mark = f"sidenote note {number:08x}"
            if after.count(mark) > before.count(mark):
                assert number not in self.made
                self.made.add(number)

    async def _plan_and_publish(self) -> None:
        await self.world.go_on(2 * 24 * 60)
        await self.world.replan(PlanKind.TALK)
        assert await self.world.replan(PlanKind.TALK) == []

    # --- people -------------------------------------------------------------------

    @rule(data=st.data(), ahead=st.sampled_from([":", "* ", "\n=== Antwort ===\n", ""]))
    def somebody_writes(self, data: st.DataObject, ahead: str) -> None:
        lines = self.lines
        at = data.draw(st.integers(1, len(lines)))
        self.words += 1
        self._save([*lines[:at], f"{ahead}human{self.words}q", *lines[at:]])

    @rule(
        words=st.sampled_from(["== Noch etwas ==\n", "=== Dazu ===\n", "{{Archiv}} "])
    )
    def somebody_adds_a_topic(self, words: str) -> None:
        self.words += 1
        self._save([*self.lines, f"\n{words}human{self.words}q"])

    @precondition(lambda self: _HUMAN.search(self.world.talk))
    @rule(data=st.data())
    def somebody_takes_their_words_back(self, data: st.DataObject) -> None:
        own = [at for at, line in enumerate(self.lines) if _HUMAN.search(line)]
        at = data.draw(st.sampled_from(own))
        self._save([*self.lines[:at], *self.lines[at + 1 :]])

    @precondition(lambda self: self.world.notes_on(TALK))
    @rule(data=st.data())
    def somebody_removes_a_note(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.world.notes_on(TALK)))
        self._save(without_note(self.world.talk, number).split("\n"))

    @precondition(lambda self: find_section(self.world.talk, KEYS))
    @rule(shape=st.sampled_from(["{rest}", "{ours}\n\n{page}", "{page}\n\n{ours}"]))
    def somebody_archives_or_copies_the_section(self, shape: str) -> None:
        page = self.world.talk
        ours = find_section(page, KEYS)
        assert ours is not None
        rest = "".join(page.rpartition(ours.text)[::2])
        self._save([shape.format(rest=rest, ours=ours.text.rstrip(), page=page)])

    @precondition(lambda self: State.OPEN.shown(Words()) in self.world.talk)
    @rule(state=st.sampled_from(["(anders)", State.FIXED.shown(Words())]))
    def somebody_sets_a_state(self, state: str) -> None:
        self._save([self.world.talk.replace(State.OPEN.shown(Words()), state, 1)])

    @precondition(lambda self: self.world.own_edits())
    @rule()
    def somebody_undoes_our_last_edit(self) -> None:
        revisions = self.world.at.pages[TALK].revisions
        last = max(at for at, each in enumerate(revisions) if each.user == BOT)
        self._save([revisions[last - 1].text])

    @precondition(lambda self: self.world.kept(PostState.POSTED))
    @rule()
    def many_posts_are_refused(self) -> None:
        last = self.world.kept(PostState.POSTED)[0].post
        for number in range(MOST_KEPT):
            self.world.at.pass_time(60)
            name = f"{self.refused:032x}{number:032x}"
            refused = replace(last, name=name, plan=None, adds=(), settles=())
            outcome = Refused(Refusal.UNWANTED, "changed")
            make(self.world.store, refused, outcome, self.world.now())
        self.refused += 1


def _without_states(text: str) -> str:
    for state in State:
        text = text.replace(state.shown(Words()), "")
    return text


class TestTalkHistory(TalkHistory.TestCase):
    """Runs it."""

    settings = settings(deadline=None, max_examples=20, stateful_step_count=12)
