"""A page that changed a little is looked at a little, and nothing is missed by it."""

import asyncio
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.records.jobs import JobReason
from bot.records.tasks import TaskState
from tests.bot.daemon.checks_world import TITLE, World, cited, claims_of, world
from tests.bot.store.runs import NOON, WIKI

__all__ = ["world"]


@pytest.fixture(scope="module")
def article() -> str:
    shipped = files("bot") / "demo" / "articles" / f"{TITLE}.wikitext"
    return shipped.read_text("utf-8")


async def test_an_edit_to_one_sentence_reads_only_what_that_sentence_cites(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    everything = await world.check()
    [*_, edited] = [one for one in claims_of(article) if len(one.sources) == 1]
    words = edited.text.split()[-1]
    start, end = edited.span.start, edited.span.end
    sentence = article[start:end]
    assert sentence.count(words) == 1
    text = article[:start] + sentence.replace(words, "centuries") + article[end:]
    world.wiki.edit(TITLE, text)

    reads = await world.check()

    assert reads == {edited.sources[0].key: 1}
    assert len(everything) > 5
    last = world.last()
    assert last.counts.claims == len(last.claims) == len(claims_of(text))
    assert [one.text for one in last.claims] == [one.text for one in claims_of(text)]
    new = {one.text for one in last.claims if one.checked_at == last.checked_at}
    assert new == {one.text for one in claims_of(text)} - {
        one.text for one in claims_of(article)
    }


async def test_a_page_that_did_not_change_is_read_but_not_its_sources(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    await world.check()
    first, found = world.last(), world.store.suggestions_of(WIKI, TITLE)
    world.clock.wait_days(29)

    assert await world.check(reason=JobReason.RECHECK) == {}

    assert world.last() == first
    assert world.store.suggestions_of(WIKI, TITLE) == found
    assert world.store.jobs.state().counts[TaskState.IDLE] == 1
    world.clock.wait_days(2)
    assert len(await world.check(reason=JobReason.RECHECK)) == len(
        {fetch.source_key for one in first.claims for fetch in one.fetches}
    )


async def test_what_a_person_asks_for_is_checked_again(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    everything = await world.check()

    assert await world.check(reason=JobReason.ASKED) == everything


async def test_another_engine_checks_everything_again(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    everything = await world.check()
    world.engine = replace(world.engine, version="1.1")

    at_once = await world.check()
    assert at_once + await world.check() == everything  # so many claims a time
    assert world.last().engine.version == "1.1"


async def test_a_claim_that_a_newer_program_no_longer_sees_is_closed_without_an_edit(
    world: World,
) -> None:
    two = [cited("The mill is old", "a.example"), cited("So is it", "b.example")]
    world.wiki.edit(TITLE, "".join(two))
    await world.check()
    world.wiki.texts[TITLE] = two[0]  # stands for another way to parse the same

    assert await world.check() == {}

    assert [one.text for one in world.last().claims] == ["The mill is old."]


async def test_each_claim_ages_by_itself(world: World) -> None:
    hosts = ("read.example", "gone.example", "away.example")
    world.wiki.edit(TITLE, "".join(cited(f"It is at {one}", one) for one in hosts))
    await world.check()

    read, gone, away = (f"https://{host}/1" for host in hosts)
    assert await world.check() == {away: 1}
    world.clock.wait_days(4)
    assert await world.check() == {away: 1, gone: 1}
    assert await world.check() == {away: 1}
    world.clock.wait_days(30)
    assert await world.check() == {away: 1, gone: 1, read: 1}


async def test_a_deleted_page_is_no_failure_and_leaves_no_suggestion(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    everything = await world.check()
    assert world.store.suggestions_of(WIKI, TITLE)
    text = world.wiki.texts.pop(TITLE)

    await world.check()

    assert world.store.suggestions_of(WIKI, TITLE) == ()
    assert world.store.jobs.parked() == ()
    world.wiki.texts[TITLE] = text  # restored, at the same revision
    assert await world.check() == everything
    assert world.store.suggestions_of(WIKI, TITLE)


async def test_the_suggestions_of_a_moved_page_go_with_it(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    await world.check()
    before = world.store.suggestions_of(WIKI, TITLE)
    world.wiki.edit("Moved ant", world.wiki.texts.pop(TITLE))
    world.wiki.moved[TITLE] = "Moved ant"

    await world.check(TITLE)
    await world.check("Moved ant")

    assert world.store.suggestions_of(WIKI, TITLE) == ()
    after = world.store.suggestions_of(WIKI, "Moved ant")
    assert Counter(one.suggestion.claim for one in after) == Counter(
        one.suggestion.claim for one in before
    )


async def test_a_new_page_that_the_wiki_does_not_know_yet_is_asked_for_again(
    world: World,
) -> None:
    await world.check(revision=1)

    assert world.store.jobs.state().counts[TaskState.WAITING] == 1
    world.wiki.edit(TITLE, cited("It is new", "read.example"))
    world.clock.wait_days(1)
    assert await world.check(revision=2) == {"https://read.example/1": 1}


async def test_a_page_gives_one_line_in_the_log_that_names_it(
    world: World, article: str
) -> None:
    world.wiki.edit(TITLE, article)
    await world.check()
    world.wiki.edit(TITLE, article + cited("It is new", "read.example"))

    with capture_logs(processors=[merge_contextvars]) as logs:
        await world.check()

    [line] = logs
    named = {"wiki": WIKI, "title": TITLE, "revision_id": 3, "attempt": 1}
    assert line.items() >= named.items()
    assert (line["claims"], line["checked"]) == (len(claims_of(article)) + 1, 1)
    assert line["took_s"] >= 0


# After any edits, partial looks leave the same open as whole ones.

__all__ = ["world"]

_SENTENCE = st.builds(
    cited,
    st.sampled_from(
        [f"The {word} is old" for word in ("mill", "bridge", "inn", "oak")]
    ),
    st.sampled_from(["a.example", "b.example", "gone.example", "away.example"]),
)
_TEXT = st.lists(st.one_of(_SENTENCE, st.sampled_from(["== A ==\n", "== B ==\n"])))
_STEPS = st.lists(
    st.tuples(
        st.one_of(st.none(), _TEXT),  # what the page says now; none: it is gone
        st.sampled_from([0.0, 1.0, 5.0, 40.0]),
        st.booleans(),  # whether another version of the engine judges
    ),
    min_size=2,
    max_size=6,
)
_pages = count()


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(_STEPS)
def test_after_any_edits_the_same_is_open_as_after_whole_checks(
    world: World, steps: list[tuple[list[str] | None, float, bool]]
) -> None:
    number = next(_pages)
    titles = {
        f"Partly {number}": JobReason.CHANGE,
        f"Wholly {number}": JobReason.ASKED,
    }
    for text, days, is_other in steps:
        world.clock.wait_days(days)
        if is_other:
            world.engine = replace(
                world.engine, version=f"{world.engine.version}1"[-9:]
            )
        for title, reason in titles.items():
            if text is None:
                world.wiki.texts.pop(title, None)
            else:
                world.wiki.edit(title, "".join(text))
            asyncio.run(world.check(title, reason))
        partly, wholly = (_state(world, title) for title in titles)
        assert partly == wholly


def _state(world: World, title: str) -> tuple[object, ...]:
    """Return all that can be seen of a page, but for names, times and revisions."""
    opened = world.store.suggestions_of(WIKI, title)
    last = world.store.last_check(WIKI, title) if title in world.wiki.texts else None
    found = sorted(
        (
            *(one.suggestion.claim, one.suggestion.source_keys),
            *(one.suggestion.section, one.suggestion.place),
            *(one.suggestion.verdict.name, one.suggestion.flag is None),
        )
        for one in opened
    )
    claims = [replace(one, checked_at=NOON) for one in (last.claims if last else ())]
    return found, last and last.counts, claims
