"""What a person supplies is theirs alone, is read once, and is not kept."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.records.accounts import SuppliedQuote, SuppliedResult, SuppliedText
from bot.records.tasks import Lease, TaskKind
from bot.store import Store, SweepRules, open_store
from handlers.model import Verdict
from tests.bot.store.runs import NOON, TITLE, WIKI

HOUR = timedelta(hours=1)
MOST_BYTES = 100
BODY = b"%PDF-1.4 what nobody else may see \x00\xff"
FOUND = (
    SuppliedResult("It rang.", Verdict.SUPPORTED, (SuppliedQuote("rang", page=3),)),
    SuppliedResult("It fell.", None),
)


def supplied(name: str = "text-1") -> SuppliedText:
    key = "https://paid.example/article"
    return SuppliedText(name, "alice", WIKI, TITLE, key, NOON, NOON + HOUR, BODY)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened_store:
        opened_store.supplied.put(supplied(), NOON, MOST_BYTES)
        yield opened_store


def leased(store: Store) -> Lease[SuppliedText] | None:
    return store.tasks.lease([TaskKind.SUPPLIED], "worker", NOON)


def test_a_text_is_read_once_and_goes_with_the_answer(store: Store) -> None:
    lease = leased(store)
    assert lease is not None
    assert lease.task == supplied()

    store.supplied.answer(lease, FOUND, NOON)

    supplied_text = store.supplied.get("text-1", "alice", NOON)
    assert supplied_text is not None
    assert (supplied_text.results, supplied_text.ended_at, supplied_text.body) == (
        FOUND,
        NOON,
        None,
    )
    assert leased(store) is None


def test_the_key_of_a_source_longer_than_its_column_is_clipped(store: Store) -> None:
    long_key = "https://paid.example/" + "a" * 5000
    store.supplied.put(
        replace(supplied("text-2"), source_key=long_key), NOON, MOST_BYTES
    )

    stored = store.supplied.get("text-2", "alice", NOON)

    assert stored is not None
    assert len(stored.source_key) < len(long_key)
    assert long_key.startswith(stored.source_key.rstrip("…"))


def test_only_who_supplied_it_is_told_what_it_says(store: Store) -> None:
    assert store.supplied.get("text-1", "bob", NOON) is None
    assert store.supplied.get("text-2", "alice", NOON) is None
    supplied = store.supplied.get("text-1", "alice", NOON)
    assert supplied is not None
    assert supplied.body is None


def test_nothing_of_it_is_left_after_an_hour(store: Store) -> None:
    later = NOON + HOUR

    assert store.supplied.get("text-1", "alice", later) is None
    assert store.sweep(later, SweepRules())["supplied"] == 1
    assert leased(store) is None


def test_the_next_text_sweeps_away_what_is_old(store: Store) -> None:
    later = NOON + HOUR
    store.supplied.put(supplied("text-2"), later, MOST_BYTES)

    assert store.sweep(NOON, SweepRules())["supplied"] == 0
    assert store.supplied.get("text-1", "alice", NOON) is None


def test_a_text_that_cannot_be_read_goes_with_the_reason(store: Store) -> None:
    lease = leased(store)
    assert lease is not None
    store.tasks.park(lease, NOON, "it is broken")

    supplied_text = store.supplied.get("text-1", "alice", NOON)

    assert supplied_text is not None
    assert (supplied_text.problem, supplied_text.ended_at) == ("it is broken", NOON)
    assert leased(store) is None


def test_no_backup_holds_it(store: Store) -> None:
    lines: list[str] = []

    counts = store.back_up(lines.append, NOON)

    assert "supplied_texts" not in counts
    assert "paid.example" not in "".join(lines)


def test_a_reader_cannot_have_more_waiting_than_is_allowed(store: Store) -> None:
    large = replace(supplied("text-2"), body=b"a" * (MOST_BYTES - len(BODY)))
    one_more = replace(supplied("text-3"), body=b"a")
    of_another = replace(one_more, name="text-4", reader="bob")

    assert store.supplied.put(large, NOON, MOST_BYTES)
    assert not store.supplied.put(one_more, NOON, MOST_BYTES)
    assert store.supplied.put(of_another, NOON, MOST_BYTES)

    assert store.supplied.get("text-3", "alice", NOON) is None
    lease = leased(store)
    assert lease is not None
    store.supplied.answer(lease, (), NOON)
    assert store.supplied.put(one_more, NOON, MOST_BYTES)
