"""After any edits, partial looks leave the same open as whole ones."""

import asyncio
from dataclasses import replace
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.records.jobs import JobReason
from tests.bot.daemon.checks_world import World, cited, world
from tests.bot.store.runs import NOON, WIKI

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
