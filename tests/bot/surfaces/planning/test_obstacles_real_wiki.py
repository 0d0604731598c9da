"""What stands in a post's way on a real MediaWiki passes, and the notes are posted."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.records.posts import NotNow, Posted, Refusal, Refused
from bot.records.watches import PlanKind
from tests.bot.surfaces.planning.test_real_wiki import (
    Loop,
    _with_report,
    _with_talk,
    at,
    loop,
)
from tests.bot.writing.model_wiki import BOT

pytestmark = pytest.mark.mediawiki
__all__ = ["at", "loop"]
_DAY = timedelta(days=1)


@contextmanager
def _partial_block(loop: Loop) -> Iterator[None]:
    given = {"user": BOT, "reason": "errs", "expiry": "1 hour", "partial": "1"}
    loop.at.admin.post("block", **given, namespacerestrictions="1", allowusertalk="1")
    try:
        yield
    finally:
        loop.at.admin.post("unblock", user=BOT, reason="x")


@contextmanager
def _protection(loop: Loop) -> Iterator[None]:
    admin = loop.at.admin
    admin.post("protect", title=loop.talk, protections="create=sysop", reason="x")
    yield
    admin.post("protect", title=loop.talk, protections="create=all", reason="x")


@contextmanager
def _listed_title(loop: Loop) -> Iterator[None]:
    # Bots pass the list over, and this one has not been flagged yet.
    loop.at.admin.post("userrights", "userrights", user=BOT, remove="bot")
    loop.at.admin.edit("MediaWiki:Titleblacklist", "Talk:Beacon.*")
    yield
    loop.at.admin.edit("MediaWiki:Titleblacklist", "# nothing")


@contextmanager
def _full_page(loop: Loop) -> Iterator[None]:
    loop.at.ada.edit(loop.talk, f"== Old ==\n{'Words. ' * 285_700}")
    yield
    loop.at.ada.edit(loop.talk, "== New ==\nThe rest was archived.")


async def _days_until_posted(loop: Loop) -> int:
    for day in range(1, 13):
        loop.ahead += _DAY
        if any(isinstance(each, Posted) for each in await loop.go_on()):
            return day
    raise AssertionError("no post in twelve days")


@pytest.mark.parametrize(
    ("obstacle", "reason"),
    [
        (_partial_block, Refusal.BLOCKED),
        (_protection, Refusal.PROTECTED),
        (_listed_title, Refusal.PROTECTED),
        (_full_page, Refusal.TOO_LONG),
    ],
)
async def test_a_talk_note_is_posted_once_the_obstacle_has_passed(
    loop: Loop,
    obstacle: Callable[[Loop], AbstractContextManager[None]],
    reason: Refusal,
) -> None:
    _with_talk(loop)
    with obstacle(loop):
        loop.check()
        refused = await loop.go_on()
        for _ in range(2):
            loop.ahead += _DAY
            refused += await loop.go_on()
    assert {getattr(each, "reason", each) for each in refused} == {reason}
    assert len(refused) == 2, "tried again after a day, and then not for two"

    assert await _days_until_posted(loop) <= 2
    assert loop.notes_on(loop.talk) == 2


async def test_a_note_that_is_no_longer_wanted_is_not_tried_again(loop: Loop) -> None:
    _with_talk(loop)
    with _partial_block(loop):
        loop.check()
        await loop.go_on()
    loop.edit("All is right.")
    loop.check()

    for _ in range(4):
        loop.ahead += _DAY
        assert await loop.go_on() == []


async def test_a_captcha_halts_and_is_told_to_the_operator(loop: Loop) -> None:
    admin = loop.at.admin
    _with_talk(loop)
    loop.check()
    admin.post("userrights", "userrights", user=BOT, add="captcha")
    try:
        [outcome, *_] = await _halted(loop)
    finally:
        admin.post("userrights", "userrights", user=BOT, remove="captcha")
    assert isinstance(outcome, NotNow)
    assert outcome.halts
    assert "CAPTCHA" in outcome.why
    status = loop.store.status(loop.now())
    assert [note for note, _ in status.posts.held] == [outcome.why]

    assert await _days_until_posted(loop) == 1


async def _halted(loop: Loop) -> list[object]:
    loop.ahead += timedelta(minutes=11)
    while await loop.planner.work_once():
        pass
    return [loop.publisher.publish_once()]


async def test_a_word_that_a_filter_refuses_costs_one_note_of_a_report(
    loop: Loop,
) -> None:
    words = ("lamp", "gantry", "pier", "windmill", "buoy", "rope", "crane", "quay")
    loop.edit(*(f"The {each} is wrong." for each in words))
    loop.at.admin.make_filter(
        'page_namespace == 2 & added_lines contains "windmill"', warns=False
    )
    _with_report(loop)
    [active_watch] = loop.store.watches.all(loop.at.host)
    daily = replace(active_watch, interval_s=86_400)
    loop.store.watches.keep(daily, (), loop.now())
    loop.check()

    outcomes = [each for _ in range(12) for each in await loop.go_on()]

    refused = [each for each in outcomes if isinstance(each, Refused)]
    assert {each.reason for each in refused} == {Refusal.FILTER}
    assert len(outcomes) <= 7
    text = loop.at.ada.text(loop.report)
    assert [each for each in words if f"The {each} is" not in text] == ["windmill"]
    assert loop.notes_on(loop.report) == len(words) - 1
    [left_out] = loop.store.status(loop.now()).posts.left_out
    assert left_out.claim == "The windmill is wrong."
    assert (left_out.title, left_out.article) == (loop.report, loop.article)
    assert left_out.why.startswith("abusefilter-")

    # It is tried again, alone, and ever more rarely; what is new is posted meanwhile.
    loop.edit(*(f"The {each} is wrong." for each in (*words, "gull")))
    loop.check()
    assert await loop.go_on() == [], "it is not yet its day"
    loop.ahead += _DAY
    tried = [len(await loop.go_on()) for _ in range(3)]
    assert loop.notes_on(loop.report) == len(words)
    for _ in range(8):
        loop.ahead += _DAY
        tried.append(len(await loop.go_on()))
    assert sum(tried) <= 5
    assert loop.notes_on(loop.report) == len(words)


async def test_a_word_that_a_filter_refuses_costs_one_note_of_a_talk_page(
    loop: Loop,
) -> None:
    loop.edit("The lock is wrong.", "The sluice is wrong.", "The weir is wrong.")
    loop.at.admin.make_filter(
        'page_namespace == 1 & added_lines contains "sluice"', warns=False
    )
    _with_talk(loop)
    loop.check()

    for _ in range(12):
        await loop.go_on()

    assert "The sluice" not in loop.at.ada.text(loop.talk)
    assert loop.notes_on(loop.talk) == 2
    assert await loop.go_on(PlanKind.TALK) == []
