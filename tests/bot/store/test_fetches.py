"""What is read for others is asked for once, read by one, and answered for a while."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pytest
from sqlalchemy import Connection, text

from bot.records.fetches import FetchRules, Request, request_of
from bot.records.tasks import Lease, LeaseLost, TaskKind
from bot.store import Store, Tasks, open_store
from bot.store.clock import DatabaseTime
from bot.store.fetches import Fetches
from handlers.model import (
    Author,
    Imprint,
    Origin,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    UrlStatus,
)
from tests.bot.store.runs import NOON, after, connected

_RULES = FetchRules(lease_s=60, attempts=2, keep_s=600)
_SOURCE = Source(
    SourceForm.TEMPLATE,
    "{{cite web|…}}",
    url="https://a.example/1",
    url_status=UrlStatus.LIVE,
    access_date=date(2024, 2, 29),
    title="Not asked for",
)
_TEXT = SourceText(
    "Ein Satz.\n\nÑandú 🦤 \udc80\0",
    title="T",
    page_starts=(0, 5),
    imprint=Imprint(authors=(Author("Ada L.", "L."),)),
)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, fetch_rules=_RULES) as opened_store:
        yield opened_store


def _request(address: str = "https://a.example/1") -> Request:
    request = request_of(Source(SourceForm.URL, "", url=address))
    assert request is not None
    return request


def _ask(store: Store, *addresses: str, at: datetime = NOON) -> list[Request]:
    requests = [_request(address) for address in addresses]
    store.fetches.ask(requests, at, at + timedelta(seconds=900))
    return requests


def _leased(store: Store, at: datetime = NOON) -> Lease[Request]:
    turn = store.tasks.lease([TaskKind.FETCH], "reader", at)
    assert turn is not None
    return turn


def _read(source: Source) -> SourceFetch:
    return SourceFetch(
        source,
        SourceOutcome.READ,
        "read",
        origin=Origin.ARCHIVE,
        url="https://web.example/1",
        read_at=NOON,
        http_status=200,
        content_sha256="a" * 64,
        document=_TEXT,
    )


def test_an_answer_comes_back_as_it_was_given_to_all_who_ask(store: Store) -> None:
    request = request_of(_SOURCE)
    assert request is not None
    for _ in range(2):
        store.fetches.ask([request], NOON, after(900))
    turn = _leased(store)
    assert turn.task == request
    assert store.tasks.lease([TaskKind.FETCH], "other", NOON) is None
    assert store.fetches.answers([request]) == {}

    store.fetches.answer(turn, _read(turn.task.source), after(5))

    [found] = store.fetches.answers([request]).values()
    assert found.document is not None
    assert found.document.text == _TEXT.text.replace("\udc80", "?")
    assert found.document.imprint == _TEXT.imprint
    assert found.document.page_starts == (0, 5)
    assert (found.origin, found.read_at) == (Origin.ARCHIVE, NOON)
    store.fetches.ask([request], after(100), after(900))
    assert not store.tasks.is_due([TaskKind.FETCH], after(100)), "it is answered"
    store.fetches.ask([request], after(700), after(900))
    assert store.tasks.is_due([TaskKind.FETCH], after(700)), "the answer is old"


def test_of_a_host_one_source_is_read_at_a_time_and_none_while_it_is_asked(
    store: Store,
) -> None:
    _ask(store, "https://a.example/1", "https://a.example/2")
    _ask(store, "https://b.example/1", at=after(1))

    first, second = _leased(store, after(2)), _leased(store, after(2))

    assert (first.task.host, second.task.host) == ("a.example", "b.example")
    assert store.tasks.lease([TaskKind.FETCH], "reader", after(2)) is None
    store.fetches.answer(first, _read(first.task.source), after(3))
    assert _leased(store, after(3)).task.host == "a.example"


def test_of_identifiers_those_are_read_at_a_time_that_lead_to_different_places(
    store: Store,
) -> None:
    def known(**by: str) -> Request:
        request = request_of(Source(SourceForm.TEMPLATE, "", **by))  # type: ignore[arg-type]
        assert request is not None
        return request

    sources = [
        known(doi="10.1038/a"),
        known(doi="doi:10.1038/b"),
        known(doi="10.1007/c"),
    ]
    store.fetches.ask([*sources, known(doi="10.1007/d", pmc="PMC1")], NOON, after(900))

    leased = {_leased(store).task.host for _ in range(3)}

    assert leased == {"10.1038", "10.1007", "pmc"}
    assert store.tasks.lease([TaskKind.FETCH], "reader", NOON) is None


def test_a_source_that_its_readers_die_over_is_given_up_with_a_reason(
    store: Store,
) -> None:
    [request] = _ask(store, "https://a.example/1")
    dead = _leased(store)
    store.tasks.renew(dead, after(50))
    assert store.tasks.lease([TaskKind.FETCH], "other", after(100)) is None
    again = _leased(store, after(111))

    with pytest.raises(LeaseLost):
        store.fetches.answer(dead, _read(dead.task.source), after(112))

    assert (again.attempt, again.token) == (2, 2)
    assert store.tasks.lease([TaskKind.FETCH], "other", after(172)) is None
    [answer] = store.fetches.answers([request]).values()
    assert answer.outcome is SourceOutcome.INCOMPLETE
    assert "2 times" in answer.detail


def test_what_is_put_back_counts_as_not_tried_unless_it_does(store: Store) -> None:
    _ask(store, "https://a.example/1")
    for _ in range(3):
        store.tasks.put_off(_leased(store), NOON, 0.0)
    store.tasks.retry(_leased(store), NOON, 0.0, "a fault")

    assert _leased(store).attempt == 2


def test_what_nobody_waits_for_is_not_read_and_is_forgotten(store: Store) -> None:
    [request] = _ask(store, "https://a.example/1")
    assert store.status(after(899)).fetches.waiting == 1
    assert store.status(after(901)).fetches.waiting == 0
    assert store.tasks.lease([TaskKind.FETCH], "reader", after(901)) is None

    _ask(store, "https://a.example/1", at=after(902))
    store.fetches.answer(_leased(store, after(902)), _read(request.source), after(903))

    assert store.fetches.forget(after(1803)) == 1


def test_an_answer_stays_for_whoever_asked_just_before_it_got_old(
    store: Store,
) -> None:
    [request] = _ask(store, "https://a.example/1")
    store.fetches.answer(_leased(store), _read(request.source), NOON)

    _ask(store, "https://a.example/1", at=after(599))

    assert store.fetches.forget(after(601)) == 0
    assert store.fetches.answers([request])
    assert store.fetches.forget(after(1500)) == 1


def test_however_many_are_forgotten_no_statement_removes_more_than_some(
    store: Store,
) -> None:
    _ask(store, *(f"https://a.example/{at}" for at in range(250)))

    assert store.fetches.forget(after(1501)) == 250


def test_nothing_in_the_table_stops_a_reader_or_a_worker(url: str) -> None:
    with open_store(url, fetch_rules=_RULES) as store:
        requests = _ask(store, "https://a.example/1", "https://b.example/2")
        turn = _leased(store)
        store.fetches.answer(turn, _read(turn.task.source), NOON)
    with connected(url) as connection:
        spoilt = text("UPDATE fetches SET asked = 'nonsense', answer = X'78'")
        connection.execute(spoilt)

    with open_store(url, fetch_rules=_RULES) as store:
        assert store.tasks.lease([TaskKind.FETCH], "reader", NOON) is None
        answers = store.fetches.answers(requests)

    assert {one.outcome for one in answers.values()} == {
        SourceOutcome.UNREACHABLE,
        SourceOutcome.INCOMPLETE,
    }


def test_only_what_leads_to_a_place_makes_a_question_another() -> None:
    def key(**changes: object) -> str:
        fields = {"url": "https://a.example/1", **changes}
        request = request_of(Source(SourceForm.URL, "x", **fields))  # type: ignore[arg-type]
        assert request is not None
        return request.key

    assert key() == key(title="T", quote="Q", pages="3")
    assert len({key(), key(access_date=date(2024, 1, 1)), key(doi="10.1/x")}) == 3
    assert (
        request_of(Source(SourceForm.URL, "", url="https://a/" + "x" * 20_000)) is None
    )


@pytest.mark.parametrize("ahead_s", [-50, 50, 3000])
def test_a_machine_whose_clock_is_wrong_takes_nothing_from_others(
    store: Store, ahead_s: int
) -> None:
    def wrong() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=ahead_s)

    def right() -> datetime:
        return datetime.now(UTC)

    clock = DatabaseTime(ours=wrong)
    other = Fetches(store._database, _RULES, clock)
    theirs = Tasks(store._database, store.tasks.policies, clock)
    [request] = _ask(store, "https://a.example/1", at=right())

    assert theirs.is_due([TaskKind.FETCH], wrong())
    turn = theirs.lease([TaskKind.FETCH], "wrong", wrong())
    assert turn is not None
    assert store.tasks.lease([TaskKind.FETCH], "right", right()) is None
    theirs.put_off(turn, wrong(), 0.0)
    turn = _leased(store, right())
    assert theirs.lease([TaskKind.FETCH], "wrong", wrong()) is None
    store.fetches.answer(turn, _read(turn.task.source), right())
    other.ask([request], wrong(), wrong() + timedelta(seconds=900))
    assert not store.tasks.is_due([TaskKind.FETCH], right()), "the answer is not old"


def test_a_clock_that_is_set_is_compared_with_the_databases_again() -> None:
    hour = timedelta(hours=1)
    ours = [NOON]
    database_time = DatabaseTime(theirs=lambda _: NOON, ours=lambda: ours[0])
    connection = cast(Connection, None)

    assert database_time.at(connection, NOON) == NOON
    ours[0] = NOON + hour
    assert database_time.at(connection, NOON + hour) == NOON
