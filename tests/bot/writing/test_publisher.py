"""The publisher: takes posts one by one, and notes what became of each."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.records.posts import (
    Attempt,
    NotNow,
    Outcome,
    Posted,
    PostState,
    Refusal,
    Refused,
    Unclear,
)
from bot.store import Store, open_store
from bot.writing.publisher import Publisher
from tests.bot.writing.makers import post
from tests.rig.databases import ready_sqlite

_NOON = post().asked_at
_WIKI = post().wiki


@dataclass
class Maker:
    """Answers each try with the next of `outcomes`, the last for ever."""

    outcomes: list[Outcome | Exception]
    tried: list[Attempt] = field(default_factory=list)

    def attempt(self, attempt: Attempt) -> Outcome:
        self.tried.append(attempt)
        outcome = self.outcomes.pop(0) if self.outcomes[1:] else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "box.sqlite")) as opened_store:
        opened_store.outbox.ask(post())
        yield opened_store


def _publisher(
    store: Store,
    maker: Maker,
    now: Callable[[], datetime] = lambda: _NOON,
    pause_s: float = 0.0,
) -> Publisher:
    return Publisher(_WIKI, store.outbox, maker, now, lambda: 0.0, pause_s)


@pytest.mark.parametrize(
    ("outcome", "state", "due_in_s"),
    [
        (Posted(7), PostState.POSTED, None),
        (Refused(Refusal.SPAM, "no"), PostState.REFUSED, None),
        (NotNow("stopped", 300), PostState.WAITING, 300),
        (NotNow("conflict", 2), PostState.WAITING, 5),
        (NotNow("read-only", 30, halts=True), PostState.WAITING, 30),
        (Unclear("lost", 60), PostState.TRIED, 60),
        (ValueError("a bug"), PostState.TRIED, 5),
    ],
)
def test_what_becomes_of_a_try_is_kept(
    store: Store, outcome: Outcome | Exception, state: PostState, due_in_s: float | None
) -> None:
    _publisher(store, Maker([outcome])).publish_once()

    [intended_post] = store.outbox.posts()
    assert intended_post.state is state
    if due_in_s is not None:
        assert intended_post.due_at == _NOON + timedelta(seconds=due_in_s)


def test_a_post_is_noted_as_tried_before_anything_is_sent(store: Store) -> None:
    seen: list[PostState] = []

    class Watching(Maker):
        def attempt(self, attempt: Attempt) -> Outcome:
            seen.append(store.outbox.posts()[0].state)
            return super().attempt(attempt)

    _publisher(store, Watching([Posted(7)])).publish_once()

    assert seen == [PostState.TRIED]


def test_posts_of_other_wikis_are_left_alone(store: Store) -> None:
    store.outbox.ask(post(2, wiki="other.example"))
    maker = Maker([Posted(7)])
    publisher = _publisher(store, maker)

    assert publisher.publish_once() == Posted(7)
    assert publisher.publish_once() is None
    assert [each.post.wiki for each in maker.tried] == [_WIKI]


@pytest.mark.parametrize(
    ("outcome", "level"),
    [
        (Posted(7), "info"),
        (NotNow("the limit", 300), "info"),
        (NotNow("the account is blocked", 3600, halts=True), "warning"),
        (Unclear("lost", 60), "warning"),
    ],
)
def test_what_a_person_may_have_to_settle_is_logged_as_a_warning(
    store: Store, outcome: Outcome, level: str
) -> None:
    with capture_logs() as logs:
        _publisher(store, Maker([outcome])).publish_once()

    [line] = [line for line in logs if line["event"] == "post tried"]
    assert line["log_level"] == level


async def test_it_stops_at_once_also_while_it_rests(store: Store) -> None:
    maker = Maker([NotNow("blocked", 3600, halts=True)])
    stop = asyncio.Event()
    running = asyncio.create_task(_publisher(store, maker).run(stop))
    await asyncio.sleep(0.2)

    stop.set()
    await asyncio.wait_for(running, 60)


async def test_after_a_halt_nothing_else_is_tried(store: Store) -> None:
    for number in range(2, 6):
        store.outbox.ask(post(number, title=f"Diskussion:{number}"))
    maker = Maker([NotNow("blocked", 3600, halts=True)])
    stop = asyncio.Event()
    running = asyncio.create_task(_publisher(store, maker).run(stop, idle_s=0.01))
    for _ in range(600):
        await asyncio.sleep(0.1)
        if maker.tried:
            break
    await asyncio.sleep(0.3)
    stop.set()
    await running

    assert len(maker.tried) == 1


def test_after_a_halt_a_publisher_that_is_begun_again_tries_soon(store: Store) -> None:
    maker = Maker([NotNow("a wrong password", 3600, halts=True), Posted(7)])
    later = _NOON + timedelta(seconds=61)

    _publisher(store, maker).publish_once()

    assert _publisher(store, maker, lambda: later).publish_once() == Posted(7)
