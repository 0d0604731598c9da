"""What was closed long ago is forgotten, and not what anybody said of it."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, create_engine, event, select

from bot.records.posts import Limits, PostRules
from bot.records.watches import NoteState
from bot.store import Store, SweepRules, open_store
from bot.store.schema import suggestions
from tests import builders
from tests.bot.store.decided import ANNA, BEN, decision, known
from tests.bot.store.made_posts import make, post
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, run, suggestion

_CHECKS = [builders.claim_check()]


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    plenty = Limits(per_page=99, per_user=99)
    with open_store(url, post_rules=PostRules(usual=plenty)) as opened_store:
        yield opened_store


def _day(number: float) -> datetime:
    return NOON + timedelta(days=number)


def _swept(store: Store, days: float, closed_days: float = 30.0) -> int:
    rules = SweepRules(closed_days=closed_days, batch=2)
    return store.sweep(_day(days), rules)["suggestions"]


def _left(url: str) -> set[str]:
    engine = create_engine(url)
    with engine.begin() as connection:
        left = set(connection.scalars(select(suggestions.c.identity)))
    engine.dispose()
    return left


def test_closed_ones_of_all_pages_go_after_a_month_in_small_transactions(
    store: Store, url: str
) -> None:
    for title in (TITLE, "Another"):
        found = [suggestion(n, identity=f"{title} {n}") for n in "abcde"]
        store.save_check(run(1, NOON, _CHECKS, title), found)
        store.save_check(run(2, _day(1), _CHECKS, title), found[3:])
        store.save_check(run(3, _day(2), _CHECKS, title), found[4:])

    assert _swept(store, 30.9) == 0
    assert _swept(store, 31.5) == 6
    assert _left(url) == {f"{title} {n}" for title in (TITLE, "Another") for n in "de"}
    assert _swept(store, 31.6, closed_days=29) == 2
    assert _swept(store, 400) == 0, "what stands open stays"


def test_one_that_is_found_again_is_new_and_open(store: Store) -> None:
    found = [suggestion()]
    store.save_check(run(1, NOON, _CHECKS), found)
    store.save_check(run(2, hour(1), _CHECKS), [])
    assert _swept(store, 31) == 1

    store.save_check(run(3, _day(32), _CHECKS), found)

    [stored] = store.suggestions_of(WIKI, TITLE)
    assert stored.first_seen == _day(32)


def test_what_people_said_of_it_stays(store: Store) -> None:
    [one] = known(store, "It rained.")
    intended_post = post("tells it", [one])
    make(store, intended_post)
    store.shown_notes.dismiss(WIKI, intended_post.title, [one], hour(1))
    for reader in (ANNA, BEN):
        store.decisions.decide(reader, decision(one))
    before = store.status(hour(2)).findings.notes, store.decisions.tallies(NOON)
    store.save_check(run(11, hour(3), _CHECKS), [])

    assert _swept(store, 31) == 1

    assert store.suggestions_of(WIKI, TITLE, with_closed=True) == ()
    assert [each.state for each in store.shown_notes.on(WIKI, intended_post.title)] == [
        NoteState.DISMISSED
    ]
    assert store.decisions.closed(WIKI, [one]) == {one}
    assert (
        store.status(hour(2)).findings.notes,
        store.decisions.tallies(NOON),
    ) == before


def test_an_update_stays_that_was_shown_to_or_decided_on_by_anybody(
    store: Store, url: str
) -> None:
    notified, decided, neither, citation = known(store, *"abcd")
    make(store, post("tells both", [notified, citation]))
    store.decisions.decide(ANNA, decision(decided))
    engine = create_engine(url)
    with engine.begin() as connection:
        is_update = suggestions.c.identity != citation
        connection.execute(
            suggestions.update().where(is_update).values(update_kind="NEW_FACT")
        )
        connection.execute(suggestions.update().values(closed_at=hour(2)))
    engine.dispose()

    assert _swept(store, 31) == 2
    assert _left(url) == {notified, decided}, neither


def test_rows_are_named_page_by_page_and_not_by_pairs(store: Store) -> None:
    """MariaDB takes a second to think about a list of 500 pairs, and 10 ms about this."""
    statements: list[str] = []

    def hear(_made: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    found = [suggestion(n, identity=n) for n in "ab"]
    store.save_check(run(1, NOON, _CHECKS), found)
    store.save_check(run(2, hour(1), _CHECKS), [])
    event.listen(Engine, "before_cursor_execute", hear)
    try:
        assert _swept(store, 31) == 2
    finally:
        event.remove(Engine, "before_cursor_execute", hear)

    [one] = [each for each in statements if each.startswith("DELETE FROM suggestions")]
    assert "suggestions.page = " in one
    assert "suggestions.identity IN (" in one
