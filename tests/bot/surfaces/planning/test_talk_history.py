"""Whatever people do on a talk page: their words stay, and no note comes twice."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.posts import PostRules, PostState, Refusal, Refused
from bot.records.watches import PlanKind
from bot.store import Store, open_store
from bot.surfaces.messages import Words
from bot.surfaces.planning.posts import MOST_PER_PAGE
from bot.surfaces.talk_page import State, find_section
from tests.bot.store.made_posts import make
from tests.bot.surfaces.planning.makers import PLENTY, TALK, WIKI, found
from tests.bot.surfaces.planning.test_talk import ASKED
from tests.bot.surfaces.planning.world import World, without_note
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.model_wiki import BOT
from tests.rig.databases import ready_sqlite

_NUMBERS = range(1, 7)
_HUMAN = re.compile(r"human\d+q")
_OPEN, _FIXED = (each.shown(Words()) for each in (State.OPEN, State.FIXED))
_COPIES = ("{rest}", "{ours}\n\n{page}", "{page}\n\n{ours}")


class TalkHistory:
    """A talk page that the bot and people edit in turn.

    `pick` chooses the place or kind of what people do.
    """

    def __init__(self, store: Store) -> None:
        self.made: set[int] = set()
        self.words = self.refused = 0
        self.world = World(store)
        self.world.at.put(TALK, "== Frage ==\nWelche Uhr? human0q")
        self.world.watch(ASKED)

    def check(self, failing: set[int]) -> None:
        """Let the bot work, and compare the page before with the page after."""
        self.world.check(*sorted(failing))
        before = self.world.talk
        ours = find_section(before, KEYS)
        asyncio.run(self._plan_and_publish())
        after = self.world.talk
        assert _HUMAN.findall(after) == _HUMAN.findall(before)
        if ours and _HUMAN.search(ours.text):
            assert _without_states(after) == _without_states(before)
        elif ours:
            above, _, rest = before.rpartition(ours.text)
            assert after.startswith(above.rstrip())
            assert after.endswith(rest.rstrip())
        else:
            assert after.startswith(before)
        for number in _NUMBERS:
            mark = f"sidenote note {number:08x}"
            if after.count(mark) > before.count(mark):
                assert number not in self.made
                self.made.add(number)

    async def _plan_and_publish(self) -> None:
        self.world.at.pass_time(2 * 24 * 60 * 60)
        await self.world.replan(PlanKind.TALK)
        assert await self.world.replan(PlanKind.TALK) == []

    # --- people -------------------------------------------------------------------

    def _save(self, text: str) -> None:
        self.world.at.pass_time(60)
        self.world.at.put(TALK, text.rstrip())

    def write(self, pick: int) -> None:
        lines = self.world.talk.split("\n")
        at = len(lines) if pick % 2 else 1 + pick % len(lines)
        ahead = (":", "* ", "\n=== Antwort ===\n", "\n== Noch etwas ==\n")[pick % 4]
        self.words += 1
        self._save("\n".join([*lines[:at], f"{ahead}human{self.words}q", *lines[at:]]))

    def take_words_back(self, pick: int) -> None:
        lines = self.world.talk.split("\n")
        own = [at for at, line in enumerate(lines) if _HUMAN.search(line)]
        if own:
            del lines[own[pick % len(own)]]
            self._save("\n".join(lines))

    def remove_note(self, pick: int) -> None:
        notes = self.world.notes_on(TALK)
        if notes:
            self._save(without_note(self.world.talk, notes[pick % len(notes)]))

    def archive_or_copy(self, pick: int) -> None:
        page = self.world.talk
        if ours := find_section(page, KEYS):
            rest = "".join(page.rpartition(ours.text)[::2])
            shape = _COPIES[pick % len(_COPIES)]
            self._save(shape.format(rest=rest, ours=ours.text.rstrip(), page=page))

    def set_state(self, pick: int) -> None:
        new = ("(anders)", _FIXED)[pick % 2]
        self._save(self.world.talk.replace(_OPEN, new, 1))

    def undo_last_edit(self, _pick: int) -> None:
        revisions = self.world.at.pages[TALK].revisions
        own = [at for at, each in enumerate(revisions) if each.user == BOT]
        if own:
            self._save(revisions[own[-1] - 1].text)

    def dismiss(self, pick: int) -> None:
        identity = found(1 + pick % len(_NUMBERS)).identity[:24]
        self.world.store.shown_notes.dismiss(WIKI, TALK, [identity], self.world.now())

    def end_and_begin_again(self, _pick: int) -> None:
        self.world.store.watches.end(WIKI, TALK, self.world.now())
        self.check(set())
        self.world.watch(ASKED)

    def refuse_many(self, _pick: int) -> None:
        for posted in self.world.posts(PostState.POSTED)[:1]:
            for number in range(MOST_PER_PAGE):
                self.world.at.pass_time(60)
                name = f"{self.refused:032x}{number:032x}"
                post = replace(posted.post, name=name, plan=None, adds=(), settles=())
                outcome = Refused(Refusal.UNWANTED, "changed")
                make(self.world.store, post, outcome, self.world.now())
            self.refused += 1


def _without_states(text: str) -> str:
    for state in State:
        text = text.replace(state.shown(Words()), "")
    return text


_DEEDS: tuple[Callable[[TalkHistory, int], None], ...] = (
    *(TalkHistory.write, TalkHistory.write, TalkHistory.take_words_back),
    *(TalkHistory.remove_note, TalkHistory.archive_or_copy, TalkHistory.set_state),
    *(TalkHistory.undo_last_edit, TalkHistory.dismiss),
    *(TalkHistory.end_and_begin_again, TalkHistory.refuse_many),
)
_FAILING = st.sets(st.sampled_from(_NUMBERS))
_STEPS = st.lists(
    st.tuples(st.sampled_from(_DEEDS), st.integers(0, 99), _FAILING), max_size=5
)


@settings(deadline=None, max_examples=10)
@given(_STEPS)
def test_peoples_words_stay_and_no_note_comes_twice(
    steps: list[tuple[Callable[[TalkHistory, int], None], int, set[int]]],
) -> None:
    with TemporaryDirectory() as folder:
        address = ready_sqlite(Path(folder) / "kept.sqlite")
        with open_store(address, post_rules=PostRules(usual=PLENTY)) as store:
            history = TalkHistory(store)
            history.check({1, 2})
            for deed, pick, failing in steps:
                deed(history, pick)
                history.check(failing)
