"""An edit is compared with the revision that was checked before, and its note lives on."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.records.jobs import JobReason
from handlers.edits.finding import ChangedFinding
from handlers.findings import Suggestion
from handlers.model import Claim, EditJudgement, EditKind, Passage, Verdict
from tests.bot.daemon.checks_world import TITLE, Reader, World, cited, world
from tests.bot.models.language_model.tools import model
from tests.bot.store.runs import WIKI
from tests.builders import CLAIM_TEXT, QUOTE
from tests.rig.language_model import judges, serving

__all__ = ["world"]

GOOD, BAD = "The tower is 412 feet high", "The tower is 412 metres high"
OLD, NEW = "The tornado stayed on the ground for 70 miles", CLAIM_TEXT
OTHER = cited("It opened in 1891", "b.example")


class Doubting(Reader):
    """One that calls both sides supported, and the edit bad all the same."""

    async def judge_edit(
        self, title: str, before: Claim, after: Claim, passages: Sequence[Passage]
    ) -> EditJudgement:
        found = await super().judge_edit(title, before, after, passages)
        return replace(found, moved=0.9)


def _page(*sentences: str) -> str:
    return "".join(cited(words, "a.example") for words in sentences) + OTHER


def _changed(world: World) -> list[Suggestion]:
    return [
        one.suggestion
        for one in world.store.suggestions_of(WIKI, TITLE)
        if isinstance(one.suggestion.finding, ChangedFinding)
    ]


def _kinds(world: World) -> list[str]:
    found = world.store.suggestions_of(WIKI, TITLE)
    return sorted(one.suggestion.kind for one in found)


async def _checked(world: World, text: str) -> None:
    world.wiki.edit(TITLE, text)
    await world.check()


async def test_an_edit_away_from_the_source_is_noted_once(world: World) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))
    assert _kinds(world) == []

    await _checked(world, _page(BAD))

    [one] = _changed(world)
    assert _kinds(world) == ["changed"]  # and no second note for the sentence
    assert one.claim == f"{BAD}."
    assert one.finding.facts.earlier
    assert one.finding.facts.earlier.text == f"{GOOD}."
    assert (one.finding.facts.earlier.since, one.finding.facts.earlier.until) == (2, 3)


async def test_a_revert_closes_the_note(world: World) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    for text in (_page(GOOD), _page(BAD), _page(GOOD)):
        await _checked(world, text)

    assert _kinds(world) == []


async def test_a_check_without_an_edit_leaves_the_note(world: World) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))
    await _checked(world, _page(BAD))
    [before] = _changed(world)

    world.clock.wait_days(31)
    await world.check(reason=JobReason.RECHECK)
    await world.check(reason=JobReason.ASKED)

    assert [one.identity for one in _changed(world)] == [before.identity]


async def test_the_next_turn_of_an_edit_war_updates_the_note(world: World) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    worse = "The tower is 421 metres high"
    await _checked(world, _page(GOOD))
    await _checked(world, _page(BAD))
    [first] = _changed(world)

    await _checked(world, _page(worse))

    [second] = _changed(world)
    assert second.identity == first.identity
    assert second.claim == f"{worse}."
    assert second.finding.facts.earlier
    assert second.finding.facts.earlier.text == f"{GOOD}."


async def test_a_removed_footnote_is_noted(world: World) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))

    await _checked(world, f"{GOOD}.\n\n{OTHER}")

    [one] = _changed(world)
    assert isinstance(one.finding, ChangedFinding)
    assert one.finding.done is EditKind.REMOVED


async def test_a_page_that_somebody_begins_to_watch_is_compared_with_nothing(
    world: World,
) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    world.wiki.edit(TITLE, _page(GOOD))
    world.wiki.edit(TITLE, _page(BAD))

    await world.check(reason=JobReason.OPT_IN)

    assert _changed(world) == []


async def test_a_hidden_revision_is_no_obstacle(world: World) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))
    world.wiki.hidden.add(world.wiki.revision)

    await _checked(world, _page(BAD))

    assert _kinds(world) == ["citation"]


async def test_what_an_edit_moved_away_is_not_called_supported(world: World) -> None:
    world.judge = Doubting(f"{GOOD}.", f"{BAD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))

    await _checked(world, _page(BAD))

    assert _kinds(world) == ["changed"]
    verdicts = {one.text: one.verdict for one in world.last().claims}
    assert verdicts[f"{BAD}."] is None
    assert verdicts["It opened in 1891."] is Verdict.SUPPORTED


async def test_a_run_of_edits_is_one_comparison_that_names_the_edit(
    world: World,
) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))
    for lead in ("Lead", "Lead two"):
        world.wiki.edit(TITLE, f"{lead}.\n\n{_page(GOOD)}")
    for lead in ("Lead three", "Lead four"):
        world.wiki.edit(TITLE, f"{lead}.\n\n{_page(BAD)}")

    await world.check()

    [one] = _changed(world)
    assert one.finding.facts.earlier
    assert (one.finding.facts.earlier.since, one.finding.facts.earlier.until) == (4, 5)


@pytest.mark.parametrize(
    ("quote", "noted"), [(QUOTE, []), ("It stayed for 99 miles.", [f"{NEW}."])]
)
async def test_only_a_quote_of_the_source_confirms_what_an_edit_says(
    world: World, quote: str, noted: list[str]
) -> None:
    world.judge = Reader(f"{OLD}.", "It opened in 1891.")
    await _checked(world, _page(OLD))

    async with serving(judges(lambda *_: ("supported", quote))) as server:
        world.model = model(server)
        await _checked(world, _page(NEW))

    assert [one.claim for one in _changed(world)] == noted


async def test_what_is_put_before_a_sentence_borrows_its_footnote(
    world: World,
) -> None:
    world.judge = Reader(f"{GOOD}.", "It opened in 1891.")
    await _checked(world, _page(GOOD))

    await _checked(world, _page(f"Nobody was ever there. {GOOD}"))

    [one] = _changed(world)
    assert isinstance(one.finding, ChangedFinding)
    assert (one.claim, one.finding.done) == (
        "Nobody was ever there.",
        EditKind.INSERTED,
    )


async def test_words_before_a_footnote_that_a_quote_confirms_are_not_noted(
    world: World,
) -> None:
    world.judge = Reader(f"{OLD}.", "It opened in 1891.")
    before, after = (
        cited(words, "a.example") + OTHER for words in (OLD, f"{OLD}. {NEW}")
    )
    await _checked(world, before)
    await _checked(world, after)
    [one] = _changed(world)
    assert isinstance(one.finding, ChangedFinding)
    assert one.finding.done is EditKind.INSERTED

    async with serving(judges(lambda *_: ("supported", QUOTE))) as server:
        world.model = model(server)
        await _checked(world, f"{after}A line.")

    assert _changed(world) == []


async def test_a_note_is_closed_once_a_quote_confirms_the_words(world: World) -> None:
    world.judge = Reader(f"{OLD}.", "It opened in 1891.")
    for text in (_page(OLD), _page(NEW)):
        await _checked(world, text)
    assert _kinds(world) == ["changed"]

    async with serving(judges(lambda *_: ("supported", QUOTE))) as server:
        world.model = model(server)
        await world.check(reason=JobReason.ASKED)

    assert _changed(world) == []
