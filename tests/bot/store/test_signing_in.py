"""Sign-ins come true once, and sessions are known by hashes alone."""

import threading
from dataclasses import replace
from datetime import datetime

import pytest

from bot.records.accounts import (
    Browser,
    Device,
    PageBefore,
    ReaderSession,
    SignIn,
    SignInWay,
    System,
)
from bot.store import Store
from handlers.ports import PermanentError
from tests.bot.store.runs import NOON, WIKI, after

_STATE, _TOKEN = "state", "t" * 64


def _sign_in(state: str = _STATE, verifier: str | None = "v" * 43) -> SignIn:
    return SignIn(
        state, WIKI, SignInWay.OAUTH, "s" * 64, NOON, after(600), verifier=verifier
    )


def _session(expires_at: datetime | None = None) -> ReaderSession:
    until = expires_at or after(3600)
    return ReaderSession(WIKI, "42", "Ærøskøbing 🙂", NOON, until)


def test_a_sign_in_is_kept_until_it_runs_out(store: Store) -> None:
    store.readers.begin(_sign_in())

    assert store.readers.sign_in(_STATE, after(599)) == _sign_in()
    assert store.readers.sign_in(_STATE, after(600)) is None
    assert store.readers.sign_in("another", NOON) is None


def test_what_ran_out_goes_when_the_next_begins(store: Store) -> None:
    store.readers.begin(_sign_in())
    later = replace(_sign_in("second"), begun_at=after(600), expires_at=after(1200))

    store.readers.begin(later)

    assert store.readers.sign_in(_STATE, NOON) is None
    assert store.readers.sign_in("second", after(700)) == later


def test_a_verifier_is_given_once(store: Store) -> None:
    store.readers.begin(_sign_in())

    assert store.readers.use_verifier(_STATE, after(601)) is None
    assert store.readers.use_verifier(_STATE, after(1)) == _sign_in()
    assert store.readers.use_verifier(_STATE, after(1)) is None


def test_who_it_is_counts_once_the_person_confirms_it(store: Store) -> None:
    store.readers.begin(_sign_in())

    assert not store.readers.confirm(_STATE, NOON)
    assert store.readers.settle(_STATE, "42", "Ada", NOON)
    assert not store.readers.settle(_STATE, "666", "Mallory", NOON)
    assert store.readers.confirm(_STATE, NOON)

    reader = store.readers.sign_in(_STATE, NOON)
    assert reader is not None
    assert (reader.subject, reader.user, reader.is_confirmed) == ("42", "Ada", True)
    assert not store.readers.fail(_STATE, "too late", NOON)


def test_why_it_came_to_nothing_is_kept(store: Store) -> None:
    store.readers.begin(_sign_in())

    assert store.readers.fail(_STATE, "blocked", NOON)

    reader = store.readers.sign_in(_STATE, NOON)
    assert reader is not None
    assert reader.problem == "blocked"


def test_a_session_takes_the_place_of_its_sign_in(store: Store) -> None:
    store.readers.begin(_sign_in())

    assert store.readers.open(_STATE, _TOKEN, _session())
    assert store.readers.open(_STATE, _TOKEN, _session()), "tried again"
    assert not store.readers.open(_STATE, "u" * 64, _session())

    assert store.readers.sign_in(_STATE, NOON) is None
    assert store.readers.reader(_TOKEN, after(3599)) == _session()
    assert store.readers.reader(_TOKEN, after(3600)) is None
    assert store.readers.reader("u" * 64, NOON) is None


def test_of_two_that_open_a_session_one_has_it(store: Store) -> None:
    store.readers.begin(_sign_in())
    opened: list[bool] = []

    def open_one(token: str) -> None:
        opened.append(store.readers.open(_STATE, token * 64, _session()))

    threads = [threading.Thread(target=open_one, args=(token,)) for token in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(opened) == [False, False, False, True]


def test_whoever_signs_out_is_known_no_more(store: Store) -> None:
    store.readers.begin(_sign_in())
    store.readers.open(_STATE, _TOKEN, _session())

    assert store.readers.close(_TOKEN)
    assert not store.readers.close(_TOKEN)
    assert store.readers.reader(_TOKEN, NOON) is None


def test_a_name_that_no_wiki_has_is_refused(store: Store) -> None:
    store.readers.begin(_sign_in())

    with pytest.raises(PermanentError, match="name of a reader"):
        store.readers.settle(_STATE, "42", "A" * 256, NOON)


def test_what_is_under_way_in_a_name_is_known_until_it_ends(store: Store) -> None:
    older = replace(
        _sign_in("older", verifier=None),
        way=SignInWay.PROOF,
        user="Ada",
        device=Device(Browser.EDGE, System.WINDOWS),
        page_before=PageBefore(7, 0),
    )
    newer = replace(older, state="newer", begun_at=after(1), device=Device())
    for each in (
        older,
        newer,
        replace(older, state="of-another", user="ada"),
        replace(older, state="elsewhere", wiki="other.example"),
        replace(older, state="failed"),
    ):
        store.readers.begin(each)
    store.readers.fail("failed", "blocked", NOON)

    assert store.readers.sign_ins_as(WIKI, "Ada", after(2)) == (newer, older)
    store.readers.open("newer", _TOKEN, _session())
    assert store.readers.sign_ins_as(WIKI, "Ada", after(2)) == (older,)
    assert store.readers.sign_ins_as(WIKI, "Ada", after(600)) == ()
