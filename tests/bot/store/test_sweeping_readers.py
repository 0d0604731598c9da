"""Who readers were is forgotten after a month; what they decided holds on."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import create_engine, insert, select

from bot.records.accounts import (
    Judgement,
    JudgementKind,
    ReviewOutcome,
    StoredAnswer,
)
from bot.store import Store, SweepRules
from bot.store.schema import check_states, reader_sessions, sign_ins
from tests import builders
from tests.bot.store.decided import ANNA, BEN, CARA, decision, known
from tests.bot.store.runs import NOON, TITLE, WIKI

_RULES = SweepRules(batch=2)


def _day(number: float) -> datetime:
    return NOON + timedelta(days=number)


def _fill(url: str, *rows: tuple[Any, dict[str, Any]]) -> None:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            for table, values in rows:
                connection.execute(insert(table).values(**values))
    finally:
        engine.dispose()


def _left(url: str, column: Any) -> list[str]:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return sorted(connection.scalars(select(column)))
    finally:
        engine.dispose()


def _session(name: str, expires_at: datetime) -> dict[str, Any]:
    return {
        "token_sha256": name * 64,
        "wiki": WIKI,
        "subject": "7",
        "user": "Anna",
        "created_at": NOON,
        "expires_at": expires_at,
    }


def _sign_in(name: str, expires_at: datetime) -> dict[str, Any]:
    return {
        "state": name * 64,
        "wiki": WIKI,
        "way": "oauth",
        "secret_sha256": "0" * 64,
        "begun_at": NOON,
        "expires_at": expires_at,
    }


def _state(title: str, changed_at: datetime) -> dict[str, Any]:
    counts = dict.fromkeys(("sources", "sources_read", "claims", "claims_checked"), 0)
    return {
        "wiki": WIKI,
        "title": title,
        "asked_at": NOON,
        "changed_at": changed_at,
        **counts,
    }


def test_keys_of_readers_go_after_a_month_and_what_they_closed_stays_closed(
    store: Store,
) -> None:
    one, other = known(store, "One.", "Other.")
    for reader in (ANNA, BEN):
        store.decisions.decide(reader, decision(one, decided_at=_day(0)))
    store.decisions.decide(ANNA, decision(other, decided_at=_day(0)))
    young = store.decisions.decide(CARA, decision(other, decided_at=_day(20)))
    review = Judgement(
        JudgementKind.REVIEW,
        WIKI,
        TITLE,
        one,
        builders.ENGINE,
        NOON,
        outcome=ReviewOutcome.REJECT,
    )
    store.judgements.add(ANNA, review)
    before = store.decisions.tallies(NOON)

    assert store.sweep(_day(29), _RULES)["readers"] == 0
    assert store.sweep(_day(31), _RULES)["readers"] == 4

    assert [key for key, _ in store.decisions.all()] == [None, None, None, CARA]
    assert list(store.judgements.all(JudgementKind.REVIEW)) == [(None, review)]
    assert store.decisions.closed(WIKI) == {one, other}
    assert store.decisions.tallies(NOON) == before
    assert store.decisions.of_reader(ANNA, WIKI, [one]) == {}
    store.decisions.undo(CARA, young.number, _day(32))
    assert store.decisions.closed(WIKI) == {one}
    assert store.sweep(_day(33), _RULES)["readers"] == 0


def test_who_refuses_again_after_a_month_is_no_second_reader(store: Store) -> None:
    [one] = known(store, "One.")
    store.decisions.decide(ANNA, decision(one, decided_at=_day(0)))
    store.sweep(_day(31), _RULES)

    store.decisions.decide(ANNA, decision(one, decided_at=_day(32)))

    assert store.decisions.closed(WIKI) == frozenset()


def test_what_has_run_out_is_forgotten(store: Store, url: str) -> None:
    _fill(
        url,
        *((reader_sessions, _session(name, _day(1))) for name in "abc"),
        (reader_sessions, _session("d", _day(40))),
        (sign_ins, _sign_in("a", NOON + timedelta(minutes=10))),
        (sign_ins, _sign_in("b", _day(40))),
        *((check_states, _state(title, _day(1))) for title in "ABC"),
        (check_states, _state("D", _day(20))),
    )
    for name, day in (("a", 29), ("b", 31)):
        store.answers.keep(StoredAnswer(name * 64, "0" * 64, 201, "{}", _day(day)))

    swept = store.sweep(_day(31.5), _RULES)

    assert [swept[what] for what in ("readers", "sessions", "answers", "looks")] == [
        0,
        4,
        1,
        3,
    ]
    assert _left(url, reader_sessions.c.token_sha256) == ["d" * 64]
    assert _left(url, sign_ins.c.state) == ["b" * 64]
    assert _left(url, check_states.c.title) == ["D"]
    assert store.answers.get("a" * 64) is None
    assert store.answers.get("b" * 64) is not None
