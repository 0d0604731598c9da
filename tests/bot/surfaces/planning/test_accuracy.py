"""The open figures of a wiki by day, and the page of one that wants it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.records.accuracy import AccuracyDay, Pause, PauseReason
from bot.records.panel_edits import EditKind, FoundBy, PanelEdit
from bot.records.posts import NotNow, Outcome, Posted, PostState
from bot.records.watches import CommunityPage
from bot.store import Store
from bot.surfaces.feedback import FeedbackRules
from bot.surfaces.planning.accuracy import Accuracy, accuracy_text
from bot.surfaces.planning.posts import PlanningTools
from bot.wiki.pages import PageText
from bot.writing.publisher import Publisher
from handlers.edits.outcome import EditOutcome
from tests.bot.store.decided import ANNA, accepted, decision, known
from tests.bot.store.noted import identity_of, noted
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.bot.surfaces.planning.world import ModelReader
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import ModelSession, gate
from tests.bot.writing.makers import wiki as model_wiki
from tests.bot.writing.model_wiki import BOT, ModelWiki

_TITLE = f"Benutzer:{BOT}/Accuracy"
_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S


class _Reader(ModelReader):
    """Reads stop pages, too; those in `stopped` say so to it alone."""

    stopped: tuple[str, ...] = ()

    async def texts_of(self, titles: Iterable[str]) -> dict[str, PageText]:
        found = {}
        for title in titles:
            page = await self.text_of(title.replace("User:", "Benutzer:"))
            if title.rpartition("/")[2] in self.stopped:
                found[title] = PageText(title, 2, 1, 1, "stop", "wikitext", False, NOON)
            elif page is not None:
                found[title] = page
        return found


@dataclass
class _Run:
    """A bot on one wiki; `wants`: whether its community wants the page."""

    store: Store
    wants: bool = True
    is_dry: bool = False
    version: str = "1.0"
    stopped: tuple[str, ...] = ()
    at: ModelWiki = field(default_factory=model_wiki)

    def __post_init__(self) -> None:
        self.claims = known(self.store, *(f"Claim {number}." for number in range(30)))
        self.at.go("accuracy")
        text = json.dumps({"accuracy": self.wants})
        page = CommunityPage(text, 12, self.at.now, ())
        self.store.communities.keep(WIKI, page)
        session = ModelSession(self.at, account="" if self.is_dry else BOT)
        maker = gate(session, showing=self) if self.is_dry else gate(session)
        self.publisher = Publisher(
            WIKI, self.store.outbox, maker, lambda: self.at.now, lambda: 0.0, 0
        )

    def show(self, *_: object) -> str:
        return "/data/page"

    def decided(self, *, right: int, wrong: int) -> None:
        """Let readers decide about notes that were not decided about before."""
        for is_right in [True] * right + [False] * wrong:
            decide = accepted if is_right else decision
            identity = self.claims.pop()
            decided = decide(identity, decided_at=self.at.now)
            reader = f"{len(self.claims):064x}"  # each has one voice
            self.store.decisions.decide(reader, decided)

    async def go_on(self, seconds: float = _HOUR_S) -> list[Outcome]:
        """Count once more; return what came of the posts that were asked for."""
        self.at.pass_time(seconds)
        reader = _Reader(self.at)
        reader.stopped = self.stopped
        tools = PlanningTools(
            self.store,
            KEYS,
            BOT,
            lambda _: reader,
            lambda: self.at.now,
            is_dry=self.is_dry,
        )
        rules = FeedbackRules(least_decisions=5)
        data = "https://panel.example/api/v1/accuracy?wiki=w"
        counted = Accuracy(tools, rules, self.version, lambda _: data)
        await counted.run([WIKI])
        done = []
        while (outcome := self.publisher.publish_once()) is not None:
            done.append(outcome)
            if isinstance(outcome, NotNow):
                break
        return done

    @property
    def days(self) -> tuple[AccuracyDay, ...]:
        return self.store.accuracy.since(WIKI, self.at.now.date() - timedelta(days=99))

    @property
    def text(self) -> str:
        return self.at.text(_TITLE)


async def test_the_figures_are_kept_by_day_and_no_page_is_written_unasked(
    store: Store,
) -> None:
    run = _Run(store, wants=False)
    run.decided(right=3, wrong=1)

    assert await run.go_on() == []
    assert await run.go_on() == []
    await run.go_on(_DAY_S)

    assert run.at.written == []
    newest, before = run.days
    assert newest.day - before.day == timedelta(days=1)
    [kind] = newest.kinds
    assert (kind.kind, kind.right, kind.wrong, kind.is_paused) == (
        *("NOT_SUPPORTED", 3, 1, False),
    )
    assert 0.3 < kind.low < 0.75 < kind.high
    assert ANNA not in newest.model_dump_json()
    assert TITLE not in newest.model_dump_json()


async def test_a_community_that_wants_it_reads_them_on_a_page(store: Store) -> None:
    run = _Run(store)
    run.decided(right=8, wrong=1)
    now = run.at.now
    edit = PanelEdit(7, EditKind.CITE, FoundBy.TAG, now - timedelta(days=9))
    store.panel_edits.keep(WIKI, [edit], now, now)

    [outcome] = await run.go_on()

    assert isinstance(outcome, Posted)
    assert run.at.written == [_TITLE]
    assert "| 89%\n" in run.text
    assert "| lexical 1.0\n| 9\n| 8\n" in run.text
    assert "[https://panel.example/api/v1/accuracy" in run.text
    assert (
        "panel in the last 90 days: 1. After a week or more 1 of them stand" in run.text
    )
    assert "* Nothing is paused." in run.text

    run.decided(right=1, wrong=0)
    assert await run.go_on() == [], "it is written once a day"
    assert len(await run.go_on(_DAY_S)) == 1
    assert "| lexical 1.0\n| 10\n| 9\n" in run.text
    assert await run.go_on(_DAY_S) == [], "it says so already"


async def test_it_tells_what_became_of_noted_edits_and_how_often_notes_were_right(
    store: Store,
) -> None:
    run = _Run(store)
    claims = [f"It has {number} rooms." for number in range(4)]
    noted(store, claims, 11, run.at.now)
    one, two, three, _ = map(identity_of, claims)
    seen = {
        one: EditOutcome.REVERTED,
        two: EditOutcome.STANDS,
        three: EditOutcome.UNSEEN,
    }
    store.noted_edits.keep(WIKI, seen, run.at.now + timedelta(days=30))

    await run.go_on()

    row = run.text.partition("An edit moved this away from its source\n")[2]
    assert row.startswith(
        "| 4\n| 1\n| 0\n| 0\n| 1\n| 1\n| 0 / 0\n| 2\n| 1\n| 50%\n| 1\n"
    )
    assert "Precision is right / (right + wrong)." in run.text
    [kind] = run.days[0].noted
    assert (kind.kind, kind.noted, kind.right, kind.wrong, kind.undecided) == (
        *("REWORDED", 4, 1, 1, 1),
    )


async def test_what_is_paused_is_reported_at_once_and_stays_as_a_change(
    store: Store,
) -> None:
    run = _Run(store)
    run.decided(right=4, wrong=0)
    await run.go_on()
    run.decided(right=0, wrong=9)
    run.stopped = ("talk",)

    assert len(await run.go_on()) == 1

    assert "Not supported by the source: readers found 4 of 13 right" in run.text
    assert f"[[:User:{BOT}/Run/talk|" in run.text.replace("&#58;", ":")
    run.stopped = ()
    run.version = "1.1"
    assert len(await run.go_on(_DAY_S)) == 1
    assert "this page stops the task" not in run.text
    assert "program version 1.1" in run.text
    assert ": resumed: [[" in run.text


async def test_its_stop_page_stops_it(store: Store) -> None:
    run = _Run(store)
    run.at.go("accuracy", "stop")

    [outcome] = await run.go_on()

    assert isinstance(outcome, NotNow)
    assert run.at.written == []
    await run.go_on()
    assert len(store.outbox.posts(limit=9)) == 1, "the one that waits is enough"


async def test_a_dry_run_shows_it_once_and_writes_nothing(store: Store) -> None:
    run = _Run(store, is_dry=True)

    for _ in range(3):
        await run.go_on(_DAY_S)

    assert run.at.written == []
    assert [one.state for one in store.outbox.posts(limit=9)] == [PostState.SHOWN]


def test_it_is_in_the_language_of_the_wiki() -> None:
    day = AccuracyDay(
        day=datetime(2026, 11, 26, tzinfo=UTC).date(),
        wiki=WIKI,
        version="1",
        configuration=0,
        bar=0.5,
        decision_days=180,
        edit_days=90,
        pauses=(Pause(what="language model", why=PauseReason.BUDGET),),
    )

    assert "Das Sprachmodell bis zum nächsten Tag" in accuracy_text([day], "", "de")
